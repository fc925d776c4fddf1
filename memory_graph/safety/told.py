"""Find the secrets that people tell: "my password is …", in the languages of `secrets.toml`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memory_graph.records import SecretKind
from memory_graph.safety import secrets_table

Span = tuple[int, int]
_KINDS: dict[str, SecretKind] = {
    "password": "password",
    "code": "password",
    "login": "password",
    "phrase": "token",
    "token": "token",
    "card": "card",
    "identity": "identity",
    "account": "bank_account",
}
_AFTER, _BEFORE, _AROUND = 100, 48, 30
"""Characters that are looked at after and before a name, and around one of its stems."""
_SIGN = re.compile(r"[!@#$%^&*_~+=\\|§€<>?-]")
_CAPITAL_WITHIN = re.compile(r"[a-zа-яß-ÿ][A-ZА-ЯÀ-Þ]")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_CLAUSE_END = re.compile(
    r"[.!?;](?=\s)|[。！？；]|\n(?!\s{0,6}[\w#-])|[,，、](?=\s{0,3}[^\W\d]{1,30}\s{1,3}[^\W\d]{1,30}\s)"
)
_QUOTED = re.compile(
    r"[\"“”„«»'‘’‚`「『《‹›](?P<inner>[^\"”“»«’‘」』》›‹`\n]{2,80}?)[\"”“»«’'‘`」』》›‹](?!\w)"
)
_TOKEN = re.compile(r"[^\s\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f\uff00-\uffef،؛]+")
_NUMBER = re.compile(r"\d(?:[ \t]?[-./·–]?[ \t]?\d)+(?![\d])[#*]?|[#*]\d+[#*]?")
_CODE_DIGITS = re.compile(r"\d{3,12}")
_DATE = re.compile(
    r"(?:19|20)\d\d[-./]\d\d?[-./]\d\d?$|\d\d?[-./]\d\d?[-./](?:19|20)\d\d$|\d\d?[:.]\d\d$"
)
_ADDRESS = re.compile(r"(?i)https?://|www\.|^[\w.+-]+@[\w-]+\.\w|^[\w-]+\.(?:com|net|org|de|io)\b")
_LIST = re.compile(r"[\s,;/|·&+]*(?:\d{1,2}[.)]\s)?(?:(?:and|und|y|et|e|en|i|и|ve|و)\s+)?")
_SIGNS = r"\s*(?:[:：=＝→]|->|–|—)\s*"
_PARTICLES = r"\s*(?:は|が|を|是|为|為|就是|은|는|이|가|을|를|คือ|เป็น)\s*"
_PHRASE_WORDS = range(4, 25)


@dataclass(frozen=True)
class _Cue:
    """The names of one group of secrets in one language."""

    group: str
    stems: tuple[str, ...]
    names: re.Pattern[str]


@dataclass(frozen=True)
class _Values:
    """How what follows or precedes a name is read."""

    link: re.Pattern[str]
    beside: re.Pattern[str]
    before: re.Pattern[str]
    units: re.Pattern[str]
    things: re.Pattern[str]
    elsewhere: frozenset[str]
    describing: frozenset[str]
    described: tuple[str, ...]


def told_secrets(text: str) -> Iterator[tuple[SecretKind, Span]]:
    """Yield the kind and the place of each secret that a text names."""
    lowered = text.replace("İ", "i").lower()
    hits = _places(lowered)
    for cue in _cues():
        places = [place for stem in cue.stems for place in hits.get(stem, ())]
        for start, end in _names(cue.names, lowered, places):
            for span in _values_at(cue.group, text, start, end):
                yield _KINDS[cue.group], span
    for span in _opens(text, lowered):
        yield "password", span


_LETTERS = "a-z0-9\u00df-\u024f\u0400-\u04ff\u0600-\u06ff"
"""Letters of the scripts that put spaces between words."""


def _places(lowered: str) -> dict[str, list[int]]:
    """Return where each stem stands in a text."""
    found = {stem: lowered.find(stem) for stem in _stems()}
    return {
        stem: [first, *_further(lowered, stem, first)]
        for stem, first in found.items()
        if first != -1
    }


def _further(lowered: str, stem: str, place: int) -> Iterator[int]:
    while (place := lowered.find(stem, place + 1)) != -1:
        yield place


def _names(names: re.Pattern[str], lowered: str, places: list[int]) -> Iterator[Span]:
    """Yield the names around these places, each once."""
    done = -1
    for place in sorted(places):
        if place < done:
            continue
        begin = max(done, place - _AROUND, 0)
        for name in names.finditer(lowered, begin, min(len(lowered), place + 2 * _AROUND)):
            if name.start() >= done:
                done = name.end()
                yield name.span()


@cache
def _stems() -> tuple[str, ...]:
    return tuple({stem for cue in _cues() for stem in cue.stems})


@cache
def _cues() -> tuple[_Cue, ...]:
    return tuple(
        _Cue(
            row["group"],
            tuple(stem.replace("_", " ") for stem in row["stems"].split()),
            re.compile(
                rf"(?<![a-z](?=[a-z]))(?:{row['names']})(?!(?<=[a-z])[a-z])"
                if row.get("open")
                else rf"(?<![{_LETTERS}])(?:{row['names']})(?![{_LETTERS}_])"
            ),
        )
        for row in secrets_table()["cue"]
    )


@cache
def _values() -> _Values:
    words = secrets_table()["values"]

    def either(name: str) -> str:
        return "|".join(sorted(words[name].split(), key=len, reverse=True))

    links, whose = either("links"), either("whose")
    return _Values(
        link=re.compile(rf"(?i){_SIGNS}|{_PARTICLES}|\s+(?:{links})(?=[\s\"“„«'‘]|$)"),
        beside=re.compile(rf"(?i)(?:\s+(?:{whose})(?=\s))*[\s:=#]*"),
        before=re.compile(
            rf"(?i)(?P<value>[^\s\"“”«»„]+)[\"“”«»]?(?:{_PARTICLES}|{_SIGNS}"
            rf"|\s+(?:{links}|{whose}|comme|come|jako|als|как)\s+)(?:[^\s\d]+\s+){{0,2}}$"
        ),
        units=re.compile(rf"(?i)\s*-?(?:{either('units')})(?!\w)"),
        things=re.compile(rf"(?i)[\s-]*(?:{either('things')})(?!\w)"),
        elsewhere=frozenset(words["elsewhere"].split()),
        describing=frozenset(words["describing"].split()),
        described=tuple(words["described"].split()),
    )


@cache
def _opening() -> tuple[tuple[str, ...], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    table = secrets_table()["opening"]

    def either(name: str) -> str:
        return "|".join(table[name].split())

    return (
        tuple(table["stems"].split()),
        re.compile(rf"(?<!\w)(?:{either('locks')})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{either('verbs')})(?!\w)"),
        re.compile(
            rf"(?:(?<!\w)(?:{either('instruments')})\s+(?:\w{{1,6}}\s+){{0,1}}(?:code\s+|código\s+|codice\s+|kodem\s+)?:?"
            rf"|(?=[#*\d]+\s?[をで]))(?P<number>[#*]?\d[\d -]{{1,12}}\d[#*]?)(?![\w:.,]*\w)"
        ),
    )


_SENTENCE = re.compile(r"[^.!?。！？\n]+")


def _opens(text: str, lowered: str) -> Iterator[Span]:
    """Yield the number of `unlock the phone with 2580` and `alarm at home: code 9034`."""
    stems, locks, verbs, numbers = _opening()
    if not any(stem in lowered for stem in stems):
        return
    for sentence in _SENTENCE.finditer(lowered):
        place = sentence.span()
        if not locks.search(lowered, *place):
            continue
        for number in numbers.finditer(lowered, *place):
            has_verb = verbs.search(lowered, *place) or _CODE.search(number[0])
            if has_verb and _number(text, _NUMBER.match(text, number.start("number"))):
                yield number.span("number")
        for word in _CODE_WORD.finditer(lowered, *place):
            if found := _first_linked(text, word.end(), place[1]):
                yield found


def _first_linked(text: str, start: int, stop: int) -> Span | None:
    """Return the code after a link further on: `the code to get in is C4471`."""
    for link in _values().link.finditer(text, start, min(stop, start + _FURTHER)):
        found = _plain_value("code", text, _spaces_after(text, link.end()), is_linked=True)
        if found and any(char.isdigit() for char in text[slice(*found)]):
            return found
    return None


_CODE_WORD = re.compile(
    r"(?<!\w)(?:code|combination|kombination|código|codice|combinação|kod|код)(?!\w)"
)
_CODE = re.compile(r"\b(?:codes?|pin|comb|kombin|kod|c[óo]d|код)|[をで]?$")


_NUMBERS = frozenset({"card", "identity", "account"})


def _values_at(group: str, text: str, start: int, end: int) -> Iterator[Span]:
    """Yield where the secrets beside the name at `start` to `end` are."""
    if group not in _NUMBERS and _values().things.match(text, end):
        return
    stop = _clause_end(text, end)
    if group == "phrase":
        found = _phrase(text, end, stop)
    elif group == "login":
        yield from _strong_words(text, end, stop)
        return
    elif group in _NUMBERS:
        yield from _long_numbers(group, text, end, stop)
        return
    else:
        found = _first_value(group, text, end, stop) or _value_before(text, start)
    if found:
        yield found
        yield from _listed(text, found[1])
        yield from _others(text, found[1])


def _clause_end(text: str, start: int) -> int:
    limit = min(len(text), start + _AFTER)
    end = _CLAUSE_END.search(text, start, limit)
    return end.start() if end else limit


def _first_value(group: str, text: str, end: int, stop: int) -> Span | None:
    """Return the first thing after a name that is a secret: beside it, or after a link."""
    values = _values()
    beside = values.beside.match(text, end)
    if beside and (found := _plain_value(group, text, beside.end(), is_linked=False)):
        return found
    for link in values.link.finditer(text, end, stop + 1):
        found = _plain_value(group, text, _spaces_after(text, link.end()), is_linked=True)
        if found:
            return found
    return _further_on(group, text, end)


def _further_on(group: str, text: str, end: int) -> Span | None:
    """Return what can only be the secret, a few words after its name: `my PIN? It's 4821`."""
    line = text.find("\n", end)
    stop = min(len(text) if line == -1 else line, end + _FURTHER)
    full = _FULL_STOP.search(text, end, stop)
    stop = full.start() + 1 if full else stop
    if group == "code":
        for number in _NUMBER.finditer(text, end, stop):
            before = text[end : number.start()].split()
            is_other = bool(before) and before[-1].lower() in _values().elsewhere
            if not is_other and (span := _number(text, number)) and not _YEAR.match(number[0]):
                return span
        return None
    for token in _TOKEN.finditer(text, end, stop):
        word = token[0].strip(".,;:?!)(\"'“”„«»")
        is_named = _NAMED.search(text, end, token.start())
        is_long = group == "token" and len(word) >= _LONG_TOKEN
        if (
            _is_strong(word, least=5)
            and _DIGIT.search(word)
            and (is_long or (group != "token" and (_MIXED.match(word) or is_named)))
        ):
            begin = token.start() + token[0].find(word)
            return begin, begin + len(word)
    return None


_FURTHER, _LONG_TOKEN = 60, 16
_FULL_STOP = re.compile(r"\.\s")
_YEAR = re.compile(r"(?:19|20)\d\d$")
_NAMED = re.compile(r"[,:;=?(/–—-]\s{0,2}(?:[^\W\d]{1,6}(?:['’]\w{1,2})?\s){0,3}[\"'“„«]?$")


def _spaces_after(text: str, at: int) -> int:
    return at + len(text[at:]) - len(text[at:].lstrip()) if text[at : at + 1].isspace() else at


def _mixed_word(text: str, end: int, stop: int) -> Span | None:
    """Return a word of letters and then digits or signs: no other word of a clause is like it."""
    for token in _TOKEN.finditer(text, end, stop):
        word = token[0].strip(".,;:?!)(\"'“”„«»")
        if _MIXED.match(word) and not _ADDRESS.search(word):
            begin = token.start() + token[0].find(word)
            return begin, begin + len(word)
    return None


_MIXED = re.compile(r"(?=.{6,60}$)(?![A-Z]+-\d+$|UTF)[^\W\d_]{3,}[^\s\w]*\d[^\s-]*$")


def _plain_value(group: str, text: str, at: int, *, is_linked: bool) -> Span | None:
    """Return where the secret that begins at `at` is, if one does."""
    quoted = _QUOTED.match(text, at)
    is_word = group == "password" and " " not in (quoted["inner"] if quoted else " ")
    if quoted and (is_linked or is_word) and not all(map(_describes, quoted["inner"].split())):
        return quoted.span("inner")
    number = _NUMBER.match(text, at)
    if number and (span := _number(text, number, most=40 if group == "token" else 12)):
        return span
    token = _TOKEN.match(text, at)
    if not token:
        return None
    if re.match(r"[\w.]*\w\(", token[0]):
        return None
    word = token[0].rstrip(".,;:?!)]\"'»”’").lstrip("([\"'“„«‘")
    begin = token.start() + token[0].find(word) if word else at
    span = begin, begin + len(word)
    if _is_strong(word, least=2 if is_linked else 3) and not _is_counted(text, span):
        return span
    if group != "password" or not is_linked:
        return _after_description(text, token, word) if is_linked else None
    return _word(text, span) or _after_description(text, token, word)


def _number(text: str, match: re.Match[str] | None, *, most: int = 12) -> Span | None:
    """Return the digits of a code, unless they are a date or count something."""
    if not match:
        return None
    digits = sum(char.isdigit() for char in match[0])
    following = text[match.end() : match.end() + 1]
    if not 3 <= digits <= most or _DATE.match(match[0]) or following in ("%", "€", "$"):
        return None
    if (following.isalpha() and following.isascii()) or following in ("@", "_", "!", "-"):
        return None
    return None if _is_counted(text, match.span()) else match.span()


def _is_counted(text: str, span: Span) -> bool:
    digits = text[span[0] : span[1]]
    return digits.isdigit() and bool(_values().units.match(text, span[1]))


def _is_strong(word: str, *, least: int) -> bool:
    """Say whether a word is no ordinary word: letters with digits, signs or an inner capital."""
    if len(word) <= least or _ADDRESS.search(word) or _DATE.match(word):
        return False
    letter, digit = _LETTER.search(word), _DIGIT.search(word)
    if letter and digit:
        return not _ORDINARY.match(word)
    if letter and _CAPITAL_WITHIN.search(word):
        return True
    inner = word.strip("-_*'’!?")
    return bool(
        (letter or digit)
        and _SIGN.search(inner if letter else word[1:])
        and not _HYPHENED.match(word)
    )


_HYPHENED = re.compile(r"[^\W\d_]{1,30}(?:[-'’][^\W\d_]{1,30}){1,5}$")
_ORDINARY = re.compile(
    r"(?i)\d{1,3}(?:st|nd|rd|th|k|m|gb|mb|kg|km|h|am|pm|er|te|ten|o|a|º|ª|e|ème|x|%)$"
)


def _word(text: str, span: Span) -> Span | None:
    """Return an ordinary word that ends its clause and describes nothing."""
    word = text[slice(*span)]
    stop = _clause_end(text, span[1])
    phrase = text[span[0] : stop].strip(" .,;!?")
    words = phrase.split()
    if len(words) in _PHRASE_WORDS and sum(map(_describes, words)) <= _is_labelled(text, span[0]):
        return span[0], span[0] + len(phrase)
    ends = not text[span[1] : stop].strip(" .,;!?)\"'") or _JOINS.match(text, span[1])
    return span if ends and len(word) > 2 and not _describes(word) else None


def _is_labelled(text: str, start: int) -> bool:
    return text[:start].rstrip("\"'“„« ").endswith((":", "：", "="))


_JOINS = re.compile(
    r"[ ,]{1,3}(?:and|but|so|please|und|aber|y|pero|et|mais|e|ma|mas|en|maar|i|ale|и|но|ve|ama"
    r"|if|in case|for|für|para|pour|per|voor|do)\b"
)


def _describes(word: str) -> bool:
    plain = word.strip(".,;:!?()\"'’").lower()
    if plain in _values().describing or not plain:
        return True
    return word[:1].islower() and len(plain) > 4 and plain.endswith(_values().described)


def _after_description(text: str, token: re.Match[str], word: str) -> Span | None:
    """Return the secret after one or two words such as `still` or `always`."""
    at = token.end()
    for _ in range(2):
        if not _describes(word):
            return None
        following = re.compile(r"\s+").match(text, at)
        token_ = _TOKEN.match(text, following.end()) if following else None
        if not token_:
            return None
        word = token_[0].rstrip(".,;:?!)\"'»”").lstrip("(\"'“„«")
        begin = token_.start() + max(token_[0].find(word), 0)
        span = begin, begin + len(word)
        if (_is_strong(word, least=3) or _CODE_DIGITS.fullmatch(word)) and not _is_counted(
            text, span
        ):
            return span
        at = token_.end()
    return None


def _value_before(text: str, start: int) -> Span | None:
    """Return the secret in front of its name: `4821 is my PIN`."""
    found = _values().before.search(text, max(0, start - _BEFORE), start)
    if not found:
        return None
    span = found.span("value")
    number = _NUMBER.fullmatch(found["value"])
    if number:
        return (
            span
            if 3 <= sum(map(str.isdigit, number[0])) <= 12 and not _DATE.match(number[0])
            else None
        )
    return span if _is_strong(found["value"], least=3) else None


def _listed(text: str, at: int) -> Iterator[Span]:
    """Yield the codes that follow a first one in a list."""
    while following := _LIST.match(text, at):
        if following.end() == at and at >= len(text):
            return
        span = _plain_value("code", text, following.end(), is_linked=False)
        if not span or span[1] <= at:
            return
        yield span
        at = span[1]


def _others(text: str, at: int) -> Iterator[Span]:
    """Yield what the same sentence tells of more secrets: `…, the gate is 7712`."""
    stop = _SENTENCE.match(text, at)
    if not stop:
        return
    for link in _values().link.finditer(text, at, stop.end()):
        begin = _spaces_after(text, link.end())
        span = _number(text, _NUMBER.match(text, begin))
        if span and not text[span[0] : span[1]].startswith(("19", "20")):
            yield span
    if mixed := _mixed_word(text, at, stop.end()):
        yield mixed


def _phrase(text: str, end: int, stop: int) -> Span | None:
    """Return the words of a recovery phrase."""
    for link in re.compile(rf"{_values().link.pattern}|\s*\n\s*").finditer(text, end, stop + 1):
        words = _WORDS.match(text, _spaces_after(text, link.end()))
        if words and 3 <= len(words[0].split()) <= 30 and not _describes(words[0].split()[0]):
            return words.span()
    return None


_WORDS = re.compile(
    r"[\"“„«'‘]?(?<!\w)[^\W\d_]{2,20}"
    r"(?:(?:[ ,\n]{1,3}|[ ,\n]{0,3}\d{1,2}[.)] ?)[^\W\d_]{2,20}){2,30}"
)


def _strong_words(text: str, end: int, stop: int) -> Iterator[Span]:
    """Yield the words after a login that look like a password."""
    for token in _LOGIN_WORD.finditer(text, end, stop):
        word = token[0].rstrip(".,;:?!)\"'")
        if _is_strong(word, least=4) and not _TICKET.match(word):
            yield token.start(), token.start() + len(word)


_TICKET = re.compile(r"[A-Z]{2,10}-\d+$")
_LOGIN_WORD = re.compile(
    r"[^\s/:,\"'“”„«»()\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]{5,}"
)


def _long_numbers(group: str, text: str, end: int, stop: int) -> Iterator[Span]:
    """Yield the numbers of cards, documents and accounts after their name."""
    least = {"card": 12, "identity": 5, "account": 6}[group]
    stop = min(len(text), end + _AFTER) if group == "card" else stop
    for number in _DOCUMENT.finditer(text, end, stop):
        plain = number[0].strip(" -./")
        digits = sum(char.isdigit() for char in plain)
        if digits >= least and not _DATE.match(plain):
            yield number.start(), number.start() + len(plain)
            if group == "card" and (
                code := _CARD_CODE.search(text, number.end(), number.end() + 60)
            ):
                yield code.span("code")
            return


_CARD_CODE = re.compile(
    r"(?i)\b(?:code|crypto\w*|sec\w*|csc|cvv2?|cvc2?|cid|prüf\w*|código|codice|kod|код)\D{0,8}(?P<code>\d{3,4})(?!\d)"
)
_DOCUMENT = re.compile(
    r"(?<![A-Za-z0-9@])(?:[A-Z]{1,6}[ -]?|[a-z]{1,4})?"
    r"\d(?:[ ./-]{0,1}[\dA-Z]|[a-z](?=\d)){4,34}(?:[A-Za-z]\d?)?(?![A-Za-z0-9@])"
)
