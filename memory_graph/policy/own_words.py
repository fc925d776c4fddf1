"""Which part of a message are the user's own words, and which was pasted, quoted or dictated?"""

import re
from dataclasses import dataclass
from typing import Literal

Foreign = Literal["code", "pasted_document", "quote", "none"]

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTE_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
_QUOTED = re.compile(r"[\"“«][^\"”»\n]{2,}[\"”»]|(?<!\w)['‘][^'’\n]{3,}?['’](?!\w)")
_WIDE_GAP = re.compile(r"[ \t]{9,}|\n{3,}")
_TITLE = re.compile(r"(?!I\b)[A-Z][\w'-]*(?: (?:[A-Z][\w'-]*|of|the|and|in|a|to|for|\d+)){0,6}")
_DICTATED = re.compile(
    r"\b(?:translate|rephrase|rewrite|reword|proofread|paraphrase|summari[sz]e|repeat|"
    r"correct (?:this|the)|fix (?:this|the)|say|type|print|output|write|draft|compose|"
    r"shorten(?:ed)?|improve|edit|review)\b[^.!?\n:]{0,60}:.*",
    re.IGNORECASE | re.DOTALL,
)
_SPEAKER_LINE = re.compile(r"^\s*[A-Z]\w+: .*\b(?:I|I'm|my|we|you)\b.*$", re.MULTILINE)
_LOG_LINE = re.compile(
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|at \S+\(|File \"|Traceback|"
    r"\w*(?:Error|Exception): |(?:ERROR|WARN|WARNING|INFO|DEBUG)\b)",
    re.MULTILINE,
)
_CODE_LINE = re.compile(
    r"^\s*(?:def |class |import |from \w[\w.]* import |return\b|function |const |let |var |"
    r"#include|public |private |SELECT |INSERT |<\/?\w+|\{|\}|\w+\(.*\);?$|[\w.]+ = )",
    re.MULTILINE,
)
_LETTER = re.compile(
    r"^\s*(?:dear|hello|hi) [\w .]+,\s*$|^\s*(?:best|kind|warm)?\s*(?:regards|wishes),?|"
    r"^\s*(?:yours sincerely|sincerely)\b|^\s*(?:from|to|subject): ",
    re.IGNORECASE | re.MULTILINE,
)

LONG_DOCUMENT = 1500
"""Characters; several paragraphs of this length were not typed here."""

LONGEST_MESSAGE = 8000
"""Characters; nobody types more than this about themselves in one go."""


@dataclass(frozen=True)
class OwnWords:
    """What is left of a message, and what kind of foreign text was taken out of it."""

    text: str
    removed: Foreign


def own_words(message: str) -> OwnWords:
    """Take out code, logs, letters, quotes and text handed over for rewriting."""
    if len(message) > LONGEST_MESSAGE:
        return OwnWords("", "pasted_document")
    text = _WIDE_GAP.sub(_narrow, message.replace("’", "'"))
    if len(_LETTER.findall(text)) >= 2 or _is_long_document(text):
        return OwnWords("", "pasted_document")
    without_code = _drop_lines(_FENCE.sub("\n", text))
    if without_code != text and not without_code.strip():
        return OwnWords("", "code")
    without_quotes = _QUOTED.sub(_keep_title, _DICTATED.sub(" ", _QUOTE_LINE.sub("", without_code)))
    removed: Foreign = "quote" if without_quotes != without_code else "none"
    return OwnWords(without_quotes.strip(), "code" if without_code != text else removed)


def _narrow(gap: re.Match[str]) -> str:
    """Shorten a gap, so that no later pattern has to walk through it twice."""
    return "\n\n" if gap[0].startswith("\n") else " " * 8


def _drop_lines(text: str) -> str:
    """Remove logs, loose code and transcripts: only when two lines or more look like it."""
    for pattern in (_LOG_LINE, _CODE_LINE, _SPEAKER_LINE):
        if len(pattern.findall(text)) >= 2:
            text = "\n".join(line for line in text.splitlines() if not pattern.match(line))
            text = "\n".join(line for line in text.splitlines() if not line.startswith("    "))
    return text


def _keep_title(quoted: re.Match[str]) -> str:
    """Keep the name of a book or a film; what somebody said goes."""
    inner = quoted[0][1:-1]
    return inner if _TITLE.fullmatch(inner) else " "


def _is_long_document(text: str) -> bool:
    return len(text) > LONG_DOCUMENT and text.count("\n\n") >= 3
