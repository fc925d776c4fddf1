"""Is a learnt pattern brought up for the situations a person finds it fitting for?"""

from langgraph.store.memory import InMemoryStore

from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.pattern_relevance import answer, fill, read_situations
from evals.scorers import same_set
from memory_graph.steps.pattern_queries import RELEVANT
from memory_graph.storage.scope import Owner, memory_of


async def score(setup: Setup) -> list[Score]:
    """Ask for the patterns of every situation."""
    memory = memory_of(Owner("eval-patterns"), InMemoryStore())
    await fill(memory)
    scores = []
    for situation in read_situations():
        found = (await answer(memory, situation)).found
        told = {name for name, relevance in found.items() if relevance >= RELEVANT}
        scores.append(scored(situation.case_id, same_set(situation.fits, told)))
    return scores


SUITE = CaseSuite(
    name="patterns",
    promise="What was learnt comes up where it fits.",
    files=("pattern_situations.jsonl", "pattern_triggers.jsonl"),
    bar=Bar(floor=0.3, tolerance=0.03, tuned="`RELEVANT`, `min_relevance`: `memory-graph tune`"),
    score=score,
)
