"""Decide whether a candidate is a new fact, changes a known one, or is refused."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from memory_graph.facts.timeline import already_said, is_pending_retraction, states_the_same
from memory_graph.keys import fact_key
from memory_graph.language.likeness import shares_name_or_number
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Action, Fact, FactCandidate, Source
from memory_graph.safety.own_voice import is_instruction
from memory_graph.safety.secrets import holds_secret, stated

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


@dataclass(frozen=True, kw_only=True)
class Utterance:
    """Who said the candidates, when, and who read them out of the text."""

    at: datetime
    source: Source
    extractor: str
    is_late: bool = False
    """It is made up for: others may have been said since, and were kept before it."""

    before: tuple[str, ...] = ()
    """The user's messages before it in its thread, the latest first."""

    judged: frozenset[str] = frozenset()
    """The known facts of which whoever read it said whether something new replaces them."""

    @property
    def message_id(self) -> str:
        """The message that made the claims."""
        return self.source.message_ids[-1] if self.source.message_ids else ""


@dataclass(frozen=True)
class Related:
    """A known fact, and what the candidate does to it."""

    fact: Fact
    relation: Literal["replaces", "ends", "same"]
    probability: float


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Everything `decide_admission` may look at."""

    candidate: FactCandidate
    message_id: str
    keyed: Fact | None = None  # the fact under the candidate's own key
    neighbours: Sequence[tuple[Fact, float]] = ()
    """Known facts, and how similar they are to the candidate (0–1, calibrated)."""

    related: Sequence[Related] = ()
    """What the candidate does to facts in the user's own words, or being one, to any fact."""

    same_fact: bool | None = None
    """What the model said of the closest neighbour; `None` before it was asked."""

    @property
    def made_past(self) -> list[Related]:
        """What the candidate replaces or ends."""
        return [each for each in self.related if each.relation != "same"]


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
    about a known fact, and left to capture otherwise. What a model says is replaced is, unless
    keys tell the two apart; of the user's own words a part may stay.
    """
    candidate = evidence.candidate
    if refusal := refusal_of(candidate, policy):
        return Admission(action="skip", reason=refusal)
    if evidence.keyed is not None:
        return _against(evidence, evidence.keyed, "key_match")
    if candidate.own_words:
        return _in_own_words(evidence)
    named = [each.fact for each in evidence.made_past if each.fact.id == candidate.replaces]
    if not named or (named[0].key and fact_key(candidate)):
        return _by_likeness(evidence, policy)
    if named[0].own_words:
        return Admission(action="update", reason="supersedes", target=named[0])
    return _against(evidence, named[0], "same_fact_confirmed")


def refusal_of(candidate: FactCandidate, policy: AdmissionPolicy) -> AdmissionReason | None:
    """Say why a candidate is nothing to keep, whatever is known."""
    told = stated(candidate)
    if holds_secret(told, policy.sensitive):
        return "sensitive"
    return "instruction" if is_instruction(told) else None


def _in_own_words(evidence: Evidence) -> Admission:
    """Decide a statement in the user's own words by what it does to known facts."""
    past = evidence.made_past
    if evidence.candidate.retracts:
        if not past:
            return Admission(action="skip", reason="nothing_to_retract")
        return Admission(action="retract", reason="retracted_by_user", target=past[0].fact)
    if not past and evidence.candidate.kind == "episodic":
        return Admission(action="skip", reason="deferred_to_capture")
    if not evidence.related:
        return Admission(action="create", reason="new_fact")
    best = max(past or evidence.related, key=lambda each: each.probability)
    scores = {"probability": round(best.probability, 3)}
    if past:
        return Admission(action="update", reason="supersedes", target=best.fact, scores=scores)
    return Admission(action="verify", reason="said_again", target=best.fact, scores=scores)


def _by_likeness(evidence: Evidence, policy: AdmissionPolicy) -> Admission:
    """Decide by how similar the nearest fact is that could be the same one."""
    candidate = evidence.candidate
    thresholds = policy.thresholds(candidate.category)
    comparable = [each for each in evidence.neighbours if _may_be_same(candidate, each[0])]
    fact, similarity = max(comparable, key=lambda each: each[1], default=(None, 0.0))
    if fact is None or _is_apart(candidate, fact, similarity, thresholds):
        is_event = candidate.kind == "episodic"
        deferred = Admission(action="skip", reason="deferred_to_capture")
        found = deferred if is_event else _without_match(candidate)
    elif similarity >= thresholds["auto"]:
        found = _against(evidence, fact, "similar_fact")
    elif evidence.same_fact is None:
        found = Admission(action="skip", reason="ambiguous", target=fact)
    elif evidence.same_fact:
        found = _against(evidence, fact, "same_fact_confirmed")
    else:
        found = _without_match(candidate)
    scores = {"similarity": round(similarity, 3)} if fact else {}
    return replace(found, scores=scores, thresholds=thresholds)


def _may_be_same(candidate: FactCandidate, known: Fact) -> bool:
    """Say whether two statements could be one fact at all, whatever their wording."""
    if known.speaker != candidate.speaker or known.valid_to is not None:
        return False
    both_keyed = known.key is not None and fact_key(candidate) is not None
    same_entity = candidate.entity.casefold().strip() == known.entity.casefold().strip()
    return same_entity and not both_keyed


def _is_apart(
    candidate: FactCandidate, known: Fact, similarity: float, thresholds: dict[str, float]
) -> bool:
    """Say whether a fact is surely another; low down, a name or number in common leaves doubt."""
    if similarity >= max(thresholds["low"], thresholds["floor"]):
        return False
    is_near = similarity >= thresholds["floor"] and candidate.category == known.category
    return not (is_near and shares_name_or_number(candidate.statement, known.statement))


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
