"""What plain value does a captured phrase hold, or is it too vague to be one?"""

import re
from collections.abc import Callable
from itertools import takewhile

from memory_graph.llm.offline.statements.days import MONTHS, name_birthday

Reader = Callable[[str], tuple[str, ...]]
"""Turns a captured phrase into clean values; none when the phrase is of another sort."""

_PERIOD = r"(?:years?|months?|weeks?|days?|hours?|decades?|ages|while)"
_TRAILER = re.compile(
    r"[\s,]+(?:now|today|yesterday|tomorrow|tonight|since\b.*|right now|recently|"
    r"(?:last|this|next|early|late) (?:\w+day|week(?:end)?|month|year|spring|summer|autumn|fall|"
    r"winter|"
    rf"{'|'.join(MONTHS)}|night|morning)|for (?:the )?(?:\w+ ){{0,3}}{_PERIOD}\b.*|"
    rf"(?:\w+ ){{1,2}}ago|"
    r"(?:almost )?every \w+(?: \w+)?|(?:once|twice|three times) a \w+|in \d{4}|"
    rf"in (?:{'|'.join(MONTHS)}|spring|summer|autumn|winter)(?: \d{{4}})?|"
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|originally|at work|when I\b.*|"
    r"from now on|a lot|so much|more than anything|with two \w+'s|"
    r"(?:mostly|mainly|especially) .*|not\b.*|instead|sometimes|though|tbh|lol|"
    r"for (?:work|my new job|my job|now|a living|years)|to be honest|i mistyped|of course|"
    r"nice to meet you|in (?:my|our) (?:free|spare) time|please|actually|haha)$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:a|an|the|some)\s+", re.IGNORECASE)
LIST = re.compile(r",\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+|\s*&\s*")
VAGUE = re.compile(
    r"^(?:it|this|that|these|those|him|her|them|you|your|my|our|his|their|me|us|what|how|when|"
    r"where|why|if|the (?:way|idea|wrong|right|first|second|third|last|other|former|latter|new|"
    r"same|old)|one|each|all|both|everything|anything|nothing|something|someone|being|same|more|"
    r"less|waiting|to (?:be|have|know|see|fix|get)|to$|like|really|here|there|no|any|every|so|"
    r"such|both|an? (?:lot|bit|few))\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split(), 1)}
_AGE = re.compile(
    rf"(?P<years>\d{{1,2}}|1[01]\d|{'|'.join(_NUMBERS)})(?:[ -]years?[ -]old| y/?o)?"
    r"|(?P<young>\d{1,2} (?:months|weeks)) old",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r" ?\b(?:answers|replies|responses|explanations)\b ?")
_PROPER_OR_PLAIN = re.compile(r"(?!the |an? )\w[\w.+#/-]*(?: [\w.+#/-]+){0,2}")
_COMPANY = re.compile(
    r"\s+(?:with|for|from) (?:my|our|the|friends|others|people|fun)\b.*|,? '?cause\b.*|"
    r"\s+because\b.*"
)
_CLAUSE = re.compile(
    r"^(?:they|it|he|she|we|I|you|so|which|who|coming|get|gets)\b|"
    r"\b(?:is|are|was|were|has|keeps|makes|do|does)\b"
)
_CONTEXTUAL = re.compile(r"^the [a-z]|\b(?:it|them|him|her|you|your|this|that|these|those)\b")
_FIRST_PERSON = re.compile(r"\b(?:my|our)\b")
MAX_WORDS = 8
MAX_WORDS_IN_LIST = 5


def clean(text: str) -> str:
    """Take time phrases and asides off the end of a phrase."""
    previous = ""
    while text != previous:
        previous, text = text, _TRAILER.sub("", text).strip(" ,.!?;:")
    return text


def without_article(text: str) -> str:
    """Take the article off a phrase."""
    return _ARTICLE.sub("", text)


def phrase(text: str) -> tuple[str, ...]:
    """Read one free phrase, without its article."""
    whole = clean(text)
    value = without_article(whole)
    if not value or VAGUE.match(whole) or VAGUE.match(value) or len(value.split()) > MAX_WORDS:
        return ()
    return (_FIRST_PERSON.sub("their", value),)


def verbatim(text: str) -> tuple[str, ...]:
    """Read a phrase as it stands, time words taken off."""
    value = clean(text)
    return (value,) if value else ()


def intention(text: str) -> tuple[str, ...]:
    """Read an aim, keeping its time words."""
    value = text.strip(" ,.!?;:")
    if not value or VAGUE.match(value) or len(value.split()) > MAX_WORDS:
        return ()
    return (_FIRST_PERSON.sub("their", value),)


def things(text: str) -> tuple[str, ...]:
    """Read a list of things: `spicy food, jazz and hiking`."""
    items = LIST.split(clean(_COMPANY.sub("", text)))
    told = list(takewhile(lambda item: not _CLAUSE.search(item), items))
    found = [phrase(item) for item in told]
    if not all(found) or any(_CONTEXTUAL.search(item) for item in told):
        return ()
    return tuple(value for (value,) in found if len(value.split()) <= MAX_WORDS_IN_LIST)


def tools(text: str) -> tuple[str, ...]:
    """Read a list of tools by name: `Neovim and tmux`, not `the wrong port`."""
    named = re.split(r"\s+(?:for|with|on|to|as|in|at|because|instead)\s+", clean(text))[0]
    items = LIST.split(clean(named))
    if not all(_PROPER_OR_PLAIN.fullmatch(item) and not VAGUE.match(item) for item in items):
        return ()
    return tuple(items)


def named_tools(text: str) -> tuple[str, ...]:
    """Read tools whose names are capitalised: `Django and HTMX`, not `regex`."""
    found = tools(text)
    return found if all(name[0].isupper() for name in found) else ()


def age(text: str) -> tuple[str, ...]:
    """Read an age in years or months."""
    match = _AGE.fullmatch(clean(text))
    if match is None:
        return ()
    years = match["years"]
    return (_NUMBERS.get(years.casefold(), years),) if years else (match["young"],)


def count(text: str) -> tuple[str, ...]:
    """Read a small number, in digits or as a word."""
    word = text.casefold()
    return (word,) if word.isdigit() else ((_NUMBERS[word],) if word in _NUMBERS else ())


def birthday(text: str) -> tuple[str, ...]:
    """Read a birthday."""
    value = name_birthday(text)
    return (value,) if value else ()


def answer_style(text: str) -> tuple[str, ...]:
    """Read how answers should be: `concise answers with bullet points`."""
    value = _ANSWERS.sub(" ", clean(text)).strip()
    return () if not value or VAGUE.match(value) else (value,)
