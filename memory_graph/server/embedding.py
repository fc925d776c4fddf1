"""Which vectors does the server's own store index use?"""

from collections.abc import Sequence

from memory_graph.embeddings import load_embedder
from memory_graph.settings import get_settings


async def embed(texts: Sequence[str]) -> list[list[float]]:
    """Embed texts for the server's own store index, with the embedder memory uses."""
    settings = get_settings()
    key = settings.openai_api_key
    embedder = load_embedder(
        settings.embedder,
        base_url=settings.openai_base_url,
        api_key=key.get_secret_value() if key else None,
    )
    return await embedder.embed(texts)
