"""`migrate`: memory that was kept elsewhere."""

import asyncio
import json
from argparse import Namespace
from pathlib import Path

from memory_graph import clock
from memory_graph.cli.importing import plan_and_apply
from memory_graph.cli.opening import open_user
from memory_graph.cli.presenter import Presenter
from memory_graph.errors import ConfigurationError
from memory_graph.migrate.ai_agents import read_folder
from memory_graph.migrate.incoming import Incoming
from memory_graph.migrate.mem0 import read_export
from memory_graph.steps.imports import read_langmem


async def migrate_ai_agents(args: Namespace, show: Presenter) -> int:
    """Bring in the episodes and causal graphs of a folder."""
    files = await asyncio.to_thread(_read_all, Path(args.path))
    return await _bring_in(args, show, read_folder(files, clock.utc_now()))


async def migrate_mem0(args: Namespace, show: Presenter) -> int:
    """Bring in what mem0 exported of this user."""
    export = await asyncio.to_thread(_read, Path(args.file))
    return await _bring_in(args, show, read_export(export, args.user, clock.utc_now()))


async def migrate_langmem(args: Namespace, show: Presenter) -> int:
    """Bring in what LangMem keeps in the same store."""
    namespace = tuple(label for label in args.namespace.split("/") if label)
    async with open_user(args) as memory:
        incoming = await read_langmem(memory, namespace)
        return await plan_and_apply(memory, incoming, show, dry_run=args.dry_run, overwrite=False)


async def _bring_in(args: Namespace, show: Presenter, incoming: Incoming) -> int:
    async with open_user(args) as memory:
        return await plan_and_apply(memory, incoming, show, dry_run=args.dry_run, overwrite=False)


def _read_all(path: Path) -> dict[str, object]:
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    return {file.name: _read(file) for file in files}


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read as JSON: {error}") from error
