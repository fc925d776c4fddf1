"""LangMem and this package side by side, on the same store, embedder, model and cases.

Run `python -m evals.suites.langmem_peer`. The model is scripted: it says what the labels say, so
that calls, tokens, milliseconds, duplicates and wrong updates are those of the code around it.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from time import perf_counter
from typing import Any, Literal, Protocol

from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from evals.harness.runner import Setup, split_of
from evals.harness.scorers import found_among
from evals.suites.fact_cases import MUST_CHANGE, Message, Pair, read_messages
from evals.suites.questions import ask_all, read_known, read_questions
from evals.suites.scripted_model import Care, Script, ScriptedModel
from evals.suites.updates import read_pairs, remember
from memory_graph.embedding import load_embedder
from memory_graph.language.facts import read_facts
from memory_graph.language.words import language_of
from memory_graph.records import FactCandidate
from memory_graph.settings import get_settings
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of

CUT = 5
PAIRS, ROUTINE = 24, 12
"""How many held-back pairs and routine turns each system is given, to stay within a minute."""

COLUMNS = (
    "system", "model", "updates made", "duplicates", "wrong updates",
    "calls / turn", "tokens / turn", "ms / turn", "calls / routine turn",
)  # fmt: skip
Effect = Literal["changed", "added", "nothing"]


class Peer(Protocol):
    """A memory that takes in what a user says."""

    name: str
    model: ScriptedModel

    async def take_in(self, texts: tuple[str, ...]) -> Effect:
        """Take in the last of the user's messages and say what became of memory."""
        ...


@dataclass
class Ours:
    """The write path of `memory_hotpath`: gate, extraction, admission."""

    user: str
    name: str = "memory_graph"
    model: ScriptedModel = field(default_factory=ScriptedModel)

    def __post_init__(self) -> None:
        self._memory = memory_of(Owner(self.user), InMemoryStore())

    async def take_in(self, texts: tuple[str, ...]) -> Effect:
        """Tell memory the last message."""
        decisions = await remember(self._memory, texts, Setup(model=self.model))
        actions = {decision.action for decision in decisions}
        if actions & {"update", "retract"}:
            return "changed"
        return "added" if "create" in actions else "nothing"


@dataclass
class LangMem:
    """LangMem's store manager with its defaults; deletes allowed, so that facts can end."""

    user: str
    name: str = "LangMem"
    model: Any = field(default_factory=ScriptedModel)

    def __post_init__(self) -> None:
        from langmem import create_memory_store_manager  # noqa: PLC0415 — only to compare

        self.store = indexed_store()
        self._space = ("memories", self.user)
        self._manager = create_memory_store_manager(
            self.model, namespace=self._space, store=self.store, enable_deletes=True
        )

    async def take_in(self, texts: tuple[str, ...]) -> Effect:
        """Give the manager the last message; what changed is read off the store."""
        before = await self._contents()
        await self._manager.ainvoke({"messages": [HumanMessage(texts[-1])]})
        after = await self._contents()
        if any(after.get(key) != content for key, content in before.items()):
            return "changed"
        return "added" if len(after) > len(before) else "nothing"

    async def found(self, question: str) -> list[str]:
        """Return what its store finds for a question, as much as its own search gives an agent."""
        items = await self.store.asearch(self._space, query=question, limit=10)
        return [str(item.value.get("content", "")) for item in items]

    async def kept(self) -> list[str]:
        """Return everything it holds, as text."""
        return [*(await self._contents()).values()]

    async def told(self) -> str:
        """Return everything it holds, as one text."""
        return " ".join(await self.kept())

    async def _contents(self) -> dict[str, str]:
        items = await self.store.asearch(self._space, limit=1000)
        return {item.key: str(item.value["content"]) for item in items}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one system made of one pair."""

    should_change: bool
    effect: Effect
    calls: int
    tokens: int
    milliseconds: float


def indexed_store() -> InMemoryStore:
    """Return a store that embeds with the configured embedder, indexed as LangMem's docs do."""
    embedder = load_embedder(get_settings().embedder)
    return InMemoryStore(index={"dims": embedder.dims, "embed": embedder.embed})


async def section(limit: int = PAIRS) -> str:
    """Return the comparison as a part of the report."""
    try:
        rows = await compare(limit)
    except ModuleNotFoundError:
        return "## LangMem side by side\n\nNot run: `pip install langmem`.\n"
    ours, theirs = await compare_retrieval()
    lines = [
        "## LangMem side by side",
        "",
        "Same `InMemoryStore`, embedder and scripted model; held-back update pairs whose messages "
        "both state a fact. In LangMem the model decides what is replaced: a careful one replaces "
        "the old memory when it is shown it, a hasty one only adds. Here keys and thresholds "
        "decide, and the model only says what was stated. Tokens are estimated at four characters "
        "each, schemas included; milliseconds leave out what a real model would take.",
        "",
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
        f"Retrieval, recall@{CUT} on our own questions: memory_graph {ours:.3f}, LangMem's store "
        f"search {theirs:.3f}.",
        "",
    ]
    return "\n".join(lines)


async def compare(limit: int = PAIRS) -> list[tuple[str, ...]]:
    """Return one row per system and model."""
    held_back = (pair for pair in read_pairs() if split_of(pair.id) == "check")
    pairs = [pair for pair in held_back if _is_stated(pair)]
    # The file is sorted by relation: every n-th pair keeps their shares.
    pairs = pairs[:: max(1, len(pairs) // limit)]
    systems: tuple[type[Ours] | type[LangMem], ...] = (Ours, LangMem)
    models: tuple[Care, ...] = ("careful", "hasty")
    return [await _row(system, care, pairs) for care in models for system in systems]


async def compare_retrieval() -> tuple[float, float]:
    """Return recall@5 of ours and of a vector search in the store, as LangMem searches."""
    questions = [each for each in read_questions() if each.want]
    ours = [
        found_among(a.question.want, a.ranked, CUT).value
        for a in await ask_all()
        if a.question.want
    ]
    store = indexed_store()
    for known in read_known():
        value = {"kind": "Memory", "content": {"content": known.statement}}
        await store.aput(("memories", known.of), known.id, value)
    theirs = []
    for question in questions:
        items = await store.asearch(("memories", question.of), query=question.ask, limit=CUT)
        theirs.append(found_among(question.want, [item.key for item in items], CUT).value)
    return fmean(ours), fmean(theirs)


async def _row(
    build: type[Ours] | type[LangMem], care: Care, pairs: Sequence[Pair]
) -> tuple[str, ...]:
    outcomes = [await _play(build(f"peer-{pair.id}"), pair, care) for pair in pairs]
    wanted = [each for each in outcomes if each.should_change]
    others = [each for each in outcomes if not each.should_change]
    return (
        build.name,
        care,
        f"{sum(each.effect == 'changed' for each in wanted)} of {len(wanted)}",
        f"{sum(each.effect == 'added' for each in wanted)} of {len(wanted)}",
        f"{sum(each.effect == 'changed' for each in others)} of {len(others)}",
        f"{fmean(each.calls for each in outcomes):.2f}",
        f"{fmean(each.tokens for each in outcomes):.0f}",
        f"{median(each.milliseconds for each in outcomes):.1f}",
        f"{await _routine_calls(build('peer-routine')):.2f}",
    )


async def _play(peer: Peer, pair: Pair, care: Care) -> Outcome:
    """Tell both messages, and measure the second."""
    peer.model.follow(Script(care, _facts(pair.old), pair.old))
    await peer.take_in((pair.old,))
    changes = pair.relation in MUST_CHANGE
    peer.model.follow(
        Script(
            care,
            _facts(pair.old, pair.new),
            pair.new,
            old=pair.old if changes else "",
            ends=pair.relation == "retraction",
        )
    )
    calls, tokens, started = peer.model.spent.calls, peer.model.spent.tokens, perf_counter()
    effect = await peer.take_in((pair.old, pair.new))
    return Outcome(
        should_change=changes,
        effect=effect,
        calls=peer.model.spent.calls - calls,
        tokens=peer.model.spent.tokens - tokens,
        milliseconds=1000 * (perf_counter() - started),
    )


async def _routine_calls(peer: Peer) -> float:
    """Return how often the model is asked about a turn that states nothing."""
    turns = list(_routine())
    for message in turns:
        peer.model.follow(Script(text=message.text))
        await peer.take_in((message.text,))
    return peer.model.spent.calls / len(turns)


def _routine() -> Iterator[Message]:
    dropped = [each for each in read_messages() if each.gate == "drop" and not each.facts]
    yield from [each for each in dropped if split_of(each.id) == "check"][:ROUTINE]


def _is_stated(pair: Pair) -> bool:
    return bool(_facts(pair.old)) and bool(_facts(pair.old, pair.new))


def _facts(*texts: str) -> Sequence[FactCandidate]:
    return tuple(each.candidate for each in read_facts(texts, language_of(texts[-1])))


if __name__ == "__main__":
    print(asyncio.run(section()))
