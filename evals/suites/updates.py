"""Does a second message change a known fact exactly when it corrects or ends it?"""

from datetime import timedelta

from langgraph.store.memory import InMemoryStore

from evals.fact_cases import MAY_CHANGE, MUST_CHANGE, NOW, TODAY, Pair, load
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.listening import NoAnswerError, listen
from evals.scorers import same_label
from memory_graph.errors import ModelUnavailableError
from memory_graph.records import MemoryDecision, Source
from memory_graph.settings import get_settings
from memory_graph.steps.admit import SameFactJudge, Statement, admit
from memory_graph.storage.scope import Owner, UserMemory, memory_of

FILE = "fact_pairs.jsonl"
_CHANGES = frozenset({"update", "retract"})


def read_pairs() -> list[Pair]:
    """Return the labelled pairs whose relation says what must happen."""
    pairs = load(FILE, Pair.model_validate_json)
    return [pair for pair in pairs if pair.relation not in MAY_CHANGE]


async def score(setup: Setup) -> list[Score]:
    """Tell each pair to a fresh memory, one message after the other."""
    pairs = setup.some(read_pairs(), lambda pair: pair.id)
    return [await _score(pair, setup) for pair in pairs]


async def _score(pair: Pair, setup: Setup) -> Score:
    wanted = "change" if pair.relation in MUST_CHANGE else "leave"
    try:
        got = await _outcome(pair, setup)
    except (NoAnswerError, ModelUnavailableError):
        got = "no answer"
    return scored(pair.id, same_label(wanted, got, positive="change"), wanted=wanted, got=got)


async def _outcome(pair: Pair, setup: Setup) -> str:
    memory = memory_of(Owner(f"eval-{pair.id}"), InMemoryStore())
    await tell(memory, (pair.old,), setup)
    decisions = await tell(memory, (pair.old, pair.new), setup)
    return "change" if any(each.action in _CHANGES for each in decisions) else "leave"


async def tell(
    memory: UserMemory, texts: tuple[str, ...], setup: Setup
) -> tuple[MemoryDecision, ...]:
    """Let memory take in the last of the user's messages, as the hot path does.

    Raises:
        NoAnswerError: If the run has a model, and it fails.
    """
    settings = get_settings()
    heard = await listen(texts, TODAY, setup)
    source = Source(thread_id="eval", message_ids=(f"m{len(texts)}",))
    said = Statement(at=NOW + timedelta(days=len(texts)), source=source, extractor=heard.extractor)
    judge = SameFactJudge(setup.model, settings.extraction_timeout_s)
    admitted = await admit(memory, heard.candidates, said, settings.admission, judge)
    await memory.commit(admitted.puts)
    return admitted.decisions


SUITE = CaseSuite(
    name="updates",
    promise="A correction replaces the old value; nothing else ever does.",
    files=(FILE,),
    bar=Bar(floor=0.8, tuned="keys and the offline grammar, by hand"),
    score=score,
)
