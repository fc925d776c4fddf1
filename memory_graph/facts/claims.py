"""Decide which known facts a model's answer may change: those that the user's words bear on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from memory_graph.embedding import load_embedder
from memory_graph.facts.timeline import in_full, states_the_same
from memory_graph.keys import fact_key
from memory_graph.language import supersession
from memory_graph.language.sentences import to_forget
from memory_graph.reading import EMBEDDER, Reading
from memory_graph.records import Fact, FactCandidate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from memory_graph.store.collection import Near
    from memory_graph.store.scope import UserMemory

BEARS = 0.2
"""How likely the user's words must make a fact past that a model says they replace. Of the changes
in conversations of many hands 82 of 100 pass, of the four nearest facts that stay 5 of 100:
`python -m evals.tuning.supersession.report` prints both for every bar.
"""

BEARS_ON_KEY = 0.05
"""The same where both are about the same attribute of the same thing: 94 and 12 of 100."""

ClaimReason = Literal["changes_nothing", "bears_on_it", "replaces_unrelated"]

_COMPARED = 12
"""Known facts among which one is judged, as a statement of the user's own is. A limit."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A model's fact, and what it would change."""

    candidate: FactCandidate
    named: Fact | None = None
    """The known fact that it replaces or ends, as the model says."""

    taken: Fact | None = None
    """The known fact under its key, if that has another value or is to end."""

    is_new: bool = False
    """The model says that it replaces none of those that it was shown."""

    past: Mapping[str, float] = field(default_factory=dict)
    """How likely the user's words make known facts past, by id."""

    def bears_on(self, fact: Fact) -> bool:
        """Say whether the user's words bear on a fact; another key is about something else."""
        key = fact_key(self.candidate)
        if fact.key and key:
            return fact.key == key and self.past.get(fact.id, 0.0) >= BEARS_ON_KEY
        return self.past.get(fact.id, 0.0) >= BEARS


def decide_claim(claim: Claim) -> tuple[FactCandidate | None, ClaimReason]:
    """Return a model's fact with what it may change, or nothing if it only ends what it may not.

    What a model says a fact replaces is evidence. Where it says that a fact is new and yet files
    it under a key that is taken, or may not change that, the fact stays without a key. So does one
    that ends what the user told in words of their own, where more may stand.
    """
    candidate, taken = claim.candidate, claim.taken
    named = claim.named if claim.named and claim.bears_on(claim.named) else None
    may_end = taken is not None and claim.bears_on(taken)
    is_refused = named is not claim.named or (taken is not None and not may_end)
    touches = claim.named is not None or taken is not None
    reason: ClaimReason = "bears_on_it" if touches else "changes_nothing"
    if is_refused:
        reason = "replaces_unrelated"
    if candidate.retracts and named is None and is_refused:
        return None, reason
    update: dict[str, object] = {"replaces": named.id if named else None}
    plain = {"attribute": None, "value": None}
    if candidate.retracts:
        update |= {**plain, "retracts": False} if named and named.own_words else {}
    elif taken is not None and (claim.is_new or not may_end):
        update |= {**plain, "statement": candidate.words or candidate.statement}
    return candidate.model_copy(update=update), reason


async def settle(
    facts: Sequence[FactCandidate],
    reading: Reading,
    shown: Sequence[Fact],
    memory: "UserMemory | None",
) -> tuple[list[FactCandidate], int]:
    """Return a model's facts with what they may change, and how many claims were not followed.

    Each is judged by the sentence of the user that it quotes, beside the facts that are nearest.
    """
    keys = [key for each in facts if (key := fact_key(each))]
    held = await memory.facts.find(keys) if memory and keys else {}
    known = [*shown, *(each for each in held.values() if each.valid_to is None)]
    claims = [_claim(each, shown, known) for each in facts]
    touched = {one.id: one for each in claims for one in (each.named, each.taken) if one}
    said = [_sentence(each, reading) for each in facts]
    past = await _bearings(said, touched, reading, memory) if memory and touched else {}
    decided = [
        decide_claim(replace(claim, past=past.get(sentence, {})))
        for claim, sentence in zip(claims, said, strict=True)
    ]
    refused = sum(reason == "replaces_unrelated" for _, reason in decided)
    return [each for each, _ in decided if each], refused


def _claim(fact: FactCandidate, shown: Sequence[Fact], known: Sequence[Fact]) -> Claim:
    """Return what a fact would change, with the known ones as the model numbers them."""
    named = {str(number): each for number, each in enumerate(shown, 1)}.get(fact.replaces or "")
    taken = {each.key: each for each in known if each.key}.get(fact_key(fact) or "")
    if taken is not None and not fact.retracts and states_the_same(taken, fact):
        taken = None
    return Claim(candidate=fact, named=named, taken=taken, is_new=fact.replaces == "0")


def _sentence(fact: FactCandidate, reading: Reading) -> str:
    """Return the sentence of a message that a fact quotes; the message where it quotes freely."""
    quoted = [each for each in reading.sentences if fact.words and fact.words in each]
    return quoted[0] if quoted else reading.text


async def _bearings(
    said: Sequence[str], touched: Mapping[str, Fact], reading: Reading, memory: "UserMemory"
) -> dict[str, dict[str, float]]:
    """Return how likely each sentence makes each known fact past, by id."""
    near = await memory.facts.near(reading.text, _COMPARED)
    current = {each.record.id: each.record for each in near if each.record.valid_to is None}
    facts = [*(current | dict(touched)).values()]
    olds = [
        supersession.Utterance(in_full(fact), vector)
        for fact, vector in zip(facts, await vectors_of(facts, near, memory), strict=True)
    ]
    texts = [*dict.fromkeys(said)]
    beside = await strangers(len(olds))
    found: dict[str, dict[str, float]] = {}
    for text, vector in zip(texts, await load_embedder(EMBEDDER).embed(texts), strict=True):
        relations = supersession.judge_all([*olds, *beside], supersession.Utterance(text, vector))
        is_all = to_forget(text) is not None
        pairs = zip(facts, relations, strict=False)
        found[text] = {fact.id: 1.0 if is_all else relation.past for fact, relation in pairs}
    return found


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
    if known >= supersession.FEW:
        return ()
    if not _BESIDE:
        vectors = await load_embedder(EMBEDDER).embed(supersession.STRANGERS)
        pairs = zip(supersession.STRANGERS, vectors, strict=True)
        _BESIDE[:] = [supersession.Utterance(text, vector) for text, vector in pairs]
    return _BESIDE


_BESIDE: "list[supersession.Utterance]" = []
