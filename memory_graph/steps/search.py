"""Which facts and episodes does a query find, with the parts of their scores?"""

from datetime import datetime

from memory_graph.records import Episode, Fact
from memory_graph.storage.collection import Found
from memory_graph.storage.documents import Query
from memory_graph.storage.scope import UserMemory


async def search_everything(
    memory: UserMemory, text: str, limit: int, now: datetime
) -> list[Found[Fact] | Found[Episode]]:
    """Return up to `limit` facts and as many episodes, the best first."""
    [vector] = await memory.scope.embedder.embed([text])
    query = Query(text=text, vector=vector, now=now.timestamp())
    facts = await memory.facts.search(query, limit)
    episodes = await memory.episodes.search(query, limit)
    return sorted([*facts, *episodes], key=lambda each: -each.score)
