"""Is a candidate fact new, a change of a known fact, or nothing to keep?"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from memory_graph.policy.fields import NamedNumbers, Policy, read_names
from memory_graph.policy.instructions import is_instruction
from memory_graph.policy.keys import fact_key
from memory_graph.policy.resemblance import shares_name_or_number
from memory_graph.policy.secrets import SECRET_KINDS, SecretKind, holds_secret
from memory_graph.policy.timeline import already_said, never_held, states_the_same
from memory_graph.records import Action, Fact, FactCandidate

AdmissionReason = Literal[
    "new_fact",
    "key_match",
    "similar_fact",
    "same_fact_confirmed",
    "exact_duplicate",
    "retracted_by_user",
    "nothing_to_retract",
    "already_applied",
    "deferred_to_capture",
    "sensitive",
    "instruction",
    "ambiguous",
]


class AdmissionPolicy(Policy):
    """When a statement updates a known fact instead of adding one."""

    auto: float = Field(default=0.92, ge=0, le=1, json_schema_extra={"env": "MEMORY_SEM_AUTO"})
    """At or above this similarity (0–1, calibrated) two statements are the same fact.
    Kept by `memory-graph tune --what auto`: `evals/tuning/auto.md`.
    """

    low: float = Field(default=0.70, ge=0, le=1, json_schema_extra={"env": "MEMORY_SEM_LOW"})
    """From here up to `auto`, the model is asked whether they are the same fact.
    Kept by `memory-graph tune --what low`: `evals/tuning/low.md`.
    """

    floor: float = Field(default=0.5, ge=0, le=1, json_schema_extra={"env": "MEMORY_SEM_FLOOR"})
    """From here up to `low` it is asked too, if category and a name or number are the same.
    Kept by `memory-graph tune --what floor`: `evals/tuning/floor.md`.
    """

    auto_by_category: NamedNumbers = Field(
        default={}, json_schema_extra={"env": "MEMORY_SEM_AUTO_BY_CATEGORY"}
    )
    """Overrides of `auto`, for example `health=0.95,preference=0.9`."""

    low_by_category: NamedNumbers = Field(
        default={}, json_schema_extra={"env": "MEMORY_SEM_LOW_BY_CATEGORY"}
    )
    """Overrides of `low`."""

    window: int = Field(default=3, ge=1, le=20)
    """How many of the last user turns are read, so that "she" finds its name.
    A limit: each turn more is read again in every prompt.
    """

    max_facts: int = Field(default=12, ge=1, le=50)
    """At most this many facts from one turn; the most important are kept.
    A limit: it bounds what one message can write.
    """

    neighbours: int = Field(default=5, ge=1, le=50)
    """How many similar facts a candidate without a key is compared with.
    A limit: each one more is looked at for every candidate.
    """

    max_per_category: int = Field(default=500, ge=1)
    """Facts kept of one category; past it the oldest that is not pinned is archived.
    A limit: it bounds one user's part of the store.
    """

    sensitive: Annotated[tuple[SecretKind, ...], BeforeValidator(read_names)] = SECRET_KINDS
    """What is never kept, nor shown to the model that reads facts."""

    def thresholds(self, category: str) -> dict[str, float]:
        """Return the bands that apply to one category of facts."""
        return {
            "auto": self.auto_by_category.get(category, self.auto),
            "low": self.low_by_category.get(category, self.low),
            "floor": self.floor,
        }


@dataclass(frozen=True)
class Neighbour:
    """A known fact, and how similar it is to the candidate (0–1, calibrated)."""

    fact: Fact
    similarity: float


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Everything `decide_admission` may look at."""

    candidate: FactCandidate
    message_id: str
    keyed: Fact | None = None
    """The fact under the candidate's own key."""

    neighbours: Sequence[Neighbour] = ()
    same_fact: bool | None = None
    """What the model said of the closest neighbour; `None` before it was asked."""


@dataclass(frozen=True, kw_only=True)
class Admission:
    """What to do with a candidate, and why.

    A retraction that ends nothing is skipped, and yet added to the line of its fact.
    """

    action: Action
    reason: AdmissionReason
    target: Fact | None = None
    scores: dict[str, float] = field(default_factory=dict)
    thresholds: dict[str, float] = field(default_factory=dict)


def decide_admission(evidence: Evidence, policy: AdmissionPolicy) -> Admission:
    """Decide one candidate; `ambiguous` means: ask whether it is the same fact, then again.

    The newer statement wins, however short. Facts of different event dates never meet.
    """
    candidate = evidence.candidate
    if refusal := refusal_of(candidate, policy):
        return Admission(action="skip", reason=refusal)
    if evidence.keyed is not None:
        return _against(evidence, evidence.keyed, "key_match")
    thresholds = policy.thresholds(candidate.category)
    nearest = _nearest(evidence)
    band = _band(candidate, nearest, thresholds)
    if nearest is None or band == "apart":
        found = _without_match(candidate)
    elif band == "same":
        found = _against(evidence, nearest.fact, "similar_fact")
    elif evidence.same_fact is None:
        found = Admission(action="skip", reason="ambiguous", target=nearest.fact)
    elif evidence.same_fact:
        found = _against(evidence, nearest.fact, "same_fact_confirmed")
    else:
        found = _without_match(candidate)
    scores = {"similarity": round(nearest.similarity, 3)} if nearest else {}
    return replace(found, scores=scores, thresholds=thresholds)


def refusal_of(candidate: FactCandidate, policy: AdmissionPolicy) -> AdmissionReason | None:
    """Say why a candidate is nothing to keep, whatever is known."""
    if candidate.kind == "episodic":
        return "deferred_to_capture"
    told = f"{candidate.statement}\n{candidate.value or ''}"
    if holds_secret(told, policy.sensitive):
        return "sensitive"
    return "instruction" if is_instruction(told) else None


def _band(
    candidate: FactCandidate, nearest: Neighbour | None, thresholds: dict[str, float]
) -> Literal["same", "unsure", "apart"]:
    """Say what similarity alone tells; low down, it needs a name or number in common."""
    if nearest is None or nearest.similarity < thresholds["floor"]:
        return "apart"
    if nearest.similarity >= thresholds["auto"]:
        return "same"
    if nearest.similarity >= thresholds["low"]:
        return "unsure"
    alike = candidate.category == nearest.fact.category and shares_name_or_number(
        candidate.statement, nearest.fact.statement
    )
    return "unsure" if alike else "apart"


def _against(evidence: Evidence, known: Fact, reason: AdmissionReason) -> Admission:
    candidate = evidence.candidate
    if already_said(known, evidence.message_id, candidate):
        return Admission(action="skip", reason="already_applied", target=known)
    if candidate.retracts:
        names_another = candidate.value and not states_the_same(known, candidate)
        if known.valid_to is not None or names_another:
            return Admission(action="skip", reason="nothing_to_retract", target=known)
        return Admission(action="retract", reason="retracted_by_user", target=known)
    if never_held(known):
        return Admission(action="create", reason="new_fact", target=known)
    if known.valid_to is None and states_the_same(known, candidate):
        return Admission(action="verify", reason="exact_duplicate", target=known)
    return Admission(action="update", reason=reason, target=known)


def _without_match(candidate: FactCandidate) -> Admission:
    if candidate.retracts:
        return Admission(action="skip", reason="nothing_to_retract")
    return Admission(action="create", reason="new_fact")


def _nearest(evidence: Evidence) -> Neighbour | None:
    comparable = (n for n in evidence.neighbours if _may_be_same(evidence.candidate, n.fact))
    return max(comparable, key=lambda n: n.similarity, default=None)


def _may_be_same(candidate: FactCandidate, known: Fact) -> bool:
    """Say whether two statements could be one fact at all, whatever their wording."""
    if known.speaker != candidate.speaker or known.valid_to is not None:
        return False
    if known.event_date != candidate.event_date:
        return False
    both_keyed = known.key is not None and fact_key(candidate) is not None
    return not both_keyed and _same_entity(candidate.entity, known.entity)


def _same_entity(one: str, other: str) -> bool:
    return one.casefold().strip() == other.casefold().strip()
