"""Take out characters that nobody sees: they hide orders and split words."""

import re

_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN = re.compile(f"[{_UNSEEN}]")
_MAY_HIDE = re.compile(f"[{_UNSEEN}\u200c\u200d\ufe0e\ufe0f]")
_JOINERS = re.compile("(?P<before>.?)(?P<joiner>[\u200c\u200d])(?=(?P<after>.?))", re.DOTALL)
_STYLE = re.compile("(?P<before>.?)(?P<style>[\ufe0e\ufe0f])", re.DOTALL)
_JOINED = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u1780-\u18af\ufb50-\ufdff\ufe70-\ufeff\ufe0f\u2190-\u2bff\U0001f000-\U0001faff]"
)
"""Letters and pictures that a joiner changes: Arabic, Indic and Mongolian scripts, emoji."""
_STYLED = re.compile(
    "[#*0-9\u00a9\u00ae\u2000-\u2bff\u3030-\u303d\u3297\u3299\U0001f000-\U0001faff]"
)


def visible(text: str) -> str:
    """Return a text without invisible characters, except joiners in scripts and emoji."""
    if text.isascii() or not _MAY_HIDE.search(text):
        return text
    shown = _HIDDEN.sub("", text)
    shown = _STYLE.sub(lambda at: at[0] if _STYLED.match(at["before"]) else at["before"], shown)
    return _JOINERS.sub(_join, shown)


def _join(at: re.Match[str]) -> str:
    is_joined = _JOINED.match(at["before"]) and _JOINED.match(at["after"])
    return at[0] if is_joined else at["before"]
