"""`reembed`: make all vectors anew with the configured embedder."""

from argparse import Namespace

from memory_graph import clock
from memory_graph.cli.opening import open_store, settings_of
from memory_graph.cli.presenter import Presenter
from memory_graph.embeddings import configured_embedder
from memory_graph.steps.reembed import Progress, reembed
from memory_graph.storage.gateway import Gateway


async def run(args: Namespace, show: Presenter) -> int:
    """Embed every record of every user again, and mark the store."""
    settings = settings_of(args)
    embedder = configured_embedder(settings)
    progress = Progress(0, 0, 0)
    async with open_store(args, check_embedder=False) as backend:
        gateway = Gateway(backend.store, settings.store_read_timeout_s, _PATIENT_S, _PATIENT_S)
        with show.progress("Embedding") as update:
            async for progress in reembed(gateway, embedder, clock.utc_now()):
                update(progress.namespaces_done, progress.namespaces)
    name = f"{embedder.name}/{embedder.dims}"
    if show.as_json:
        show.data({"embedder": name, "records": progress.records})
    else:
        show.line(f"Embedded {progress.records} records with {name}.", "good")
    return 0


_PATIENT_S = 120.0
"""A batch is embedded inside the write; nobody waits for a reply here."""
