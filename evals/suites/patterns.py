"""A learnt pattern comes up in the situations that it fits."""

from langgraph.store.memory import InMemoryStore

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import same_set
from evals.suites.pattern_situations import answer, fill, read_situations
from memory_graph.patterns.search import RELEVANT
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of


async def score(setup: Setup) -> list[Score]:
    """Ask for the patterns of every situation."""
    memory = memory_of(Owner("eval-patterns"), InMemoryStore())
    await fill(memory)
    scores = []
    for situation in read_situations():
        found = (await answer(memory, situation)).found
        fitting = {name for name, relevance in found.items() if relevance >= RELEVANT}
        scores.append(scored(situation.case_id, same_set(situation.fits, fitting)))
    return scores


SUITE = CaseSuite(
    name="patterns",
    promise="What was learnt comes up where it fits.",
    files=("pattern_situations.jsonl", "pattern_triggers.jsonl"),
    bar=Bar(floor=0.3, tolerance=0.03, tuned="`RELEVANT`, `min_relevance`: `evals tune`"),
    score=score,
)
