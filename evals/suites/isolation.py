"""No user reaches another's memory by name, by search or through the graph."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

from evals.harness.runner import CASES, Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import all_hold
from evals.harness.stage import Line, Stage
from memory_graph import clock
from memory_graph.context import Context
from memory_graph.recall.lines import text_of
from memory_graph.recall.search import recall
from memory_graph.store.scope import UserMemory

FILE = "isolation.jsonl"
_AT = datetime(2026, 11, 16, 10, tzinfo=UTC)
_SECRET = "Zanzibar"
_TOLD = (f"I live in {_SECRET}.", f"We decided to open an office in {_SECRET}.")
_ASKED = (f"Where do I live? Is it {_SECRET}?", "What did we decide?")


async def score(setup: Setup) -> list[Score]:
    """Let an owner talk and a stranger ask, for each pair of ids in one shared store."""
    rows = [json.loads(line) for line in (CASES / FILE).read_text("utf-8").splitlines()]
    return [await _score(row["id"], row["owner"], row["stranger"], setup) for row in rows]


async def _score(case_id: str, owner: str, stranger: str, setup: Setup) -> Score:
    stage = Stage("UTC", setup)
    for number, text in enumerate(_TOLD):
        await stage.play(Line(at=_AT + timedelta(hours=number), user=owner, say=text))
    leaks: list[str] = []
    if not await stage.memory(owner).facts.all():
        leaks.append("the owner's own memory was not kept, so nothing is shown")
    for number, text in enumerate(_ASKED):
        at = _AT + timedelta(days=1, hours=number)
        seen = await stage.play(Line(at=at, user=stranger, say=text))
        # The second question does not name the secret, so the reply must not either.
        seen_text = seen.block if _SECRET in text else seen.block + seen.reply
        if _SECRET in seen_text:
            leaks.append(f"the graph revealed it when asked {text!r}")
    leaks += [leak async for leak in _storage_leaks(stage, owner, stranger)]
    return scored(case_id, all_hold(leaks), tier="must")


async def _storage_leaks(stage: Stage, owner: str, stranger: str) -> AsyncIterator[str]:
    """Yield each way in which the stranger's handles reach the owner's records."""
    theirs, mine = stage.memory(owner), stage.memory(stranger)
    if theirs.facts.namespace == mine.facts.namespace:
        yield "both ids share one namespace"
    fact_ids = [fact.id for fact in await theirs.facts.all()]
    if any(_SECRET in fact.statement for fact in (await mine.facts.find(fact_ids)).values()):
        yield "a fact is found under its owner's id"
    for text in await _everything(mine):
        if _SECRET in text:
            yield "search or scan brings up the owner's records"


async def _everything(memory: UserMemory) -> list[str]:
    with clock.frozen(_AT + timedelta(days=2)):
        context = Context(user_id="eval")
        found = await recall(memory, f"What about {_SECRET}?", context, clock.utc_now())
    hits = [text_of(line.record) for line in found.lines]
    hits += [fact.statement for fact in await memory.facts.all()]
    return hits + [episode.summary for episode in await memory.episodes.all()]


SUITE = CaseSuite(
    name="isolation",
    promise="No user id, however crafted, reaches another user's memory.",
    files=(FILE,),
    bar=Bar(tier="must", floor=1.0, tolerance=0.0),
    score=score,
)
