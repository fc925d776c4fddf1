"""What a question asks for: a day, a name, what was so before, several things at once."""

import re

from memory_graph.language.sentences import SPOKEN_WORD, as_begun
from memory_graph.language.words import STOP_WORDS, folded, table, words_of

_WORDS, _QUESTIONS = table("question_words"), table("questions")
_ASKING: str = _WORDS["asking"]
_COUNTS: dict[str, int] = _WORDS["counts"]
_OWNED = rf"\b(?!(?:{_WORDS['not_owners']})\b)(\w+)['’]s (\w+)"
_SEAM = re.compile(
    rf"(?<=\?)\s+|(?:,|(?<![\s,]))\s+(?:and|but|or)\s+(?:also\s+)?(?={_ASKING})",
    re.IGNORECASE,
)
_STANDS_ALONE = re.compile(
    rf"{_ASKING}(?!.*\b(?:he|she|it|they|him|her|them|this|that|these|those)\b)",
    re.IGNORECASE,
)
_NO_TOPIC = STOP_WORDS | frozenset(_WORDS["about_talk"].split())
"""What people call a conversation, and what is done in one, is no topic either."""
_PARTS = 3
_LAST_TIMES = re.compile(
    rf"\b(?:the |my |our )?(?:last|past|previous|latest|most recent) (?:(?P<count>\d{{1,3}}|"
    rf"{'|'.join(_COUNTS)}) )?(?P<unit>times?|occasions?|episodes?|sessions?)\b(?: (?:that|when))?",
    re.IGNORECASE,
)


def last_times(text: str) -> tuple[int, str] | None:
    """Return how many of the last occasions are asked for, and the words that say so."""
    found = _LAST_TIMES.search(text)
    if found is None or (found["count"] is None and found["unit"].endswith("s")):
        return None
    count = (found["count"] or "one").casefold()
    return max(1, _COUNTS.get(count) or int(count)), found[0]


def split_question(text: str) -> list[str]:
    """Return the questions in a message that asks several, else the message as it is."""
    parts = [part.strip() for part in _SEAM.split(text) if part.strip()]
    if len(parts) <= 1 or not all(_STANDS_ALONE.match(part) for part in parts):
        return [text]
    return parts[:_PARTS]


def topic_of(text: str, time_phrase: str | None = None) -> str:
    """Return the words that say what a question is about, in their order.

    Nothing is left of one that asks for whatever was said at a time: `What did we
    decide yesterday?`.
    """
    asked = text.replace(time_phrase, " ") if time_phrase else text
    bare = ((word, re.sub("['’]", "", word.casefold())) for word in SPOKEN_WORD.findall(asked))
    return " ".join(word for word, plain in bare if plain not in _NO_TOPIC)


_DAYS = frozenset({"date", "month", "day", "year", "time"})
_AMOUNTS = frozenset({"number", "money", "percent"})
_OPENING = r"\A\W*(?:\w++\W++){0,3}?"
"""A few words may come before what a question asks for: `and when`, `remind me when`."""
_TIME_ASKED, _NAME_ASKED, _AMOUNT_ASKED, _CALLED, _FORMER, _WORDING, _LIST = map(
    re.compile,
    (
        rf"{_OPENING}(?:{_QUESTIONS['time']})\b",
        rf"{_OPENING}(?:{_QUESTIONS['name']})",
        rf"{_OPENING}(?:{_QUESTIONS['amount']})\b|\b(?:{_QUESTIONS['amount_of']})\b",
        rf"\b(?:{_QUESTIONS['called']})\b",
        rf"\b(?:{_QUESTIONS['former']})\b",
        rf"\b(?:{_QUESTIONS['wording']})\b",
        rf"\b(?:{_QUESTIONS['list']})\b",
    ),
)


def wanted_values(question: str) -> frozenset[str]:
    """Return the kinds of value of which an answer needs one: a day for `when`; none for most."""
    asked = folded(question)
    if _TIME_ASKED.search(asked):
        return _DAYS
    if _NAME_ASKED.search(asked):
        return frozenset({"name"})
    return _AMOUNTS if _AMOUNT_ASKED.search(asked) else frozenset()


def without_naming(question: str) -> str:
    """Return a question without the words that ask for a name: no answer has to hold them."""
    return _CALLED.sub(" ", folded(question))


def owner_asked(question: str) -> tuple[str, str] | None:
    """Return whose and what a question asks for, unless that is a name: `dentist`, `deadline`."""
    found = re.search(_OWNED, without_naming(question))
    return (found[1], found[2]) if found else None


def asks_for_former(question: str) -> bool:
    """Say whether a question is about what was so before: `Where did I live before?`."""
    return _FORMER.search(folded(question)) is not None


def asks_for_wording(question: str) -> bool:
    """Say whether a question wants the very words: `What exactly did I say?`."""
    return _WORDING.search(folded(question)) is not None


def asks_for_list(question: str) -> bool:
    """Say whether a question wants several things: `List my allergies`."""
    return _LIST.search(folded(question)) is not None


def asks_further(question: str, language: str) -> bool:
    """Say whether a question only asks what the one before it was about: `And before that?`."""
    rest = _FORMER.sub(" ", folded(question))
    return asks_for_former(question) and not words_of(rest, language)


def asks_of_user(question: str) -> bool:
    """Say whether a question is about the one who asks it."""
    return re.search(_WORDS["me"], question, re.IGNORECASE) is not None


_ASKS_FIRST = re.compile(
    rf"^\W*(?:(?:and|so|ok|hey|hi|und|y|et|e|en)\W+)?(?:{_QUESTIONS['asks']})\b", re.IGNORECASE
)


def asks_first(text: str) -> bool:
    """Say whether a text begins with a word that asks, after a greeting or filler at most."""
    return _ASKS_FIRST.search(text) is not None


_YES_OR_NO = re.compile("|".join(table("asking")["yes_no"]))
"""How a question begins that has no question mark."""


def asks_yes_or_no(text: str) -> bool:
    """Say whether a text has the order of words of a question: `is the oven fixed`."""
    return _YES_OR_NO.match(as_begun(text)) is not None


def asks_for_name(question: str) -> bool:
    """Say whether a question wants the name of somebody."""
    return _CALLED.search(folded(question)) is not None
