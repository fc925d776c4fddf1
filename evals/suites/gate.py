"""Does the free gate let through what may hold a fact, and only that?"""

from evals.fact_cases import Message, load
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.scorers import same_label
from memory_graph.policy.gate import decide_gate

FILE = "messages.jsonl"


def read_messages() -> list[Message]:
    """Return the labelled messages."""
    return load(FILE, Message.model_validate_json)


async def score(setup: Setup) -> list[Score]:
    """Ask the gate about every message."""
    return [_score(message) for message in read_messages()]


def _score(message: Message) -> Score:
    gate = decide_gate(message.text)
    got = "pass" if gate.passes else "drop"
    verdict = same_label(message.gate, got, positive="pass")
    return scored(message.id, verdict, wanted=message.gate, got=got)


SUITE = CaseSuite(
    name="gate",
    promise="A turn that states a fact is read; small talk and plain questions cost nothing.",
    files=(FILE,),
    bar=Bar(floor=0.9, tuned="the gate's word lists, by hand"),
    score=score,
)
