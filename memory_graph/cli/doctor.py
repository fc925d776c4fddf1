"""`doctor` and `settings`: check an installation, and list its settings."""

import asyncio
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from importlib.metadata import version
from typing import Literal

import click

from memory_graph import __version__
from memory_graph.cli.output import Presenter, Style, first_line
from memory_graph.cli.session import DISTRIBUTION, FAILED, Session, for_anybody
from memory_graph.context import Context
from memory_graph.embedding import configured_embedder
from memory_graph.errors import ConfigurationError, EmbedderMismatchError
from memory_graph.llm.ask import name_of, quiet
from memory_graph.llm.models import models_for, patience_with
from memory_graph.settings import (
    Settings,
    advice_on,
    all_settings,
    describe_file,
    describe_variables,
    unknown_variables,
)
from memory_graph.store.backends import reach_store
from memory_graph.store.configured import open_configured_store

Status = Literal["ok", "degraded", "broken"]
_PACKAGES = (
    "langgraph",
    "langgraph-checkpoint",
    "langgraph-checkpoint-sqlite",
    "langgraph-checkpoint-postgres",
    "langchain-core",
    "langchain-openai",
    "pydantic",
)
_STYLES: dict[Status, Style] = {"broken": "bad", "degraded": "warning", "ok": "good"}
"""Worst first."""

_SECRETS = frozenset({"OPENAI_API_KEY", "MEMORY_GRAPH_STORE"})
_FEW_TOKENS = 16

_ASK_S = 60.0  # longest wait for one word
_READ_WHOLE = "read as a whole at their first search in a process (2 kB and 0.05 ms a memory)"
"""The cost of the first search of a cold user."""


@dataclass(frozen=True)
class Check:
    """The state of one part of the installation, and how to fix it."""

    name: str
    status: Status
    detail: str
    fix: str = ""


@click.command(epilog="example: memory-graph settings --file")
@click.option("--file", "as_file", is_flag=True, help="as a settings file, with every number")
@for_anybody
async def settings(session: Session, as_file: bool) -> None:
    """List all settings with their defaults.

    In the form of a `.env` file, or of a settings file.
    """
    session.show.piece(describe_file() if as_file else describe_variables())


@click.command(epilog="example: memory-graph doctor --json")
@for_anybody
async def doctor(session: Session) -> int:
    """Check the installation and suggest fixes.

    Everything that a turn needs is tried; it fails if something is broken.
    """
    configured, show = session.settings, session.show
    packages = [f"{name} {version(name)}" for name in _PACKAGES]
    checks = [
        Check("python", "ok", f"{platform.python_version()} on {platform.system()}"),
        Check("packages", "ok", ", ".join([f"{DISTRIBUTION} {__version__}", *packages])),
        check_settings(configured),
        await check_embedder(configured),
        *await check_store(configured),
        await check_model(configured),
    ]
    worst = next(status for status in _STYLES if any(e.status == status for e in checks))
    value = {"status": worst, "checks": checks}
    return show.answer(value, lambda: _show(show, checks), FAILED if worst == "broken" else 0)


def _show(show: Presenter, checks: Sequence[Check]) -> None:
    for check in checks:
        show.piece(f"{check.status:<9}", _STYLES[check.status])
        show.line(f" {check.name:<10} {check.detail}")
        if check.fix:
            show.line(f"{'':<20} → {check.fix}", "dim")


def check_settings(settings: Settings) -> Check:
    """List the settings that differ from their defaults, and variables that are no settings."""
    defaults, given = Settings.model_construct(), []
    for path, _, variable in all_settings():
        value: object = reduce(getattr, path, settings)
        if value != reduce(getattr, path, defaults):
            name = variable or ".".join(path)
            given.append(f"{name}={'(set)' if name in _SECRETS else value}")
    detail, unknown = ", ".join(given) or "all defaults", unknown_variables()
    if not unknown:
        return Check("settings", "ok", detail)
    detail += f"; unknown variables: {', '.join(unknown)}"
    return Check("settings", "degraded", detail, "; ".join(map(advice_on, unknown)))


async def check_embedder(settings: Settings) -> Check:
    """Load the embedder and time it."""
    started = time.perf_counter()
    try:
        embedder = configured_embedder(settings)
        await embedder.embed(["A test."])
        loaded_s, times = time.perf_counter() - started, []
        for age in range(3, 6):
            started = time.perf_counter()
            await embedder.embed([f"The user's cat Luna is {age} years old."])
            times.append((time.perf_counter() - started) * 1000)
    except Exception as error:  # noqa: BLE001 — whatever it is, it is the finding
        fix = "Choose another `MEMORY_GRAPH_EMBEDDER`; `use` is built in."
        return Check("embedder", "broken", first_line(error), fix)
    detail = f"{embedder.name}, {embedder.dims} dimensions, "
    detail += f"loaded in {loaded_s:.1f} s, {min(times):.1f} ms per sentence"
    return Check("embedder", "ok", detail)


async def check_store(settings: Settings) -> list[Check]:
    """Open the store and its checkpointer, and return how vectors are searched."""
    try:
        embedder = configured_embedder(settings)
    except ConfigurationError:
        return [Check("store", "broken", "not opened without an embedder")]
    try:
        await reach_store(settings.store.get_secret_value())
        async with open_configured_store(settings, embedder) as backend:
            status: Status = "degraded" if backend.notes else "ok"
            in_store = backend.backend.searches(backend.store)
            return [
                Check("store", status, backend.name, " ".join(backend.notes)),
                Check("vectors", "ok", backend.vectors),
                Check("cold users", "ok", "searched by the store" if in_store else _READ_WHOLE),
            ]
    except EmbedderMismatchError as error:
        fix = "memory-graph reembed, or with --missing after a run that was broken off"
        return [Check("store", "broken", str(error), fix)]
    except Exception as error:  # noqa: BLE001 — whatever it is, it is the finding
        fix = "Check `MEMORY_GRAPH_STORE`: path or server, and write permission."
        return [Check("store", "broken", first_line(error), fix)]


async def check_model(settings: Settings) -> Check:
    """Ask the chat model for one word, and time it."""
    named = settings.model or settings.extraction_model or settings.episode_model
    named = named or settings.tiny_model
    if named is None:
        detail = "offline: rules extract facts and answer from memory"
        fix = "Set `MEMORY_GRAPH_MODEL`: a name on `OPENAI_BASE_URL`, or `provider:model`."
        return Check("model", "degraded", detail, fix)
    started = time.perf_counter()
    try:
        models = models_for(Context(), settings.model)
        # Each model once: the same one may be loaded with different retries.
        loaded = filter(None, (models.chat, models.extraction, models.episode))
        asked = {(type(each), name_of(each) or id(each)): each for each in loaded}.values()
        async with asyncio.timeout(_ASK_S * len(asked)):
            for each in asked:
                await quiet(each, _FEW_TOKENS).ainvoke("Answer with one word: hello")
    except ConfigurationError as error:
        return Check("model", "broken", str(error), "Set what is missing, then try again.")
    except Exception as error:  # noqa: BLE001 — whatever it is, it is the finding
        where = settings.openai_base_url or "its provider"
        fix = f"Is `{named}` served at {where}? Is the key right?"
        return Check("model", "broken", f"{named}: {first_line(error)}", fix)
    took = (time.perf_counter() - started) / len(asked)
    patience = patience_with(models.extraction)
    detail = f"{named} answered in {took:.1f} s; facts wait {patience.extraction_s:g} s"
    if took > patience.extraction_s:
        fix = "Rules read facts first, and the model after the reply; a smaller model is faster."
        return Check("model", "degraded", detail, fix)
    return Check("model", "ok", detail)
