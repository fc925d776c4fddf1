"""What is a store built on, as far as that changes how it may be used?"""

from typing import Literal

from langgraph.store.base import BaseStore

Driver = Literal["psycopg_pool", "aiosqlite", "other"]
_KNOWN: tuple[Driver, ...] = ("psycopg_pool", "aiosqlite")


def driver_of(store: BaseStore) -> Driver:
    """Return the package whose connections a store uses, without importing it."""
    package = type(getattr(store, "conn", None)).__module__.partition(".")[0]
    return next((driver for driver in _KNOWN if driver == package), "other")


def may_be_cancelled(store: BaseStore) -> bool:
    """Say whether a batch may be cut short.

    The asynchronous SQLite store, cancelled, commits what it has done so far, or leaves a
    transaction open in which it can never begin another.
    """
    return driver_of(store) != "aiosqlite"
