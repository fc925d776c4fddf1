"""Split text into words, stem them, and detect the language."""

import json
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from Stemmer import Stemmer  # type: ignore[import-not-found]

from memory_graph.once import once_a_turn

DEFAULT = "en"
"""What a text counts as when nothing tells: names, numbers, a single word."""
READ_CHARACTERS = 2000
"""How much of a text is looked at; a language does not change after that."""
MAX_WORDS = 20_000
"""A longer text is indexed by its beginning only, which bounds memory per document."""
_KEPT_TERMS = 50_000
_HINT = 0.5
"""What a letter of a language counts, where a function word counts 1."""
_MARGIN = 0.25
"""By how much another language must outweigh English."""
_ONE_LETTER = 0.2
"""What a word of one letter counts: `w` is Polish, and short for `with`."""
_TEXT_WORD = re.compile(r"[^\W_]+(?:[’'.-][^\W_]+)*")
_LETTER_RUN = re.compile(r"[^\W\d_]+(?:'ve\b|')?")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]+")
_TOKEN = re.compile(
    rf"{_UNSPACED.pattern}|[^\W_\u0e00-\u0e7f\u3040-\u30ff\u4e00-\u9fff]+(?:'[^\W_]+)?"
)
_ACCENT = re.compile("[\u0300-\u036f]+")
_OWNER = re.compile(r"'s?\Z")
_ASCII = bytes(ord(c.lower()) if (c := chr(code)).isalnum() else 0x20 for code in range(128))


@cache
def table(name: str) -> Any:  # noqa: ANN401 — each table has its own shape
    """Return a table of `language/data`, or of English: `english/words`."""
    room, _, file = name.rpartition("/")
    path = files("memory_graph.language") / room / "data" / f"{file}.json"
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def lines(name: str) -> tuple[str, ...]:
    """Return the lines of an English table that is plain text, without comments and blanks."""
    path = files("memory_graph.language.english") / "data" / f"{name}.txt"
    text = path.read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def listed(*names: str) -> frozenset[str]:
    """Return the words of one English list or several."""
    return frozenset(line for name in names for line in lines(name))


_ENGLISH = table("english/words")
STOP_WORDS = frozenset(" ".join(_ENGLISH["stop_words"]).split())
"""Function words, contractions without their apostrophe, and the words questions are made of."""
_FILLER_WORDS = frozenset(" ".join(_ENGLISH["filler_words"]).split())
"""Words that say little: no two statements are alike by them."""
BASE_FORMS = {
    form: base for base, *forms in map(str.split, _ENGLISH["irregular_forms"]) for form in forms
}
"""The base of each irregular form, but for forms that are words of their own (`lives`, `left`)."""
_WRITING = table("writing")
_SCRIPTS: dict[str, str] = _WRITING["scripts"]
_LETTERS = {letter: code for code, hints in _WRITING["letters"].items() for letter in hints}
_SPELLINGS: dict[str, str] = _WRITING["spellings"]
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
    found: list[str] = []
    for word in words(text):
        stem = word.split("'")[0]
        stem = stem.removesuffix("n") if "n't" in word else stem
        if len(stem) > 1 and _FILLER_WORDS.isdisjoint((word, stem)):
            found.append(word)
    return tuple(found)


def shorten(text: str, limit: int) -> str:
    """Cut `text` to at most `limit` characters, between words where it has any."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return (head.rsplit(" ", 1)[0] if " " in head else head).rstrip(" ,;:–—-") + "…"


def language_of(text: str, default: str = DEFAULT) -> str:
    """Return the two-letter code of a text's language; `default` when nothing tells."""
    return _language(text[:READ_CHARACTERS], default)


@once_a_turn
def _language(text: str, default: str) -> str:
    """Return the language of the script, or the one whose function words weigh most."""
    if not text.isascii():
        for code, letters in _SCRIPTS.items():
            if re.search(letters, text):
                return code
    votes: dict[str, float] = {}
    known = _votes_by_word()
    plain = text.casefold().replace("’", "'")
    for word in _LETTER_RUN.findall(plain):  # `j'avais` is `j'`, `avais`
        for code, weight in known.get(word) or known.get(word.rstrip("'"), ()):
            votes[code] = votes.get(code, 0.0) + weight
    for letter in {} if plain.isascii() else dict.fromkeys(plain):  # in order: a tie is settled
        if hinted := _LETTERS.get(letter):
            votes[hinted] = votes.get(hinted, 0.0) + _HINT
    best = max(votes, key=lambda code: votes[code], default=default)
    is_clear = not votes or votes[best] > votes.get(DEFAULT, 0.0) + _MARGIN
    return best if is_clear else DEFAULT


@cache
def function_words() -> dict[str, frozenset[str]]:
    """Return the words of each language that say nothing by themselves."""
    return {code: frozenset(words) for code, words in table("function_words").items()}


@cache
def _votes_by_word() -> dict[str, tuple[tuple[str, float], ...]]:
    """Return for which languages a word speaks, and how much; one of many counts for less."""
    by_word: dict[str, list[str]] = {}
    for code, words in function_words().items():
        for word in words:
            by_word.setdefault(word, []).append(code)
    votes: dict[str, tuple[tuple[str, float], ...]] = {}
    for word, codes in by_word.items():
        weight = 1.0 if len(word) > 1 or not word.isascii() else _ONE_LETTER
        votes[word] = tuple((code, weight / len(codes)) for code in codes)
    return votes


def words_of(text: str, language: str | None = None) -> list[str]:
    """Return the stems of `text` in order, without function words, accents and case.

    Text written without spaces is cut into pairs of neighbouring characters.
    """
    language = language or language_of(text)
    if len(text) > READ_CHARACTERS:
        return list(_stems(text, language))
    return list(_stems_once(text, language))


def _stems(text: str, language: str) -> tuple[str, ...]:
    if text.isascii():  # what `_WORD` finds in the plain form, in a third of the time
        words = text.encode().translate(_ASCII + bytes(128), b"'").decode().split()
    else:
        spaced = _UNSPACED.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", _plain(text))
        words = _WORD.findall(spaced)
    return tuple(filter(None, map(_terms(language).__getitem__, words[:MAX_WORDS])))


_stems_once = once_a_turn(_stems)
"""Of short texts: a turn compares the same few with each other again and again."""


class Term(NamedTuple):
    """A word that carries meaning, in the form in which it counts, and where it stands."""

    stem: str
    at: int


@once_a_turn
def folded(text: str) -> str:
    """Return the start of `text` without case, accents of Latin letters and curly quotes."""
    return _without_accents(text[:READ_CHARACTERS].casefold().replace("’", "'"))


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


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] or [run]


def _plain(text: str) -> str:
    return _without_accents(text.casefold().replace("’", "'").replace("'", ""))


def _without_accents(text: str) -> str:
    """Take accents off; composed again, so that kana and hangul stay what they are."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFKD", text)))


class _Terms(dict[str, str]):
    """The stem of each word met so far in one language, or nothing for a function word."""

    def __init__(self, language: str) -> None:
        super().__init__()
        known = STOP_WORDS if language == "en" else function_words().get(language, ())
        self._silent = frozenset(map(_plain, known))
        self._bases = BASE_FORMS if language == "en" else {}
        stemmer = _WRITING["stemmers"].get(language)
        # Its own cache is not safe between threads; this one is.
        self._stemmer = Stemmer(stemmer, 0) if stemmer else None

    def __missing__(self, word: str) -> str:
        if len(self) >= _KEPT_TERMS:
            self.clear()
        base = self._bases.get(word, word)
        stem = str(self._stemmer.stemWord(base)) if self._stemmer else base
        term = self[word] = "" if word in self._silent else stem
        return term


@cache
def _terms(language: str) -> _Terms:
    return _Terms(language)
