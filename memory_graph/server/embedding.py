"""The embedding function for the vector index of the server's own store."""

from collections.abc import Sequence

from memory_graph.embedding import configured_embedder
from memory_graph.settings import get_settings


async def embed(texts: Sequence[str]) -> list[list[float]]:
    """Embed texts for the server's own store index, with the embedder memory uses."""
    return await configured_embedder(get_settings()).embed(texts)
