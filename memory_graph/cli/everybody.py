"""Commands over all users: a file for each, taken up again where a run broke off."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import click

from memory_graph.cli.session import Session
from memory_graph.store.gateway import open_gateway
from memory_graph.store.labels import labels_of
from memory_graph.store.scope import UserMemory, memory_under
from memory_graph.transfer.files import write_file

everybody_option = click.option(
    "--all-users", metavar="DIR", help="one file for each user; existing files are kept"
)


async def write_of_everybody(
    session: Session,
    folder: Path,
    pause: float,
    write: Callable[[UserMemory], Awaitable[str]],
    is_done: Callable[[Path], bool] = Path.exists,
) -> dict[str, Any]:
    """Write what `write` returns of each user into a file; users whose file is done are skipped."""
    written = 0
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    async with session.open_store() as backend:
        labels = await labels_of(open_gateway(backend.store, session.settings))
        with session.show.progress("Users") as update:
            for number, label in enumerate(labels, 1):
                file = folder / f"{label}.jsonl"
                if not await asyncio.to_thread(is_done, file):
                    text = await write(memory_under(label, backend.store))
                    await asyncio.to_thread(write_file, file, text)
                    await asyncio.sleep(pause)
                    written += 1
                update(number, len(labels))
    skipped = len(labels) - written
    return {"folder": str(folder), "users": len(labels), "written": written, "skipped": skipped}
