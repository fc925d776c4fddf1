"""Which parts does a question have, and what is each about?"""

import re

from memory_graph.policy.wording import STOP_WORDS

_ASKING = (
    r"(?:who|whom|whose|what|when|where|which|why|how|do|does|did|is|are|was|were|have|has|had"
    r"|can|could|will|would)\b"
)
_SEAM = re.compile(rf"(?<=\?)\s+|,?\s+(?:and|but|or)\s+(?:also\s+)?(?={_ASKING})", re.IGNORECASE)
_OPENS = re.compile(_ASKING, re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PARTS = 3

_ABOUT_TALK = frozenset(
    # What people call a conversation and what is done in one: no topic by itself.
    """
    agree agreed anything arrange arranged ask asked call called chat chatted conversation
    conversations cover covered decide decided decision decisions discuss discussed discussion
    everything exactly forget forgot forgotten happen happened kind last list mention mentioned mind
    name named names plan planned promise promised recall recap remember remind said say session
    settle settled something sort
    speak spoke stuff suggest suggested summarise summarize summary talk talked talking tell thing
    things time told topic topics work worked
    """.split()
)


def split_question(text: str) -> list[str]:
    """Return the questions in a message that asks several, else the message as it is."""
    parts = [part.strip() for part in _SEAM.split(text) if part.strip()]
    if len(parts) == 1 or not all(_OPENS.match(part) for part in parts):
        return [text]
    return parts[:_PARTS]


def topic_of(text: str, time_phrase: str | None = None) -> str:
    """Return the words that say what a question is about, in their order.

    Nothing is left of one that asks for whatever was said at a time: `What did we
    decide yesterday?`.
    """
    asked = text.replace(time_phrase, " ") if time_phrase else text
    words = _WORD.findall(asked)
    kept = [word for word in words if _bare(word) not in STOP_WORDS | _ABOUT_TALK]
    return " ".join(kept)


def _bare(word: str) -> str:
    return word.casefold().replace("’", "").replace("'", "")
