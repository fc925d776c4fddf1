"""Is a captured phrase a language, a nationality or a medical condition we know?"""

import re
from collections.abc import Callable

from memory_graph.llm.offline.statements.values import LIST, clean
from memory_graph.llm.offline.statements.vocabulary import (
    LANGUAGES,
    NATIONALITIES,
    PROGRAMMING_LANGUAGES,
)

CONDITIONS = (
    r"asthma|diabetes|epilepsy|migraines?|adhd|arthritis|eczema|anxiety|depression|"
    r"c(?:o)?eliac disease|high blood pressure|hypertension|insomnia|tinnitus|psoriasis|"
    r"hay ?fever|endometriosis|scoliosis|rosacea|autism|dyslexia|ptsd|ocd|crohn's|ibs|vertigo|"
    r"sleep apnea|back pain"
)
_ADJECTIVES = {
    "diabetic": "diabetes",
    "asthmatic": "asthma",
    "epileptic": "epilepsy",
    "dyslexic": "dyslexia",
    "autistic": "autism",
    "anaemic": "anaemia",
    "anemic": "anaemia",
    "colour blind": "colour blindness",
    "color blind": "colour blindness",
    "colorblind": "colour blindness",
    "coeliac": "coeliac disease",
    "celiac": "coeliac disease",
    "bipolar": "bipolar disorder",
    "hard of hearing": "hard of hearing",
}
_FLUENCY = re.compile(r"^(?:some|a bit of|a little|fluent|basic|native) |(?: well| fluently)$")


def languages(text: str) -> tuple[str, ...]:
    """Read languages people speak."""
    return _all_known(text, LANGUAGES, str.title)


def programming_languages(text: str) -> tuple[str, ...]:
    """Read languages computers understand."""
    return _all_known(text, PROGRAMMING_LANGUAGES, str)


def nationality(text: str) -> tuple[str, ...]:
    """Read a nationality, or a mix of them."""
    value = clean(text)
    words = set(value.casefold().split()) - {"half", "and", "an", "a"}
    return (value,) if words and words <= NATIONALITIES else ()


def condition(text: str) -> tuple[str, ...]:
    """Read a lasting condition named by an adjective."""
    value = _ADJECTIVES.get(clean(text).casefold().replace("-", " "))
    return (value,) if value else ()


def _all_known(text: str, known: frozenset[str], spell: Callable[[str], str]) -> tuple[str, ...]:
    items = [_FLUENCY.sub("", item.strip()) for item in LIST.split(clean(text))]
    if not all(item.casefold() in known for item in items):
        return ()
    return tuple(item if item[0].isupper() else spell(item) for item in items)
