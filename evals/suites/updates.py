"""Does a second message change a known fact exactly when it corrects or ends it?"""

from datetime import UTC, datetime

from langgraph.store.memory import InMemoryStore

from evals.facts import CASES, MUST_HIT, MUST_MISS, TODAY, Pair
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.scorers import same_label
from memory_graph.llm.facts import extract_facts
from memory_graph.policy.gate import decide_gate
from memory_graph.records import MemoryDecision, Source
from memory_graph.settings import get_settings
from memory_graph.steps.admit import SameFactJudge, Statement, admit
from memory_graph.storage.scope import Owner, UserMemory, memory_of

FILE = "fact_pairs.jsonl"
_AT = datetime(TODAY.year, TODAY.month, TODAY.day, 12, tzinfo=UTC)
_CHANGES = frozenset({"update", "retract"})


def read_pairs() -> list[Pair]:
    """Return the labelled pairs whose relation says what must happen."""
    lines = (CASES / FILE).read_text(encoding="utf-8").splitlines()
    pairs = map(Pair.model_validate_json, lines)
    return [pair for pair in pairs if pair.relation in MUST_HIT | MUST_MISS]


async def score(setup: Setup) -> list[Score]:
    """Tell each pair to a fresh memory, one message after the other."""
    return [await _score(pair, setup) for pair in read_pairs()]


async def _score(pair: Pair, setup: Setup) -> Score:
    memory = memory_of(Owner(f"eval-{pair.id}"), InMemoryStore())
    await tell(memory, (pair.old,), setup)
    decisions = await tell(memory, (pair.old, pair.new), setup)
    changed = any(decision.action in _CHANGES for decision in decisions)
    wanted = "change" if pair.relation in MUST_HIT else "leave"
    got = "change" if changed else "leave"
    return scored(pair.id, same_label(wanted, got, positive="change"), wanted=wanted, got=got)


async def tell(
    memory: UserMemory, texts: tuple[str, ...], setup: Setup
) -> tuple[MemoryDecision, ...]:
    """Let memory take in the last of the user's messages, as the hot path does."""
    if not decide_gate(texts[-1]).passes:
        return ()
    settings = get_settings()
    limit = settings.extraction_timeout_s
    extraction = await extract_facts(texts, setup.model, today=TODAY, timeout_s=limit)
    source = Source(thread_id="eval", message_ids=(f"m{len(texts)}",))
    said = Statement(at=_AT, source=source, extractor=extraction.extractor)
    judge = SameFactJudge(setup.model, limit)
    admitted = await admit(memory, extraction.candidates, said, settings.admission, judge)
    await memory.commit(admitted.puts)
    return admitted.decisions


SUITE = CaseSuite(
    name="updates",
    promise="A correction replaces the old value; nothing else ever does.",
    files=(FILE,),
    bar=Bar(floor=0.8, tuned="keys and the offline grammar, by hand"),
    score=score,
)
