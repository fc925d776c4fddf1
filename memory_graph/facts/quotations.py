"""What the trained judge says: which quotation a newer one makes outdated, and what is one fact."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_graph.embedding import load_embedder
from memory_graph.facts.reading import Message
from memory_graph.facts.reconcile import same_entity
from memory_graph.keys import turn_record_id
from memory_graph.language.requests import to_forget
from memory_graph.language.sentences import split_sentences, supposes
from memory_graph.language.words import language_of, words_of
from memory_graph.policies import AdmissionPolicy
from memory_graph.reading import EMBEDDER, Reading, read_message
from memory_graph.records import Fact, FactCandidate, Source, TurnRecord
from memory_graph.safety.own_voice import own_voice
from memory_graph.store.scope import UserMemory

if TYPE_CHECKING:
    from memory_graph.language import supersession

_CORRECTS, _CORRECTED = 0.5, 0.4
"""What surely corrects something corrects the likeliest quotation, if that is likely enough.
With the judge's threshold a precision of .79 at a recall of .63 in conversations of many hands:
`python -m evals.tuning.supersession.report`.
"""

_MAY_CHANGE = 0.2
"""How much a sentence must be worth to make an older one outdated."""

_REPEATED = 0.8
"""Share of a statement's words that an older one has, if it only repeats that."""

_NEAREST, _SENTENCES = 12, 6
"""Older messages, and sentences of each message, that are compared. A limit: bounds time."""


async def outdated_by(memory: UserMemory, message: Message, source: Source) -> list[TurnRecord]:
    """Return the user's older messages that a new one makes outdated, marked as that."""
    reading = await read_message(own_voice(message.text))
    places = [n for n, _ in enumerate(reading.sentences) if _may_change(reading, n)][:_SENTENCES]
    if not places:
        return []
    near = await memory.turns.near(reading.text, _NEAREST)
    older = [each.record for each in near if _is_older(each.record, message)]
    gone = await _made_past(older, reading, places)
    mark = {"outdated_at": message.at, "outdated_by": turn_record_id(source, "user")}
    return [each.model_copy(update=mark) for each in older if each.id in gone]


def _is_older(turn: TurnRecord, message: Message) -> bool:
    is_own = message.message_id in turn.source.message_ids
    is_said = turn.role == "user" and not (turn.echoes or turn.withdrawn or turn.outdated_at)
    return is_said and not is_own and turn.said_at <= message.at


def _may_change(reading: Reading, place: int) -> bool:
    """Say whether a sentence states something that may be otherwise than was said before."""
    sentence, heads = reading.sentences[place], reading.heads[place]
    worth = (heads.durable + 0.5 * (heads.outcome + heads.corrects)) * (1 - 0.7 * heads.small)
    asks = heads.question >= _CORRECTS or sentence.rstrip().endswith(("?", "？"))
    is_else = supposes(sentence, reading.language) or to_forget(sentence) is not None
    return worth >= _MAY_CHANGE and not asks and not is_else


async def _made_past(
    older: Sequence[TurnRecord], reading: Reading, places: Sequence[int]
) -> set[str]:
    """Return the ids of the messages of which a sentence is past by one of the new sentences."""
    from memory_graph.language import supersession  # noqa: PLC0415 — numpy

    parts = [(turn.id, each) for turn in older for each in split_sentences(turn.text)[:_SENTENCES]]
    if not parts:
        return set()
    olds = await _utterances([text for _, text in parts])
    beside = await _strangers(len(olds))
    gone: set[str] = set()
    for place in places:
        said = supersession.Utterance(reading.sentences[place], reading.vectors[place])
        found = supersession.judge_all([*olds, *beside], said)[: len(olds)]
        likeliest = max(relation.past for relation in found)
        corrects = reading.heads[place].corrects >= _CORRECTS
        for (turn_id, _), relation in zip(parts, found, strict=True):
            is_corrected = corrects and relation.past == likeliest >= _CORRECTED
            if relation.is_past or is_corrected:
                gone.add(turn_id)
    return gone


async def judged_same(
    stated: Sequence[FactCandidate],
    facts: Mapping[str, Fact],
    likeness: Sequence[Mapping[str, float]],
    policy: AdmissionPolicy,
) -> set[tuple[int, str]]:
    """Return which statement replaces or repeats which known fact, of those in doubt."""
    from memory_graph.language import supersession  # noqa: PLC0415 — numpy

    found: set[tuple[int, str]] = set()
    for place, candidate in enumerate(stated):
        bands = policy.thresholds(candidate.category)
        unsure = [
            facts[i]
            for i, alike in likeness[place].items()
            if alike >= bands["low"] and same_entity(facts[i], candidate)
        ]
        if not unsure:
            continue
        *olds, said = await _utterances([*(f.statement for f in unsure), candidate.statement])
        relations = supersession.judge_all([*olds, *await _strangers(len(olds))], said)
        for fact, relation in zip(unsure, relations, strict=False):
            is_again = relation.kind == "same" and is_repeat(fact.statement, candidate.statement)
            if relation.is_past or is_again:
                found.add((place, fact.id))
    return found


def is_repeat(old: str, new: str) -> bool:
    """Say whether a statement says hardly more than an older one."""
    language = language_of(new)
    said, again = set(words_of(old, language)), set(words_of(new, language))
    return len(again & said) >= _REPEATED * len(again)


async def _utterances(texts: Sequence[str]) -> "list[supersession.Utterance]":
    from memory_graph.language import supersession  # noqa: PLC0415 — numpy

    vectors = await load_embedder(EMBEDDER).embed(texts)
    return [supersession.Utterance(t, v) for t, v in zip(texts, vectors, strict=True)]


async def _strangers(known: int) -> "Sequence[supersession.Utterance]":
    """Return sentences that no statement bears on, to judge a few others beside."""
    from memory_graph.language import supersession  # noqa: PLC0415 — numpy

    return () if known >= supersession.FEW else await _utterances(supersession.STRANGERS)
