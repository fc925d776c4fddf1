"""On which event loop may a store be called?"""

import asyncio

from langgraph.store.base import BaseStore

from memory_graph.errors import ConfigurationError


def loop_of(store: BaseStore) -> asyncio.AbstractEventLoop | None:
    """Return the event loop an asynchronous store was opened on; others belong to none."""
    loop = getattr(store, "_loop", None)
    return loop if isinstance(loop, asyncio.AbstractEventLoop) else None


def is_on_another_loop(store: BaseStore) -> bool:
    """Say whether a store must be called through its own loop rather than this one."""
    loop = loop_of(store)
    return loop is not None and loop is not asyncio.get_running_loop()


def check_synchronous_use(store: BaseStore | None) -> None:
    """Refuse what would wait for itself: `invoke` on the loop the store needs to answer.

    Raises:
        ConfigurationError: If the store's loop is stopped, or is the one that is waiting.
    """
    loop = loop_of(store) if store is not None else None
    if loop is None:
        return
    if not loop.is_running() or loop is _loop_of_this_thread():
        raise ConfigurationError(
            f"`{type(store).__name__}` answers only on the event loop it was opened on. "
            "Call `await graph.ainvoke(...)` there, or use a store with a synchronous "
            "interface (`SqliteStore`, `PostgresStore`, `InMemoryStore`)."
        )


def _loop_of_this_thread() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
