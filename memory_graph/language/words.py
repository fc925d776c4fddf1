"""Split text into words, stem them, and detect the language."""

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources
from itertools import accumulate
from typing import NamedTuple

from Stemmer import Stemmer  # type: ignore[import-not-found]

from memory_graph.language.english.word_lists import BASE_FORMS, FILLER_WORDS, STOP_WORDS

_TEXT_WORD = re.compile(r"[^\W_]+(?:[’'.-][^\W_]+)*")


_SPELLINGS = {
    short: full
    for short, _, full in (
        pair.partition("=")
        for pair in (
            "wot=what wots=what's wats=what's whats=what's wht=what wen=when whens=when's"
            " wheres=where's whos=who's hows=how's wich=which u=you ur=your r=are n=and"
            " im=I'm ive=I've dont=don't doesnt=doesn't didnt=didn't cant=can't isnt=isn't"
            " wont=won't pls=please plz=please thx=thanks tmrw=tomorrow bday=birthday"
        ).split()
    )
}
"""How words of chat are spelt in full; the heads learnt from the full ones."""

_SHORT = re.compile(rf"\b(?:{'|'.join(_SPELLINGS)})\b", re.IGNORECASE)


def spelt_out(text: str) -> str:
    """Return a text with common words of English chat spelt in full: `wot` is `what`."""
    if not _SHORT.search(text) or language_of(text) != DEFAULT:
        return text
    return _SHORT.sub(lambda word: _SPELLINGS[word[0].lower()], text)


def words(text: str) -> tuple[str, ...]:
    """Return the words of `text` in order, lower-cased."""
    return tuple(word.lower().replace("’", "'") for word in _TEXT_WORD.findall(text))


def content_words(text: str) -> tuple[str, ...]:
    """Return the words that carry meaning, in order, repeated where repeated."""
    return tuple(word for word in words(text) if _carries_meaning(word))


def _carries_meaning(word: str) -> bool:
    stem = word.split("'")[0].removesuffix("n") if "n't" in word else word.split("'")[0]
    return len(stem) > 1 and word not in FILLER_WORDS and stem not in FILLER_WORDS


def shorten(text: str, limit: int) -> str:
    """Cut `text` to at most `limit` characters, between words where it has any."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return (head.rsplit(" ", 1)[0] if " " in head else head).rstrip(" ,;:–—-") + "…"


DEFAULT = "en"
"""What a text counts as when nothing tells: names, numbers, a single word."""

READ_CHARACTERS = 2000
"""How much of a text is looked at; a language does not change after that."""

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
)
_LETTERS = {"ß": "de", "ä": "de", "ö": "de", "ü": "de", "ñ": "es", "¿": "es", "¡": "es"}
_LETTERS |= dict.fromkeys("áíóú", "es")
_LETTERS |= {"ã": "pt", "õ": "pt", "ı": "tr", "ş": "tr", "ğ": "tr", "ł": "pl", "ż": "pl"}
_LETTERS |= {"ę": "pl", "ą": "pl", "ś": "pl", "ć": "pl", "å": "sv", "œ": "fr", "ê": "fr", "è": "fr"}
"""Letters that hint at a language, each as much as half a function word."""

_HINT = 0.5
_MARGIN = 0.25
"""By how much another language must outweigh English."""

_ONE_LETTER = 0.2
"""What a word of one letter counts: `w` is Polish, and short for `with`."""

_LETTER_RUN = re.compile(r"[^\W\d_]+'?")


def language_of(text: str, default: str = DEFAULT) -> str:
    """Return the two-letter code of a text's language; `default` when nothing tells."""
    return _language(text[:READ_CHARACTERS], default)


@lru_cache(maxsize=2048)
def _language(text: str, default: str) -> str:
    if not text.isascii():
        for code, letters in _SCRIPTS:
            if letters.search(text):
                return code
    return _by_function_words(text, default)


@cache
def function_words() -> dict[str, frozenset[str]]:
    """Return the words of each language that say nothing by themselves."""
    data = resources.files("memory_graph.language").joinpath("data/function_words.json")
    listed: dict[str, list[str]] = json.loads(data.read_text(encoding="utf-8"))
    return {code: frozenset(words) for code, words in listed.items()}


@cache
def _votes_by_word() -> dict[str, tuple[tuple[str, float], ...]]:
    """Return for which languages a word speaks, and how much; one of many counts for less."""
    by_word: dict[str, list[str]] = {}
    for code, words in function_words().items():
        for word in words:
            by_word.setdefault(word, []).append(code)
    weights = {
        word: 1.0 if len(word) > 1 or not word.isascii() else _ONE_LETTER for word in by_word
    }
    return {
        word: tuple((code, weights[word] / len(codes)) for code in codes)
        for word, codes in by_word.items()
    }


def _by_function_words(text: str, default: str) -> str:
    """Return the language whose function words weigh most."""
    votes: dict[str, float] = {}
    known = _votes_by_word()
    plain = text.casefold().replace("’", "'")
    for word in _LETTER_RUN.findall(plain):  # `j'avais` is `j'`, `avais`
        for code, weight in known.get(word) or known.get(word.rstrip("'"), ()):
            votes[code] = votes.get(code, 0.0) + weight
    for letter in _LETTERS.keys() & set("" if plain.isascii() else plain):
        votes[_LETTERS[letter]] = votes.get(_LETTERS[letter], 0.0) + _HINT
    best = max(votes, key=lambda code: votes[code], default=default)
    is_clear = not votes or votes[best] > votes.get(DEFAULT, 0.0) + _MARGIN
    return best if is_clear else DEFAULT


MAX_WORDS = 20_000
"""A longer text is indexed by its beginning only, which bounds memory per document."""

_KEPT_TERMS = 50_000
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]+")
_TOKEN = re.compile(
    rf"{_UNSPACED.pattern}|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]+(?:'[^\W_]+)?"
)
_ACCENT = re.compile("[\u0300-\u036f]+")
_OWNER = re.compile(r"'s?\Z")
_ASCII = bytes(ord(c.lower()) if (c := chr(code)).isalnum() else 0x20 for code in range(128))
_SNOWBALL = {
    "ar": "arabic",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}


def words_of(text: str, language: str | None = None) -> list[str]:
    """Return the stems of `text` in order, without function words, accents and case.

    Text written without spaces is cut into pairs of neighbouring characters.
    """
    language = language or language_of(text)
    if len(text) > READ_CHARACTERS:
        return list(_stems(text, language))
    return list(_recent_stems(text, language))


def _stems(text: str, language: str) -> tuple[str, ...]:
    terms = _terms(language)
    words = _ascii_words(text) if text.isascii() else _spaced_words(text)
    return tuple(filter(None, map(terms.__getitem__, words[:MAX_WORDS])))


_recent_stems = lru_cache(maxsize=2048)(_stems)
"""Of short texts: a turn compares the same few with each other again and again."""


class Term(NamedTuple):
    """A word that carries meaning, in the form in which it counts, and where it stands."""

    stem: str
    at: int


@lru_cache(maxsize=2048)
def folded(text: str) -> str:
    """Return the start of `text` without case, accents of Latin letters and curly quotes."""
    text = text[:READ_CHARACTERS].casefold().replace("’", "'")
    if text.isascii():
        return text
    return _without_accents(text)


@lru_cache(maxsize=2048)
def unfolded(text: str, at: int) -> int:
    """Return the place in `text` of a place in its folded form, where `ß` is two letters."""
    sizes = accumulate(len(folded(character)) for character in text)
    return next((n for n, size in enumerate(sizes, start=1) if size >= at), 0) if at else 0


def terms_of(text: str, language: str) -> tuple[Term, ...]:
    """Return the telling words of `text`, and where each stands in its folded form."""
    known = _terms(language)
    found: list[Term] = []
    for token in _TOKEN.finditer(folded(text)):
        word = _OWNER.sub("", token.group())
        if _UNSPACED.match(word):
            found += (Term(pair, token.start() + n) for n, pair in enumerate(_pairs(word)))
        elif len(word) > 1 and not word.isdigit() and (stem := known[word.replace("'", "")]):
            found.append(Term(stem, token.start()))
    return tuple(found)


def stems(words: Iterable[str], language: str = "en") -> frozenset[str]:
    """Return the form in which each of `words` counts."""
    terms = _terms(language)
    return frozenset(term for word in words if (term := terms[word]))


def _ascii_words(text: str) -> list[str]:
    """Return what `_WORD` finds in the plain form of an ASCII text, in a third of the time."""
    return text.encode().translate(_ASCII + bytes(128), b"'").decode().split()


def _spaced_words(text: str) -> list[str]:
    plain = _UNSPACED.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", _plain(text))
    return _WORD.findall(plain)


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] or [run]


def _plain(text: str) -> str:
    """Fold case and accents; composed again, so that kana and hangul stay what they are."""
    text = text.casefold().replace("’", "'").replace("'", "")
    return text if text.isascii() else _without_accents(text)


def _without_accents(text: str) -> str:
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFKD", text)))


class _Terms(dict[str, str]):
    """The stem of each word met so far in one language, or nothing for a function word."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._is_english = language == "en"
        self._silent = STOP_WORDS if self._is_english else _folded(function_words().get(language))
        # Its own cache is not safe between threads; this one is.
        self._stemmer = Stemmer(_SNOWBALL[language], 0) if language in _SNOWBALL else None

    def __missing__(self, word: str) -> str:
        if len(self) >= _KEPT_TERMS:
            self.clear()
        base = BASE_FORMS.get(word, word) if self._is_english else word
        stem = str(self._stemmer.stemWord(base)) if self._stemmer else base
        term = self[word] = "" if word in self._silent else stem
        return term


@cache
def _terms(language: str) -> _Terms:
    return _Terms(language)


def _folded(words: frozenset[str] | None) -> frozenset[str]:
    return frozenset(map(_plain, words or ()))
