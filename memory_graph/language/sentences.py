"""Split a message into sentences, clauses and groups, and tell how each begins."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from memory_graph.language.words import DEFAULT, table

_WORDS = table("question_words")
_FILLERS = frozenset(_WORDS["fillers"].split())
"""What a sentence may open with."""
SPOKEN_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
MAX_SENTENCES = 60
"""Of one message; the first two thirds and the last third of a longer one are read."""
MAX_CHARACTERS = 12_000
"""Of one message; as many of its beginning and end are read, half each."""
_CODE = re.compile(r"```(?:(?!```).)*(?:```|\Z)", re.DOTALL)
_END = re.compile(
    # A full stop ends a sentence only before a space, and not after a title or a single letter.
    r"(?<=[.!?…؟])(?<!\b[^\W\d_]\.)(?<!\b(?:Dr|Mr|Ms|St|Hr|Fr|Sr|vs|Nr)\.)"
    r"(?<!\b(?:Mrs|Sra|Dra|Mme|e\.g|i\.e|z\.B)\.)(?<!\bProf\.)(?<!\d\.)\s+"
    r"|(?<=[。！？])|\n+"
)
_WORD_CHARACTER = re.compile(r"\w")
FIRST_WORDS = re.compile(r"[^\s,;:]+")
UNSPACED = frozenset({"zh", "ja", "ko"})
_MOST_TOGETHER = 4
_LOOK_AHEAD = 120
"""Characters in which the verb of a statement is looked for."""


def readable(text: str) -> str:
    """Return as much of a message as is read: all of it, or its beginning and its end."""
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    return f"{text[:half]}\n{text[-half:]}"


def split_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of `text` with their closing marks, without code."""
    plain = _CODE.sub("\n", readable(text))
    parts = [" ".join(part.split()) for part in _END.split(plain)]
    sentences = [part for part in parts if _WORD_CHARACTER.search(part)]
    if len(sentences) <= MAX_SENTENCES:
        return tuple(sentences)
    last = MAX_SENTENCES // 3
    return (*sentences[: MAX_SENTENCES - last], *sentences[-last:])


def split_clauses(sentence: str, language: str = DEFAULT) -> list[str]:
    """Split a sentence where a new statement with its own subject and verb begins.

    `Becky is vegan and his dad is allergic to nuts` makes two statements, `Priya, Jo and my
    cousin Ellie` makes none.
    """
    seams = _seams(language)
    if seams is None or sentence.endswith("?"):
        return [sentence]
    clauses: list[str] = []
    start = 0
    for seam in seams.finditer(sentence):
        left, right = sentence[start : seam.start()], sentence[seam.end() :][:_LOOK_AHEAD]
        if _has_verb(left, language) and _has_verb(right, language):
            clauses.append(left)
            start = seam.end()
    return [clause.strip(" ,;") for clause in (*clauses, sentence[start:])]


def has_subject(clause: str, language: str = DEFAULT) -> bool:
    """Say whether a clause starts with a subject and has a verb: `his dad is allergic`."""
    if begins_with(clause, "starters", language):
        return _has_verb(clause, language)
    second = FIRST_WORDS.findall(clause.casefold())[1:2]
    return not _verbs(language).isdisjoint(second)  # `Delivery comes`, `Mark is`


def starts_with_verb(clause: str, language: str = DEFAULT) -> bool:
    """Say whether a clause starts with a verb, and so lacks its subject: `has two girls`."""
    return begins_with(clause, "verbs", language)


def refers_back(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether a sentence needs the one before it, as `They hold 80 people` does."""
    return begins_with(sentence, "refers", language)


def supposes(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether a sentence only imagines: `if I lived in Rome`."""
    return begins_with(without_opener(sentence), "supposes", language)


@cache
def _seams(language: str) -> re.Pattern[str] | None:
    """Return what joins two statements: `and`, `but` before what may start one."""
    listed = table("clauses").get(language, {})
    if not listed.get("joiners"):
        return None
    words, begins = ("|".join(map(re.escape, listed[kind])) for kind in ("joiners", "starters"))
    return re.compile(rf"(?:[,;] (?:(?:{words}) )?| (?:{words}) )(?=(?:{begins})\b)", re.IGNORECASE)


@cache
def _verbs(language: str) -> frozenset[str]:
    return frozenset(table("clauses").get(language, {}).get("verbs", ()))


def _has_verb(clause: str, language: str) -> bool:
    words = FIRST_WORDS.findall(clause[:_LOOK_AHEAD].casefold().replace("’", "'"))
    verbs = _verbs(language)
    return any(word.strip(".!") in verbs or word.endswith("ed") for word in words[:8])


def begins_with(sentence: str, kind: str, language: str) -> bool:
    """Say whether a sentence begins with one of the listed words of a kind."""
    plain = sentence[:_LOOK_AHEAD].casefold().replace("’", "'").lstrip(" \"“'(-–—¿¡")
    return plain.startswith(_beginnings(kind, language))


@cache
def _beginnings(kind: str, language: str) -> tuple[str, ...]:
    is_spaced = language not in UNSPACED
    listed = (each.casefold() for each in table("clauses").get(language, {}).get(kind, ()))
    return tuple(f"{each} " if is_spaced and not each.endswith("'") else each for each in listed)


def without_opener(sentence: str) -> str:
    """Return a sentence without the greeting or filler it opens with."""
    words = sentence.split()
    while len(words) > 1 and words[0].casefold().strip(",.!:;-–") in _FILLERS:
        words = words[1:]
    return " ".join(words).removeprefix("请").removeprefix("請")


def grouped(
    sentences: tuple[str, ...], language: str, goes_on: Callable[[str], bool]
) -> Iterator[tuple[int, ...]]:
    """Yield the places of sentences that belong together: one, and what refers back to it.

    What `goes_on` takes the next sentence with it: `Rui left. New contact is Sílvia.`
    """
    group: tuple[int, ...] = ()
    for place, sentence in enumerate(sentences):
        is_more = group and len(group) < _MOST_TOGETHER
        if is_more and (refers_back(sentence, language) or goes_on(sentences[place - 1])):
            group = (*group, place)
            continue
        if group:
            yield group
        group = (place,)
    if group:
        yield group


def as_begun(text: str) -> str:
    """Return the beginning of a text with its first word in small letters, without a greeting."""
    begun = without_opener(text)[:_LOOK_AHEAD].lstrip(" \"“'(-–—¿¡").replace("’", "'")
    return begun[:1].lower() + begun[1:]
