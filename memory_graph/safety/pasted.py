"""Find the parts of a message that are somebody else's words: mails, logs, plays, quotations."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from memory_graph.safety import patterns_of

Span = tuple[int, int]
_PATTERNS = patterns_of("own_voice")
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_SENTENCE = re.compile(r"^.\s*\S+\s+\S+\s+\S+.*[.!?…]\s*.$", re.DOTALL)
"""Three words and a full stop in quotation marks: in no language is that a name."""
_HEAD = 200
"""Characters at the beginning of a line that say whose line it is."""
_VERSES, _LABELS, _ROWS, _SPEAKERS = 4, 3, 2, 2
"""So many lines of a kind are a poem, a form, a table, a conversation."""


@dataclass(frozen=True)
class _Line:
    """One line of a message, with its place in it."""

    text: str
    start: int
    end: int


def others_words(message: str) -> list[Span]:
    """Return the spans of a message that are somebody else's words, in order and apart.

    A quoted name is the user's own: `my favourite film is "Alien"`.
    """
    text = message.replace("’", "'")
    lines = _lines(text)
    if _is_letter(text):
        return [(0, len(text))]
    found = [
        *_of_blocks(text),
        *_of_lines(lines),
        *_before_a_request(text, lines),
        *_quoted(text),
        *_unclosed(text),
    ]
    return _merged(found, text)


def _lines(text: str) -> list[_Line]:
    found, start = [], 0
    for line in text.split("\n"):
        found.append(_Line(line, start, start + len(line)))
        start += len(line) + 1
    return found


def _merged(spans: Sequence[Span], text: str) -> list[Span]:
    """Return spans without overlaps; what is between two is kept if it has a letter."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif merged and not text[merged[-1][1] : start].strip():
            merged[-1] = merged[-1][0], end
        else:
            merged.append((start, end))
    return merged


def _of_blocks(text: str) -> Iterator[Span]:
    """Yield fenced text, forwarded mail, and what is dictated or played."""
    for name in ("fenced", "block_quote", "dictated", "of_the_user"):
        yield from (match.span() for match in _PATTERNS[name].finditer(text))
    for name in ("forwarded", "played"):
        if begins := _PATTERNS[name].search(text):
            yield begins.start(), len(text)


def _is_letter(text: str) -> bool:
    """Say whether a message greets somebody by name and is signed: a mail, pasted whole."""
    if len(_PATTERNS["letter"].findall(text)) >= 2:
        return True
    if _PATTERNS["formal"].search(text):
        return True
    return bool(_PATTERNS["greeting"].search(text) and _PATTERNS["signature"].search(text))


def _of_lines(lines: Sequence[_Line]) -> Iterator[Span]:
    """Yield the lines that are under somebody's name, or in a form that nobody speaks in."""
    yield from _under_a_name(lines)
    for is_such, least in _FORMS:
        yield from _runs(lines, is_such, least)
    yield from _tables(lines)
    yield from _verses(lines)
    yield from _documents(lines)
    yield from _chats(lines)


def _under_a_name(lines: Sequence[_Line]) -> Iterator[Span]:
    """Yield lines under somebody's name, and the paragraph that a line announces."""
    is_anothers = is_announced = False
    for line in lines:
        reports = _PATTERNS["reports"].match(line.text[:_HEAD])
        if not line.text.strip():
            is_anothers = is_announced
        elif _is_role_line(line.text) or reports or is_anothers:
            is_anothers = True
            is_announced = bool(reports) and line.text.rstrip().endswith(":")
        if is_anothers:
            yield line.start, line.end


def _is_role_line(line: str) -> bool:
    head = _UNSEEN.sub("", unicodedata.normalize("NFKC", line[:_HEAD]))
    labels = _PATTERNS["role_line"].match(head) or _PATTERNS["mixed"].match(head)
    return bool(labels or _PATTERNS["role_mark"].search(line))


def _matches(name: str) -> Callable[[str], bool]:
    return lambda line: bool(_PATTERNS[name].match(line[:_HEAD]))


_FORMS: tuple[tuple[Callable[[str], bool], int], ...] = (
    (_matches("log_line"), 2),
    (_matches("code_line"), 2),
    (_matches("stage_line"), 1),
    (_matches("form_line"), _LABELS),
)
"""What a line of logs, code, chats, plays and forms is like, and how many make one."""


def _runs(lines: Sequence[_Line], is_such: Callable[[str], bool], least: int) -> Iterator[Span]:
    """Yield from the first line of a form to its last, if there are enough of them."""
    such = [line for line in lines if is_such(line.text)]
    if len(such) >= least:
        yield from ((line.start, line.end) for line in such)
        first, last = such[0].start, such[-1].end
        indented = (line for line in lines if line.text.startswith(("    ", "\t")))
        yield from ((line.start, line.end) for line in indented if first <= line.start <= last)


def _tables(lines: Sequence[_Line]) -> Iterator[Span]:
    """Yield the rows of tables: lines in a row with as many separators, and no full stop."""
    for mark, least in ((",", 1), (";", 2), ("\t", 1), ("|", 1)):
        cells = ((_cells(line.text, mark), line) for line in lines)
        for count, rows in groupby(cells, lambda row: row[0]):
            found = [line for _, line in rows]
            has_head = mark != "," or count > 1 or " " not in found[0].text
            if count >= least and len(found) >= _ROWS and has_head:
                yield found[0].start, found[-1].end


def _cells(line: str, mark: str) -> int:
    """Return how many separators a row has, or 0 if it is a sentence."""
    if line.rstrip().endswith((".", "!", "?")) or (mark == "," and ", " in line):
        return 0
    return line.count(mark)


def _verses(lines: Sequence[_Line]) -> Iterator[Span]:
    """Yield poems and songs: short lines in a row that rhyme, or come again."""
    for is_verse, group in groupby(lines, lambda line: _is_verse(line.text)):
        found = list(group)
        if is_verse and len(found) >= _VERSES and _is_sung([line.text for line in found]):
            yield found[0].start, found[-1].end


def _is_verse(line: str) -> bool:
    return 2 <= len(line.split()) <= 12 and not line.rstrip().endswith((".", ":"))


def _is_sung(verses: Sequence[str]) -> bool:
    plain = [re.sub(r"[^\w ]", "", verse).casefold().strip() for verse in verses]
    if max(Counter(plain).values()) > 1:
        return True
    if sum(bool(_GOES_ON.match(verse)) for verse in verses) >= _GOING_ON:
        return True
    ends = [verse[-2:] for verse in plain]
    rhymes = sum(end in ends[max(0, n - 2) : n] for n, end in enumerate(ends))
    return rhymes * 3 >= len(ends) and all(verse[:1].isupper() for verse in verses)


_GOES_ON = re.compile(
    r"(?:And|Oh|But|For|So|Und|Doch|Ach|Y|Pero|Et|Mais|E|Ma|Mas|Maar|И|Но)\b[^.]*$"
)
_GOING_ON = 2


def _documents(lines: Sequence[_Line]) -> Iterator[Span]:
    """Yield everything from a heading on: of articles, notes, profiles and songs."""
    headings = [line for line in lines if _PATTERNS["heading"].match(line.text[:_HEAD])]
    if len(headings) >= 2 or (headings and _PATTERNS["title"].match(headings[0].text[:_HEAD])):
        yield headings[0].start, lines[-1].end


def _chats(lines: Sequence[_Line]) -> Iterator[Span]:
    """Yield conversations, to the end of the paragraph in which somebody speaks last."""
    for name in ("speaker", "chat_line"):
        said = [n for n, line in enumerate(lines) if _PATTERNS[name].match(line.text[:_HEAD])]
        if len(said) >= _SPEAKERS:
            rest = (n for n in range(said[-1], len(lines)) if not lines[n].text.strip())
            yield lines[said[0]].start, lines[next(rest, len(lines)) - 1].end


def _before_a_request(text: str, lines: Sequence[_Line]) -> Iterator[Span]:
    """Yield what a request at the end, or an arrow, is about: `… <- translate that`."""
    if arrow := _PATTERNS["pointed_at"].search(text):
        yield 0, arrow.start()
    filled = [line for line in lines if line.text.strip()]
    if len(filled) < 2:
        return
    if _PATTERNS["request"].match(filled[-1].text[:_HEAD]):
        yield 0, filled[-1].start
    if _PATTERNS["request"].match(filled[0].text[:_HEAD]):
        yield filled[0].end, len(text)


def _quoted(text: str) -> Iterator[Span]:
    """Yield quotations that state something."""
    for quotation in _PATTERNS["quotation"].finditer(text):
        if _PATTERNS["states"].search(quotation[0]) or _SENTENCE.search(quotation[0]):
            yield quotation.span()


_OPENING = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}


def _unclosed(text: str) -> Iterator[Span]:
    """Yield a quotation that is opened and never closed, to the end of the message."""
    for opening, closing in _OPENING.items():
        start = text.rfind(opening)
        is_closed = any(mark in text[start + 1 :] for mark in closing)
        if start != -1 and not is_closed and (opening != "“" or "„" not in text):
            yield start, len(text)
    if text.count('"') % 2:
        start = text.rfind('"')
        is_opening = start == 0 or text[start - 1].isspace()
        is_inch = text[:start].rstrip()[-1:].isdigit()
        if is_opening and not is_inch and text[start + 1 : start + 2].strip():
            yield start, len(text)
