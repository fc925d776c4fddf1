"""A page of memory: what is known, by whom or what it is about, and where each line came from."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory_graph.keys import normalise, turn_record_id
from memory_graph.records import Fact, Source, TurnRecord
from memory_graph.store.scope import UserMemory

USER = "user"


@dataclass(frozen=True, kw_only=True)
class Note:
    """One line of the page."""

    text: str
    """What is known, without whom it is about: `allergic to nuts`."""

    fact: Fact
    said: tuple[TurnRecord, ...] = ()
    """The messages it came of, as far as they are still kept."""


@dataclass(frozen=True, kw_only=True)
class Notes:
    """What is known about one person or thing."""

    about: str
    """A name as people say it; `user` for the user."""

    kind: str = ""
    """`husband`, `cat`, `company`, ..."""

    notes: tuple[Note, ...] = ()

    @property
    def title(self) -> str:
        """The name with what it is: `Andreas (husband)`."""
        if self.about == USER:
            return "You"
        is_named = self.kind and normalise(self.kind) != normalise(self.about)
        return f"{self.about} ({self.kind})" if is_named else self.about

    def __str__(self) -> str:
        """Return the notes on one line, such as `Andreas (husband): allergic to nuts`."""
        return f"{self.title}: {'; '.join(note.text for note in self.notes)}."


async def read_page(memory: UserMemory, facts: Iterable[Fact]) -> list[Notes]:
    """Return facts as notes: the user's own first, then about whom most is known."""
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(normalise(fact.entity), []).append(fact)
    order = sorted(groups, key=lambda name: (name != USER, -len(groups[name]), name))
    ids = {each for held in groups.values() for fact in held for each in _turn_ids(fact)}
    said = await memory.turns.find(ids)
    return [_notes(groups[name], said) for name in order]


def _turn_ids(fact: Fact) -> list[str]:
    source = fact.source
    ones = (Source(thread_id=source.thread_id, message_ids=(m,)) for m in source.message_ids)
    return [turn_record_id(each, "user") for each in ones]


def _notes(facts: Sequence[Fact], said: Mapping[str, TurnRecord]) -> Notes:
    kinds = Counter(fact.entity_kind for fact in facts if fact.entity_kind)
    about = Counter(fact.entity for fact in facts).most_common(1)[0][0]
    kind = kinds.most_common(1)[0][0] if kinds else ""
    notes = (
        Note(
            text=without_subject(fact.statement, about, kind),
            fact=fact,
            said=tuple(said[each] for each in _turn_ids(fact) if each in said),
        )
        for fact in facts
    )
    return Notes(about=about, kind=kind, notes=tuple(notes))


def without_subject(statement: str, about: str, kind: str = "") -> str:
    """Return a statement without whom it is about: `allergic to nuts`; whole where it is not first.

    A kind that the title shows is left out, too.
    """
    names = r"the user" if about == USER else rf"(?:(?:the user's|my|{_of(kind)}) )*{_of(about)}"
    found = re.match(rf"{names}(?:['’]s)? (?:is (?:called )?)?", statement, re.IGNORECASE)
    rest = statement[found.end() :].strip() if found else statement.strip()
    return rest.rstrip(".") or statement.rstrip(".")


def _of(name: str) -> str:
    return re.escape(name) or "(?!)"
