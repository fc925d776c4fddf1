"""Which relatives and pets a question is about, and by which names they are known."""

import re

from memory_graph.language.questions import asks_first
from memory_graph.language.words import folded, table

_WORDS = table("question_words")
_ALMOST_ANYBODY = frozenset(_WORDS["almost_anybody"].split())
"""What names no one relative: `frau` is any woman, `chat` a talk, a pet may be a parrot."""
_PLAIN_WORD = re.compile(r"(?<![\w-])[^\W_]+(?!-(?:in-)?law)")
"""Without its possessive: `my brother's name` is about a brother; a `belle-mère` is no `mère`."""
_CLAUSE = re.compile(r"[,;.!:]\s+")
_MINE = re.compile(rf"\b(?:{_WORDS['mine']})\b")
_KIN = tuple(frozenset(folded(group).split()) for group in table("questions")["kin"])


def relatives_asked(question: str) -> tuple[frozenset[str], ...]:
    """Return, for each relative or pet that a question names, the words that may stand for it.

    `My aunt is cooking, what must she know about my diet?` asks of a diet, not of an aunt: where
    clauses lead up to one about something of the user's own, that one counts.
    """
    asked = folded(question)
    *before, last = _CLAUSE.split(asked)
    is_led_up_to = before and not any(map(asks_first, before)) and _MINE.search(last)
    said = set(_PLAIN_WORD.findall(last if is_led_up_to else asked))
    return tuple(words for words in _KIN if said & words and not said & _ALMOST_ANYBODY & words)


def tells_of(text: str, relative: frozenset[str]) -> bool:
    """Say whether a text names a relative by one of these words."""
    return not relative.isdisjoint(_PLAIN_WORD.findall(folded(text)))


_NAME_AFTER = re.compile(
    r"[ ,]{1,3}(?:(?:is |ist |est |es )?(?:called |named ))?([A-ZÀ-Þ][\w-]+)(?!\w)"
)
_NAME_BEFORE = re.compile(r"[A-ZÀ-Þ]\w+(?:,| is| ist| es| est|'s)(?: \w+){0,2} $")


def name_of_relative(text: str, relative: frozenset[str]) -> str | None:
    """Return the name that stands right after a relative: `my brother Callum`."""
    for word in _PLAIN_WORD.finditer(text):
        if folded(word[0]) in relative and (name := _NAME_AFTER.match(text, word.end())):
            return name[1]
    return None


def put_name(question: str, relative: frozenset[str], name: str) -> str:
    """Return a question that calls a relative by name: `where does Callum work?`."""
    words = [word[0] for word in _PLAIN_WORD.finditer(question) if folded(word[0]) in relative]
    if not words:
        return question
    each = "|".join(map(re.escape, words))
    return re.sub(
        rf"(?:\b(?:{_WORDS['our']}) )?\b(?:{each})\b", name, question, flags=re.IGNORECASE
    )


_BESIDE = 3
"""Words within which a relative and the name that they have stand together."""
_ENDS = re.compile(r"[.!?;]\s")


def names_relative(text: str, relative: frozenset[str], owners: frozenset[str]) -> bool:
    """Say whether a text names a relative of the owners, or of the user where there are none.

    The name comes right after (`her husband Mark`), or before a comma or a verb (`Mark is her
    husband`). Where nothing has a capital, a name cannot be told from another word.
    """
    words = [(each[0], each.start()) for each in _PLAIN_WORD.finditer(text)]
    if text == text.lower():
        return any(folded(word) in relative for word, _ in words)
    for place, (word, start) in enumerate(words):
        if folded(word) not in relative:
            continue
        near = {folded(each) for each, _ in words[: place + _BESIDE + 1]}
        if not owners <= near:
            continue
        stop = _ENDS.search(text, start)
        end = stop.start() if stop else len(text)
        after = words[place + 1 : place + _BESIDE + 1]
        if any(each[0].isupper() and at < end for each, at in after):
            return True
        if _NAME_BEFORE.search(text[max(0, start - 60) : start]):
            return True
    return False
