"""What value does a captured phrase hold, or is it no value of that sort at all?"""

import re
from collections.abc import Callable

from memory_graph.llm.offline.statements.days import MONTHS, name_birthday
from memory_graph.llm.offline.statements.vocabulary import (
    COUNTRIES,
    LANGUAGES,
    NATIONALITIES,
    OCCUPATIONS,
    PROGRAMMING_LANGUAGES,
)

Reader = Callable[[str], tuple[str, ...]]
"""Turns a captured phrase into clean values; none when the phrase is of another sort."""

_PERIOD = r"(?:years?|months?|weeks?|days?|hours?|decades?|ages|while)"
_TRAILER = re.compile(
    rf"[\s,]+(?:now|today|yesterday|tomorrow|tonight|(?:last|this|next) \w+|since\b.*|"
    rf"for (?:the )?(?:\w+ ){{0,3}}{_PERIOD}\b.*|(?:\w+ ){{1,2}}ago|every \w+(?: \w+)?|in \d{{4}}|"
    rf"in (?:{'|'.join(MONTHS)})(?: \d{{4}})?|(?:on )?\w+days?|originally|at work|when I\b.*|"
    r"(?:and|so|but) .{0,3}|from now on|a lot|so much|more than anything|with two \w+'s|"
    r"(?:mostly|mainly|especially|mainly) .*|not\b.*|instead|sometimes|though|tbh|lol|right now|"
    r"for (?:work|my new job|my job|now|a living)|to be honest|i mistyped|of course)$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:a|an|the|some|my|our)\s+", re.IGNORECASE)
_LIST = re.compile(r",\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+|\s*&\s*")
_VAGUE = re.compile(
    r"^(?:it|this|that|these|those|him|her|them|you|your|what|how|when|where|why|if|the (?:way|idea|"
    r"first|second|third|last|other|former|latter|new|same|old)|one|each|all|both|everything|anything|nothing|"
    r"something|someone|to (?:be|have|know|see|fix|get)|being|working with|same|more|less|waiting)\b",
    re.IGNORECASE,
)
_NOT_PLACES = re.compile(
    r"^(?:fear|peace|hope|hell|paradise|sin|love|denial|the (?:past|moment|future)|hopes?|harmony|my|your|"
    r"a (?:world|house|flat|bubble|rush)|an apartment)\b",
    re.IGNORECASE,
)
_NOT_NAMES = frozenset(
    """
    vegan vegetarian single married engaged divorced retired sure sorry happy sad here there fine good
    done back ok okay ready hungry tired stuck lost new late busy sick i not so very too from in on at
    """.split()
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)
}
_CONDITIONS = {
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
}


def clean(text: str) -> str:
    """Take time phrases and asides off the end of a phrase."""
    previous = ""
    while text != previous:
        previous, text = text, _TRAILER.sub("", text).strip(" ,.!?;:")
    return text


def phrase(text: str) -> tuple[str, ...]:
    """Read one free phrase, without its article."""
    value = _ARTICLE.sub("", clean(text))
    if not value or _VAGUE.match(value) or len(value.split()) > 8:
        return ()
    return (value,)


def verbatim(text: str) -> tuple[str, ...]:
    """Read a phrase as it stands."""
    value = clean(text)
    return (value,) if value else ()


def things(text: str) -> tuple[str, ...]:
    """Read a list of things: `spicy food, jazz and hiking`."""
    found = [phrase(re.sub(r"^to\s+", "", item)) for item in _LIST.split(clean(text))]
    if not all(found) or any(len(value.split()) > 4 for (value,) in found):
        return ()
    return tuple(value for (value,) in found)


def city(text: str) -> tuple[str, ...]:
    """Read a place smaller than a country."""
    value = re.split(
        r",\s+(?:in|on|near|with|and)\b|\s+(?:with|where|because|and|but|as)\s+", clean(text)
    )[0]
    value = _ARTICLE.sub(
        "", re.sub(rf"(?:,| in) (?:{_country_names()})$", "", clean(value), flags=re.I)
    )
    if (
        not value
        or _NOT_PLACES.match(text)
        or value.casefold() in COUNTRIES
        or len(value.split()) > 5
    ):
        return ()
    plausible = any(char.isupper() for char in value) or len(value.split()) == 1
    return (value if value[0].isupper() or " " in value else value.title(),) if plausible else ()


def country(text: str) -> tuple[str, ...]:
    """Read a country, alone or after a city."""
    match = re.search(rf"(?:^|,\s*| in ){_THE}({_country_names()})$", clean(text), re.IGNORECASE)
    return (match[1],) if match else ()


def place(text: str) -> tuple[str, ...]:
    """Read any place."""
    return city(text) or country(text)


def occupation(text: str) -> tuple[str, ...]:
    """Read a job title whose last noun is a known occupation."""
    title = _title(text)
    head = title.split(" of ")[0].split(" ")[-1].casefold()
    return (title,) if head in OCCUPATIONS and len(title.split()) <= 6 else ()


def stated_occupation(text: str) -> tuple[str, ...]:
    """Read a job title that was introduced as one (`works as a …`)."""
    title = _title(text)
    return (title,) if title and len(title.split()) <= 6 else ()


def organisation(text: str) -> tuple[str, ...]:
    """Read an employer or a school."""
    value = re.split(r"\s+(?:as|in|on|where|who|and|but|doing|near|with)\s+|,\s+", clean(text))[0]
    value = clean(_ARTICLE.sub("", value))
    if not value or _VAGUE.match(value) or len(value.split()) > 5:
        return ()
    return (
        ()
        if re.match(r"(?:home|night|least|work|once|myself|a |it\b|fun|free)", value)
        else (value,)
    )


def person_names(text: str) -> tuple[str, ...]:
    """Read one name or several: `Tom and Jerry`."""
    names = [item.strip() for item in _LIST.split(clean(text))]
    return tuple(_titled(name) for name in names) if all(map(_is_name, names)) else ()


def capitalised_name(text: str) -> tuple[str, ...]:
    """Read a name that is only recognisable by its capitals (`I am Ana`)."""
    value = re.split(r",\s+", clean(text))[0]
    return (value,) if value[:1].isupper() and _is_name(value) else ()


def age(text: str) -> tuple[str, ...]:
    """Read an age in years or months."""
    match = re.fullmatch(
        r"(\d{1,3})(?:(?: |-)years?(?: |-)old| y/?o)?|(\d{1,2} (?:months|weeks)) old", clean(text)
    )
    return (match[1] or match[2],) if match else ()


def count(text: str) -> tuple[str, ...]:
    """Read a small number, in digits or as a word."""
    word = text.casefold()
    return (word,) if word.isdigit() else ((_NUMBERS[word],) if word in _NUMBERS else ())


def birthday(text: str) -> tuple[str, ...]:
    """Read a birthday."""
    value = name_birthday(text)
    return (value,) if value else ()


def languages(text: str) -> tuple[str, ...]:
    """Read languages people speak."""
    return _all_known(text, LANGUAGES, str.title)


def programming_languages(text: str) -> tuple[str, ...]:
    """Read languages computers understand."""
    return _all_known(text, PROGRAMMING_LANGUAGES, str)


def nationality(text: str) -> tuple[str, ...]:
    """Read a nationality, or a mix of them."""
    value = clean(text)
    words = set(value.casefold().split()) - {"half", "and"}
    return (value,) if words and words <= NATIONALITIES else ()


def answer_style(text: str) -> tuple[str, ...]:
    """Read how answers should be: `concise answers with bullet points`."""
    value = re.sub(r" ?\b(?:answers|replies|responses|explanations)\b", "", clean(text))
    return () if _VAGUE.match(value) else (value,)


def condition(text: str) -> tuple[str, ...]:
    """Read a lasting condition named by an adjective."""
    value = _CONDITIONS.get(clean(text).casefold().replace("-", " "))
    return (value,) if value else ()


_THE = r"(?:the )?"


def _country_names() -> str:
    return "|".join(sorted(COUNTRIES, key=len, reverse=True))


def _title(text: str) -> str:
    value = re.split(
        r"\s+(?:at|for|in|who|working|based|from|by|with|and|but|on|living)\b|,", clean(text)
    )[0]
    return clean(_ARTICLE.sub("", value))


def _all_known(text: str, known: frozenset[str], spell: Callable[[str], str]) -> tuple[str, ...]:
    items = [
        re.sub(r"^(?:some|a bit of|a little|fluent) ", "", i) for i in _LIST.split(clean(text))
    ]
    if not all(item.casefold().split(" ")[0] in known for item in items):
        return ()
    return tuple(item if item[0].isupper() else spell(item) for item in items)


def _is_name(text: str) -> bool:
    words = text.split()
    if not 1 <= len(words) <= 3 or not re.fullmatch(r"[^\W\d_][\w'’. -]*", text):
        return False
    lowered = {word.casefold() for word in words}
    return not lowered & (_NOT_NAMES | NATIONALITIES | set(MONTHS) | COUNTRIES)


def _titled(name: str) -> str:
    return name if name[0].isupper() else name.title()
