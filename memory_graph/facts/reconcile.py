"""Decide what becomes of each new statement beside what is known: one table, no I/O.

| a new statement | likeness ≥ `auto` | ≥ `low` | below |
|---|---|---|---|
| has the key of a known one | update | update | update |
| names a known one | update or end | update or end | if entity or key agree, else beside |
| names none | update, or said again | new, or as a judge says | new |

What a person corrected by hand changes only by a statement that names it. What is to come stands
beside what it will replace until its day.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from memory_graph.facts.timeline import (
    already_said,
    is_over,
    is_pending_retraction,
    said_at,
    states_the_same,
)
from memory_graph.keys import fact_key, normalise
from memory_graph.language.likeness import gist_of
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Action, Claim, Fact, FactCandidate, Named, Source

Change = Literal["key_match", "same_fact_confirmed", "similar_fact"]
"""A known fact that a statement changes: by its key, by name or a judge, by likeness alone."""

Refusal = Literal["replaces_unrelated", "changed_meanwhile", "kept_by_hand"]
"""A known fact that a statement would change, and does not."""

ReconcileReason = (
    Change
    | Refusal
    | Literal[
        "new_fact",
        "exact_duplicate",
        "already_applied",
        "superseded",
        "will_be_superseded",
        "retracted_by_user",
        "nothing_to_retract",
    ]
)


@dataclass(frozen=True, kw_only=True)
class Utterance:
    """Who said the statements, when, and who read them out of the text."""

    at: datetime
    source: Source
    extractor: str
    is_late: bool = False
    """It is made up for: others may have been said since, and were kept before it."""

    @property
    def message_id(self) -> str:
        """The message that made the statements."""
        return self.source.message_ids[-1] if self.source.message_ids else ""


@dataclass(frozen=True, kw_only=True)
class Known:
    """The known facts that statements are compared with, over or not."""

    facts: Mapping[str, Fact] = field(default_factory=dict)
    likeness: Sequence[Mapping[str, float]] = ()
    """For each statement: how alike known facts are to it (0–1, calibrated), by id."""

    same: Collection[tuple[int, str]] = ()
    """Which statement, by its place, is which known fact in other words, as a judge says."""

    is_shown: bool = False
    """The reader was shown what is known, so that it names what changes: likeness ends nothing."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What to do with one statement, or one ending, and why."""

    action: Action
    reason: ReconcileReason
    candidate: FactCandidate | None = None
    key: str | None = None
    """The key it is filed under; none where that is taken, guarded, or what it states to come."""

    target: Fact | None = None
    """The known fact in whose line it goes on."""

    ends: tuple[Fact, ...] = ()
    """Other known facts that it makes past: now, or on the day from which it holds."""

    scores: dict[str, float] = field(default_factory=dict)
    thresholds: dict[str, float] = field(default_factory=dict)


def reconcile(
    known: Known,
    stated: Sequence[FactCandidate],
    ended: Sequence[Named],
    said: Utterance,
    policy: AdmissionPolicy,
) -> list[Verdict]:
    """Decide every statement of a message in its order, then what it says is over.

    A known fact is changed by the first statement that replaces it; what else of the same message
    replaces it stands beside.
    """
    taken: set[str] = set()
    verdicts: list[Verdict] = []
    for place, candidate in enumerate(stated):
        alike = known.likeness[place] if known.likeness else {}
        bands = policy.thresholds(candidate.category)
        row = _Row(candidate, place, alike, bands, known, said, frozenset(taken))
        verdict = row.decide()
        best = alike.get(verdict.target.id) if verdict.target else max(alike.values(), default=None)
        if best is not None and verdict.key is None:
            scores = {"similarity": round(best, 3)}
            verdict = replace(verdict, scores=scores, thresholds=bands)
        verdicts.append(verdict)
        if not candidate.retracts:
            taken |= {each.id for each in (verdict.target, *verdict.ends) if each}
            taken |= {verdict.key} if verdict.key else set()
    over = {each.id: each for each in ended if each.id not in taken}
    return [*verdicts, *(_ending(known.facts.get(each), over[each], said) for each in over)]


@dataclass(frozen=True)
class _Row:
    """One statement beside everything that is known: a row of the table."""

    candidate: FactCandidate
    place: int
    alike: Mapping[str, float]
    bands: dict[str, float]
    known: Known
    said: Utterance
    taken: frozenset[str]

    def decide(self) -> Verdict:
        """Say whether the statement ends, repeats or changes something, or is new."""
        candidate = self.candidate
        if candidate.retracts:
            return self._retraction()
        found = {
            fact.id: relation
            for fact in self.known.facts.values()
            if not is_over(fact, self.said.at) and fact.id not in self.taken
            if (relation := self._relation(fact))
        }
        changes = {i: why for i, why in found.items() if why in _CHANGES}
        key = self._key(found)
        home = self._home(key, [self.known.facts[each] for each in changes])
        ends = tuple(self.known.facts[each] for each in changes if home is None or each != home.id)
        if home is None and not ends and "exact_duplicate" in found.values():
            again = next(i for i, why in found.items() if why == "exact_duplicate")
            return self._verdict("verify", "exact_duplicate", self.known.facts[again])
        if home is None or is_pending_retraction(home):
            refused = [why for why in found.values() if why in _REFUSALS]
            reason = "superseded" if ends else refused[0] if refused else "new_fact"
            return replace(self._verdict("create", reason, home, ends), key=key)
        if already_said(home, self.said.message_id, candidate):
            return self._verdict("skip", "already_applied", home)
        if states_the_same(home, candidate) and not is_over(home, self.said.at):
            if not self._says_better(home):
                return self._verdict("verify", "exact_duplicate", home, ends)
            candidate = candidate.model_copy(update={"value": None})  # it is not what changed
        why = changes.get(home.id, "key_match")
        verdict = self._verdict("update", why, home, ends)
        return replace(verdict, key=key, candidate=candidate)

    def _says_better(self, fact: Fact) -> bool:
        """Say whether the statement is to take the place of a known one with the same value."""
        is_named = any(each.id == fact.id for each in self.candidate.replaces)
        return is_named and fact.statement != self.candidate.statement

    def _relation(self, fact: Fact) -> ReconcileReason | None:
        """Say what the statement does to a known fact that is not over; nothing for most."""
        candidate, likeness = self.candidate, self.alike.get(fact.id, 0.0)
        has_key = _key_of(fact) == _key_of(candidate) is not None
        named = next((each for each in candidate.replaces if each.id == fact.id), None)
        if named is not None:
            is_newer = self.said.is_late and said_at(fact) > self.said.at
            is_near = has_key or likeness >= self.bands["low"]
            if is_newer or (named.revision != fact.updated_at and not is_near):
                return "changed_meanwhile"
            is_meant = is_near or same_entity(fact, candidate)
            return "same_fact_confirmed" if is_meant else "replaces_unrelated"
        if has_key and fact.valid_from <= self.said.at:
            return "kept_by_hand" if fact.by_hand and self.known.is_shown else "key_match"
        are_keyed = _key_of(fact) is not None and _key_of(candidate) is not None
        if are_keyed or fact.speaker != candidate.speaker or not same_entity(fact, candidate):
            return None
        if likeness >= self.bands["auto"] and says_the_same(fact.statement, candidate.statement):
            return "exact_duplicate"
        if self.known.is_shown or fact.by_hand:
            return None
        if likeness >= self.bands["auto"] and names_the_same(fact.statement, candidate.statement):
            return "similar_fact"
        return "same_fact_confirmed" if (self.place, fact.id) in self.known.same else None

    def _key(self, found: Mapping[str, ReconcileReason]) -> str | None:
        """Return the key that the statement may have."""
        key = _key_of(self.candidate)
        is_guarded = "kept_by_hand" in found.values()
        is_taken = self.known.is_shown and key in self.taken
        is_free = not (is_taken or is_guarded or self.candidate.starts)
        return key if is_free else None

    def _home(self, key: str | None, changed: Sequence[Fact]) -> Fact | None:
        """Return the fact in whose line the statement goes on: its key's, else one it changes.

        What is to come goes on only from what was to come, too.
        """
        if key is not None:
            return self.known.facts.get(key)
        is_plan = self.candidate.starts is not None
        fits = (each for each in changed if not is_plan or each.valid_from > self.said.at)
        return next(fits, None)

    def _retraction(self) -> Verdict:
        """Decide a statement that ends what has its key, if that has the value it names."""
        key = _key_of(self.candidate)
        fact = self.known.facts.get(key or "")
        is_other = self.candidate.value and fact and not states_the_same(fact, self.candidate)
        reason: ReconcileReason = "retracted_by_user"
        if fact is None or is_over(fact, self.said.at) or is_other:
            reason = "nothing_to_retract"
        if fact is not None and already_said(fact, self.said.message_id, self.candidate):
            reason = "already_applied"
        action: Action = "retract" if reason == "retracted_by_user" else "skip"
        return replace(self._verdict(action, reason, fact), key=key)

    def _verdict(
        self,
        action: Action,
        reason: ReconcileReason,
        target: Fact | None,
        ends: tuple[Fact, ...] = (),
    ) -> Verdict:
        return Verdict(
            action=action, reason=reason, candidate=self.candidate, target=target, ends=ends
        )


_CHANGES: tuple[Change, ...] = ("key_match", "same_fact_confirmed", "similar_fact")
_REFUSALS: tuple[Refusal, ...] = ("replaces_unrelated", "changed_meanwhile", "kept_by_hand")


def _ending(fact: Fact | None, named: Named, said: Utterance) -> Verdict:
    """Decide about a known fact of which a message says that it is over."""
    if fact is None or is_over(fact, said.at):
        return Verdict(action="skip", reason="nothing_to_retract", target=fact)
    is_newer = said.is_late and said_at(fact) > said.at
    if is_newer or named.revision != fact.updated_at:
        return Verdict(action="skip", reason="changed_meanwhile", target=fact)
    return Verdict(action="retract", reason="retracted_by_user", target=fact)


def _key_of(claim: Claim) -> str | None:
    known = claim.key if isinstance(claim, Fact | FactCandidate) else None
    return known or fact_key(claim)


def same_entity(one: Claim, other: Claim) -> bool:
    """Say whether two statements are about the same, or one names whom the other is about."""
    ours, theirs = normalise(one.entity), normalise(other.entity)
    return (
        ours == theirs
        or (bool(ours) and ours in normalise(other.statement).split("-"))
        or (bool(theirs) and theirs in normalise(one.statement).split("-"))
    )


def says_the_same(one: str, other: str) -> bool:
    """Say whether names, numbers, dates and negation of two statements agree."""
    ours, theirs = gist_of(one), gist_of(other)
    return names_the_same(one, other) and (
        (ours.numbers, ours.dates, ours.negated) == (theirs.numbers, theirs.dates, theirs.negated)
    )


def names_the_same(one: str, other: str) -> bool:
    """Say whether two statements name the same people and things."""
    return gist_of(one).names == gist_of(other).names
