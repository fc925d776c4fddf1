"""Turn the phrases of the table of facts into clean values, or into none where that is not sure."""

import re
from collections.abc import Callable, Mapping

from memory_graph.language.words import listed

_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_ILLNESSES = {"diabetic": "diabetes", "asthmatic": "asthma", "dyslexic": "dyslexia"}
_NOT_FIRMS = frozenset("home my the a an it night i ai monday friday saturday sunday".split())
_THE_ONE = re.compile(
    r"\b(?:i|you|your|my|our|his|her|their|its|it|them|him|us|me|this|that|these|those|the|is|are|"
    r"was|to|how|when|what|why|where|who|if|not|no|any|some|every|each|both|more|most|much|many|"
    r"such|as|about|like|which|by|an?|all|also|just|even|other|another|number|or|so|very|for)\b",
    re.IGNORECASE,
)
"""Words for one thing at hand, of which nobody's taste can be told."""


def name(text: str) -> tuple[str, ...]:
    """Read a name by its capital, or in small letters by a list."""
    never = listed("not_names", "nationalities", "countries", "occupations")
    given = listed("first_names")
    is_name = (text[:1].isupper() or text in given) and not {*text.casefold().split()} & (
        never - given
    )
    return (text[0].upper() + text[1:],) if is_name else ()


def _given(text: str) -> tuple[str, ...]:
    """Read a name that nothing but itself shows to be one: `I am Ana`."""
    return name(text) if text.split(" ")[0].casefold() in listed("first_names") else ()


def _count(text: str) -> tuple[str, ...]:
    number = str(_NUMBERS.index(text) + 1) if text in _NUMBERS else text
    return (number,) if int(number) <= 120 else ()


def _day(text: str) -> tuple[str, ...]:
    if text[:4].isdigit():
        return (f"{int(text[8:])} {_MONTHS[int(text[5:7]) - 1]} {text[:4]}",)
    month = next(each for each in _MONTHS if re.search(rf"(?i)\b{each[:3]}", text))
    day, *year = re.findall(r"\d+", text)
    return (" ".join((str(int(day)), month, *year)),) if 1 <= int(day) <= 31 else ()


def _place(text: str) -> tuple[str, ...]:
    """Read a place by its capital, or in small letters by a list."""
    known = listed("places", "countries")
    if text.removeprefix("the ")[0].islower():
        found = next((each for each in (text, text.split(" ")[0]) if each in known), "")
        return (found.title(),) if found else ()
    never = text.isupper() or bare(text).split(" ")[0] in listed("not_names", "first_names")
    return (text,) if bare(text.split(", ")[0]) in known or not never else ()


def bare(place: str) -> str:
    """Return a place as it is listed."""
    return place.casefold().removeprefix("the ")


def _known(text: str) -> tuple[str, ...]:
    """Read a place that is listed, since one also moves to Kubernetes."""
    parts = {*map(bare, text.split(", "))}
    is_known = text[0].islower() or parts & listed("places", "countries")
    return _place(text) if is_known else ()


def _job(text: str) -> tuple[str, ...]:
    *before, last = text.casefold().split(" ")
    is_job = last in listed("occupations") and not {*before} & listed("not_in_titles")
    return (text,) if is_job and (before or last not in listed("pastimes")) else ()


def is_paid(job: str | None) -> bool:
    """Say whether a job, if one is named, is one that has an employer."""
    return job is None or bool(_job(job) and not job.endswith("student"))


def _firm(text: str) -> tuple[str, ...]:
    return () if text.split(" ")[0].casefold() in _NOT_FIRMS else (text.strip("."),)


def _things(text: str) -> tuple[str, ...]:
    parts = re.split(r", (?:and )?| and ", text)
    items = [re.sub(r"^(?:an?|some) ", "", each) for each in parts]
    edges = {
        word.casefold() for each in items for word in (each.split(" ")[0], each.split(" ")[-1])
    }
    is_manner = any(word.endswith("ly") for word in edges - {"family", "jelly"})
    if is_manner or any(map(_THE_ONE.search, items)) or edges & listed("not_things"):
        return ()
    acts = [each.split(" ")[0].endswith("ing") for each in items]
    is_one = acts[0] and not all(acts)  # `cooking soups and stews`
    shares_noun = len(items) == 2 and " " not in items[0] and " " in items[1]
    return (text,) if is_one or shares_noun else tuple(items)


def _illness(text: str) -> tuple[str, ...]:
    plain = re.sub(r"^(?:chronic|severe|mild|type [12]) ", "", text.casefold())
    return (_ILLNESSES.get(plain, text),) if plain in listed("conditions") | {*_ILLNESSES} else ()


SHAPES: Mapping[str, Callable[[str], tuple[str, ...]]] = {
    "name": name,
    "given": _given,
    "count": _count,
    "grown": lambda text: tuple(years for years in _count(text) if int(years) >= 8),
    "day": _day,
    "place": _place,
    "known": _known,
    "job": _job,
    "firm": _firm,
    "things": _things,
    "thing": _things,
    "title": lambda text: (text,) if text[0].isupper() else _things(text),
    "illness": _illness,
    "word": lambda text: (text.casefold(),),
    "none": lambda text: (text,),
}
"""Each turns a phrase into clean values, or into none where it is of another sort."""
