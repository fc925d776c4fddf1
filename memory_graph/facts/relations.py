"""What the judge of corrections compares: facts with their vectors, beside those of strangers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_graph.embedding import load_embedder
from memory_graph.facts.timeline import in_full
from memory_graph.reading import EMBEDDER
from memory_graph.records import Fact

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from memory_graph.language import supersession
    from memory_graph.store.collection import Near
    from memory_graph.store.scope import UserMemory


async def vectors_of(
    facts: Sequence[Fact], near: "Sequence[Near[Fact]]", memory: "UserMemory"
) -> "list[ArrayLike]":
    """Return the vectors of facts: the stored ones of those `near`, if the judge knows such."""
    is_known = memory.scope.embedder.name == EMBEDDER
    found: dict[str, ArrayLike] = {each.record.id: each.vector for each in near if is_known}
    if others := [fact for fact in facts if fact.id not in found]:
        vectors = await load_embedder(EMBEDDER).embed([in_full(fact) for fact in others])
        found |= zip((fact.id for fact in others), vectors, strict=True)
    return [found[fact.id] for fact in facts]


async def strangers(known: int) -> "Sequence[supersession.Utterance]":
    """Return sentences that no statement bears on, to judge a few facts beside."""
    from memory_graph.language import supersession  # noqa: PLC0415 — numpy

    if known >= supersession.FEW:
        return ()
    if not _BESIDE:
        vectors = await load_embedder(EMBEDDER).embed(supersession.STRANGERS)
        pairs = zip(supersession.STRANGERS, vectors, strict=True)
        _BESIDE[:] = [supersession.Utterance(text, vector) for text, vector in pairs]
    return _BESIDE


_BESIDE: "list[supersession.Utterance]" = []
