"""In which form do the words of a text count for lexical search?"""

import re
import unicodedata
from functools import lru_cache

from Stemmer import Stemmer  # type: ignore[import-not-found]

from memory_graph.policy.irregular_forms import BASE_FORMS
from memory_graph.policy.wording import STOP_WORDS

MAX_WORDS = 2000
"""A longer text is indexed by its beginning only, which bounds memory per document."""

_KEPT_TERMS = 50_000
_WORD = re.compile(r"[^\W_]+")
_ASCII = bytes(ord(c.lower()) if (c := chr(code)).isalnum() else 0x20 for code in range(128))

# Its own cache is not safe between threads; `_terms` is.
_stemmer = Stemmer("english", 0)


def words_of(text: str) -> list[str]:
    """Return the stems of `text` in order, without stop words, accents and case."""
    words = _ascii_words(text) if text.isascii() else _WORD.findall(_plain(text))
    return list(filter(None, map(_terms.__getitem__, words[:MAX_WORDS])))


def _ascii_words(text: str) -> list[str]:
    """Return what `_WORD` finds in the plain form of an ASCII text, in a third of the time."""
    return text.encode().translate(_ASCII + bytes(128), b"'").decode().split()


def _plain(text: str) -> str:
    text = text.casefold().replace("’", "'").replace("'", "")
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


@lru_cache(maxsize=64)
def stems(words: frozenset[str]) -> frozenset[str]:
    """Return the form in which each of `words` counts."""
    return frozenset(term for word in words if (term := _terms[word]))


class _Terms(dict[str, str]):
    """The stem of each word met so far, or nothing for a stop word."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _KEPT_TERMS:
            self.clear()
        term = "" if word in STOP_WORDS else str(_stemmer.stemWord(BASE_FORMS.get(word, word)))
        self[word] = term
        return term


_terms = _Terms()
