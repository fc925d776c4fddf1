"""Without a model: does what a reader is given hold the answer, and by which line?"""

import re
from collections.abc import Iterable, Sequence

from evals.answering.cases import Case
from memory_graph.language.words import words_of

_RUN = 6
"""Words in a row of the message that holds the answer; fewer are found by chance."""

_SHORT = 6
"""Stems of an answer that is looked for by its words; a longer one is a sentence of its author."""

_WORD = re.compile(r"\w+")


def answer_line(case: Case, lines: Sequence[str], evidence: Iterable[str]) -> int | None:
    """Return the number of the line by which the answer is there, counted from 1.

    A short answer is there when all of its words are; a longer one, or one that only follows
    from what was said, when six words in a row of a message that holds it are.
    """
    wanted = set(words_of(case.answer, "en"))
    runs = {run for text in evidence for run in _runs(text)}
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        seen |= set(words_of(line, "en"))
        if 0 < len(wanted) <= _SHORT and wanted <= seen:
            return number
        if runs & _runs(line):
            return number
    return None


def _runs(text: str) -> set[tuple[str, ...]]:
    words = [word.casefold() for word in _WORD.findall(text)]
    return {tuple(words[n : n + _RUN]) for n in range(len(words) - _RUN + 1)}
