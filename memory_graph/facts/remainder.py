"""Decide what of an older statement still holds, where a new one changes or ends a part of it."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memory_graph.language.mentions import Value, changed_values, names_in, shows_names, values_in
from memory_graph.language.sentences import (
    AND,
    has_subject,
    refers_back,
    split_sentences,
    starts_with_verb,
)
from memory_graph.language.supersession import STATES, cues_in, denied
from memory_graph.language.words import DEFAULT, language_of, table, unfolded, words_of

_SEAMS = {
    language: re.compile(rf"((?:(?<!\s)\s+)?[,;]\s+(?:{word}\s+)?|(?<!\s)\s+{word}\s+)")
    for language, word in AND.items()
}
"""Spaces are read from their first one alone, else a run of them would be walked from each."""

_FEW_WORDS = 3
"""Words of a statement that speaks of nothing but a value: `No wait, 410`. Chosen by hand."""

_OWN_STATEMENT, _OPENING = 4, 4
"""Words of a part that can be a statement by itself, and of those that may name its subject."""

_LITTLE = 1
"""Words of a rest that say nothing by themselves: a limit."""

_GONE = "\0"
"""Stands for a value that is past, while what is left of its statement is looked for."""

_NEW = "\1"
"""Stands before and after the value that is true instead."""


@dataclass(frozen=True)
class _Said:
    """What a new statement speaks of; of a request to forget, whom it is about."""

    language: str
    words: frozenset[str]
    denied: frozenset[str] = frozenset()
    is_over: bool = False
    """Who or what is gone is gone with all that was said of them."""

    def stems(self, text: str) -> set[str]:
        return set(words_of(text, self.language))

    def split(self, sentence: str) -> tuple[str, list[tuple[str, str]]]:
        """Return the first part of a sentence, and the others with how they are joined."""
        head, *rest = _SEAMS.get(self.language, _SEAMS["en"]).split(sentence)
        return head, list(zip(rest[::2], rest[1::2], strict=True))


def remainder(old: str, new: str, told: str = "") -> str | None:
    """Return what of an older statement still holds, where the new one changes a part of it.

    A value that changes is told anew: `Theo is 8 and in second grade`. Else `Closing at 7 from now
    on` leaves `We open at 8` of `We open at 8 and close at 6`, and whole sentences that it does not
    speak of. What else was `told` with the new one may speak of a part, too.
    """
    language = language_of(f"{old} {new}")
    words, cues, named = words_of(f"{new} {told}", language), cues_in(new, language), names_in(old)
    is_over = "end" in cues and not named.isdisjoint(names_in(new, named))
    said = _Said(language, frozenset(words), denied(new, language), is_over)
    if not is_over and (marked := _marked(old, new, said)) != old:
        left = _left_of(marked, said)
        return left if left and _says_more(left, said) else None
    kinds, states = _kinds(new), {state for state, change in STATES if change in cues}
    names = said.stems(" ".join(names_in(new, named)))

    def shares_word(part: str) -> bool:
        """Say whether a part shares a telling word or a kind of value with the new statement."""
        return not (said.words - names).isdisjoint(said.stems(part)) or not kinds.isdisjoint(
            _kinds(part)
        )

    def is_state(part: str) -> bool:
        """Say whether a part tells the state that the new statement changes: `lives in Leeds`."""
        return not states.isdisjoint(cues_in(part, language))

    def shares_name(part: str) -> bool:
        return shares_word(part) or not names.isdisjoint(said.stems(part))

    ways = (shares_name,) if is_over else (shares_word, is_state, shares_name)
    is_past = next((is_past for is_past in ways if is_past(old)), None)
    if is_past is None:  # only the sense says so
        return None
    sentences = split_sentences(old)
    left = _joined(_rest(each, said, is_past) for each in sentences)
    return left if len(words_of(left, language)) > 1 else None


def value_changes(old: str, new: str) -> list[tuple[str, str]]:
    """Return the values of a statement that a newer one gives anew, as both write them."""
    return [(_cut(old, was), _cut(new, now)) for was, now in _changes(old, new) if now]


def gives_anew(old: str, new: str) -> bool:
    """Say whether a statement gives anew how many of the same there are: `9 year old`, `10 years`.

    `A grumpy 9 year old beagle` is too little like `Otto is 10 years old` to be told by the sense.
    """
    language = language_of(old)

    def unit(text: str, value: Value) -> list[str]:
        return words_of(text[unfolded(text, value.end) :].split(",")[0], language)[:1]

    changes = [(was, now) for was, now in _changes(old, new) if now and now.kind == "number"]
    return any(unit(old, was) == unit(new, now) != [] for was, now in changes)


def _changes(old: str, new: str) -> list[tuple[Value, Value | None]]:

    return changed_values(old, new, denied(new, language_of(f"{old} {new}")))


def without_value(text: str, value: str, instead: str | None, about: str) -> str | None:
    """Return a text with another value in place of one, or without it; nothing if that is little.

    Args:
        text: What somebody said.
        value: What is past of it; a text that does not say so comes back as it is.
        instead: What is true instead, if that is known.
        about: Of whom it was told.
    """
    language = language_of(text)
    mark = f"{_NEW}{instead}{_NEW}" if instead else _GONE
    marked = re.sub(rf"(?i)(?<!\w){re.escape(value)}(?!\w)", lambda _: mark, text)
    if marked == text:
        return text
    said = _Said(language, frozenset(words_of(f"{about} {instead}", language)))
    left = _left_of(marked, said)
    return left if left and _says_more(left, said) else None


def _marked(old: str, new: str, said: _Said) -> str:
    """Return an older statement with marks where the new one gives a value anew.

    Values that stand together, as a day and its month, change together.
    """
    marks: dict[tuple[int, int], str] = {}
    is_of_it = _is_of_it(old, said)
    for value, instead in _changes(old, new):
        if not _is_contested(value, old, said):
            continue
        place = (value.start, value.end)
        is_whole = instead and _kinds_at(old, *place) <= _kinds_at(new, instead.start, instead.end)
        marks[place] = (
            f"{_NEW}{_like(_cut(old, value), _cut(new, instead), said.language)}{_NEW}"
            if instead and is_whole and is_of_it
            else _GONE
        )
    for (start, end), mark in sorted(marks.items(), reverse=True):
        first, last = unfolded(old, start), unfolded(old, end)
        gap = " " if old[first:last].endswith(" ") else ""
        old = f"{old[:first]}{mark}{gap}{old[last:]}"
    return old


def _cut(text: str, value: Value) -> str:
    return text[unfolded(text, value.start) : unfolded(text, value.end)].strip()


def _is_of_it(old: str, said: _Said) -> bool:
    """Say whether a new statement is about what an older one opens with, or shares much with it.

    `We now open on Sundays, starting this week` tells no day of `Chiara starts on Saturdays`.
    """
    opening = " ".join(old.split()[:_OPENING])
    named = said.stems(" ".join(names_in(opening))) if shows_names(said.language) else set()
    shared = said.words & said.stems(old)
    return len(said.words) <= _FEW_WORDS or not named - shared or len(shared) > _LITTLE


def _like(old: str, new: str, language: str) -> str:
    """Return a value in the number of the one that it replaces: `every Monday`, not `Mondays`."""
    if language != DEFAULT or not (old + new).isalpha():
        return new
    return new.removesuffix("s") + ("s" if old.endswith("s") else "")


def _kinds_at(text: str, start: int, end: int) -> set[str]:
    return {each.kind for each in values_in(text) if (each.start, each.end) == (start, end)} - {
        "money",
        "number",
    }


def _left_of(marked: str, said: _Said) -> str | None:
    """Return what is left of a text with marks: whole parts, and those with a new value."""

    def is_past(part: str) -> bool:
        """Say whether a part tells what is past, or nothing but what is told anew."""
        is_told = _NEW in part and not _says_more(part.replace(_NEW, ""), said)
        return _GONE in part or is_told

    kept = []
    for sentence in split_sentences(marked):
        plain = _without_phrases(sentence, said)
        is_marked = _GONE in sentence or _NEW in sentence
        rest = _rest(plain, said, is_past) if is_marked else sentence
        has_more = rest is None and _GONE not in plain and len(said.split(plain)[1]) > 0
        kept.append(plain if has_more else rest)
    return _joined(kept).replace(_NEW, "") or None


def _without_phrases(sentence: str, said: _Said) -> str:
    """Return a sentence without `in Leeds` where Leeds is past: `I live with my aunt`.

    Where nothing follows in its part, only if the next part needs it for a subject.
    """
    links = "|".join(table("clauses").get(said.language, {}).get("prepositions", ())) or _GONE
    phrase = re.compile(rf"(?i)\s+(?:{links})(?:\s+\w+)?\s+{_GONE}")
    head, parts = said.split(sentence)
    seams, texts = ["", *(seam for seam, _ in parts)], [head, *(part for _, part in parts)]
    for n, text in enumerate(texts):
        hangs = n + 1 < len(texts) and not has_subject(texts[n + 1], said.language)
        if hangs or not text.endswith(_GONE):
            texts[n] = phrase.sub("", text)
    return "".join(seam + text for seam, text in zip(seams, texts, strict=True))


def _rest(sentence: str, said: _Said, is_past: Callable[[str], bool]) -> str | None:
    """Return the parts of a sentence that hold, if what they are about is still named."""
    head, parts = said.split(sentence)
    kept: list[tuple[str, str]] = []
    is_gone = False
    for seam, part in parts:  # `Kuba, six`: a single word says something of the part before it
        is_denied = not said.stems(part).isdisjoint(said.denied)
        is_gone = is_denied or is_past(part) or (is_gone and len(part.split()) == 1)
        kept += [] if is_gone else [(seam, part)]
    if not is_past(head):
        return None if _loses_count(head, parts, kept, said) else head + _run(kept)
    label, colon, _ = head.partition(": ")
    if colon and kept:
        return f"{label}: {kept[0][1]}{_run(kept[1:])}"
    subject = _subject(head, said)
    for n, (_, part) in enumerate(kept):
        rest = part.partition(" ")[2]
        if starts_with_verb(part, said.language):
            told = f"{subject} {part}" if subject else None
        elif refers_back(part, said.language) and starts_with_verb(rest, said.language):
            told = f"{subject} {rest}" if subject else None
        else:
            told = part if _is_statement(part, said.language) else None
        if told:
            return told + _run(kept[n + 1 :])
    return None


def _loses_count(
    head: str, parts: Sequence[tuple[str, str]], kept: Sequence[tuple[str, str]], said: _Said
) -> bool:
    """Say whether a list loses the first of those that it counts: `two boys, Finn and Oisin`."""
    is_lost = parts[:1] != kept[:1] and bool(kept)
    counts = any(each.kind == "number" for each in values_in(head))
    return is_lost and counts and not has_subject(parts[0][1], said.language)


def _is_statement(part: str, language: str) -> bool:
    """Say whether a part stands by itself: `it closes at 6`, `at Loopline it's Hannah`."""
    links = table("clauses").get(language, {}).get("prepositions", ())
    first, *more = part.split()
    inner = " ".join(more[1:]) if first.casefold() in links else ""
    has_own = has_subject(part, language) or has_subject(inner, language)
    return len(more) >= _OWN_STATEMENT - 1 and (has_own or refers_back(inner, language))


def _subject(head: str, said: _Said) -> str | None:
    """Return the words of a part that name what it is about: `My brother Pablo`."""
    opening = head.partition(_GONE)[0].split()[:_OPENING]
    named = (n for n, word in enumerate(opening, 1) if said.stems(word) & said.words)
    if said.is_over or not (end := next(named, 0)):
        return None
    end += sum(each[0].isupper() and each.isalpha() for each in opening[end : end + 1])
    return " ".join(opening[:end])


def _says_more(text: str, said: _Said) -> bool:
    """Say whether a text says what the new statement does not."""
    more = {word for word in said.stems(text) - said.words if not word[0].isdigit()}
    return len(more) > _LITTLE


def _joined(parts: Iterable[str | None]) -> str:
    return " ".join(part.strip(" ,;") for part in parts if part)


def _run(parts: Iterable[tuple[str, str]]) -> str:
    return "".join(seam + part for seam, part in parts)


def _is_contested(value: Value, old: str, new: _Said) -> bool:
    """Say whether a new statement speaks of the part that a value stands in, or of nothing else."""
    about = {word for word in new.words if not word.isdigit()}
    if len(about) <= _FEW_WORDS:
        return True
    start, end = unfolded(old, value.start), 0
    head, parts = new.split(old)
    stems: set[str] = set()
    for part in (head, *(each for pair in parts for each in pair)):
        end += len(part)
        # `on Saturday, 22:00`: a bare value stands with the part before it.
        stems = {word for word in new.stems(part) if not word[0].isdigit()} or stems
        if start < end:
            return not about.isdisjoint(stems)
    return False


def _kinds(text: str) -> set[str]:
    return {each.kind for each in values_in(text)} - {"number"}
