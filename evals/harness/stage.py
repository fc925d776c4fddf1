"""Plays a written scenario through the real graph, under a set clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import yaml
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, ConfigDict, TypeAdapter

from evals.harness.expectations import Expected, Observed, problems
from evals.harness.runner import Score, Setup, Tier, scored
from evals.harness.scorers import Verdict, all_hold
from memory_graph import clock
from memory_graph.context import Context
from memory_graph.graph import MemoryGraph, build_graph
from memory_graph.records import Fact
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolUse(_Written):
    """A tool the assistant called in this turn, and what came back."""

    name: str
    result: str
    failed: bool = False


class Line(_Written):
    """Something one user says at one moment, and what must be true afterwards."""

    at: datetime
    """Local to the scenario's zone."""

    say: str
    user: str = "ana"
    thread: str = "t1"
    tools: tuple[ToolUse, ...] = ()
    expect: Expected = Expected()


class Scenario(_Written):
    """A conversation, and what to expect of it."""

    id: str
    what: str
    tier: Tier = "must"
    zone: str = "UTC"
    stored: Mapping[str, str] = {}
    """Statements that are in ana's memory from the start, by id."""

    lines: tuple[Line, ...]


_SCENARIOS = TypeAdapter(list[Scenario])


def read_scenarios(path: Path) -> list[Scenario]:
    """Return the scenarios of a YAML file."""
    return _SCENARIOS.validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))


async def score_scenarios(path: Path, setup: Setup) -> list[Score]:
    """Play every scenario of a file; one passes when every expectation holds."""
    scenarios = setup.some(read_scenarios(path), lambda scenario: scenario.id)
    return [scored(each.id, await _judge(each, setup), tier=each.tier) for each in scenarios]


async def _judge(scenario: Scenario, setup: Setup) -> Verdict:
    """Play a scenario; a model that breaks it off costs this one, and not the run."""
    try:
        return all_hold(await _problems(scenario, setup))
    except Exception as error:
        if setup.model is None:
            raise
        return all_hold([f"the turn failed: {type(error).__name__}"])


async def _problems(scenario: Scenario, setup: Setup) -> list[str]:
    stage = Stage(scenario.zone, setup)
    await stage.keep(scenario.stored, scenario.lines[0].at)
    found: list[str] = []
    for number, line in enumerate(scenario.lines, start=1):
        observed = await stage.play(line)
        found += (f"line {number}: {each}" for each in problems(line.expect, observed))
    return found


@dataclass
class Stage:
    """A graph with a memory of its own, for one scenario."""

    zone: str
    setup: Setup
    store: InMemoryStore = field(default_factory=InMemoryStore)
    policies: Mapping[str, object] = field(default_factory=dict)
    """What these runs change about the policies, by section."""

    def __post_init__(self) -> None:
        self.graph: MemoryGraph = build_graph(store=self.store, checkpointer=InMemorySaver())
        self._turns = 0

    def memory(self, user: str) -> UserMemory:
        """Return the memory of one of the people on stage."""
        return memory_of(Owner(user), self.store)

    async def keep(self, statements: Mapping[str, str], at: datetime) -> None:
        """Put statements into ana's memory, as an import or an older version would."""
        at = self._moment(at)
        facts = [_fact(fact_id, statement, at) for fact_id, statement in statements.items()]
        memory = self.memory("ana")
        await memory.commit(await memory.facts.puts(facts, at))

    async def play(self, line: Line) -> Observed:
        """Take one turn at the line's own time, and look at what it left behind."""
        self._turns += 1
        with clock.frozen(self._moment(line.at)):
            state = await self.graph.ainvoke(
                {"messages": _messages(line, self._turns)},
                context=self._context(line.user),
                config={"configurable": {"thread_id": f"{line.user}/{line.thread}"}},
                output_keys=["messages", "memory_context", "memory_recall", "memory_tax"],
            )
            return await self._observe(line.user, state)

    def _moment(self, at: datetime) -> datetime:
        return at.replace(tzinfo=ZoneInfo(self.zone)) if at.tzinfo is None else at

    def _context(self, user: str) -> Context:
        return Context(
            user_id=user,
            time_zone=self.zone,
            model=self.setup.model_name,
            policies=self.policies,
        )

    async def _observe(self, user: str, state: Mapping[str, object]) -> Observed:
        memory = self.memory(user)
        episodes = await memory.episodes.recent(100)
        arc = await memory.episodes.chain(episodes[0].id) if episodes else []
        messages, recall = state["messages"], state.get("memory_recall")
        assert isinstance(messages, list)
        assert isinstance(recall, Mapping)
        return Observed(
            reply=str(messages[-1].content),
            block=str(state.get("memory_context") or ""),
            intent=str(recall.get("intent")),
            found=str(recall.get("found")),
            facts={fact.id: fact for fact in await memory.facts.all()},
            episodes=tuple(reversed(episodes)),
            arc=tuple(arc),
            milliseconds=_milliseconds(state.get("memory_tax")),
        )


def _messages(line: Line, turn: int) -> list[AnyMessage]:
    """Return the user's message, then the assistant's tool calls with their results."""
    messages: list[AnyMessage] = [HumanMessage(line.say, id=f"turn-{turn}")]
    for number, used in enumerate(line.tools):
        call_id = f"call-{turn}-{number}"
        call = {"name": used.name, "args": {}, "id": call_id, "type": "tool_call"}
        status = "error" if used.failed else "success"
        messages += [
            AIMessage("", tool_calls=[call]),
            ToolMessage(used.result, tool_call_id=call_id, name=used.name, status=status),
        ]
    return messages


def _milliseconds(tax: object) -> float:
    return float(tax.get("milliseconds", 0.0)) if isinstance(tax, Mapping) else 0.0


def _fact(fact_id: str, statement: str, at: datetime) -> Fact:
    return Fact(
        id=fact_id,
        statement=statement,
        created_at=at,
        updated_at=at,
        last_verified_at=at,
        valid_from=at,
    )
