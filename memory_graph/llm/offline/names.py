"""Which people and things does a text name?"""

import re
from collections.abc import Iterable

from memory_graph.policy.sentences import STOP_WORDS, word_set

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w'’-]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?:\s+{_CAPITAL})*")
_TITLE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof)\.\s+$")
# What stands before or after a name when the name is a person's.
_BEFORE_PERSON = re.compile(
    r"\b(?:with|ask|asked|tell|told|call|called|email|mail|send|sent|meet|met|thanks|name is|named"
    r"|hire|hiring|husband|wife|partner|brother|sister|son|daughter|mother|father|friend|colleague"
    r"|boss|manager|cousin|neighbour|doctor)\s+$",
    re.IGNORECASE,
)
_AFTER_PERSON = re.compile(
    r"(?:\s+(?:said|says|wants?|wanted|told|asked|does|thinks?|agreed|called|wrote|likes?|and i"
    r"|suggested|prefers?|leads?|is my|was my)\b)",
    re.IGNORECASE,
)
_NOT_NAMES = word_set("""
    i i'm i'll i've i'd monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december english spanish french
    german italian portuguese japanese chinese ok okay dr mr mrs ms prof
""")


def people_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names that are used as people's names, in order of appearance."""
    found = [
        name for text in texts for name, start in _names(text) if _is_person(text, name, start)
    ]
    return tuple(dict.fromkeys(found))


def entities_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Return what is written like a name and not merely at the start of a sentence."""
    all_texts = list(texts)
    inside = {name for text in all_texts for name, start in _names(text) if start > 0}
    people = set(people_in(all_texts))
    ordered = [name for text in all_texts for name, _ in _names(text)]
    return tuple(dict.fromkeys(name for name in ordered if name in inside or name in people))


def _names(text: str) -> list[tuple[str, int]]:
    found = []
    for match in _NAME.finditer(text):
        name = re.sub(r"['’]s$", "", match.group())
        parts = [part for part in name.split() if part.lower() not in _NOT_NAMES | STOP_WORDS]
        if parts and len(parts[-1]) > 1:
            found.append((" ".join(parts), match.start() + match.group().index(parts[0])))
    return found


def _is_person(text: str, name: str, start: int) -> bool:
    before, after = text[:start], text[start + len(name) :]
    return bool(
        _TITLE.search(before) or _BEFORE_PERSON.search(before) or _AFTER_PERSON.match(after)
    )
