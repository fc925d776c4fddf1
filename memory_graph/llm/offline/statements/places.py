"""Is a captured phrase a place, and which one?"""

import re

from memory_graph.llm.offline.statements.values import clean, without_article
from memory_graph.llm.offline.statements.vocabulary import COUNTRIES, TOOL_NAMES

_COUNTRY = "|".join(sorted(COUNTRIES, key=len, reverse=True))
_COUNTRY_AT_END = re.compile(
    rf"(?:^|,\s*| in )(?P<country>(?:the )?(?:{_COUNTRY}))$", re.IGNORECASE
)
_ASIDE = re.compile(r",\s+(?:in|on|near|with|and)\b|\s+(?:with|where|because|and|but|as|for)\s+")
_NOT_A_PLACE = re.compile(
    r"^(?:fear|peace|hope|hopes|hell|paradise|sin|love|denial|harmony|poverty|silence|management|"
    r"marketing|sales|frontend|backend|production|main|master|design|operations|remote|cloud|"
    r"trash|archive|step|part|(?:my|your|his|her|their|this|that|these)\b.*|"
    r"(?:an?|the) [a-z][^A-Z]*)$"
)


def city(text: str) -> tuple[str, ...]:
    """Read a place smaller than a country."""
    whole = clean(_ASIDE.split(clean(text))[0])
    if _NOT_A_PLACE.match(whole):
        return ()
    local = _COUNTRY_AT_END.sub("", whole).strip(", ")
    value = without_article(local)
    if not value or len(value.split()) > 5 or value.casefold() in {"a", "an", "the"}:
        return ()
    if value.casefold() in TOOL_NAMES or not value[0].isalpha():
        return ()
    if value.islower():
        return (value.title(),) if " " not in value and value.isalpha() else ()
    return (value if value[0].isupper() else local,)


def country(text: str) -> tuple[str, ...]:
    """Read a country, alone or after a city."""
    match = _COUNTRY_AT_END.search(clean(_ASIDE.split(clean(text))[0]))
    return (match["country"],) if match else ()


def place(text: str) -> tuple[str, ...]:
    """Read any place."""
    return city(text) or country(text)
