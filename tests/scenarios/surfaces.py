"""The in-process surfaces a scenario runs on."""

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore, Op, Result

from memory_graph.compose import add_memory
from memory_graph.graph import build_graph
from memory_graph.middleware import MemoryMiddleware
from memory_graph.testing.scenario import GraphSurface, Heard, Saying, Surface
from memory_graph.testing.scripted import ScriptedChat
from tests.scenarios.scenarios import OUTAGE, deploy

is_down: ContextVar[bool] = ContextVar("is_down", default=False)


class StoreWithOutages(BaseStore):
    """Somebody's store, whose database is down while `is_down` says so."""

    def __init__(self, store: BaseStore) -> None:
        self._store = store

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        raise NotImplementedError

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        if is_down.get():
            raise ConnectionError("store is down")
        return await self._store.abatch(ops)


class WithOutages:
    """A surface that is down while somebody says `(outage)`."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self.memories = surface.memories

    async def say(self, saying: Saying) -> Heard:
        token = is_down.set(saying.text.startswith(OUTAGE))
        try:
            return await self._surface.say(saying)
        finally:
            is_down.reset(token)


Replies = Sequence[str]
Build = Callable[[BaseStore, BaseChatModel | None, Replies], object]


def our_graph(store: BaseStore, model: BaseChatModel | None, replies: Replies) -> object:
    return build_graph(store=store, checkpointer=InMemorySaver(), model=model, tools=[deploy])


def composed(store: BaseStore, model: BaseChatModel | None, replies: Replies) -> object:
    agent = create_agent(model or ScriptedChat(replies=replies), [deploy])
    theirs = StateGraph(MessagesState)
    theirs.add_node("agent", agent)
    theirs.add_edge(START, "agent")
    memory = add_memory(theirs, model=model)
    return memory.compile(store=store, checkpointer=InMemorySaver())


def middleware(store: BaseStore, model: BaseChatModel | None, replies: Replies) -> object:
    return create_agent(
        model or ScriptedChat(replies=replies),
        [deploy],
        middleware=[MemoryMiddleware(model=model)],
        store=store,
        checkpointer=InMemorySaver(),
    )


SURFACES: dict[str, Build] = {"graph": our_graph, "composed": composed, "middleware": middleware}


def open_surface(
    build: Build, store: BaseStore, model: BaseChatModel | None, replies: Replies = ()
) -> Surface:
    guarded = StoreWithOutages(store)
    return WithOutages(GraphSurface(build(guarded, model, replies), guarded))
