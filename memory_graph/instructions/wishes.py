"""What the user wants of the agent from now on: read by cues, checked, and kept as instructions."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Literal
from zoneinfo import ZoneInfo

from langgraph.store.base import PutOp

from memory_graph.errors import RecordNotFoundError
from memory_graph.keys import stable_id
from memory_graph.language.requests import asks_to_remember
from memory_graph.language.sentences import without_opener
from memory_graph.language.times import find_dates
from memory_graph.language.words import DEFAULT, table
from memory_graph.reading import Reading
from memory_graph.records import (
    Change,
    Instruction,
    MemoryDecision,
    Named,
    SecretKind,
    Source,
)
from memory_graph.safety.own_voice import oversteps
from memory_graph.safety.secrets import MASK, holds_secret
from memory_graph.store.changes import decision_for, receipt_of
from memory_graph.store.locks import facts_lock
from memory_graph.store.scope import UserMemory

WishReason = Literal[
    "new_instruction",
    "replaces_instruction",
    "instruction_known",
    "instruction_ended",
    "too_many_instructions",
    "oversteps",
    "sensitive",
]

_LONGEST = 300
_UNSPACED = frozenset({"zh", "ja", "ko"})
_ASIDE = re.compile(r"[^\s,]+(?:\s+[^\s,]+)?,\s+")
"""A word or two before what is said: `Actually, I don't work there anymore`."""


@dataclass(frozen=True)
class StatedWish:
    """How the user wants the agent to work from now on, as a message says it."""

    wish: str
    when: str = "always"
    until: date | None = None
    replaces: tuple[Named, ...] = ()


def may_wish(reading: Reading) -> bool:
    """Say whether a message may tell the agent how to work from now on."""
    return any(_is_wish(each, reading.language) for each in reading.sentences)


def read_wishes(reading: Reading, now: datetime, zone: ZoneInfo) -> tuple[StatedWish, ...]:
    """Return what a message wants from now on, as the user put it; nothing that is doubtful."""
    language = reading.language
    return tuple(
        StatedWish(each, _occasion(each, language), _last_day(each, now, zone))
        for each in reading.sentences
        if len(each) <= _LONGEST and _is_wish(each, language)
    )


def _is_wish(sentence: str, language: str) -> bool:
    """Say whether a sentence tells the agent what to do always, or how to address the user.

    What is wanted once, asked, or said of others is no wish.
    """
    said = without_opener(sentence).replace("’", "'")
    cues = _cues(language)
    if cues["once"].search(said) or said.rstrip().endswith(("?", "？")):
        return False
    aside = _ASIDE.match(said)
    if aside and not any(cues[name].search(aside[0]) for name in ("durable", "acts")):
        said = said[aside.end() :]
    if cues["mine"].match(said):
        return True
    if cues["others"].match(said) or asks_to_remember(sentence, language):
        return False
    is_order = cues["durable"].search(said) and cues["acts"].search(said)
    return bool(is_order or cues["strong"].search(said))


@cache
def _cues(language: str) -> dict[str, re.Pattern[str]]:
    """Return the cues of a language; those of others, too, as short texts show no language."""
    lists: dict[str, dict[str, str]] = table("wishes")
    known = language if language in lists["acts"] else DEFAULT
    if known in _UNSPACED:
        return {name: re.compile(f"(?i){forms[known]}") for name, forms in lists.items()}
    cues: dict[str, re.Pattern[str]] = {}
    for name, forms in lists.items():
        codes = [known] if name == "occasion" else forms.keys() - _UNSPACED
        end = r"(?!\w)" if name in {"durable", "acts"} else ""
        cues[name] = re.compile(rf"(?i)(?<!\w)(?:{'|'.join(forms[e] for e in sorted(codes))}){end}")
    return cues


def _occasion(sentence: str, language: str) -> str:
    """Return when a wish holds, in the user's words; `always` where they name no occasion."""
    if match := _cues(language)["occasion"].search(sentence):
        return next((part.strip() for part in match.groups() if part), "always")
    return "always"


def _last_day(sentence: str, now: datetime, zone: ZoneInfo) -> date | None:
    """Return the last day of a wish that has one: `until Monday`."""
    ends = [
        each
        for each in find_dates(sentence, now=now, zone=zone)
        if each.bound in {"before", "by"} and each.end > now
    ]
    return ends[0].start.astimezone(zone).date() if ends else None


def refusal_of_wish(wish: str, sensitive: Collection[SecretKind]) -> WishReason | None:
    """Say why a wish is none that the agent may be given, whoever says it."""
    if MASK in wish or holds_secret(wish, sensitive):
        return "sensitive"
    return "oversteps" if oversteps(wish) else None


async def keep_wishes(  # noqa: PLR0913 — what was wished, by whom, and the limits
    memory: UserMemory,
    wishes: Sequence[StatedWish],
    ended: Sequence[Named],
    at: datetime,
    source: Source,
    by: str,
    *,
    most: int,
    sensitive: Collection[SecretKind],
) -> tuple[list[MemoryDecision], list[PutOp]]:
    """Return what becomes of wishes, and the writes: a later one replaces the one that it names.

    Past `most` in force, those that are there longest end.
    """
    known = {each.id: each for each in await memory.instructions.current()}
    changed: dict[str, Instruction] = {}
    decisions: list[MemoryDecision] = []
    for each in wishes:
        if refused := refusal_of_wish(each.wish, sensitive):
            decisions.append(MemoryDecision(kind="instruction", action="skip", reason=refused))
            continue
        before, after = _instruction(each, {**known, **changed}, at, source, by)
        is_known = before is not None and before.wish == after.wish
        reason: WishReason = "replaces_instruction" if before else "new_instruction"
        action: Literal["create", "update", "verify"] = "update" if before else "create"
        if is_known:
            action, reason = "verify", "instruction_known"
        changed[after.id] = after
        decisions.append(decision_for(action, reason, before=before, after=after))
    over = [known[each.id] for each in ended if each.id in known and each.id not in changed]
    over += [
        known[named.id]
        for each in wishes
        for named in each.replaces[1:]
        if named.id in known and named.id not in changed
    ]
    reasons: dict[str, WishReason] = {each.id: "instruction_ended" for each in over}
    left = [each for each in ({**known, **changed}).values() if each.id not in reasons]
    left.sort(key=lambda each: each.updated_at, reverse=True)
    reasons |= {each.id: "too_many_instructions" for each in left[most:]}
    for instruction_id, reason in reasons.items():
        before = changed.get(instruction_id, known.get(instruction_id))
        assert before is not None
        after = before.model_copy(update={"ended_at": at, "updated_at": at})
        changed[instruction_id] = after
        decisions.append(decision_for("retract", reason, before=before, after=after))
    return decisions, await memory.instructions.puts([*changed.values()], at) if changed else []


def _instruction(
    wish: StatedWish, known: dict[str, Instruction], at: datetime, source: Source, by: str
) -> tuple[Instruction | None, Instruction]:
    """Return the instruction that a wish changes, and what it is then."""
    same = (e for e in known.values() if e.wish.casefold() == wish.wish.casefold())
    named = next((known[each.id] for each in wish.replaces if each.id in known), next(same, None))
    new = Instruction(
        id=named.id if named else stable_id(*source.message_ids, wish.wish),
        wish=wish.wish[:_LONGEST],
        when=wish.when,
        until=wish.until,
        source=source,
        read_by=by,
        created_at=named.created_at if named else at,
        updated_at=at,
    )
    if named is None:
        return None, new
    history = named.history if named.wish == wish.wish else (*named.history, named.wish)
    return named, new.model_copy(update={"history": history})


async def end_instruction(memory: UserMemory, instruction_id: str, by: Change) -> Instruction:
    """Let an instruction be over from now on; the ledger keeps it, so that this can be undone.

    Raises:
        RecordNotFoundError: If this user has no such instruction in force.
    """
    async with facts_lock(memory.scope):
        known = await memory.instructions.get(instruction_id)
        if known.ended_at is not None:
            raise RecordNotFoundError("instruction in force", instruction_id)
        after = known.model_copy(update={"ended_at": by.at, "updated_at": by.at})
        decision = decision_for("retract", "ended_by_hand", before=known, after=after)
        puts = await memory.instructions.puts([after], by.at)
        await memory.apply(by.by, [decision], puts, at=by.at, receipts=[receipt_of(by)])
    return after
