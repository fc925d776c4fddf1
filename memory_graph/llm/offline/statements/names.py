"""Is a captured phrase somebody's name?"""

import re

from memory_graph.llm.offline.statements.days import MONTHS
from memory_graph.llm.offline.statements.values import LIST, clean
from memory_graph.llm.offline.statements.vocabulary import COUNTRIES, NATIONALITIES, NOT_NAMES

_SHAPE = re.compile(r"[^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,2}")


def person_names(text: str) -> tuple[str, ...]:
    """Read one name or several: `Tom and Jerry`."""
    names = [item.strip() for item in LIST.split(clean(text))]
    return tuple(_titled(name) for name in names) if all(map(_is_name, names)) else ()


def own_name(text: str) -> tuple[str, ...]:
    """Read one name, whatever follows it."""
    return person_names(re.split(r",\s+", clean(text))[0])


def capitalised_name(text: str) -> tuple[str, ...]:
    """Read a name that is only recognisable by its capitals (`I am Ana`)."""
    value = re.split(r",\s+", clean(text))[0]
    return (value,) if all(word[0].isupper() for word in value.split()) and _is_name(value) else ()


def _is_name(text: str) -> bool:
    if not _SHAPE.fullmatch(text):
        return False
    words = {word.casefold() for word in text.split()}
    return not words & (
        NOT_NAMES | NATIONALITIES | COUNTRIES | set(MONTHS) - {"april", "may", "june"}
    )


def _titled(name: str) -> str:
    return name if name[0].isupper() else name.title()
