"""In which form do the words of a text count for lexical search?"""

import re
import unicodedata
from functools import lru_cache

from Stemmer import Stemmer  # type: ignore[import-not-found]

from memory_graph.policy.irregular_forms import BASE_FORMS
from memory_graph.policy.wording import STOP_WORDS

MAX_WORDS = 2000
"""A longer text is indexed by its beginning only, which bounds memory per document."""

_WORD = re.compile(r"[^\W_]+")

# Its own cache is not safe between threads; the one around `_term` is.
_stemmer = Stemmer("english", 0)


def words_of(text: str) -> list[str]:
    """Return the stems of `text` in order, without stop words, accents and case."""
    words = _WORD.findall(_plain(text))[:MAX_WORDS]
    return [term for term in map(_term, words) if term]


def _plain(text: str) -> str:
    text = text.casefold().replace("’", "'").replace("'", "")
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


@lru_cache(maxsize=64)
def stems(words: frozenset[str]) -> frozenset[str]:
    """Return the form in which each of `words` counts."""
    return frozenset(term for word in words if (term := _term(word)))


@lru_cache(maxsize=50_000)
def _term(word: str) -> str:
    """Return the stem of a word, or nothing for a stop word."""
    return "" if word in STOP_WORDS else str(_stemmer.stemWord(BASE_FORMS.get(word, word)))
