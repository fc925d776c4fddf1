"""What the user wants of the agent from now on: read by cues, checked, and kept as instructions."""

import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from types import MappingProxyType
from typing import Literal
from zoneinfo import ZoneInfo

from langgraph.store.base import PutOp

from memory_graph.errors import RecordNotFoundError
from memory_graph.keys import stable_id
from memory_graph.language.requests import asks_to_remember
from memory_graph.language.sentences import UNSPACED, without_opener
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
    """Say whether a message may say how the agent is to work, or that a wish is over."""
    language = reading.language
    return any(
        _wish_in(each, language) or ends_wish(each, language) or may_change(each, language)
        for each in reading.sentences
    )


def read_wishes(
    reading: Reading,
    now: datetime,
    zone: ZoneInfo,
    *,
    over: Container[str] = (),
    replaced: Mapping[str, Named] = MappingProxyType({}),
) -> tuple[StatedWish, ...]:
    """Return what a message wants from now on, as the user put it; nothing that is doubtful.

    The sentences in `over` end a wish in force, those in `replaced` put another in its place.
    """
    language = reading.language
    found: list[StatedWish] = []
    for each in reading.sentences:
        named = (replaced[each],) if each in replaced else ()
        wish = _wish_in(each, language) or (each if named else None)
        if wish and len(wish) <= _LONGEST and each not in over:
            last = _last_day(wish, now, zone)
            found.append(StatedWish(wish, _occasion(wish, language), last, named))
    return tuple(found)


def ends_wish(sentence: str, language: str) -> bool:
    """Say whether a sentence reads as if a wish is over: `you can use emojis again`."""
    cues = wish_cues(language)
    said = without_opener(sentence).replace("’", "'")
    is_others = _is_of_others(said, language) and cues["reports"].search(said)
    return bool(cues["ends"].search(said)) and not is_others and not _asks(said, language)


def names_a_rule(sentence: str, language: str) -> bool:
    """Say whether a sentence closes with wishes as such: `that rule`, `what I asked you before`.

    `What I told you about my job` names no wish.
    """
    cues = wish_cues(language)
    said = sentence.replace("’", "'")
    named = (each for name in ("rule", "before") for each in cues[name].finditer(said))
    return any(_LAST_WORD.fullmatch(said, each.end()) for each in named)


_LAST_WORD = re.compile(r"\W*(?:\w+\W*)?")


def may_change(sentence: str, language: str) -> bool:
    """Say whether a sentence orders something else than before: `rather use two spaces`."""
    cues = wish_cues(language)
    said = without_opener(sentence).replace("’", "'")
    is_order = cues["changes"].search(said) and cues["orders"].search(said)
    is_once = cues["once"].search(said) or _asks(said, language)
    return bool(is_order) and not (is_once or _is_of_others(said, language))


def _wish_in(sentence: str, language: str) -> str | None:
    """Return the part of a sentence that is a wish: all of it, or what follows a statement.

    `I have little time, so keep it short` is a fact and a wish. What follows the words of others
    is theirs: `She says, always be polite`.
    """
    said = without_opener(sentence).replace("’", "'")
    if _asks(said, language) or _LABEL.match(said):
        return None
    parts = [*_parts(said, language)]
    hence = (part for part, follows in parts if follows and _is_wish(part, language))
    if wish := next(hence, None):
        return wish
    if _is_wish(said, language):
        return sentence
    return next((part for part, _ in parts if _is_wish(part, language)), None)


def _parts(said: str, language: str) -> Iterator[tuple[str, bool]]:
    """Yield what follows each seam of a sentence, and whether it follows from what is before.

    Nothing follows the words of others, nor what is wanted once.
    """
    cues = wish_cues(language)
    for seam in _SEAM.finditer(said):
        head, rest = said[: seam.start()], said[seam.end() :]
        is_once = cues["once"].search(head) and not _is_of_others(head, language)
        if is_once or cues["reports"].search(head) or cues["single"].search(head):
            return
        follows = cues["hence"].match(rest)
        joined = follows or cues["joined"].match(rest)
        yield rest[joined.end() :].lstrip() if joined else rest, follows is not None


_LABEL = re.compile(r"(?:[A-Z]+[-_]?\d+|[A-Z]{4,}|(?i:error|warning|hint|note|info)) ?\d*:|[$>#] ")
"""How a line of a tool's output begins."""

_SEAM = re.compile(r"(?:[,;:]|\s[-–—]|(?=\s(?:so|also|así|asi|alors|donc|então|entao)\s))\s+")


def _asks(said: str, language: str) -> bool:
    """Say whether a sentence is a question; `ok?` behind an order makes none."""
    plain = said.rstrip()
    if not plain.endswith(("?", "？")):
        return False
    _, comma, tag = plain[:-1].rpartition(",")
    return not (comma and wish_cues(language)["tag"].fullmatch(tag.strip()))


def _is_wish(said: str, language: str) -> bool:
    """Say whether words order the agent to do something always, or how to address the user.

    What is wanted once, or said of others, is no wish.
    """
    cues = wish_cues(language)
    if cues["once"].search(said):
        return False
    aside = _ASIDE.match(said)
    if aside and not any(cues[name].search(aside[0]) for name in ("acts", *_LEADS)):
        said = said[aside.end() :]
    if cues["mine"].match(said):
        return True
    if _is_of_others(said, language) or asks_to_remember(said, language):
        return False
    is_lasting = cues["durable"].search(said)
    if is_lasting and cues["acts"].search(said):
        return True
    is_repeated = is_lasting or cues["habit"].search(said) or cues["condition"].match(said)
    if is_repeated and _orders(said, language):
        return True
    return bool(cues["strong"].search(said)) and not cues["single"].search(said)


def _orders(said: str, language: str) -> bool:
    """Say whether a clause begins with an order, or closes with one: `Zuerst die Bahn nennen`.

    What says when it holds, or asks politely, may stand before it, and one word besides.
    """
    cues = wish_cues(language)
    for clause in _CLAUSE.split(said):
        rest = clause
        while lead := next((m for name in _LEADS if (m := cues[name].match(rest))), None):
            rest = rest[lead.end() :].lstrip(" ,")
        if rest != clause and cues["closing"].search(rest.rstrip(" .!")):
            return True
        if cues["others"].match(rest):
            continue
        _, _, second = rest.partition(" ")
        if cues["orders"].match(rest) or (rest != clause and cues["orders"].match(second)):
            return True
    return False


_CLAUSE = re.compile(r"[,;:]\s+")
_LEADS = ("lead", "durable", "habit", "condition")
"""Cues of what may stand before an order."""


def _is_of_others(said: str, language: str) -> bool:
    """Say whether a sentence has somebody else, or the user, as its subject: no order."""
    cues = wish_cues(language)
    fronted = cues["habit"].match(said) or cues["condition"].match(
        said
    )  # `Le matin, commence par …` is about no morning
    return not fronted and cues["others"].match(said) is not None


@cache
def wish_cues(language: str) -> dict[str, re.Pattern[str]]:
    """Return the cues of a language; those of others, too, as short texts show no language."""
    lists: dict[str, dict[str, str]] = table("wishes")
    known = language if language in lists["acts"] else DEFAULT
    if known in UNSPACED:
        return {n: re.compile(f"(?i){forms.get(known, '(?!)')}") for n, forms in lists.items()}
    cues: dict[str, re.Pattern[str]] = {}
    for name, forms in lists.items():
        codes = [known] if name == "occasion" else forms.keys() - UNSPACED
        end = r"(?!\w)" if name in _WHOLE else "$" if name == "closing" else ""
        cues[name] = re.compile(rf"(?i)(?<!\w)(?:{'|'.join(forms[e] for e in sorted(codes))}){end}")
    return cues


_WHOLE = frozenset(
    {
        "durable",
        "orders",
        "lead",
        "condition",
        "acts",
        "habit",
        "changes",
        "reports",
        "joined",
        "hence",
    }
)
"""Cues that are whole words."""


def _occasion(sentence: str, language: str) -> str:
    """Return when a wish holds, in the user's words; `always` where they name no occasion."""
    cues = wish_cues(language)
    if match := cues["occasion"].search(sentence):
        return next((part.strip() for part in match.groups() if part), "always")
    habit = cues["habit"].search(sentence)
    return habit[0] if habit else "always"


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
