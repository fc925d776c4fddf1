"""Memories, decisions and turns as the pages of the inspector show them, and as Markdown."""

import re
from collections.abc import Iterable
from datetime import date
from typing import Any, TypeVar

from langgraph.store.base import BaseStore

from memory_graph.curation.forget import messages_of
from memory_graph.curation.lookup import TurnReport
from memory_graph.recent import Recent
from memory_graph.records import (
    FACT_CATEGORIES,
    Episode,
    Fact,
    Instruction,
    LedgerEntry,
    MemoryDecision,
    Pattern,
    Record,
    TurnRecord,
)
from memory_graph.server.inspector import wording
from memory_graph.server.inspector.site import Visit
from memory_graph.server.inspector.wording import fact_label, fact_sentence, fact_value, say
from memory_graph.store.changes import KINDS
from memory_graph.store.changes import Memory as Remembered
from memory_graph.store.collection import RecordCollection
from memory_graph.store.revision import Version

R = TypeVar("R", bound=Record)

Card = dict[str, Any]
_MOST_RECALLED = 3
"""Recalled memories that a turn names; the others are counted."""

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~])")
_REFUSED = frozenset({"sensitive", "instruction", "not_said"})
_DEGRADED = frozenset(
    {"model_unavailable", "unusable_answer", "unusable_output", "message_cut", "forgotten"}
)
"""Reasons that report a failure."""

_held: Recent[tuple[int, tuple[str, ...]], tuple[BaseStore, Version, list[Any]]] = Recent(30)
"""Collections that this process has read, about those of ten people, so that large memories open
fast. The store is kept with them, so that no other store gets its id.
"""


async def all_of(collection: RecordCollection[R]) -> list[R]:
    """Return every record of a collection; they are read again after any write to it."""
    store, version = collection.scope.gateway.store, await collection.version()
    held = _held.get(where := (id(store), collection.namespace))
    if held is None or held[1] != version:
        held = _held.put(where, (store, version, await collection.all()))
    return list(held[2])


def fact_card(fact: Fact) -> Card:
    """Return a fact as a person reads it: its value large, since when, and what it was before."""
    earlier = [each for each in fact.history if each.valid_from < fact.valid_from]
    return {
        "id": fact.id,
        "label": fact_label(fact),
        "value": fact_value(fact),
        "is_sentence": fact.value is None,
        "since": fact.valid_from,
        "over_since": fact.valid_to,
        "was": fact_value(earlier[-1]) if earlier else None,
        "pinned": fact.pinned,
        "said": (),
    }


def episode_card(episode: Episode) -> Card:
    """Return what a timeline says of an episode."""
    told = episode.model_dump(include={"id", "title", "summary", "ended_at", "outcome"})
    return {**told, "continues": episode.parent_episode_id}


def by_day(episodes: Iterable[Episode]) -> list[Card]:
    """Return episodes by the day they happened where the person was, the latest first."""
    days: dict[date, list[Card]] = {}
    for each in episodes:
        days.setdefault(date.fromisoformat(each.date_iso), []).append(episode_card(each))
    return [{"day": day, "episodes": cards} for day, cards in sorted(days.items(), reverse=True)]


def decision_cards(entries: Iterable[LedgerEntry], memory_id: str) -> list[Card]:
    """Return the decisions about a memory, the latest first; only that one can be undone."""
    cards: list[Card] = [
        {
            "at": entry.at,
            "node": entry.node,
            "entry": entry.id,
            "number": number,
            "decision": decision.model_copy(update={"before": None, "after": None}),
            "can_undo": decision.before != decision.after,
        }
        for entry in entries
        for number, decision in enumerate(entry.decisions, start=1)
        if decision.memory_id == memory_id
    ]
    latest = next((card for card in reversed(cards) if card["can_undo"]), None)
    return [{**card, "can_undo": card is latest} for card in reversed(cards)]


async def words_of(visit: Visit, record: Remembered) -> list[TurnRecord]:
    """Return what the person said that a memory came from, oldest first."""
    wanted, turns = messages_of(record), await all_of(visit.scope.turns)
    own = [t for t in turns if t.role == "user" and wanted & set(t.source.message_ids)]
    return sorted(own, key=lambda turn: (turn.said_at, turn.position))


def text_of(record: Remembered | TurnRecord) -> str:
    """Return what a memory says, in one line."""
    if isinstance(record, Fact):
        return fact_sentence(record)
    if isinstance(record, Episode):
        return record.summary
    if isinstance(record, Pattern):
        return f"{record.trigger}: {record.action}"
    if isinstance(record, Instruction):
        return record.wish
    return record.text


def address_of(visit: Visit, record: Remembered | TurnRecord) -> str | None:
    """Return the page of a memory; turns have none."""
    if isinstance(record, TurnRecord):
        return None
    if isinstance(record, Instruction):
        return visit.url("/")
    if isinstance(record, Pattern):
        return visit.url("/patterns")
    return visit.record_url("facts" if isinstance(record, Fact) else "episodes", record.id)


def named_memory(visit: Visit, record: Remembered | TurnRecord) -> Card:
    """Return a memory as a line that leads to its page."""
    return {"text": text_of(record), "was": None, "address": address_of(visit, record)}


def done_card(visit: Visit, decision: MemoryDecision) -> Card:
    """Return a decision with the memory as it left it, from the ledger."""
    kind = KINDS.get(decision.kind)
    before, after = (
        kind.model_validate(each) if kind and each else None
        for each in (decision.before, decision.after)
    )
    record = after or before
    card: Card = {"text": decision.memory_id or "", "was": None, "address": None}
    if record:
        card = named_memory(visit, record)
    if before and after and text_of(before) != card["text"]:
        card["was"] = text_of(before)
    return {"action": decision.action, "reason": decision.reason, **card}


def turn_card(visit: Visit, report: TurnReport) -> Card:
    """Return a turn with its receipts."""
    done = [(each, done_card(visit, each)) for each in report.decisions]
    facts = [(each, told) for each, told in done if each.kind == "fact"]
    skipped = [(each, told) for each, told in facts if each.action == "skip"]
    recall, shown_ids = report.recall, [each.memory_id for each in report.recalled]
    recalled = [report.memories[each] for each in shown_ids if each in report.memories]
    return {
        "at": report.at,
        "words": report.said.text if report.said else None,
        "message_id": report.said.source.message_ids[0] if report.said else None,
        "kept": [told for each, told in facts if each.action != "skip"],
        "refused": [told for each, told in skipped if each.reason in _REFUSED],
        "not_kept": [told for each, told in skipped if each.reason not in _REFUSED],
        "captured": [told for each, told in done if each.kind == "episode"],
        # Whether memory had the answer, where the message asks for one.
        "found": recall.found if recall and recall.intent != "none" else None,
        "recalled": [named_memory(visit, each) for each in recalled[:_MOST_RECALLED]],
        "recalled_more": max(len(shown_ids) - _MOST_RECALLED, 0),
        "milliseconds": recall.milliseconds if recall else None,
        "calls": recall.calls if recall else 0,
        "tokens": recall.tokens if recall else 0,
        "degraded": sorted({each.reason for each in report.decisions} & _DEGRADED),
    }


async def as_markdown(visit: Visit) -> str:
    """Return facts by category with their history, episodes by day, patterns, own words."""
    facts = await visit.memory.afacts()
    episodes = sorted(await visit.scope.episodes.all(), key=lambda each: each.started_at)
    patterns = await visit.memory.apatterns()
    lines = [f"# {say('start.title', user=_plain(visit.user))}", ""]
    for category in FACT_CATEGORIES:
        held = [fact for fact in facts if fact.category == category]
        if held:
            lines += [f"## {wording.say_or(f'category.{category}', category)}", ""]
            lines += [line for fact in held for line in _fact_lines(fact, visit)] + [""]
    lines += _section("nav.episodes", [_episode_line(each) for each in episodes])
    lines += _section("nav.patterns", [_pattern_line(each) for each in patterns])
    return "\n".join(lines).rstrip() + "\n"


def _section(name: str, lines: list[str]) -> list[str]:
    return [f"## {say(name)}", "", *lines, ""] if lines else []


def _fact_lines(fact: Fact, visit: Visit) -> list[str]:
    days = visit.days
    since = say("common.since_day", day=days.local(fact.valid_from))
    lines = [f"- {_plain(fact_sentence(fact))} {since}"]
    for each in reversed(fact.history):
        until = days.local(each.valid_to) if each.valid_to else ""
        lines.append(
            f"  - {say('common.was')}: {_plain(fact_sentence(each))} "
            f"({days.local(each.valid_from)} – {until})"
        )
    return lines


def _episode_line(episode: Episode) -> str:
    outcome = say(f"outcome.{episode.outcome}")
    return f"- {episode.date_iso}: {_plain(episode.summary)} ({outcome})"


def _pattern_line(pattern: Pattern) -> str:
    advice = say("patterns.avoid" if pattern.kind == "antipattern" else "patterns.do")
    worked = say("patterns.worked", successes=pattern.successes, occurrences=pattern.occurrences)
    when = f"{say('patterns.when')} {_plain(pattern.trigger)}, {advice}: {_plain(pattern.action)}"
    return f"- {when} ({worked}, {pattern.status})"


def _plain(text: str) -> str:
    """Return text on one line that no reader of Markdown takes for markup."""
    return _MARKUP.sub(r"\\\1", " ".join(wording.visible(text).split()))
