"""What does a decision on a candidate change, and how is that kept?"""

from dataclasses import dataclass
from datetime import datetime

from memory_graph.policy.admission import Admission
from memory_graph.policy.keys import fact_key
from memory_graph.policy.timeline import apply, new_fact
from memory_graph.records import Fact, FactCandidate, MemoryDecision, Source
from memory_graph.storage.labels import stable_id


@dataclass(frozen=True, kw_only=True)
class Statement:
    """Who said the candidates, when, and who read them out of the text."""

    at: datetime
    source: Source
    extractor: str

    @property
    def message_id(self) -> str:
        """The message that made the claims."""
        return self.source.message_ids[-1] if self.source.message_ids else ""


def carry_out(
    admission: Admission, candidate: FactCandidate, said: Statement, changed: dict[str, Fact]
) -> MemoryDecision:
    """Return a decision as it is kept, after putting the fact it makes into `changed`.

    What the same turn has changed already is changed further.
    """
    before = admission.target
    after: Fact | None = None
    if admission.action == "create" or _waits(admission, candidate):
        fact_id = _new_id(candidate, said)
        before = changed.get(fact_id, before)
        after = _told(before, fact_id, candidate, said)
    elif before is not None and admission.action in {"update", "verify", "retract"}:
        before = changed.get(before.id, before)
        after = apply(before, candidate, at=said.at, source=said.source)
    if after is not None:
        after = after.model_copy(update={"extractor": said.extractor})
        changed[after.id] = after
    return _decision(admission, before, after)


def _waits(admission: Admission, candidate: FactCandidate) -> bool:
    """Say whether a retraction ended nothing, and may yet end what is heard of later."""
    key, target = fact_key(candidate), admission.target
    is_its_fact = target is None or target.key == key
    return key is not None and is_its_fact and admission.reason == "nothing_to_retract"


def _new_id(candidate: FactCandidate, said: Statement) -> str:
    return fact_key(candidate) or f"fact-{stable_id(said.message_id, candidate.statement)}"


def _told(known: Fact | None, fact_id: str, candidate: FactCandidate, said: Statement) -> Fact:
    if known is not None:
        return apply(known, candidate, at=said.at, source=said.source)
    key = fact_key(candidate)
    return new_fact(candidate, fact_id=fact_id, key=key, at=said.at, source=said.source)


def _decision(admission: Admission, before: Fact | None, after: Fact | None) -> MemoryDecision:
    touched = after or before
    return MemoryDecision(
        kind="fact",
        action=admission.action,
        reason=admission.reason,
        memory_id=touched.id if touched else None,
        scores=admission.scores,
        thresholds=admission.thresholds,
        before=before.model_dump(mode="json") if after and before else None,
        after=after.model_dump(mode="json") if after else None,
    )
