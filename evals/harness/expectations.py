"""What a scenario may expect of a turn, and whether it holds."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from memory_graph.records import Episode, Fact
from memory_graph.safety.secrets import CLOSING, OPENING

_LINE = re.compile(
    r"- \S.*|(\(Nothing is known [^()]*\) )?What (may bear on this|is known|happened lately):"
)
_STATED = re.compile(
    r"^- (?!\()(?!.*\bno longer\b)(.*?)(?: \((?:on [\d-]+; )?since .*)?$", re.MULTILINE
)
"""A line that tells something as true now; words in brackets before it quote, after it date."""


class ExpectedFact(BaseModel):
    """A fact as it must stand after a turn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: str | None = None
    history: tuple[str, ...] | None = None
    """Its earlier values, oldest first."""

    ended: bool = False


class Expected(BaseModel):
    """What must be true after a turn; what is not named is not looked at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reply_has: tuple[str, ...] = ()
    reply_lacks: tuple[str, ...] = ()
    block_has: tuple[str, ...] = ()
    block_lacks: tuple[str, ...] = ()
    known_lacks: tuple[str, ...] = ()
    """Words that must not be stated as known; what was once said may still be quoted, dated."""

    memory_lacks: tuple[str, ...] = ()
    """Words that no fact and no episode of the user may hold."""

    intent: str | None = None
    found: tuple[str, ...] = ()
    """Any of these recall signals."""

    facts: Mapping[str, ExpectedFact] = {}
    fact_count: int | None = None
    episodes: int | None = None
    outcome: str | None = None
    """How the latest episode ended."""

    told_in_order: tuple[str, ...] = ()
    """One word of each episode, in the order in which they must be replayed."""

    arc: tuple[str, ...] = ()
    """One word of each episode on the chain that ends in the latest, first one first."""


@dataclass(frozen=True, kw_only=True)
class Observed:
    """What one turn left behind for one user."""

    reply: str = ""
    block: str = ""
    intent: str = "none"
    found: str = "none"
    facts: Mapping[str, Fact]
    episodes: tuple[Episode, ...] = ()
    """In the order in which they happened."""

    arc: tuple[Episode, ...] = ()
    milliseconds: float = 0.0
    """What memory added to the turn."""


def problems(expected: Expected, observed: Observed) -> Iterator[str]:
    """Yield everything that is not as expected, in words."""
    yield from _wording(expected, observed)
    yield from _recall(expected, observed)
    yield from _facts(expected, observed)
    yield from _episodes(expected, observed)
    yield from _soundness(observed.block)


def _wording(expected: Expected, observed: Observed) -> Iterator[str]:
    yield from _lacking("the reply", expected.reply_has, observed.reply)
    yield from _holding("the reply", expected.reply_lacks, observed.reply)
    yield from _lacking("the block", expected.block_has, observed.block)
    yield from _holding("the block", expected.block_lacks, observed.block)
    yield from _holding("what is known", expected.known_lacks, _stated_as_known(observed.block))
    yield from _holding("memory", expected.memory_lacks, _remembered(observed))


def _lacking(where: str, wanted: Sequence[str], text: str) -> Iterator[str]:
    yield from (f"{where} lacks {w!r}" for w in wanted if w.casefold() not in text.casefold())


def _holding(where: str, unwanted: Sequence[str], text: str) -> Iterator[str]:
    yield from (f"{where} holds {w!r}" for w in unwanted if w.casefold() in text.casefold())


def _stated_as_known(block: str) -> str:
    """Return the facts of a block that hold, without earlier values, episodes and quotes."""
    return "\n".join(_STATED.findall(block))


def _remembered(observed: Observed) -> str:
    texts = [fact.statement for fact in observed.facts.values()]
    texts += [f"{e.title} {e.summary} {' '.join(e.lessons)}" for e in observed.episodes]
    return "\n".join(texts)


def _recall(expected: Expected, observed: Observed) -> Iterator[str]:
    if expected.intent is not None and observed.intent != expected.intent:
        yield f"intent is {observed.intent}, not {expected.intent}"
    if expected.found and observed.found not in expected.found:
        yield f"memory answers {observed.found!r}, not {' or '.join(expected.found)!r}"


def _facts(expected: Expected, observed: Observed) -> Iterator[str]:
    current = [fact for fact in observed.facts.values() if fact.valid_to is None]
    if expected.fact_count is not None and len(current) != expected.fact_count:
        yield f"{len(current)} facts instead of {expected.fact_count}"
    for fact_id, wanted in expected.facts.items():
        fact = observed.facts.get(fact_id)
        yield from _fact(fact, wanted, fact_id) if fact else [f"no fact {fact_id}"]


def _fact(fact: Fact, wanted: ExpectedFact, fact_id: str) -> Iterator[str]:
    if (fact.valid_to is not None) != wanted.ended:
        yield f"{fact_id} is {'current' if wanted.ended else 'ended'}"
    if wanted.value is not None and fact.value != wanted.value:
        yield f"{fact_id} is {fact.value!r}, not {wanted.value!r}"
    past = tuple(version.value for version in fact.history)
    if wanted.history is not None and past != wanted.history:
        yield f"{fact_id} was {past}, not {wanted.history}"


def _episodes(expected: Expected, observed: Observed) -> Iterator[str]:
    count = len(observed.episodes)
    if expected.episodes is not None and count != expected.episodes:
        yield f"{count} episodes instead of {expected.episodes}"
    if expected.outcome is not None:
        last = observed.episodes[-1].outcome if count else "nothing"
        if last != expected.outcome:
            yield f"the latest episode ended in {last}, not {expected.outcome}"
    yield from _order("episodes", expected.told_in_order, observed.episodes)
    yield from _order("the arc", expected.arc, observed.arc)


def _order(what: str, words: Sequence[str], episodes: Sequence[Episode]) -> Iterator[str]:
    if not words:
        return
    texts = [f"{each.title} {each.summary}".casefold() for each in episodes]
    if len(texts) != len(words):
        yield f"{what}: {len(texts)} instead of {len(words)}"
    elif lost := [w for w, text in zip(words, texts, strict=True) if w.casefold() not in text]:
        yield f"{what}: {', '.join(lost)} not in its place"


def _soundness(block: str) -> Iterator[str]:
    """Yield how a memory block was broken out of: it holds its own lines and nothing else."""
    if not block:
        return
    first, *inner, last = block.splitlines()
    if (first, last) != (OPENING, CLOSING):
        yield "the memory block does not open and close as it should"
    if any(OPENING in line or CLOSING in line for line in inner):
        yield "stored text closes the memory block"
    if not all(_LINE.fullmatch(line) for line in inner):
        yield "stored text adds a line of its own to the memory block"
