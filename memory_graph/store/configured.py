"""Open the store that the settings name, and check which embedder filled it."""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from langgraph.store.base import BaseStore, PutOp
from pydantic import SecretStr

from memory_graph.background import start
from memory_graph.embedding import Embedder, Scale, calibrate, configured_embedder
from memory_graph.errors import (
    ConfigurationError,
    EmbedderMismatchError,
    EmbedderUnavailableError,
)
from memory_graph.settings import Settings, get_settings
from memory_graph.store.backends import open_store as open_backend
from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.store.gateway import Gateway, open_gateway

logger = logging.getLogger(__name__)

_META = ("memories-meta",)


@asynccontextmanager
async def open_store(address: str | None = None) -> AsyncIterator[BaseStore]:
    """Open the store that `MEMORY_GRAPH_STORE` names, or another one, for `build_graph(store=…)`.

    Args:
        address: `sqlite`, `sqlite:PATH`, `memory` or `postgresql://…`; as set, if left out.

    Raises:
        ConfigurationError: If the address is not understood.
        EmbedderMismatchError: If another embedder filled the store.
    """
    settings = get_settings()
    if address:
        settings = settings.model_copy(update={"store": SecretStr(address)})
    async with open_configured_store(settings, configured_embedder(settings)) as opened:
        yield opened.store


@asynccontextmanager
async def open_configured_store(
    settings: Settings, embedder: Embedder, *, check_embedder: bool = True
) -> AsyncIterator[OpenedStore]:
    """Open the store that `settings.store` names. For entry points only.

    Raises:
        ConfigurationError: If the name is not understood.
        EmbedderMismatchError: If another embedder filled the store.
        EmbedderUnavailableError: If nobody says how long vectors are, and it cannot be asked.
    """
    if not embedder.dims:
        await embedder.embed(["How long are these vectors?"])
    async with open_backend(settings.store.get_secret_value(), embedder) as opened:
        if check_embedder:
            await check_or_record_embedder(open_gateway(opened.store, settings), embedder)
        yield opened


async def check_or_record_embedder(gateway: Gateway, embedder: Embedder) -> None:
    """Refuse a store whose vectors another embedder made; mark a new store as ours.

    Raises:
        EmbedderMismatchError: If the store is marked with another embedder.
    """
    mark = await _mark(gateway)
    if mark is None:
        await record_embedder(gateway, embedder)
        return
    stored, configured = str(mark["name"]), f"{embedder.name}/{embedder.dims}"
    if stored != configured:
        raise EmbedderMismatchError(stored, configured)
    _adopt(mark, embedder)


async def record_embedder(gateway: Gateway, embedder: Embedder) -> None:
    """Mark a store as filled by `embedder`, with how its cosines read if that was measured."""
    value: dict[str, object] = {"name": f"{embedder.name}/{embedder.dims}"}
    if embedder.is_remote and embedder.is_calibrated:
        scale = embedder.scale
        value["scale"] = [scale.unrelated, scale.related, scale.same]
    await gateway.write([PutOp(_META, "embedder", value, index=False)])


_adopted: "WeakKeyDictionary[BaseStore, Embedder]" = WeakKeyDictionary()


async def adopt_scale(gateway: Gateway, embedder: Embedder) -> None:
    """Read by what was measured for this store's embedder; the store is asked once.

    An embedder that nobody measured is measured after this step of the graph.
    """
    if not embedder.is_remote or _adopted.get(gateway.store) is embedder:
        return
    mark = await _mark(gateway)
    _adopted[gateway.store] = embedder
    is_of_store = mark is None or str(mark["name"]).rpartition("/")[0] == embedder.name
    if mark is not None and is_of_store:
        _adopt(mark, embedder)
    if is_of_store and not embedder.is_calibrated:
        start("measure-embedder", lambda: _measure(gateway, embedder))


async def _measure(gateway: Gateway, embedder: Embedder) -> None:
    """Measure how an embedder's cosines read, and keep it in the store."""
    try:
        measured = await calibrate(embedder)
    except (EmbedderUnavailableError, ConfigurationError) as error:
        _adopted.pop(gateway.store, None)
        logger.warning("Similarity is a guess: %s", error)
        return
    embedder.scale = measured.scale
    await record_embedder(gateway, embedder)


async def _mark(gateway: Gateway) -> Mapping[str, object] | None:
    found = await gateway.get(_META, ["embedder"])
    return found[0].value if found else None


def _adopt(mark: Mapping[str, object], embedder: Embedder) -> None:
    anchors = mark.get("scale")
    if isinstance(anchors, list) and len(anchors) == 3:
        embedder.scale = Scale(*(float(each) for each in anchors))
