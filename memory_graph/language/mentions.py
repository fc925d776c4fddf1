"""Find names, identifiers, amounts and content words in a text."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import count, islice, takewhile
from typing import NamedTuple

from memory_graph.language.words import (
    folded,
    function_words,
    language_of,
    stems,
    table,
    words_of,
)
from memory_graph.once import once_a_turn

READ_CHARACTERS = 6000
"""Of one text: a longer one is a paste."""
_NAME_WORD = re.compile(r"[^\W\d_][^\W_]*(?:[-'’][^\W\d_]+)*")
_OPENS = re.compile(r"(?:\A|[.!?…:;\n\"“(]|\s[-–—•*])\s*[\"“'(]*\Z")
_OWNER = re.compile(r"['’]s?\Z")
_CASED = re.compile(r"[A-Z\u00c0-\u024f\u0370-\u058f]")
_NO_NAMES, _GERMAN_ARTICLES, _STARTERS = (
    frozenset(words.split()) for words in table("no_names").values()
)
"""What a capital makes no name of: months, weekdays and forms of address; after an article in
German; and, at its start, what often opens a sentence.
"""


def names_in(text: str, known: Collection[str] = ()) -> frozenset[str]:
    """Return probable names in `text`, in lower case, one word each.

    A capitalised word counts inside a sentence; at its start only with a possessive, before
    another capital, or when it is known. Chinese and Japanese names are not found.

    Args:
        text: One or a few sentences.
        known: Names that count in any spelling, in lower case.
    """
    sure, words = _names_in(text[:READ_CHARACTERS])
    return sure | words.intersection(known) if known else sure


def shows_names(language: str) -> bool:
    """Say whether a capital shows a name; in German every noun has one."""
    return language != "de"


@once_a_turn
def _names_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Find the names and the words of a text once: a turn compares it with everything near."""
    sure: set[str] = set()
    words: set[str] = set()
    before = ""
    for word in _NAME_WORD.finditer(text):
        name = _OWNER.sub("", word.group())
        key = name.casefold()
        is_capital = len(name) > 1 and name[0].isupper() and _CASED.match(name)
        may_be = is_capital and not {key, key.split("'")[0]} & _STARTERS and key not in _NO_NAMES
        if may_be and before not in _GERMAN_ARTICLES and _stands_as_name(text, word):
            sure.add(key)
        words.add(key)
        before = key
    return frozenset(sure), frozenset(words)


def _stands_as_name(text: str, word: re.Match[str]) -> bool:
    """Tell whether a capital shows a name where it stands; one opens every sentence."""
    if _OPENS.search(text, max(0, word.start() - 6), word.start()) is None:
        return True
    after = _NEXT_WORD.match(text, word.end())  # `I` makes no name of the word before it
    return word.group().endswith(("'s", "’s")) or (after is not None and after[1] != "I")


_NEXT_WORD = re.compile(r" ([A-ZÀ-Þ]\w*)")
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_IDENTIFIER = re.compile(r"(?<![\w.-])(?=[\w.-]*\d)[^\W\d_][\w]*(?:[-_.]\w+)*(?![\w-])")
_JOINED = re.compile(r"[ ]\Z|[ ]& \Z")


def identifiers_in(text: str) -> frozenset[str]:
    """Return what is named by letters and digits, in lower case: `mail-gw-02`, `db01`."""
    return frozenset(each.casefold() for each in _IDENTIFIER.findall(text) if len(each) > 2)


def entities_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Return names in order of appearance, words that stand together as one."""
    found: list[str] = []
    for text in texts:
        found += (name for name, _, _ in _names(text))
        found += (each for each in _IDENTIFIER.findall(text) if len(each) > 2)
    return tuple(dict.fromkeys(found))


def people_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names that stand where people's names do, as in `told Priya`, `Jo said`."""
    found: list[str] = []
    for text in texts:
        language = language_of(text)
        cues = table("openers").get(language, {})
        for name, start, end in _names(text, function_words().get(language, frozenset())):
            before = re.search(r"(\w+)\.?\s+\Z", text[max(0, start - 30) : start])
            after = re.match(r"\s+(\w+)", text[end : end + 30])
            is_told = before and before[1].casefold() in cues.get("before_people", ())
            if is_told or (after and after[1].casefold() in cues.get("after_people", ())):
                found.append(name)
    return tuple(dict.fromkeys(found))


def _names(text: str, known: frozenset[str] | None = None) -> list[tuple[str, int, int]]:
    """Return names and where they stand; given the `known` words, any other may be one."""
    names = names_in(text)
    capitals = [word for word in _WORD.finditer(text) if word.group()[0].isupper()]
    keys = [_OWNER.sub("", word.group()).casefold() for word in capitals]
    if known is not None:
        names |= frozenset(keys) - known - _NO_NAMES
    runs: list[list[re.Match[str]]] = []
    for word, key in zip(capitals, keys, strict=True):
        if key not in names:
            continue
        if runs and _JOINED.fullmatch(text, runs[-1][-1].end(), word.start()):
            runs[-1].append(word)
        else:
            runs.append([word])
    return [
        (_OWNER.sub("", text[run[0].start() : run[-1].end()]), run[0].start(), run[-1].end())
        for run in runs
    ]


MAX_VALUES = 24
"""Of one text, so that a table of figures costs no more than a sentence."""
_TABLE = table("values")
_MONTHS: list[str] = _TABLE["months"]
_WEEKDAYS: list[str] = _TABLE["weekdays"]
_NUMBER_WORDS: dict[str, int] = {
    form: number
    for first, step, name in ((2, 1, "numbers"), (21, 1, "twenties"), (30, 10, "tens"))
    for number, forms in zip(count(first, step), _TABLE[name], strict=False)
    for form in forms.split("|")
}
_UNIT, _TEN = (
    "|".join(form for form, number in _NUMBER_WORDS.items() if number in values and form.isalpha())
    for values in (range(2, 10), range(20, 100, 10))
)
_TEN_UNIT = rf"({_TEN})(?:[- ]| y | e )(one|uno|un|um|{_UNIT})"
_UNIT_TEN = rf"(ein|{_UNIT})und({_TEN})"
_MONTH = "|".join(_MONTHS)
_NUMBER = r"\d+(?:[.,]\d+)*"
_ORDINAL = r"(?:st|nd|rd|th|\.|er)?"
_KINDS = {
    "iso": r"\b\d{4}-\d\d-\d\d\b",
    "percent": rf"{_NUMBER}\s?(?:%|percent\b|prozent\b|por ?ciento\b|pour ?cent\b)",
    "money": rf"[£$€¥]\s?{_NUMBER}\s?k?\b|{_NUMBER}\s?k?\s?(?:{_TABLE['currency']})(?!\w)",
    "time": r"(?<![\d:])\d{1,2}[:h]\d{2}\b(?!:)"
    r"|\b\d{1,2}(?:[.:]\d\d)?\s?(?:am|pm|uhr|h|heures?)\b"
    r"|\d{1,2}[点時时](?!間|间)(?:半|\d+分?)?",
    "date": rf"\b\d{{1,2}}{_ORDINAL}\s?(?:of |de )?(?:{_MONTH})\b"
    rf"|\b(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?![:.]\d)"
    r"|\d{1,2}月(?:\d{1,2}[日号])?|\d{1,2}[日号]|\b\d{1,2}(?:st|nd|rd|th)\b"
    r"|\b(?:zum|am|bis|auf den|el|le|dia|pro dia) \d{1,2}\b\.?(?![:.,]?\d| uhr)"
    rf"(?: (?:de )?(?:{_MONTH})\b)?",
    "month": rf"\b(?:{_MONTH})\b",
    "day": rf"(?<!\w)(?:{'|'.join(_WEEKDAYS)})(?!\w)"
    "|星期[一二三四五六日天]|周[一二三四五六日]|[月火水木金土日]曜",
    "year": r"\b(?:19|20)\d\d\b",
    "number": rf"(?<![a-z0-9])(?:{_NUMBER}\s?k?\b|{_NUMBER})",
    "word": rf"(?<!\w)(?:{_TEN_UNIT}|{_UNIT_TEN}|{'|'.join(_NUMBER_WORDS)})(?!\w)"
    f"|(?<![二三四五六七八九十两])[二三四五六七八九十两]++(?=[{_TABLE['counters']}])",
}
_SCAN = re.compile("|".join(f"(?P<{kind}>{form})" for kind, form in _KINDS.items()))
_COMPOUND = re.compile(f"{_TEN_UNIT}|{_UNIT_TEN}")
_DAY_NUMBER = re.compile(r"\d{1,2}(?!\d)")
_DIGITS = re.compile(r"\d+(?:[.,:/]\d+)*")
_GROUPS = re.compile(r"[.,](?=\d{3}(?:\D|\Z))")


class Value(NamedTuple):
    """An amount, a date or a time, in a form in which equal ones are equal."""

    kind: str
    value: str
    start: int
    end: int


@once_a_turn
def values_in(text: str) -> tuple[Value, ...]:
    """Return the values that `text` names, in order."""
    found: list[Value] = []
    possessive = "mon" if language_of(text) == "fr" else ""
    for match in _SCAN.finditer(folded(text)):
        if match[0] == possessive:  # `mon` is no Monday there
            continue
        found.extend(_read(match.lastgroup or "", match))
        if len(found) >= MAX_VALUES:
            break
    return tuple(found)


def _read(kind: str, match: re.Match[str]) -> Iterator[Value]:
    text, (start, end) = match.group(), match.span()
    if kind == "word":
        yield Value("number", _number_of(text), start, end)
    elif kind in {"month", "day"}:
        yield Value(kind, _name_of(text, _MONTHS if kind == "month" else _WEEKDAYS), start, end)
    elif kind in {"date", "iso"}:
        yield from _date(text, start, end)
    elif kind == "time":
        yield Value(kind, _clock(text), start, end)
    else:
        yield Value(kind, _amount(text), start, end)


def _number_of(text: str) -> str:
    """Return a number written out: `thirty-six`, `sechsunddreißig`, `treinta y seis`."""
    if compound := _COMPOUND.fullmatch(text):
        parts = [part for part in compound.groups() if part]
        return str(sum(_NUMBER_WORDS.get(part, 1) for part in parts))
    return str(_NUMBER_WORDS.get(text, text))


def _date(text: str, start: int, end: int) -> Iterator[Value]:
    if "月" in text:
        month, _, rest = text.partition("月")
        yield Value("month", str(int(month) - 1), start, end)
        text = rest
    else:
        months = (i for i, form in enumerate(_MONTHS) if re.search(rf"\b(?:{form})\b", text))
        if (number := next(months, None)) is not None:
            yield Value("month", str(number), start, end)
    days = _DAY_NUMBER.findall(text)
    if days:
        yield Value("date", str(int(days[-1])), start, end)


def _name_of(text: str, forms: list[str]) -> str:
    for number, form in enumerate(forms):
        if re.fullmatch(form, text):
            return str(number)
    return text[-1]


def _clock(text: str) -> str:
    digits = re.findall(r"\d+", text)
    minutes = "30" if "半" in text else digits[1] if len(digits) > 1 else "00"
    return f"{int(digits[0])}:{minutes}" + ("pm" if "pm" in text else "")


def _amount(text: str) -> str:
    match = _DIGITS.search(text)
    digits = _GROUPS.sub("", match.group()) if match else text
    return digits + "000" if text.rstrip(" €£$").endswith("k") else digits.replace(",", ".")


_SURFACE = re.compile(r"[^\W\d_]{3,}(?:[-'’][^\W\d_]+)*")


def story_words(text: str) -> frozenset[str]:
    """Return the stems that a text is made of: no function words, numbers or single letters."""
    return frozenset(_stems_of(text, language_of(text)))


def telling_words(text: str) -> frozenset[str]:
    """Return the stems without those of any story, such as `decided`, `today` and `works`."""
    return story_words(text) - common_stems()


def subject_words(text: str) -> frozenset[str]:
    """Return the stems without those that say that, or when, something was chosen."""
    return story_words(text) - _listed("choosing")


def common_stems() -> frozenset[str]:
    """Return the stems that any story may hold, of all languages together."""
    return _listed("common", "choosing")


@cache
def _listed(*names: str) -> frozenset[str]:
    lists = table("story_words").items()
    found = (stems(words[name], code) for code, words in lists for name in names)
    return frozenset[str]().union(*found)


_PIECE = re.compile(r"\w+(?:['’]\w+)?|[^\w\s]")
_HEAD, _TAIL = 3, 2
"""Words of a thing, and of what tells it apart: `senior nurse post for | dialysis`."""


@once_a_turn
def qualifiers(text: str) -> Mapping[str, frozenset[str]]:
    """Return what tells a thing of a text apart, by the stems of the thing.

    `The boiler at Orchard Court` is not the boiler at another place.
    """
    language = language_of(text)
    links = frozenset(map(folded, table("story_words").get(language, {}).get("qualifying", ())))
    pieces = _PIECE.findall(folded(text))
    told = [
        frozenset(filter(str.isalpha, _stems_of(piece, language))) - common_stems()
        for piece in pieces
    ]
    found: dict[str, frozenset[str]] = {}
    for place, piece in enumerate(pieces):
        if piece in links:
            start = next((n for n in range(place + 1, len(pieces)) if told[n]), len(pieces))
            between = pieces[place + 1 : start]
            tail = () if any(not each[0].isalnum() for each in between) else told[start:]
            by = frozenset[str]().union(*islice(takewhile(bool, tail), _TAIL))
            for head in islice(takewhile(bool, reversed(told[:place])), _HEAD):
                found |= {stem: found.get(stem, frozenset()) | by for stem in head if by}
    return found


def keywords(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """Return the telling words used most, as they are written, in lower case."""
    counted: Counter[str] = Counter()
    written: dict[str, str] = {}
    for text in texts:
        language = language_of(text)
        for word in _SURFACE.findall(text):
            for stem in _stems_of(word, language)[:1]:
                if stem not in common_stems():
                    counted[stem] += 1
                    written.setdefault(stem, word.lower())
    return tuple(written[stem] for stem, _ in counted.most_common(most))


def _stems_of(text: str, language: str) -> list[str]:
    return [each for each in words_of(text, language) if len(each) > 1 and not each.isdigit()]
