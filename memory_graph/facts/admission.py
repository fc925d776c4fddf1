"""Decide whether a candidate is a new fact, changes a known one, or is refused."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from memory_graph.facts.timeline import already_said, is_pending_retraction, states_the_same
from memory_graph.keys import fact_key
from memory_graph.language.likeness import shares_name_or_number
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Action, Fact, FactCandidate
from memory_graph.safety.own_voice import is_instruction
from memory_graph.safety.secrets import holds_secret

AdmissionReason = Literal[
    "new_fact",
    "key_match",
    "similar_fact",
    "same_fact_confirmed",
    "supersedes",
    "superseded",
    "said_again",
    "exact_duplicate",
    "retracted_by_user",
    "nothing_to_retract",
    "already_applied",
    "deferred_to_capture",
    "sensitive",
    "instruction",
    "ambiguous",
]


REFUSALS: dict[str, str] = {
    "sensitive": "That is a secret (a password, a key, a card number), and secrets are not kept.",
    "instruction": "That is an instruction or a permission, not a fact about the user.",
    "not_said": "The user has not said that, and only what they said is remembered.",
    "deferred_to_capture": "That is something that happened; it is kept as an episode by itself.",
}
"""Why a statement is not kept as a fact, as whoever wanted it kept is told."""


@dataclass(frozen=True)
class Neighbour:
    """A known fact, and how similar it is to the candidate (0–1, calibrated)."""

    fact: Fact
    similarity: float


@dataclass(frozen=True)
class Related:
    """A known fact, and what the candidate does to it."""

    fact: Fact
    relation: Literal["replaces", "ends", "same", "apart"]
    probability: float


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Everything `decide_admission` may look at."""

    candidate: FactCandidate
    message_id: str
    keyed: Fact | None = None
    """The fact under the candidate's own key."""

    neighbours: Sequence[Neighbour] = ()
    related: Sequence[Related] = ()
    """What the candidate does to facts in the user's own words, or being one, to any fact."""

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

    The newer statement wins, however short. Something called episodic is an update if it is
    about a known fact, and left to capture otherwise.
    """
    candidate = evidence.candidate
    if refusal := refusal_of(candidate, policy):
        return Admission(action="skip", reason=refusal)
    if evidence.keyed is not None:
        return _against(evidence, evidence.keyed, "key_match")
    if candidate.own_words:
        return _in_own_words(evidence)
    if (named := _named(evidence)) is not None:
        return _of_named(evidence, named)
    return _by_likeness(evidence, policy)


def _by_likeness(evidence: Evidence, policy: AdmissionPolicy) -> Admission:
    candidate = evidence.candidate
    thresholds = policy.thresholds(candidate.category)
    nearest = _nearest(evidence)
    band = _band(candidate, nearest, thresholds)
    if nearest is None or band == "apart":
        is_event = candidate.kind == "episodic"
        deferred = Admission(action="skip", reason="deferred_to_capture")
        found = deferred if is_event else _without_match(candidate)
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
    told = f"{candidate.statement}\n{candidate.value or ''}"
    if holds_secret(told, policy.sensitive):
        return "sensitive"
    return "instruction" if is_instruction(told) else None


def superseded_by(evidence: Evidence, admission: Admission) -> list[Fact]:
    """Return what else a candidate makes past, beside the fact it changes."""
    if admission.action not in {"create", "update", "retract"}:
        return []
    target = admission.target.id if admission.target else None
    return [each.fact for each in _made_past(evidence) if each.fact.id != target]


def _in_own_words(evidence: Evidence) -> Admission:
    """Decide a statement in the user's own words by what it does to known facts."""
    past = _made_past(evidence)
    if evidence.candidate.retracts:
        if not past:
            return Admission(action="skip", reason="nothing_to_retract")
        return Admission(action="retract", reason="retracted_by_user", target=past[0].fact)
    again = [each for each in evidence.related if each.relation == "same"]
    if not past and evidence.candidate.kind == "episodic":
        return Admission(action="skip", reason="deferred_to_capture")
    if not past and not again:
        return Admission(action="create", reason="new_fact")
    best = max(past or again, key=lambda each: each.probability)
    scores = {"probability": round(best.probability, 3)}
    if past:
        return Admission(action="update", reason="supersedes", target=best.fact, scores=scores)
    return Admission(action="verify", reason="said_again", target=best.fact, scores=scores)


def _named(evidence: Evidence) -> Fact | None:
    """Return the fact that a model said is replaced, unless keys tell the two apart."""
    candidate = evidence.candidate
    named = (each.fact for each in _made_past(evidence) if each.fact.id == candidate.replaces)
    return next((fact for fact in named if not (fact.key and fact_key(candidate))), None)


def _of_named(evidence: Evidence, known: Fact) -> Admission:
    """Decide what a model says replaces a known fact; of the user's own words a part may stay."""
    if known.own_words:
        return Admission(action="update", reason="supersedes", target=known)
    return _against(evidence, known, "same_fact_confirmed")


def _made_past(evidence: Evidence) -> list[Related]:
    return [each for each in evidence.related if each.relation in {"replaces", "ends"}]


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
        is_named = known.id == candidate.replaces
        names_another = candidate.value and not (is_named or states_the_same(known, candidate))
        if known.valid_to is not None or names_another:
            return Admission(action="skip", reason="nothing_to_retract", target=known)
        return Admission(action="retract", reason="retracted_by_user", target=known)
    if is_pending_retraction(known):
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
    both_keyed = known.key is not None and fact_key(candidate) is not None
    return not both_keyed and _same_entity(candidate.entity, known.entity)


def _same_entity(one: str, other: str) -> bool:
    return one.casefold().strip() == other.casefold().strip()


def choose_evictions(
    current: Iterable[Fact], *, just_told: Collection[str], most: int
) -> tuple[Fact, ...]:
    """Return the facts past `most` of a category, the longest unheard of first.

    Pinned facts stay, and so do those with an id in `just_told`.
    """
    by_category: dict[str, list[Fact]] = {}
    for fact in current:
        by_category.setdefault(fact.category, []).append(fact)
    evicted: list[Fact] = []
    for facts in by_category.values():
        may_go = [fact for fact in facts if not fact.pinned and fact.id not in just_told]
        may_go.sort(key=lambda fact: (fact.last_verified_at, fact.id))
        evicted += may_go[: max(len(facts) - most, 0)]
    return tuple(evicted)
