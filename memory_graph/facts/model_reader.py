"""Ask a model what a message states, and read its answer as candidates."""

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from memory_graph import prompts
from memory_graph.errors import ModelUnavailableError
from memory_graph.facts.shaping import filed_by, in_words
from memory_graph.keys import attribute_rule
from memory_graph.llm.ask import ask, tariff_of
from memory_graph.records import (
    Fact,
    FactCandidate,
    Instruction,
    Named,
    Precision,
    Said,
    Usage,
)
from memory_graph.safety.own_voice import is_instruction
from memory_graph.safety.secrets import fence, one_line, read_within
from memory_graph.settings import get_settings
from memory_graph.shape import Shape

PROMPT = "read_message/1"
_LONGEST_NEW, _LONGEST_BEFORE, _LONGEST_SHOWN = 6000, 160, 300
SIZE = 1300
"""Tokens of a call without the message: the prompt, its schema, what is known and the exchange."""

_SHOWN_CHARACTERS = 800
"""Of all known facts together, about 200 tokens. A limit: part of every prompt."""

_Number = Annotated[int, Field(ge=0, le=99)]
_Numbers = Annotated[list[_Number], Field(max_length=12)]
_Day = Annotated[str, Field(max_length=10)]


class StatedFact(BaseModel):
    """One fact as a model answers it."""

    statement: Annotated[str, Field(min_length=1, max_length=300)]
    about: Annotated[str, Field(max_length=80)] = "user"
    attribute: Annotated[str, Field(max_length=120)] = ""
    value: Annotated[str, Field(max_length=120)] = ""
    since: _Day = ""
    starts: Annotated[_Day, Field(alias="from")] = ""
    until: _Day = ""
    replaces: _Numbers = []
    was_wrong: bool = False
    profile: bool = False


class WishStated(BaseModel):
    """One wish on how the assistant is to work, as a model answers it."""

    wish: Annotated[str, Field(min_length=1, max_length=300)]
    when: Annotated[str, Field(max_length=60)] = "always"
    until: _Day = ""
    replaces: _Numbers = []


class FactAsked(BaseModel):
    """The shape of a fact that a model is asked for; lengths are checked when it is read."""

    statement: str
    about: str
    attribute: str
    value: str
    since: str
    starts: Annotated[str, Field(alias="from")]
    until: str
    replaces: list[int]
    was_wrong: bool
    profile: bool


class WishAsked(BaseModel):
    """The shape of a wish that a model is asked for."""

    wish: str
    when: str
    until: str
    replaces: list[int]


class MessageAsked(BaseModel):
    """What a model is asked for about a message."""

    facts: list[FactAsked]
    ended: list[int]
    wishes: list[WishAsked]
    has_episode: bool


class MessageRead(BaseModel):
    """What of a model's answer can be used; single entries that do not fit are dropped."""

    facts: list[StatedFact] = []
    ended: list[int] = []
    wishes: list[WishStated] = []
    has_episode: bool | None = None
    unusable: int = 0
    """How many entries had to be dropped."""

    @model_validator(mode="before")
    @classmethod
    def _keep_what_fits(cls, answer: object) -> dict[str, object]:
        if not isinstance(answer, Mapping):
            raise ValueError("no object")
        facts, no_facts = _fitting(_FACT, answer.get("facts"))
        wishes, no_wishes = _fitting(_WISH, answer.get("wishes"))
        ended, no_numbers = _fitting(_NUMBER, answer.get("ended"))
        has = answer.get("has_episode")
        return {
            "facts": facts,
            "wishes": wishes,
            "ended": ended,
            "has_episode": has if isinstance(has, bool) else None,
            "unusable": no_facts + no_wishes + no_numbers,
        }


_FACT, _WISH, _NUMBER = TypeAdapter(StatedFact), TypeAdapter(WishStated), TypeAdapter(_Number)


def _fitting(shape: TypeAdapter[Any], offered: object) -> tuple[list[object], int]:
    """Return the entries that have a shape, and how many have not; what is no list is one."""
    found: list[object] = []
    entries = offered if isinstance(offered, list) else [] if offered is None else [offered]
    for each in entries:
        try:
            found.append(shape.validate_python(each))
        except ValidationError:
            continue
    return found, len(entries) - len(found)


@dataclass(frozen=True)
class Shown:
    """What a model is shown beside a message, by number: facts first, then instructions."""

    facts: Sequence[Fact] = ()
    instructions: Sequence[Instruction] = ()
    lines: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, facts: Sequence[Fact], instructions: Sequence[Instruction]) -> "Shown":
        """Return as many of them as a prompt has room for, the nearest first."""
        lines: list[str] = []
        kept: list[Fact] = []
        room = _SHOWN_CHARACTERS
        wishes = [one_line(each.wish, _LONGEST_SHOWN) for each in instructions]
        for fact in facts:
            said = one_line(fact.statement, _LONGEST_SHOWN)
            room -= len(said) + 4
            if room < 0:
                break
            kept.append(fact)
            lines.append(f"{len(lines) + 1}. {said}")
        wanted = [f"{n}. (wish) {wish}" for n, wish in enumerate(wishes, len(lines) + 1)]
        return cls(kept, instructions, (*lines, *wanted))

    def named(self, numbers: Sequence[int]) -> tuple[Named, ...]:
        """Return what the numbers stand for, as it was shown; none for others."""
        known: list[Fact | Instruction] = [*self.facts, *self.instructions]
        places = dict.fromkeys(n - 1 for n in numbers if 0 < n <= len(known))
        return tuple(Named(id=known[n].id, revision=known[n].updated_at) for n in places)


async def ask_message(  # noqa: PLR0913 — a message, what stands beside it, whom to ask
    text: str,
    before: Sequence[Said],
    shown: Shown,
    now: datetime,
    model: BaseChatModel,
    *,
    shape: Shape,
    timeout_s: float,
) -> tuple[MessageRead, Usage]:
    """Ask a model what a message states; others' words in it stand between ⟦ ⟧.

    Raises:
        ExtractionError: If the answer does not fit.
        ModelUnavailableError: If it does not come, or may not be paid for.
    """
    new = one_line(read_within(text, _LONGEST_NEW, ()).text, 2 * _LONGEST_NEW)  # both its ends
    lines = [*shown.lines, *_exchange(before), f"NEW: {new}"]
    prompt = prompts.render(
        "read_message",
        today=f"{now:%A} {now.date().isoformat()} ({now.tzname()})",
        shape=in_words(shape),
        said=fence("said", lines),
    )
    settings = get_settings()
    most = tariff_of(model, settings, settings.extraction_budget_usd).most_tokens(prompt)
    if not most:
        raise ModelUnavailableError("The call would cost more than a reading may.")
    answer = await ask(
        model, prompt, MessageRead, timeout_s=timeout_s, asked=MessageAsked, most_tokens=most
    )
    return answer.reply, answer.usage


def _exchange(before: Sequence[Said]) -> list[str]:
    """Return what was said just before, both sides, each side short; no orders a tool brought."""
    return [
        f"{each.role}: {one_line(each.text, _LONGEST_BEFORE)}"
        for each in before
        if each.role != "tool" and each.text.strip() and not is_instruction(each.text)
    ]


def candidate_of(
    stated: StatedFact, shown: Shown, now: datetime, zone: ZoneInfo, shape: Shape
) -> FactCandidate:
    """Return a fact as it is compared with what is known: whose it is, its key, its times.

    Raises:
        InvalidValueError: If its value is none of the attribute that the shape names.
    """
    since, starts, until = map(day_of, (stated.since, stated.starts, stated.until))
    given = next((each for each in (starts, since, until) if each), None)
    rule = attribute_rule(stated.attribute) if stated.attribute and stated.value else None
    starting = datetime.combine(starts.first, time(), zone) if starts else None
    filed = {"attribute": stated.attribute, "value": stated.value} if rule else {}
    own = filed_by(shape, stated.attribute, stated.value, _whose(stated.about)["entity"])
    return FactCandidate.model_validate(
        {
            "statement": stated.statement.strip(),
            **_whose(stated.about),
            **filed,
            "category": rule.category if rule else "other",
            "importance": rule.importance if rule else 4 if stated.profile else 3,
            **own,
            "since": datetime.combine(since.first, time(), zone) if since else None,
            "starts": starting if starting and starting > now else None,
            "until": datetime.combine(until.last, time(), zone) + timedelta(days=1)
            if until
            else None,
            "replaces": shown.named(stated.replaces),
            "was_wrong": stated.was_wrong,
            "profile": stated.profile,
            "precision": given.precision if given else "day",
        }
    )


_ABOUT = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<kind>[^()]+)\))?\s*$")
_SELF = frozenset({"user", "the user", "me", "i", "self"})


def _whose(about: str) -> dict[str, object]:
    """Return whom a fact is about, of `user` or `Rex (dog)`."""
    match = _ABOUT.match(about.strip())
    if match is None or match["name"].casefold() in _SELF:
        return {"entity": "user"}
    return {"entity": match["name"], "entity_kind": (match["kind"] or "").strip() or None}


@dataclass(frozen=True)
class Day:
    """A day, a month or a year, from its first day to its last."""

    first: date
    last: date
    precision: Precision


_DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?$")


def day_of(text: str) -> Day | None:
    """Return the time that `2026-03-01`, `2026-03` or `2026` names; nothing for other words."""
    match = _DATE.match(text.strip())
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    try:
        if year and month and day:
            return Day(date(year, month, day), date(year, month, day), "day")
        if year and month:
            return Day(date(year, month, 1), date(year, month, monthrange(year, month)[1]), "month")
        return Day(date(year or 0, 1, 1), date(year or 0, 12, 31), "year")
    except ValueError:
        return None
