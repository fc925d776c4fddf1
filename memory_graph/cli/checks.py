"""Which parts of an installation work? One check per part, none of which raises."""

import platform
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Literal

from memory_graph.cli.arguments import DISTRIBUTION, installed_version
from memory_graph.embeddings import Embedder, configured_embedder
from memory_graph.errors import EmbedderMismatchError
from memory_graph.settings import Settings, variable_names
from memory_graph.storage.backend import open_backend

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
_SECRETS = frozenset({"OPENAI_API_KEY", "MEMORY_GRAPH_STORE"})


@dataclass(frozen=True)
class Check:
    """What one part is, how it is, and how to mend it."""

    name: str
    status: Status
    detail: str
    fix: str = ""


def check_python() -> Check:
    """Say which Python runs."""
    return Check("python", "ok", f"{platform.python_version()} on {platform.system()}")


def check_packages() -> Check:
    """Say which versions are installed of us and of what we stand on."""
    found = {name: _version(name) for name in _PACKAGES}
    missing = [name for name, number in found.items() if number is None]
    told = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    detail = f"{DISTRIBUTION} {installed_version()}, {told}"
    if missing:
        return Check("packages", "broken", detail, f"pip install {' '.join(missing)}")
    return Check("packages", "ok", detail)


def check_settings(settings: Settings) -> Check:
    """List the settings that are not left at their defaults; secrets only by name."""
    given = [f"{name}={_shown(settings, path, name)}" for path, name in _given(settings)]
    return Check("settings", "ok", ", ".join(given) or "all defaults")


async def check_embedder(settings: Settings) -> Check:
    """Load the embedder and embed a text with it."""
    started = time.perf_counter()
    try:
        embedder = configured_embedder(settings)
        await embedder.embed(["A test."])
        loaded = time.perf_counter()
        once = min([await _milliseconds(embedder, age) for age in range(3, 6)])
    except Exception as error:  # noqa: BLE001 — whatever it is, it is the finding
        fix = "Choose another `MEMORY_GRAPH_EMBEDDER`: `use` is in the package."
        return Check("embedder", "broken", _told(error), fix)
    detail = f"{embedder.name}, {embedder.dims} dimensions, "
    detail += f"loaded in {loaded - started:.1f} s, {once:.1f} ms a sentence"
    return Check("embedder", "ok", detail)


async def check_store(settings: Settings) -> list[Check]:
    """Open the store and its checkpointer, and say how vectors are searched."""
    try:
        async with open_backend(settings, configured_embedder(settings)) as backend:
            store = Check("store", "ok", backend.name)
            status: Status = "degraded" if backend.notes else "ok"
            vectors = Check("vectors", status, backend.vectors, " ".join(backend.notes))
            return [store, vectors]
    except EmbedderMismatchError as error:
        return [Check("store", "broken", str(error), "memory-graph reembed")]
    except Exception as error:  # noqa: BLE001 — whatever it is, it is the finding
        fix = "Check `MEMORY_GRAPH_STORE`: the path or server it names, and who may write there."
        return [Check("store", "broken", _told(error), fix)]


def check_model(settings: Settings) -> Check:
    """Say which model answers, where, and whether a key is set; it is not called."""
    if settings.model is None:
        fix = "Set `MEMORY_GRAPH_MODEL` and `OPENAI_API_KEY` or `OPENAI_BASE_URL`."
        return Check("model", "degraded", "offline: rules read facts and answer from memory", fix)
    endpoint = settings.openai_base_url or "https://api.openai.com/v1"
    key = "set" if settings.openai_api_key else "not set"
    detail = f"{settings.model} at {endpoint}, key {key}"
    if settings.openai_api_key is None and settings.openai_base_url is None:
        return Check("model", "broken", detail, "Set `OPENAI_API_KEY`, or `OPENAI_BASE_URL`.")
    return Check("model", "ok", detail)


def check_rich() -> Check:
    """Say whether terminals get colour and tables."""
    if find_spec("rich"):
        return Check("rich", "ok", f"rich {_version('rich')}")
    fix = f"pip install '{DISTRIBUTION}[cli]'"
    return Check("rich", "degraded", "not installed: plain output", fix)


async def _milliseconds(embedder: Embedder, age: int) -> float:
    started = time.perf_counter()
    await embedder.embed([f"The user's cat Luna is {age} years old."])
    return (time.perf_counter() - started) * 1000


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


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or ['no details'])[0]}"
