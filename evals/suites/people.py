"""People talk as they do, over days: what memory keeps of it, and what it can tell them.

The conversations were written by hands that had not read the rules. Those in files called `dev`
may be looked at; the sealed ones are played with `--sealed` only, and only their totals are told.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.store.memory import InMemoryStore
from pydantic import TypeAdapter

from evals.harness.runner import CASES, Bar, CaseSuite, Figure, Score, Setup, Split, add_figures
from evals.suites.people_scoring import WORDING, Answer, Kept, Person, Turn, figures_of, overall
from memory_graph import (
    Context,
    State,
    build_graph,
    episodic_capture,
    memory_context,
    memory_hotpath,
    supervisor,
)
from memory_graph.graph import MemoryGraph
from memory_graph.records import Fact
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.testing import Saying, frozen

HANDS = ("", "other_hand_", "third_hand_", "fourth_hand_", "sixth_hand_")
DEV = (*(f"people/{hand}dev.json" for hand in HANDS), "people/fifth_hand_dev.json")
SEALED = tuple(f"people/{hand}sealed.json" for hand in HANDS)


async def score(setup: Setup) -> list[Score]:
    """Play every conversation: one score each, and one for all that are sealed."""
    files = [setup.data] if setup.data else [CASES / name for name in DEV]
    people = setup.some(_read_all(files), lambda person: person.id)
    scores = [_score(person.id, await play(person), "tune") for person in people]
    if setup.sealed:
        sealed = [await play(person) for person in _read_all(CASES / name for name in SEALED)]
        scores.append(_score("sealed, all together", add_figures(sealed), "check"))
    return scores


def _score(name: str, figures: Mapping[str, Figure], part: Split) -> Score:
    short = [label for label, figure in figures.items() if not figure.holds]
    return Score(
        case_id=name,
        passed=not short,
        value=overall(figures),
        why=f"short of what is promised: {', '.join(short)}" if short else "as promised",
        tier="should",
        part=part,
        figures=figures,
    )


def _read_all(paths: Iterable[Path]) -> list[Person]:
    return [person for path in paths for person in read_people(path)]


def read_people(path: Path) -> list[Person]:
    """Return the conversations of a file."""
    return TypeAdapter(list[Person]).validate_json(path.read_bytes())


Asking = Callable[[Person, Turn, UserMemory], Awaitable[None]]


async def play(person: Person, asking: Asking | None = None) -> dict[str, Figure]:
    """Take every turn at its own time, on a memory of its own, and score what came of it.

    Args:
        person: The conversation.
        asking: Called before each question, at its time, with what memory holds by then.
    """
    store = InMemoryStore()
    memory = memory_of(Owner(person.id), store)
    turns = {f"{person.id}-{number}": turn for number, turn in enumerate(person.turns)}
    scripted = {name: turn for name, turn in turns.items() if turn.reply or turn.tools}
    graph = _scripted_graph(store, scripted) if scripted else _graph(store)
    answers = []
    for name, turn in turns.items():
        at, day = turn.at.replace(tzinfo=ZoneInfo(person.zone)), str(turn.at.date())
        saying = Saying(turn.say, person.id, turn.thread or day, at, name, person.zone)
        configurable = {**saying.configurable, "thread_id": saying.thread_id}
        with frozen(at):
            if turn.ask and asking:
                await asking(person, turn, memory)
            asked = State(messages=[HumanMessage(turn.say, id=name)])
            state = await graph.ainvoke(
                asked,
                {"configurable": configurable},
                output_keys=["messages", "memory_context"],
            )
        if turn.ask:
            block = str(state.get("memory_context") or "")
            answers.append(Answer(turn.ask, str(state["messages"][-1].text), block))
    return figures_of(person, answers, _kept(await memory.facts.all()))


def _graph(store: InMemoryStore) -> MemoryGraph:
    return build_graph(store=store, checkpointer=InMemorySaver())


def _scripted_graph(store: InMemoryStore, scripted: Mapping[str, Turn]) -> MemoryGraph:
    """Return the graph with an agent that acts as written where something is written."""

    async def agent(state: State, config: RunnableConfig) -> Mapping[str, object]:
        asked = [each for each in state["messages"] if isinstance(each, HumanMessage)][-1]
        turn = scripted.get(asked.id or "")
        if turn is None:
            return await supervisor.ainvoke(state, config)
        return {"messages": _acted(turn, asked.id or "")}

    builder = StateGraph(State, context_schema=Context)
    builder.add_node(memory_hotpath)
    builder.add_node(memory_context)
    builder.add_node(agent)
    builder.add_node(episodic_capture)
    path = (START, "memory_hotpath", "memory_context", "agent", "episodic_capture")
    for before, after in pairwise(path):
        builder.add_edge(before, after)
    return builder.compile(store=store, checkpointer=InMemorySaver())


def _acted(turn: Turn, message_id: str) -> list[AnyMessage]:
    messages: list[AnyMessage] = []
    for number, used in enumerate(turn.tools):
        call_id = f"call-{message_id}-{number}"
        call = {"name": used.name, "args": dict(used.args), "id": call_id, "type": "tool_call"}
        status = "error" if used.error else "success"
        messages += [
            AIMessage("", tool_calls=[call]),
            ToolMessage(used.result, tool_call_id=call_id, name=used.name, status=status),
        ]
    return [*messages, AIMessage(turn.reply or "Done.")]


def _kept(facts: Sequence[Fact]) -> Kept:
    """Return facts as text: what holds now, and what no longer does."""
    earlier = [f"{old.statement} = {old.value or ''}" for fact in facts for old in fact.history]
    ended = [_text(fact) for fact in facts if fact.valid_to is not None]
    return Kept(tuple(_text(f) for f in facts if f.valid_to is None), (*ended, *earlier))


def _text(fact: Fact) -> str:
    return f"{fact.statement} = {fact.value or ''}"


SUITE = CaseSuite(
    name="people",
    promise="What people say in their own way is kept, corrected and told again, in any language.",
    files=(*DEV, *SEALED, WORDING),
    bar=Bar(tolerance=0.02, tuned="nothing; the open ones are looked at while rules are made"),
    score=score,
)
