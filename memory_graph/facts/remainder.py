"""Decide what of an older statement still holds, where a new one changes a part of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory_graph.facts.timeline import says_more
from memory_graph.language.mentions import Value, changed_values, names_in, shows_names, values_in
from memory_graph.language.sentences import AND, has_subject, split_sentences, starts_with_verb
from memory_graph.language.words import language_of, unfolded, words_of

_SEAMS = {
    language: re.compile(rf"((?:(?<!\s)\s+)?[,;]\s+(?:{word}\s+)?|(?<!\s)\s+{word}\s+)")
    for language, word in AND.items()
}
"""Spaces are read from their first one alone, else a run of them would be walked from each."""

_FEW_WORDS = 3
"""Words of a statement that speaks of nothing but a value: `No wait, 410`. Chosen by hand."""

_OWN_STATEMENT, _OPENING = 4, 4
"""Words of a part that can be a statement by itself, and of those that may name its subject."""


@dataclass(frozen=True)
class _New:
    """What a new statement speaks of."""

    language: str
    words: set[str]
    kinds: set[str]  # kinds of value that say what they are of; a bare number does not

    def stems(self, text: str) -> set[str]:
        return set(words_of(text, self.language))

    def touches(self, part: str) -> bool:
        """Say whether a part of a statement shares a telling word or a kind of value with it."""
        return not self.words.isdisjoint(self.stems(part)) or not self.kinds.isdisjoint(
            _kinds(part)
        )

    def split(self, sentence: str) -> tuple[str, list[tuple[str, str]]]:
        """Return the first part of a sentence, and the others with how they are joined."""
        head, *rest = _SEAMS.get(self.language, _SEAMS["en"]).split(sentence)
        return head, list(zip(rest[::2], rest[1::2], strict=True))


def remainder(old: str, new: str, told: str = "") -> str | None:
    """Return what of an older statement still holds, where the new one changes a part of it.

    `Closing at 7 from now on` leaves `We open at 8` of `We open at 8 and close at 6`, and whole
    sentences that it does not speak of. A part without a subject of its own stays with the one
    that is named first. Where a value changes in the midst of others, all but that value holds:
    `Theo is … and in second grade`. What else was `told` with the new one may speak of a part, too.
    """
    language = language_of(f"{old} {new}")
    said = _New(language, set(words_of(f"{new} {told}", language)), _kinds(new))
    if (still := _without_changed(old, new, said)) is not None:
        return still
    sentences = split_sentences(old)
    touched = [said.touches(each) for each in sentences]
    if not any(touched):  # only the sense says so
        touched = [True] * len(sentences)
    parts = [
        _rest_of_sentence(each, said) if is_touched else each
        for each, is_touched in zip(sentences, touched, strict=True)
    ]
    still = " ".join(part.strip(" ,;") for part in parts if part)
    return still if len(words_of(still, language)) > 1 else None


def _rest_of_sentence(sentence: str, new: _New) -> str | None:
    """Return the parts of a sentence that share nothing with a new statement."""
    head, parts = new.split(sentence)
    kept: list[tuple[str, str]] = []
    is_gone = False
    for seam, part in parts:  # `Kuba, six`: a single word says something of the part before it
        is_gone = new.touches(part) or (is_gone and len(part.split()) == 1)
        kept += [] if is_gone else [(seam, part)]
    if not new.touches(head):
        return None if len(kept) == len(parts) else head + _run(kept)
    if not kept:
        return None
    first = kept[0][1]
    label, colon, _ = head.partition(":")
    if colon:
        return f"{label}: {first}{_run(kept[1:])}"
    if len(first.split()) >= _OWN_STATEMENT and has_subject(first, new.language):
        return first + _run(kept[1:])
    opening = head.split()[:_OPENING]  # names what it is about: `My brother Pablo`
    named = [n for n, word in enumerate(opening, 1) if new.words & new.stems(word)]
    if named and starts_with_verb(first, new.language):
        return f"{' '.join(opening[: named[-1]])} …{_run(kept)}"
    nameless = _without_names(head, new)
    return nameless + _run(kept) if nameless != head else None


def _run(parts: Iterable[tuple[str, str]]) -> str:
    return "".join(seam + part for seam, part in parts)


def _without_names(text: str, new: _New) -> str:
    """Return a text without the names that a new statement speaks of."""
    named = names_in(text) if shows_names(new.language) else frozenset()

    def hidden(word: re.Match[str]) -> str:
        is_name = word[0].casefold() in named and not word[0].isupper()
        return "…" if is_name and new.words & new.stems(word[0]) else word[0]

    return re.sub(r"\w+", hidden, text)


def _without_changed(old: str, new: str, said: _New) -> str | None:
    """Return an older statement without the values that the new one changes, if it says more.

    Who or what is gone is gone with all that was said of them; a part of which the value is all
    that the new one does not say itself goes with it.
    """
    from memory_graph.language.supersession import cues_in, denied  # noqa: PLC0415 — numpy

    named = names_in(old)
    if "end" in cues_in(new, said.language) and not named.isdisjoint(names_in(new, named)):
        return None
    gone = denied(new, said.language)
    changed = [each for each in changed_values(old, new, gone) if _is_contested(each, old, said)]
    still = old
    for start, end in sorted({(each.start, each.end) for each in changed}, reverse=True):
        first, last = unfolded(old, start), unfolded(old, end)
        gap = " " if old[first:last].endswith(" ") else ""
        still = f"{still[:first]}…{gap}{still[last:]}"
    head, parts = said.split(still)
    parts = [(seam, part) for seam, part in parts if gone.isdisjoint(said.stems(part))]
    says_nothing = "…" in head and len(said.stems(head) - said.words) <= 1
    if parts and says_nothing and has_subject(parts[0][1], said.language):
        head, parts = parts[0][1], parts[1:]
    still = head + _run(parts)
    return still if changed and says_more(still, new) else None


def _is_contested(value: Value, old: str, new: _New) -> bool:
    """Say whether a new statement speaks of the part that a value stands in, or of nothing else."""
    about = {word for word in new.words if not word.isdigit()}
    if len(about) <= _FEW_WORDS:
        return True
    start, end = unfolded(old, value.start), 0
    head, parts = new.split(old)
    for part in (head, *(each for pair in parts for each in pair)):
        end += len(part)
        if start < end:
            return not about.isdisjoint(new.stems(part))
    return False


def _kinds(text: str) -> set[str]:
    return {each.kind for each in values_in(text)} - {"number"}
