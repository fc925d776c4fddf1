"""Are the facts in a message found as labelled: entity, attribute, value, retraction?"""

from evals.fact_cases import Message
from evals.facts import Label, extract, labelled
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.scorers import same_set
from evals.suites.gate import FILE, read_messages


async def score(setup: Setup) -> list[Score]:
    """Extract from every message, behind the gate, as the graph does."""
    return [await _score(message, setup) for message in read_messages()]


async def _score(message: Message, setup: Setup) -> Score:
    found, _ = await extract(message, setup.model)
    verdict = same_set({_written(x) for x in labelled(message)}, {_written(x) for x in found})
    return scored(message.id, verdict)


def _written(label: Label) -> str:
    entity, attribute, value, retracts = label
    return f"{'no longer ' if retracts else ''}{entity}.{attribute}={value}"


SUITE = CaseSuite(
    name="extraction",
    promise="Facts are read with the right subject, attribute and value, and none is made up.",
    files=(FILE,),
    bar=Bar(floor=0.7, tuned="the offline grammar, by hand"),
    score=score,
)
