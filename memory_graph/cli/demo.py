"""`demo`: three days of a scripted conversation, run for real, offline, under a set clock."""

from argparse import Namespace

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from memory_graph import clock
from memory_graph.cli.conversation import Conversation
from memory_graph.cli.demo_script import SCENES, ZONE, Line
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.tables import short_id, show_episodes, show_facts, show_history
from memory_graph.context import Context, LocaleInfo, UserContext
from memory_graph.graph import MemoryGraph, build_graph
from memory_graph.storage.scope import Owner, UserMemory, memory_of

_USER_CONTEXT = UserContext(locale_info=LocaleInfo(time_zone=ZONE.key))


async def run(args: Namespace, show: Presenter) -> int:
    """Play every scene, then show what is remembered of it."""
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    for scene in SCENES:
        show.line(f"\n{scene.title}", "bold")
        for line in scene.lines:
            await _play(line, _conversation(line, scene.title, graph, store, show))
    show.line("\nWhat is remembered about ana in the end", "bold")
    with clock.frozen(SCENES[-1].lines[-1].at):
        await _sum_up(memory_of(Owner("ana"), store), show)
    return 0


async def _play(line: Line, conversation: Conversation) -> None:
    conversation.show.line(f"{line.at:%a %H:%M} {line.user}> {line.text}")
    with clock.frozen(line.at):
        await conversation.take_turn(line.text)


def _conversation(
    line: Line, thread: str, graph: MemoryGraph, store: BaseStore, show: Presenter
) -> Conversation:
    """Return the conversation a line belongs to: every scene is a thread of its own."""
    return Conversation(
        graph=graph,
        memory=memory_of(Owner(line.user), store),
        context=Context(user_id=line.user, user_context=_USER_CONTEXT, model=None),
        thread=thread,
        show=show,
    )


async def _sum_up(memory: UserMemory, show: Presenter) -> None:
    facts = await memory.facts.at(clock.utc_now())
    show_facts(show, facts, ZONE)
    show_history(show, [fact for fact, _ in facts if fact.history], ZONE)
    episodes = sorted(await memory.episodes.all(), key=lambda each: each.started_at)
    show_episodes(show, episodes)
    for episode in episodes:
        show.line(f"  {short_id(episode.id)}: {episode.human_line} {episode.summary}")
    if episodes:
        arc = await memory.episodes.chain(episodes[-1].id)
        show.line(f"  Arc: {' → '.join(short_id(each.id) for each in arc)}")
