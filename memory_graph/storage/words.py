"""Which words of a text count for lexical search, and in which form?"""

import re
import unicodedata
from functools import lru_cache

from Stemmer import Stemmer  # type: ignore[import-not-found]

MAX_WORDS = 2000
"""A longer text is indexed by its beginning only, which bounds memory per document."""

_WORD = re.compile(r"[^\W_]+")

_STOP_WORDS = """
    a about above after again against all also am an and any are aren as at be because been before
    being below between both but by can cannot could couldn d did didn do does doesn doing don down
    during each else etc ever few for from further had hadn has hasn have haven having he her here
    hers herself him himself his how however i if in into is isn it its itself just ll let m ma may
    me might more most much must my myself need no nor not now of off on once only onto or other
    ought our ours ourselves out over own per quite rather re really s same shall shan she should
    shouldn since so some such t than that the their theirs them themselves then there these they
    this those though through to too under until up upon us ve very was wasn we were weren what
    when where whether which while who whom whose why will with within without won would wouldn
    yes yet you your yours yourself yourselves
    dont didnt doesnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt cant couldnt
    shouldnt im ive id ill youre youve youll youd hes shes its weve theyre theyve thats theres
    whats wheres whos lets
"""
_IGNORED = frozenset(_STOP_WORDS.split())

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


@lru_cache(maxsize=50_000)
def _term(word: str) -> str:
    """Return the stem of a word, or nothing for a stop word."""
    return "" if word in _IGNORED else str(_stemmer.stemWord(word))
