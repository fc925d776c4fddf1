"""What becomes of a known fact when something else is said? Run through the real path."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from langchain_core.language_models import BaseChatModel
from langgraph.store.memory import InMemoryStore

from evals.fact_cases import MAY_CHANGE, MUST_CHANGE, NOW, TODAY, Pair, Score
from memory_graph.records import Fact, MemoryDecision, Source
from memory_graph.settings import get_settings
from memory_graph.steps.admit import SameFactJudge, Statement, admit
from memory_graph.steps.hear import Listener
from memory_graph.storage.scope import Owner, UserMemory, memory_of

TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Outcome:
    """Which of a pair's old facts the new statement changed or ended."""

    pair: Pair
    retired: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether that is what the label asks for."""
        if self.pair.relation in MAY_CHANGE:
            return True
        return bool(self.retired) == (self.pair.relation in MUST_CHANGE)


async def run_pair(pair: Pair, model: BaseChatModel | None) -> Outcome:
    """Say both statements a day apart, and compare the old facts before and after."""
    memory = memory_of(Owner(pair.id), InMemoryStore())
    await tell(memory, (pair.old,), model, day=0)
    before = {fact.id: fact for fact in await memory.facts.current()}
    await tell(memory, (pair.old, pair.new), model, day=1)
    after = await memory.facts.find(before)
    retired = tuple(each for each in before if _is_retired(before[each], after.get(each)))
    return Outcome(pair, retired)


def score_updates(outcomes: Sequence[Outcome]) -> Score:
    """Count changes of old facts: right where the label says correct, retraction or refine."""
    changed = [each for each in outcomes if each.retired]
    wanted = [each for each in outcomes if each.pair.relation in MUST_CHANGE]
    proposed = [each for each in changed if each.pair.relation not in MAY_CHANGE]
    return Score(sum(each.is_right for each in proposed), len(proposed), len(wanted))


def wrongful_retirement(outcomes: Sequence[Outcome]) -> tuple[float, int]:
    """Return the share of pairs whose old fact should have stayed and did not, of how many."""
    must_stay = [e for e in outcomes if e.pair.relation not in MUST_CHANGE | MAY_CHANGE]
    wrong = sum(bool(each.retired) for each in must_stay)
    return wrong / len(must_stay), len(must_stay)


async def tell(
    memory: UserMemory, texts: Sequence[str], model: BaseChatModel | None, *, day: int
) -> tuple[MemoryDecision, ...]:
    """Let memory take in the last of the user's messages, as the hot path does."""
    heard = await Listener(model, TIMEOUT_S).hear(texts, TODAY)
    said = Statement(
        at=NOW + timedelta(days=day),
        source=Source(thread_id="eval", message_ids=(f"m{day}",)),
        extractor=heard.extractor,
    )
    judge = SameFactJudge(model, TIMEOUT_S)
    policy = get_settings().admission
    admitted = await admit(memory, heard.candidates, said, policy, judge)
    await memory.commit(admitted.puts)
    return admitted.decisions


def _is_retired(before: Fact, after: Fact | None) -> bool:
    return after is None or after.valid_to is not None or len(after.history) > len(before.history)
