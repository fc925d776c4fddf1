"""Read one message: by a model, or by rules where none is set."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel

from memory_graph import clock
from memory_graph.background import off_the_loop
from memory_graph.context import Context
from memory_graph.embedding import load_embedder
from memory_graph.errors import ExtractionError, OverBudgetError
from memory_graph.facts.checks import Heard, check_statement, refusal_of, skipped
from memory_graph.facts.model_reader import (
    PROMPT,
    MessageRead,
    Shown,
    ask_message,
    candidate_of,
    day_of,
)
from memory_graph.facts.shaping import InvalidValueError
from memory_graph.facts.timeline import is_over
from memory_graph.instructions.changing import altered_by
from memory_graph.instructions.wishes import StatedWish, may_wish, read_wishes
from memory_graph.keys import normalise
from memory_graph.language.facts import read_facts
from memory_graph.language.heads import has_question_form
from memory_graph.language.mentions import names_in
from memory_graph.language.points import points
from memory_graph.language.requests import asks_to_remember, to_forget
from memory_graph.language.sentences import grouped, supposes, without_opener
from memory_graph.language.words import words_of
from memory_graph.reading import EMBEDDER, Reading, read_message
from memory_graph.records import (
    Fact,
    FactCandidate,
    MemoryDecision,
    Named,
    Said,
    Usage,
)
from memory_graph.safety.own_voice import own_voice
from memory_graph.safety.pasted import others_words
from memory_graph.safety.secrets import MASK, stated
from memory_graph.shape import PLAIN, Shape
from memory_graph.topics import about_any

if TYPE_CHECKING:
    from memory_graph.store.scope import UserMemory

RULES = "rules/3"
"""Who read a message without a model: a table of keys, and what the user asked to remember."""

GATE = "gate/1"
"""Who read a message that no model had to read, as it surely states nothing."""

LONGEST = 500
"""Characters of one statement; a longer one is cut, and the whole stays in what was said."""

_SHOWN = 12
"""Known facts that a model is shown. A limit: part of every prompt."""

_NEAR_EACH = 4
"""Known facts near each sentence that may be among them."""

_ASKS, _ASKS_BACK = points()["question"], 0.4

GateReason = Literal["may_hold_fact", "small_talk", "question_only", "request", "not_own_words"]


@dataclass(frozen=True)
class Message:
    """One message of the user's, and what it is read with."""

    text: str
    message_id: str
    at: datetime
    zone: ZoneInfo
    language: str
    before: tuple[Said, ...] = ()
    """The exchange before it, both sides, oldest first."""

    shape: Shape = PLAIN
    """What matters in the product, and what is never kept."""

    is_late: bool = False
    """It is made up for: others may have been said since, and were kept before it."""


@dataclass(frozen=True)
class ReadResult:
    """What a message states, and who read it."""

    by: str
    """`rules/3`, or a prompt's version and the model's name."""

    facts: tuple[FactCandidate, ...] = ()
    ended: tuple[Named, ...] = ()
    """Known facts and instructions that are over, and that nothing new replaces."""

    wishes: tuple[StatedWish, ...] = ()
    has_episode: bool | None = None
    """Whether something may have come of it; unknown where no model read it."""

    skipped: tuple[MemoryDecision, ...] = ()
    usage: Usage = field(default_factory=Usage)

    @property
    def is_by_rules(self) -> bool:
        """Whether no model read it."""
        return self.by == RULES


async def read(
    message: Message,
    memory: "UserMemory",
    model: BaseChatModel | None,
    timeout_s: float,
    context: Context,
) -> ReadResult:
    """Return what a message states; nothing is written but what was spent on it.

    Raises:
        ModelUnavailableError: If the model does not answer, or may not be asked any more today:
            the turn stays open.
    """
    own = await off_the_loop(len(message.text), lambda: own_voice(message.text))
    reading = await read_message(own)
    gate = decide_gate(reading)
    masked = (skip("sensitive"),) if MASK in message.text else ()
    if gate != "may_hold_fact":
        return ReadResult(by=GATE if model else RULES, skipped=masked or (skip(gate),))
    if model is None:
        return await _read_by_rules(message, reading, masked, memory, context)
    try:
        found = await _read_by_model(message, reading, memory, model, timeout_s, context)
        return replace(found, skipped=(*masked, *found.skipped))
    except ExtractionError as error:
        why = (*masked, skip(error.reason))
        return ReadResult(by=PROMPT, skipped=why, usage=Usage(1, None, None))


def decide_gate(reading: Reading) -> GateReason:
    """Drop only what surely holds nothing: the gate saves calls, it does not judge facts."""
    if not reading.text.strip():
        return "not_own_words"
    language = reading.language
    if any(asks_to_remember(s, language) or to_forget(s) is not None for s in reading.sentences):
        return "may_hold_fact"
    if may_wish(reading) or (reading.may_tell and not _only_asks(reading)):
        return "may_hold_fact"
    whole = reading.whole
    reasons: dict[GateReason, float] = {
        "question_only": max(whole.asks, whole.question),
        "request": whole.request,
        "small_talk": whole.small,
    }
    return max(reasons, key=lambda reason: reasons[reason])


def _only_asks(reading: Reading) -> bool:
    """Say whether each sentence asks or supposes something."""
    for sentence, heads in zip(reading.sentences, reading.heads, strict=True):
        asks = heads.question >= _ASKS or sentence.rstrip().endswith(("?", "？"))
        asks = asks and (heads.durable < _ASKS_BACK or has_question_form(sentence))
        is_plain = max(heads.durable, heads.corrects) >= _ASKS
        if is_plain or not (asks or supposes(sentence, reading.language)):
            return False
    return True


async def _read_by_model(  # noqa: PLR0913 — what is read, with what, and by whom
    message: Message,
    reading: Reading,
    memory: "UserMemory",
    model: BaseChatModel,
    timeout_s: float,
    context: Context,
) -> ReadResult:
    """Ask the model once; checks drop what was not said.

    Raises:
        ExtractionError: If the answer does not fit.
        ModelUnavailableError: If it does not come.
    """
    await _spend(memory, context.policies.admission.reads_a_day)
    now = message.at.astimezone(message.zone)

    shown = await known_beside(message, reading, memory)
    text = _marked(message.text)
    answer, usage = await ask_message(
        text, message.before, shown, now, model, shape=message.shape, timeout_s=timeout_s
    )
    read_off, invalid = _filed(answer, shown, now, message)
    facts, dropped = await _checked(read_off, message, reading, shown, context)
    dropped = (*dropped, *skipped(["invalid_value"] * invalid))
    lost = (skip("unusable_output", answer.unusable),) if answer.unusable else ()
    wishes = tuple(
        StatedWish(e.wish, e.when or "always", _last_day(e.until), shown.named(e.replaces))
        for e in (answer.wishes if message.shape.instructions else ())
    )
    ended = shown.named(answer.ended)
    is_empty = not (facts or ended or wishes or dropped or lost)
    return ReadResult(
        by=f"{PROMPT} {getattr(model, 'model_name', '') or getattr(model, 'model', '')}".strip(),
        facts=facts,
        ended=ended,
        wishes=wishes,
        has_episode=answer.has_episode,
        skipped=(*dropped, *lost, *((skip("no_fact_stated"),) if is_empty else ())),
        usage=usage,
    )


def _filed(
    answer: MessageRead, shown: Shown, now: datetime, message: Message
) -> tuple[list[FactCandidate], int]:
    """Return the facts of an answer, and how many have no value of their attribute."""
    stated: list[FactCandidate] = []
    for each in answer.facts:
        try:
            stated.append(candidate_of(each, shown, now, message.zone, message.shape))
        except InvalidValueError:
            continue
    return stated, len(answer.facts) - len(stated)


def _last_day(text: str) -> date | None:
    until = day_of(text)
    return until.last if until else None


def _marked(text: str) -> str:
    """Return a message with what is pasted or quoted in it between marks, each part cut short."""
    parts: list[str] = []
    at = 0
    for start, end in others_words(text):
        words = text[start:end].strip().translate(_NO_MARKS)
        short = words if len(words) <= _LONGEST_PASTED else f"{words[:_LONGEST_PASTED]}…"
        parts += [text[at:start].translate(_NO_MARKS), f" ⟦{short}⟧ "]
        at = end
    return "".join([*parts, text[at:].translate(_NO_MARKS)])


_NO_MARKS = str.maketrans("⟦⟧", "[]")
_LONGEST_PASTED = 600
"""Characters of one pasted part that a model is shown. A limit: part of a prompt."""


async def _spend(memory: "UserMemory", most: int) -> None:
    """Count one reading of today.

    Raises:
        OverBudgetError: If the user's readings of the day are used up.
    """
    now = clock.utc_now()
    day, counted = await memory.access.counted(now)
    if counted.get(_READINGS, (0,))[0] >= most:
        raise OverBudgetError(f"{most} messages were read by a model today.")
    await memory.commit(await memory.access.touch([_READINGS], now, (day, counted)))


_READINGS = "readings"
"""What the readings of a day are counted under, beside the records that were recalled."""


async def known_beside(message: Message, reading: Reading, memory: "UserMemory") -> Shown:
    """Return the known facts that a message may change, and the instructions in force.

    Those near it or one of its sentences, those about whom it names, and those that rules file
    under the same key; none that came of the message itself, or that was said after it.
    """
    texts = list(dict.fromkeys([reading.text, *reading.sentences]))[:_SHOWN]
    near: dict[str, tuple[float, Fact]] = {}
    for text in texts:
        for each in await memory.facts.near(text, _SHOWN if text == reading.text else _NEAR_EACH):
            best = max(each.similarity, near.get(each.record.id, (0.0,))[0])
            near[each.record.id] = (best, each.record)
    named = {normalise(each) for each in names_in(reading.text)}
    for fact in await memory.facts.current() if named else ():
        if normalise(fact.entity) in named:
            near[fact.id] = (max(1.0, near.get(fact.id, (0.0,))[0]), fact)
    ranked = sorted(near.values(), key=lambda each: -each[0])
    known = [fact for _, fact in ranked if _may_be_shown(fact, message)][:_SHOWN]
    today = message.at.astimezone(message.zone).date()
    return Shown.of(known, (await memory.instructions.in_force(today))[:_SHOWN])


def _may_be_shown(fact: Fact, message: Message) -> bool:
    is_own = message.message_id in fact.source.message_ids
    is_newer = message.is_late and (fact.said_at or fact.valid_from) > message.at
    refused = refusal_of(fact.statement, ())
    return not (is_own or is_newer or refused or fact.own_words or is_over(fact, message.at))


async def _checked(
    offered: Sequence[FactCandidate],
    message: Message,
    reading: Reading,
    shown: Shown,
    context: Context,
) -> tuple[tuple[FactCandidate, ...], tuple[MemoryDecision, ...]]:
    """Return what of a model's facts the user said, and why the others are dropped."""
    import numpy as np  # noqa: PLC0415 — importing the package must stay light

    if not offered:
        return (), ()
    beside = [each.text for each in message.before] + [each.statement for each in shown.facts]
    others = " ".join(message.text[start:end] for start, end in others_words(message.text))
    heard = Heard(reading.text, " ".join(beside), others)
    told = [reading.text, *(each.text for each in message.before[-2:])]
    vectors = await load_embedder(EMBEDDER).embed([*(each.statement for each in offered), *told])
    said = np.asarray([*reading.vectors, *vectors[len(offered) :]], dtype=np.float32)
    cosines = np.asarray(vectors[: len(offered)], dtype=np.float32) @ said.T
    sensitive = context.policies.admission.sensitive
    reasons = [
        check_statement(each, heard, float(row.max()), sensitive)
        for each, row in zip(offered, cosines, strict=True)
    ]
    never = await about_any([each.statement for each in offered], message.shape.never)
    reasons = [
        "never_kept" if is_never else why for why, is_never in zip(reasons, never, strict=True)
    ]
    kept = tuple(e for e, why in zip(offered, reasons, strict=True) if why == "grounded")
    return kept, skipped([why for why in reasons if why != "grounded"])


async def _read_by_rules(
    message: Message,
    reading: Reading,
    masked: tuple[MemoryDecision, ...],
    memory: "UserMemory",
    context: Context,
) -> ReadResult:
    """Return what rules surely read; the rest is a quotation: the turn itself."""
    heard = [own_voice(each.text) for each in message.before if each.role == "user"]
    window = context.policies.admission.window - 1
    texts = [*heard[max(len(heard) - window, 0) :], reading.text]
    found = await off_the_loop(len(reading.text), lambda: [*read_facts(texts, reading.language)])
    keyed = [_as_asked(each.candidate, each.sentence) for each in found if each.candidate.attribute]
    asked = [each for each in asked_to_keep(reading) if not _is_told(each, keyed)]
    stated = [each for each in (*keyed, *asked) if not refused(each, context)]
    never = await about_any([each.statement for each in stated], message.shape.never)
    clean = [each for each, is_never in zip(stated, never, strict=True) if not is_never]
    masked = (*masked, *skipped(["never_kept"] * (len(stated) - len(clean))))
    wishes, over = await _wishes_by_rules(message, reading, memory, context)
    nothing = () if clean or wishes or over or masked else (skip("no_fact_stated"),)
    return ReadResult(
        by=RULES, facts=tuple(clean), ended=over, wishes=wishes, skipped=(*masked, *nothing)
    )


async def _wishes_by_rules(
    message: Message, reading: Reading, memory: "UserMemory", context: Context
) -> tuple[tuple[StatedWish, ...], tuple[Named, ...]]:
    """Return what is wanted from now on, and the wishes in force that are over."""
    if not message.shape.instructions:
        return (), ()
    altered = await altered_by(reading, memory, context.policies.profile.scoped_min)
    wishes = read_wishes(
        reading, message.at, message.zone, over=altered.ended, replaced=altered.replaced
    )
    return wishes, tuple(altered.ended.values())


def refused(candidate: FactCandidate, context: Context) -> bool:
    """Say whether a candidate is nothing to keep, whoever says it."""
    return refusal_of(stated(candidate), context.policies.admission.sensitive) is not None


_LOOKS_BACK = 0.5


def asked_to_keep(reading: Reading) -> list[FactCandidate]:
    """Return what the user asked to remember, as they put it; a look back is not kept."""
    language = reading.language
    backward = {n for n, kinds in enumerate(reading.kinds) if kinds["recall"] >= _LOOKS_BACK}
    found: list[FactCandidate] = []
    for group in grouped(reading.sentences, language, lambda _: False):
        sentences = [reading.sentences[n] for n in group]
        forward = (reading.sentences[n] for n in group if n not in backward)
        if any(asks_to_remember(each, language) for each in forward):
            text = " ".join(sentences)
            text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"
            found.append(FactCandidate(statement=text, importance=4, own_words=True))
    return found


def _is_told(words: FactCandidate, keyed: Sequence[FactCandidate]) -> bool:
    """Say whether facts with keys hold all that is to be remembered but a word."""
    told = {word for each in keyed for word in words_of(f"{each.statement} {each.value or ''}")}
    said = {*words_of(without_opener(words.statement))} - {*words_of("remember note")}
    return bool(keyed) and len(said - told) <= 1


def _as_asked(candidate: FactCandidate, sentence: str) -> FactCandidate:
    """Return a candidate that ends a fact because the user asked to forget it, in their words."""
    asked = candidate.retracts and to_forget(sentence) is not None
    return candidate.model_copy(update={"statement": sentence[:LONGEST]}) if asked else candidate


async def read_keyed(statement: str) -> list[FactCandidate]:
    """Return the facts with keys that rules read in what somebody noted about the user."""
    from memory_graph.language.frames import first_person  # noqa: PLC0415 — rarely needed

    reading = await read_message(first_person(statement))
    found = read_facts([reading.text], reading.language)
    return [each.candidate for each in found if each.candidate.attribute]


def skip(reason: str, count: int | None = None) -> MemoryDecision:
    """Return the decision to keep nothing, for how many candidates if that is known."""
    scores = {"candidates": float(count)} if count else {}
    return MemoryDecision(kind="fact", action="skip", reason=reason, scores=scores)
