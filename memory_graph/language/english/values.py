"""Turn captured phrases into clean values, or into none where that is not certain."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

from memory_graph.keys import PEOPLE, PETS

Reader = Callable[[str], tuple[str, ...]]
"""Turns a captured phrase into clean values; none when the phrase is of another sort."""


@cache
def lines(name: str) -> tuple[str, ...]:
    """Return the lines of a table in `language/english/data`, without comments."""
    path = files("memory_graph.language.english") / "data" / f"{name}.txt"
    text = path.read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if not line.startswith("#"))


@cache
def words(*names: str) -> frozenset[str]:
    """Return the words of one list or several."""
    return frozenset(line for name in names for line in lines(name))


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of `data/fact_patterns.txt`, its parts written out."""
    return re.compile(written_out(_PATTERNS[name]))


def written_out(text: str) -> str:
    """Replace `@PART` and `@[list]` in a pattern by what they stand for."""
    return _PART.sub(
        lambda part: _phrases(part[1]) if part[1] else written_out(_PATTERNS[part[0]]), text
    )


def _phrases(name: str) -> str:
    """Return a word list as a pattern, longest phrases first, each ending where a word does."""
    found = sorted(lines(name), key=len, reverse=True)
    each = (re.escape(phrase) + (r"\b" if phrase[-1].isalnum() else "") for phrase in found)
    return rf"(?:(?<!\w)(?:{'|'.join(each)}))"


SYNONYMS: Mapping[str, str] = {
    other: kind
    for kind, _, others in (line.partition(": ") for line in lines("relations"))
    for other in others.split(", ")
}
"""Other words for a relation: `mom` is `mother`."""
_PART = re.compile(r"@(?:\[(\w+)\]|[A-Z_]+)")
_PATTERNS = dict(line.split(" = ", 1) for line in lines("fact_patterns") if line)
_PATTERNS["@KINDS"] = "|".join(sorted(PEOPLE | PETS | {*SYNONYMS}, key=len, reverse=True))
_NUMBERS = {word: str(n) for n, word in enumerate(_PATTERNS["@NUMBER"].split("|"), 1)}
_DAYS = tuple(map(pattern, ("day_iso", "day_month", "month_day")))
_ACRONYMS = frozenset("nyc la sf dc uk us usa uae nz".split())
_NOT_EMPLOYERS = frozenset("home i it night monday friday saturday sunday christmas ai".split())


def clean(text: str) -> str:
    """Take time phrases off the end of a phrase."""
    for _ in range(3):
        text = pattern("time").sub("", text).strip(" ,.!?;:")
    return text


def relation(word: str, *, plural: bool = False) -> str:
    """Return the plain word for a relation: `mom` → `mother`, `kids` → `kid`."""
    word = word.casefold()
    word = SYNONYMS.get(word, word)
    return f"{word}s" if plural else word


def age(text: str) -> tuple[str, ...]:
    """Read an age in years or months."""
    match = pattern("age").fullmatch(clean(text))
    if match is None:
        return ()
    years = match["years"]
    return (_NUMBERS.get(years.casefold(), years),) if years else (match["young"],)


def grown_age(text: str) -> tuple[str, ...]:
    """Read the age of somebody who writes messages."""
    return tuple(years for years in age(text) if years.isdigit() and 8 <= int(years) <= 110)


def count(text: str) -> tuple[str, ...]:
    """Read a small number, in digits or as a word."""
    word = text.casefold()
    return (word,) if word.isdigit() else ((_NUMBERS[word],) if word in _NUMBERS else ())


def birthday(text: str) -> tuple[str, ...]:
    """Read a birthday as `3 March`, or `3 March 1990` where the year was told."""
    for day in _DAYS:
        found = [*day.finditer(text)]
        if len(found) == 1 and 1 <= int(found[0]["day"]) <= 31:
            year = f" {found[0]['year']}" if found[0]["year"] else ""
            return (f"{int(found[0]['day'])} {_month(found[0]['month'])}{year}",)
    return ()


def names(text: str) -> tuple[str, ...]:
    """Read one name or several that were introduced as names: `tom and Jerry`."""
    found = pattern("list").split(clean(text))
    return tuple(map(_titled, found)) if all(map(is_name, found)) else ()


def name(text: str) -> tuple[str, ...]:
    """Read one name that was introduced as one, whatever follows a comma."""
    found = re.split(r", | and | but | - ", clean(text))[0]
    honoured = pattern("honorific").match(found)
    bare = found[honoured.end() :] if honoured else found
    return (_titled(found),) if is_name(bare) else ()


def called(text: str) -> tuple[str, ...]:
    """Read what somebody wants to be called: `Jo`, not `crazy`."""
    found = name(text)
    sure = found and (text[0].isupper() or text.split(" ")[0] in words("first_names"))
    return found if sure else ()


def known_name(text: str) -> tuple[str, ...]:
    """Read a name that nothing but itself shows to be one: `I am Ana`."""
    found = re.split(r", | and | from | here$", clean(text))[0]
    given = found.split(" ")[0].casefold()
    if not is_name(found) or given not in words("first_names"):
        return ()
    rest = found.split(" ")[1:]
    return (_titled(found),) if all(word[0].isupper() for word in rest) else ()


def is_name(text: str) -> bool:
    """Say whether a phrase has the form of a name, and no word that is never one."""
    if not pattern("names").fullmatch(text) or (
        " " in text and text.islower() and text.count(" ") > 1
    ):
        return False
    parts = {part.casefold() for part in text.replace(".", "").split()}
    never = words("not_names", "nationalities", "countries", "occupations")
    return len(text) > 1 and not (parts & never) - words("first_names")


def city(text: str) -> tuple[str, ...]:
    """Read a place smaller than a country, with its region: `Paris, Texas`."""
    return _town(*_place(text, known=False))


def known_city(text: str) -> tuple[str, ...]:
    """Read a place smaller than a country that is known, for what one may also move to."""
    return _town(*_place(text, known=True))


def country(text: str) -> tuple[str, ...]:
    """Read a country, alone or after a city."""
    found = reversed(_place(text, known=False) or _place(text, known=True))
    return tuple(each for each in found if _bare(each) in words("countries"))[:1]


def origin(text: str) -> tuple[str, ...]:
    """Read a place only if it is known."""
    return _place(text, known=True)[:1]


def _place(text: str, *, known: bool) -> tuple[str, ...]:
    """Return a place and its region, if one was told; a `known` one is in a list."""
    text = clean(text)
    match = pattern("place").fullmatch(text)
    if match is None or (match["tail"] and not pattern("tail").fullmatch(match["tail"])):
        return () if match else _small_place(text)
    found = tuple(filter(None, (match["name"], match["region"])))
    if known or _bare(found[0]) in words("places", "countries"):
        return found if {_bare(each) for each in found} & words("places", "countries") else ()
    never = words("not_names", "nationalities", "first_names", "not_places")
    return () if found[0].isupper() or {*_bare(found[0]).split()} & never else found


def _town(town: str = "", region: str = "") -> tuple[str, ...]:
    if not town or _bare(town) in words("countries"):
        return ()
    if region and _bare(region) not in words("countries"):
        return (f"{town}, {region}",)
    before, _, land = town.rpartition(" ")
    return (before,) if before and land.casefold() in words("countries") else (town,)


def _small_place(text: str) -> tuple[str, ...]:
    """Read a known place written without capitals, alone or before a known tail."""
    parts = text.casefold().split(" ")
    for length in (3, 2, 1):
        found = " ".join(parts[:length]).strip(",")
        tail = " ".join(["", *parts[length:]])
        if found in words("places", "countries") and (not tail or pattern("tail").fullmatch(tail)):
            return (found.upper() if found in _ACRONYMS else found.title(),)
    return ()


def occupation(text: str) -> tuple[str, ...]:
    """Read a job title whose last noun is a known occupation."""
    title = pattern("article").sub("", clean(text))
    parts = title.casefold().split()
    if not parts or len(parts) > 4 or parts[-1] not in words("occupations"):
        return ()
    return () if set(parts[:-1]) & words("not_in_titles") else (title,)


def profession(text: str) -> tuple[str, ...]:
    """Read a job title after `I am a`, where hobbies and opinions are said the same way."""
    found = occupation(text)
    parts = found[0].casefold().split() if found else []
    if not parts or (parts[-1] in words("pastimes") and not set(parts[:-1]) & words("paid_titles")):
        return ()
    return found


def organisation(text: str) -> tuple[str, ...]:
    """Read an employer by its capitals."""
    match = pattern("organisation").fullmatch(clean(text))
    if match is None or (match["tail"] and not pattern("tail").fullmatch(match["tail"])):
        return ()
    found = match["name"]
    first = found.split(" ")[0].casefold()
    return () if first in _NOT_EMPLOYERS | {"my", "the"} else (found.strip("."),)


def languages(text: str) -> tuple[str, ...]:
    """Read a list of known languages."""
    text = re.sub(r"\b(?:fluent|some|a (?:little|bit)(?: of)?|both|native|basic)\s", "", text)
    items = pattern("list").split(clean(re.sub(r"\s(?:fluently|well)\b", "", text)))
    known = all(item.casefold() in words("languages") for item in items)
    return tuple(item.title() for item in items) if known else ()


def condition(text: str) -> tuple[str, ...]:
    """Read a known medical condition, perhaps with its kind: `type 2 diabetes`."""
    text = pattern("article").sub("", clean(text))
    bare = re.sub(r"^(?:chronic|severe|mild|type [12]) ", "", text.casefold())
    return (text,) if bare in words("conditions") else ()


def things(text: str) -> tuple[str, ...]:
    """Read a list of things said in a few plain words: `spicy food, jazz and hiking`."""
    items = [pattern("article").sub("", item) for item in pattern("list").split(clean(text))]
    if len(items) > 6 or not all(map(_is_thing, items)):
        return ()
    acts = [bool(pattern("gerund").match(item)) for item in items]
    one_head = len(items) == 2 and (
        " " in items[1] if " " not in items[0] else acts == [True, False]
    )
    return (pattern("article").sub("", clean(text)),) if one_head else tuple(items)


def tastes(text: str) -> tuple[str, ...]:
    """Read things somebody likes in general: `jazz and hiking`, not `the blue one`."""
    text = clean(text)
    if re.search(r"\b(?:the|or)\b", text, re.IGNORECASE):
        return ()
    found = things(text)
    nested = any(pattern("preposition").search(item) for item in found)
    return () if nested and (len(found) > 1 or not pattern("gerund").match(text)) else found


def title(text: str) -> tuple[str, ...]:
    """Read the value of a favourite: a name, or a few plain words."""
    found = clean(text)
    if pattern("titled").fullmatch(found) and found.casefold() not in words("not_things"):
        return (found,)
    found = pattern("article").sub("", found)
    return (found,) if _is_thing(found) else ()


def _is_thing(text: str) -> bool:
    if not pattern("thing").fullmatch(text) or pattern("not_in_things").search(text):
        return False
    parts = text.casefold().split()
    manner = parts[-1].endswith("ly") and parts[-1] not in {"family", "jelly"}
    return not manner and not {parts[0], parts[-1]} & words("not_things")


def _bare(place: str) -> str:
    return place.casefold().removeprefix("the ")


def _titled(found: str) -> str:
    return " ".join(word if word[0].isupper() else word.title() for word in found.split(" "))


def _month(text: str) -> str:
    months = lines("months")
    if text.isdigit():
        return months[int(text) - 1]
    return next(each for each in months if each.startswith(text[:3].title()))


def job(text: str, read: Reader = occupation) -> tuple[str, ...]:
    """Read a job title up to where or for whom it is done."""
    if re.search(r" by (?:training|degree|education)\b", text):
        return ()
    held = pattern("title_end").split(pattern("aged_title").sub("", text))[0]
    one, both, other = held.partition(" and ")
    return (held,) if both and read(one) and occupation(other) else read(one)


def employer(text: str) -> tuple[str, ...]:
    """Read the employer in `a nurse at St James`, where the title is one."""
    held, *rest = pattern("at").split(text, maxsplit=1)
    known = occupation(pattern("title_end").split(held)[0])
    if not rest or not known or known[0].endswith("student") or " for " in text:
        return ()
    return organisation(rest[0])


def left(text: str) -> tuple[str, ...]:
    """Read `I left Acme`: a name that is no place or person, and no site one has an account at."""
    found = organisation(text)
    never = words("sites", "places", "countries", "first_names")
    return () if not found or found[0].casefold().split(" ")[0] in never else found


def _whole(name: str, text: str) -> tuple[str, ...]:
    found = clean(text)
    return (found,) if pattern(name).fullmatch(found) else ()


_NATIONS = words("nationalities")
_ILLNESSES = {"diabetic": "diabetes", "asthmatic": "asthma", "dyslexic": "dyslexia"}
_SIMPLE: Mapping[str, Reader] = {
    "own_job": lambda text: job(text, profession),
    "relation": lambda word: (relation(word),),
    "illness": lambda word: (_ILLNESSES.get(word.casefold(), "coeliac disease"),),
    "nationality": lambda word: (word.title(),) if word.casefold() in _NATIONS else (),
    "pronouns": lambda text: _whole("pronouns", text),
    "zone": lambda text: _whole("zone", text),
    "nothing": lambda _: ("",),
    "same": lambda text: (text,),
    "lower": lambda text: (text.casefold(),),
}


def reader(name: str) -> Reader:
    """Return the reader that a table calls by its name."""
    found: Reader = _SIMPLE.get(name) or globals()[name]
    return found
