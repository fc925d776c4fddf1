"""Are the facts in a message found as labelled: entity, attribute, value, retraction?"""

from evals.facts import TODAY, Label, Message, labelled, proposed
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.scorers import same_set
from evals.suites.gate import FILE, read_messages
from memory_graph.llm.facts import extract_facts
from memory_graph.policy.gate import decide_gate
from memory_graph.policy.keys import normalise
from memory_graph.settings import get_settings


async def score(setup: Setup) -> list[Score]:
    """Extract from every message, behind the gate, as the graph does."""
    return [await _score(message, setup) for message in read_messages()]


async def _score(message: Message, setup: Setup) -> Score:
    found = proposed(message) if setup.model is None else await _by_model(message, setup)
    verdict = same_set({_written(x) for x in labelled(message)}, {_written(x) for x in found})
    return scored(message.id, verdict)


async def _by_model(message: Message, setup: Setup) -> set[Label]:
    if not decide_gate(message.text).passes:
        return set()
    limit = get_settings().extraction_timeout_s
    texts = [*message.history, message.text]
    extraction = await extract_facts(texts, setup.model, today=TODAY, timeout_s=limit)
    return {
        (normalise(f.entity), normalise(f.attribute or ""), normalise(f.value or ""), f.retracts)
        for f in extraction.candidates
    }


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
