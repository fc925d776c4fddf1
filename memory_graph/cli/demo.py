"""`demo`: a scripted three-day conversation, run through the real graph offline."""

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from memory_graph import clock
from memory_graph.cli.chat import Conversation
from memory_graph.cli.output import Presenter, short_id, show_episodes, show_facts, show_history
from memory_graph.cli.parser import Group, set_run
from memory_graph.context import Context
from memory_graph.graph import MemoryGraph, build_graph
from memory_graph.store.scope import Owner, UserMemory, memory_of


def define_demo(command: ArgumentParser) -> None:
    """Add the arguments of `demo`."""
    set_run(command, run_demo)


ZONE = ZoneInfo("Europe/Lisbon")


@dataclass(frozen=True)
class Line:
    """A message of one user at one moment."""

    at: datetime
    text: str
    user: str = "ana"


@dataclass(frozen=True)
class Scene:
    """A few lines, and what they demonstrate."""

    question: str
    lines: tuple[Line, ...]


def _at(day: int, clock_time: str) -> datetime:
    hour, minute = map(int, clock_time.split(":"))
    return datetime(2026, 11, day, hour, minute, tzinfo=ZONE)


SCENES = (
    Scene(
        "Which facts are in a message? And in a thank-you?",
        (
            Line(_at(16, "09:00"), "Hi, I am Ana. My cat Luna is 3 and I live in Porto."),
            Line(_at(16, "09:01"), "Thanks!"),
        ),
    ),
    Scene(
        "Does a correction update the fact, and is it an episode?",
        (Line(_at(16, "09:05"), "Luna turned 4 yesterday!"),),
    ),
    Scene(
        "Is a decision worth an episode? And another one two minutes later?",
        (
            Line(
                _at(16, "10:00"),
                "We decided to move the photo archive to Postgres, because SQLite kept locking.",
            ),
            Line(_at(16, "10:02"), "We also decided to name the new server Atlas."),
        ),
    ),
    Scene(
        "Does the same theme, later that day, join the episode it belongs to?",
        (
            Line(
                _at(16, "15:00"),
                "We finished moving the photo archive to Postgres today; SQLite no longer locks.",
            ),
        ),
    ),
    Scene(
        "The next day: is what happened yesterday found by its day?",
        (Line(_at(17, "09:30"), "What did we decide yesterday?"),),
    ),
    Scene(
        "Over days: does an episode name the one it continues?",
        (
            Line(
                _at(17, "16:30"),
                "We fixed the slow searches in the photo archive on Postgres: "
                "an index was missing, it works now.",
            ),
            Line(
                _at(18, "17:00"),
                "We shipped the photo archive on Postgres today, and searches are fast.",
            ),
        ),
    ),
    Scene(
        "Is everything still known to ana, and nothing of it to ben?",
        (
            Line(_at(18, "18:00"), "How old is Luna, and where do I live?"),
            Line(_at(18, "18:01"), "How old is Luna?", user="ben"),
        ),
    ),
)


async def run_demo(args: Namespace, show: Presenter) -> int:
    """Play every scene, then show what is remembered."""
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    for scene in SCENES:
        show.line(f"\n{scene.question}", "bold")
        for line in scene.lines:
            await _play(line, _conversation(line, scene.question, graph, store, show))
    show.line("\nWhat is remembered about ana at the end", "bold")
    with clock.frozen(SCENES[-1].lines[-1].at):
        await _summarise(memory_of(Owner("ana"), store), show)
    return 0


async def _play(line: Line, conversation: Conversation) -> None:
    conversation.show.line(f"{line.at:%a %H:%M} {line.user}> {line.text}")
    with clock.frozen(line.at):
        await conversation.take_turn(line.text)


def _conversation(
    line: Line, thread: str, graph: MemoryGraph, store: BaseStore, show: Presenter
) -> Conversation:
    """Return the conversation of a line; each scene is its own thread."""
    return Conversation(
        graph=graph,
        memory=memory_of(Owner(line.user), store),
        context=Context(user_id=line.user, time_zone=ZONE.key, model=None),
        thread=thread,
        show=show,
    )


async def _summarise(memory: UserMemory, show: Presenter) -> None:
    facts = await memory.facts.as_they_were(clock.utc_now())
    show_facts(show, facts, ZONE)
    show_history(show, [fact for fact in facts if fact.history], ZONE)
    episodes = sorted(await memory.episodes.all(), key=lambda each: each.started_at)
    show_episodes(show, episodes)
    for episode in episodes:
        show.line(f"  {short_id(episode.id)}: {episode.human_line} {episode.summary}")
    if episodes:
        arc = await memory.episodes.chain(episodes[-1].id)
        show.line(f"  Arc: {' → '.join(short_id(each.id) for each in arc)}")


COMMANDS: Group = {"demo": define_demo}
