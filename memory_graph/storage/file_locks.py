"""How do processes of one machine take turns? By locks on files, which die with their holder."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

_LOOK_AGAIN_S = 0.02


def locks_beside(database: Path) -> Path:
    """Return the folder with the locks of those who use a database file."""
    return database.with_name(f"{database.stem}-locks")


@asynccontextmanager
async def file_lock(path: Path) -> AsyncIterator[None]:
    """Let nobody else hold the lock on a file, which is made; without `flock`, hold nothing."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 — Unix only
    except ImportError:
        yield
        return
    with await asyncio.to_thread(_opened, path) as file:
        while True:
            try:
                flock(file, LOCK_EX | LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(_LOOK_AGAIN_S)
        yield


def _opened(path: Path) -> IO[bytes]:
    path.parent.mkdir(exist_ok=True)
    return path.open("ab")
