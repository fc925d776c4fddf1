"""Keep what was read of a message: compare it with what is known, and return the writes."""

from memory_graph.facts.admission import Utterance
from memory_graph.facts.reading import Message, ReadResult
from memory_graph.facts.writing import Admitted, SameFactJudge, admit
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Source
from memory_graph.store.scope import UserMemory


async def keep(
    memory: UserMemory,
    result: ReadResult,
    message: Message,
    source: Source,
    policy: AdmissionPolicy,
) -> Admitted:
    """Return what becomes of everything that was read, and the writes that carry it out.

    Called inside `facts_lock`; the caller commits the writes with the turn's record.
    """
    said = Utterance(at=message.at, source=source, extractor=result.by, is_late=message.is_late)
    return await admit(memory, result.facts, said, policy, SameFactJudge())
