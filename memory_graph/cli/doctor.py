"""`doctor`, `settings`, `completion`: check an installation, list settings, complete commands."""

import asyncio
import platform
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Literal

from langchain_core.language_models import BaseChatModel

from memory_graph.cli.commands import COMMANDS as ALL
from memory_graph.cli.commands import (
    DISTRIBUTION,
    FAILED,
    PROGRAM,
    Group,
    arg,
    build_parser,
    extra,
    installed_version,
)
from memory_graph.cli.open import settings_of
from memory_graph.cli.output import Presenter, Style
from memory_graph.context import Context
from memory_graph.embedding import Embedder, configured_embedder
from memory_graph.errors import ConfigurationError, EmbedderMismatchError
from memory_graph.llm.ask import quiet
from memory_graph.llm.models import models_for, patience_with
from memory_graph.settings import (
    Settings,
    describe_settings,
    unknown_variables,
    variable_names,
)
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.configured import open_configured_store

COMMANDS = Group()
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
_STYLES: dict[str, Style] = {"ok": "good", "degraded": "warning", "broken": "bad"}
_SECRETS = frozenset({"OPENAI_API_KEY", "MEMORY_GRAPH_STORE"})


@dataclass(frozen=True)
class Check:
    """The state of one part of the installation, and how to fix it."""

    name: str
    status: Status
    detail: str
    fix: str = ""


@COMMANDS.command("settings", of_user=False)
async def run_settings(args: Namespace, show: Presenter) -> None:
    """Print the contents of `.env.example`."""
    show.piece(describe_settings())


@COMMANDS.command("doctor", "--json", of_user=False)
async def run_doctor(args: Namespace, show: Presenter) -> int:
    """Check everything that a turn needs; fail if something is broken."""
    settings = settings_of(args)
    checks = [
        check_python(),
        check_packages(),
        check_settings(settings),
        await check_embedder(settings),
        *await check_store(settings),
        await check_model(settings),
        check_rich(),
    ]
    worst = _worst(checks)
    value = {"status": worst, "checks": checks}
    return show.answer(value, lambda: _show(show, checks), FAILED if worst == "broken" else 0)


def _worst(checks: Sequence[Check]) -> str:
    statuses = {check.status for check in checks}
    return next(each for each in ("broken", "degraded", "ok") if each in statuses)


def _show(show: Presenter, checks: Sequence[Check]) -> None:
    for check in checks:
        show.piece(f"{check.status:<9}", _STYLES[check.status])
        show.line(f" {check.name:<9} {check.detail}")
        if check.fix:
            show.line(f"{'':<20} → {check.fix}", "dim")


def check_python() -> Check:
    """Return the version of Python."""
    return Check("python", "ok", f"{platform.python_version()} on {platform.system()}")


def check_packages() -> Check:
    """Return the versions of this package and of its dependencies."""
    found = {name: _version(name) for name in _PACKAGES}
    missing = [name for name, number in found.items() if number is None]
    installed = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    detail = f"{DISTRIBUTION} {installed_version()}, {installed}"
    if missing:
        return Check("packages", "broken", detail, f"pip install {' '.join(missing)}")
    return Check("packages", "ok", detail)


def check_settings(settings: Settings) -> Check:
    """List the settings that differ from their defaults, and variables that are no settings."""
    given = [f"{name}={_shown(settings, path, name)}" for path, name in _given(settings)]
    detail = ", ".join(given) or "all defaults"
    unknown = unknown_variables()
    if not unknown:
        return Check("settings", "ok", detail)
    detail += f"; unknown variables: {', '.join(unknown)}"
    return Check("settings", "degraded", detail, " ".join(map(_suggestion, unknown)))


async def check_embedder(settings: Settings) -> Check:
    """Load the embedder and time it."""
    started = time.perf_counter()
    try:
        embedder = configured_embedder(settings)
        await embedder.embed(["A test."])
        loaded = time.perf_counter()
        once = min([await _milliseconds(embedder, age) for age in range(3, 6)])
    except Exception as error:  # noqa: BLE001 — whatever it is, it is the finding
        fix = "Choose another `MEMORY_GRAPH_EMBEDDER`; `use` is built in."
        return Check("embedder", "broken", _error_text(error), fix)
    detail = f"{embedder.name}, {embedder.dims} dimensions, "
    detail += f"loaded in {loaded - started:.1f} s, {once:.1f} ms per sentence"
    if not embedder.is_calibrated:
        return Check("embedder", "degraded", f"{detail}, not measured", "memory-graph calibrate")
    return Check("embedder", "ok", detail)


async def check_store(settings: Settings) -> list[Check]:
    """Open the store and its checkpointer, and return how vectors are searched."""
    try:
        async with open_configured_store(settings, configured_embedder(settings)) as backend:
            store = Check("store", "ok", backend.name)
            status: Status = "degraded" if backend.notes else "ok"
            vectors = Check("vectors", status, backend.vectors, " ".join(backend.notes))
            return [store, vectors, Check("cold users", "ok", _cold(backend))]
    except EmbedderMismatchError as error:
        return [Check("store", "broken", str(error), "memory-graph reembed")]
    except Exception as error:  # noqa: BLE001 — whatever it is, it is the finding
        fix = "Check `MEMORY_GRAPH_STORE`: path or server, and write permission."
        return [Check("store", "broken", _error_text(error), fix)]


def _cold(backend: OpenedStore) -> str:
    """Say what the first search costs of a user whom this process has not indexed."""
    if backend.backend.searches(backend.store):
        return "searched by the store"
    return "read as a whole at their first search in a process (2 kB and 0.05 ms a memory)"


async def check_model(settings: Settings) -> Check:
    """Ask the chat model for one word, and time it."""
    if settings.model is None:
        fix = "Set `MEMORY_GRAPH_MODEL`: a name on `OPENAI_BASE_URL`, or `provider:model`."
        return Check(
            "model", "degraded", "offline: rules extract facts and answer from memory", fix
        )
    started = time.perf_counter()
    try:
        models = models_for(Context(), settings.model)
        asked = _different(models.chat, models.extraction, models.episode)
        async with asyncio.timeout(_ASK_S * len(asked)):
            for each in asked:
                await quiet(each, _FEW_TOKENS).ainvoke("Answer with one word: hello")
    except ConfigurationError as error:
        return Check("model", "broken", str(error), "Set what is missing, then try again.")
    except Exception as error:  # noqa: BLE001 — whatever it is, it is the finding
        where = settings.openai_base_url or "its provider"
        fix = f"Is `{settings.model}` served at {where}? Is the key right?"
        return Check("model", "broken", f"{settings.model}: {_error_text(error)}", fix)
    took = (time.perf_counter() - started) / len(asked)
    patience = patience_with(models.extraction)
    detail = f"{settings.model} answered in {took:.1f} s; facts wait {patience.extraction_s:g} s"
    if took > patience.extraction_s:
        fix = "Rules read facts first, and the model after the reply; a smaller one is faster."
        return Check("model", "degraded", detail, fix)
    return Check("model", "ok", detail)


def _different(*models: BaseChatModel | None) -> list[BaseChatModel]:
    """Return each model once: the same name may be loaded with other retries."""
    return list({_identity(each): each for each in models if each is not None}.values())


def _identity(model: BaseChatModel) -> tuple[type, object]:
    name = getattr(model, "model_name", None) or getattr(model, "model", None)
    return type(model), name or id(model)


_FEW_TOKENS = 16

_ASK_S = 60.0
"""Longest wait for one word."""


def check_rich() -> Check:
    """Return whether terminals get colour and tables."""
    if find_spec("rich"):
        return Check("rich", "ok", f"rich {_version('rich')}")
    fix = f"pip install '{DISTRIBUTION}[cli]'"
    return Check("rich", "degraded", "not installed: plain output", fix)


async def _milliseconds(embedder: Embedder, age: int) -> float:
    started = time.perf_counter()
    await embedder.embed([f"The user's cat Luna is {age} years old."])
    return (time.perf_counter() - started) * 1000


def _suggestion(variable: str) -> str:
    known = [name for _, name in variable_names(Settings)]
    match = get_close_matches(variable, known, n=1)
    return f"{variable}: did you mean {match[0]}?" if match else f"{variable} is not a setting."


def _given(settings: Settings) -> list[tuple[tuple[str, ...], str]]:
    return [
        (path, name)
        for path, name in variable_names(Settings)
        if _value(settings, path) != _value(Settings.model_construct(), path)
    ]


def _value(settings: Settings, path: tuple[str, ...]) -> object:
    value: object = settings
    for step in path:
        value = getattr(value, step)
    return value


def _shown(settings: Settings, path: tuple[str, ...], name: str) -> str:
    return "(set)" if name in _SECRETS else str(_value(settings, path))


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or ['no details'])[0]}"


_HOW = (
    f'your shell; bash: put `eval "$({PROGRAM} completion bash)"` into ~/.bashrc; '
    f"zsh: save it as _{PROGRAM} in a folder of $fpath"
)


@COMMANDS.command(
    "completion",
    "bash",
    arg("shell", choices=("bash", "zsh", "tcsh"), help=_HOW),
    of_user=False,
)
async def run_completion(args: Namespace, show: Presenter) -> None:
    """Print the script."""
    with extra("cli", "Completion"):
        import shtab  # noqa: PLC0415 — an extra
    parser = build_parser([each.name for each in ALL])
    show.piece(f"{shtab.complete(parser, shell=args.shell)}\n")
