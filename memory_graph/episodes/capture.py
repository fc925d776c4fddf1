"""Decide whether an exchange becomes an episode, with the reason and the scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cached_property
from math import exp
from typing import Literal, get_args
from zoneinfo import ZoneInfo

from memory_graph.episodes.chaining import (
    Draft,
    choose_merge,
    choose_parent,
    nearest,
    related,
    still_open,
)
from memory_graph.episodes.signals import Outcomes, Signals
from memory_graph.episodes.themes import Theme, theme_of
from memory_graph.keys import has_key, stable_id
from memory_graph.language.mentions import entities_in, telling_words
from memory_graph.language.times import event_dates
from memory_graph.policies import CapturePolicy, NotabilityWeights
from memory_graph.records import Episode, Said, Source, TurnRecord
from memory_graph.store.scope import UserMemory
from memory_graph.turns.store import Listed

_LONGEST_MESSAGE = 600
_LONGEST_TEXT = 3000
_TELLING = 2


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """The turns on one topic that no episode tells yet."""

    said: tuple[Said, ...]
    """What is judged; an assistant's words that memory cannot vouch for are not among it."""

    outcomes: Outcomes
    """The evidence in it."""

    signals: Signals
    context: tuple[Said, ...] = ()
    """What led to it on the same topic and was not worth an episode by itself."""

    kept: tuple[str, ...] = ()
    """Ids of the facts and instructions that came of it."""

    has_episode: bool | None = None
    """Whether something may have come of it, as the model says that read the user's messages."""

    source: Source
    now: datetime
    """When it is judged."""

    said_at: datetime
    """When the last of it was said; what came too soon is judged later."""

    zone: ZoneInfo
    project: str | None = None
    joins: str | None = None
    """The episode that has taken in what was said just before on the same topic."""

    @property
    def episode_id(self) -> str:
        """The same for the same messages, so that a retry overwrites instead of repeating."""
        return f"ep-{stable_id(self.source.thread_id or '', *self.source.message_ids[:1])}"

    @property
    def is_kept_as_facts(self) -> bool:
        """Whether facts with keys already hold all that the user stated."""
        return sum(map(has_key, self.kept)) >= max(len(self.outcomes.statements), 1)

    @property
    def text(self) -> str:
        """What is compared with earlier episodes: the words, without tool traces."""
        return "\n".join(self._spoken)[-_LONGEST_TEXT:]

    @cached_property
    def theme(self) -> Theme:
        """What it is about."""
        return theme_of(self._spoken, entities_in(self._spoken))

    @property
    def today(self) -> date:
        """The user's local day on which it was said."""
        return self.said_at.astimezone(self.zone).date()

    @property
    def draft(self) -> Draft:
        """Its place among episodes, before it is written."""
        return Draft(
            episode_id=self.episode_id,
            now=self.said_at,
            event_dates=event_dates(self.text, now=self.said_at, zone=self.zone),
            day=self.today,
            project=self.project,
            joins=self.joins,
        )

    @cached_property
    def _spoken(self) -> list[str]:
        """The user's words; those of a reply where the user said too little to know by."""
        roles = ("user",) if self.is_told_by_user else ("user", "assistant")
        spoken = (each.text for role in roles for each in self.said if each.role == role)
        return [text[:_LONGEST_MESSAGE] for text in spoken if text]

    @cached_property
    def is_told_by_user(self) -> bool:
        """Whether the user's words tell what it is about, without those of a reply."""
        user = " ".join(each.text for each in self.said if each.role == "user")
        return len(telling_words(user)) >= _TELLING


KeepReason = Literal[
    "user_declared",
    "milestone",
    "decision",
    "outcome",
    "commitment",
    "has_episode",
    "notable",
]
SkipReason = Literal[
    "disabled",
    "quota",
    "pure_fact_update",
    "looks_back",
    "routine",
    "low_notability",
    "cooldown",
    "not_novel",
]
CaptureReason = KeepReason | SkipReason
PaceReason = Literal["quota", "cooldown"]
Fate = Literal["fresh", "too_soon", "settled", "kept"]

CAPTURE = "episodic_capture"
TAKEN = frozenset({"create", "merge"})
"""What is decided about an exchange that an episode holds."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Everything the decision may look at."""

    signals: Signals
    now: datetime
    turns_since_last: int | None = None
    """The user's turns, in any thread, since their last episode; none yet: `None`."""

    last_captured_at: datetime | None = None
    captured_today: int = 0
    """Episodes of what this user said on the same local day."""

    nearest_similarity: float | None = None
    """Calibrated similarity (0–1) to the nearest recent episode; none yet: `None`."""

    continues: bool = False
    """A recent episode on the same theme takes it in: no new episode is needed."""

    is_kept_as_facts: bool = False
    """The hot path already keeps all that the user stated, each under its key."""

    has_episode: bool | None = None
    """What the model said that read the user's messages, if one did."""


@dataclass(frozen=True, kw_only=True)
class Capture:
    """The decision, the numbers it was made on, and its place among episodes."""

    keep: bool
    reason: CaptureReason
    scores: dict[str, float]
    thresholds: dict[str, float]
    pace: PaceReason | None = None
    """What keeps it from becoming an episode of its own just now."""

    near: tuple[Episode, ...] = ()
    """Events that it may go on with, the likeliest first."""

    open_ids: frozenset[str] = frozenset()
    """Those of them that may still take it in."""

    target: Episode | None = None
    """The episode that takes the exchange in."""

    parent_id: str | None = None
    """The one that its own episode continues."""


def decide_capture(evidence: Evidence, policy: CapturePolicy) -> Capture:
    """Return whether to keep an exchange as an episode, and why.

    Checks run cheapest first, and the first that holds is the reason given.
    """
    scores, pace = _pace(evidence, policy)
    scores["notability"] = notability(evidence.signals, policy.weights)
    scores["novelty"] = round(1 - (evidence.nearest_similarity or 0.0), 6)
    reason: CaptureReason = (
        _lack_of_outcome(evidence, policy, scores["notability"])
        or (None if evidence.continues else pace)
        or _repetition(evidence, policy, scores["novelty"])
        or _merit(evidence)
    )
    thresholds = {
        "notability_min": policy.notability_min,
        "novelty_min": policy.novelty_min,
        "max_per_day": float(policy.max_per_day),
        "cooldown_turns": float(policy.cooldown_turns),
        "cooldown_minutes": policy.cooldown_minutes,
    }
    return Capture(
        keep=reason in get_args(KeepReason),
        reason=reason,
        scores=scores,
        thresholds=thresholds,
        pace=pace,
    )


def _pace(evidence: Evidence, policy: CapturePolicy) -> tuple[dict[str, float], PaceReason | None]:
    """Return how much was captured of late, and which limit forbids a new episode.

    Limits are for new episodes: one that is there may take in more at any time. A user who asks
    to keep a conversation does not wait for a cooldown.
    """
    scores = {"captured_today": float(evidence.captured_today)}
    now, last, turns = evidence.now, evidence.last_captured_at, evidence.turns_since_last
    is_cooling = False
    if turns is not None:
        scores["turns_since_last"] = float(turns)
    if last is not None:
        scores["minutes_since_last"] = round((now - last).total_seconds() / 60, 2)
        waits = now - last < timedelta(minutes=policy.cooldown_minutes)
        is_cooling = waits and turns is not None and turns < policy.cooldown_turns
    if evidence.captured_today >= policy.max_per_day:
        return scores, "quota"
    return scores, "cooldown" if is_cooling and not evidence.signals.user_declared else None


def notability(signals: Signals, weights: NotabilityWeights) -> float:
    """Return how notable an exchange is: 0–1, where 0.5 is as likely worth an episode as not."""
    log_odds = weights.prior + sum(
        weight * min(float(getattr(signals, sign)), 1.0)
        for sign, weight in weights
        if sign != "prior"
    )
    return round(1 / (1 + exp(-log_odds)), 4)


def _lack_of_outcome(
    evidence: Evidence, policy: CapturePolicy, notable: float
) -> SkipReason | None:
    signals = evidence.signals
    acts = signals.user_declared or signals.tool_actions > 0
    if not policy.enabled:
        return "disabled"
    if signals.looks_back and not acts:
        return "looks_back"
    if evidence.has_episode:
        return None
    if notable >= policy.notability_min and (acts or not signals.question_only):
        is_held = evidence.is_kept_as_facts and not (acts or signals.decision)
        return "pure_fact_update" if is_held else None
    if signals.pure_fact_update:
        return "pure_fact_update"
    return "routine" if signals.question_only else "low_notability"


def _repetition(evidence: Evidence, policy: CapturePolicy, novelty: float) -> SkipReason | None:
    is_known = novelty < policy.novelty_min
    return "not_novel" if is_known and not evidence.signals.user_declared else None


def _merit(evidence: Evidence) -> KeepReason:
    """Return the strongest reason to keep an exchange, or to ask a model about it."""
    signals = evidence.signals
    merits: tuple[tuple[KeepReason, bool], ...] = (
        ("user_declared", signals.user_declared),
        ("decision", signals.decision),
        ("milestone", signals.done),
        ("outcome", signals.setback or signals.tool_actions > 0),
        ("commitment", signals.plan),
        ("has_episode", bool(evidence.has_episode)),
    )
    return next((reason for reason, holds in merits if holds), "notable")


def fate_of(turn: TurnRecord | None) -> Fate:
    """Return what capture decided about a turn before.

    One that came too soon after an episode waits to be judged again.
    """
    if turn is None or turn.captured.state == "open":
        return "fresh"
    if turn.captured.action in TAKEN:
        return "kept"
    return "too_soon" if turn.captured.state == "put_off" else "settled"


async def judge(
    memory: UserMemory, exchange: Exchange, policy: CapturePolicy, recent: Sequence[Listed]
) -> Capture:
    """Decide whether an exchange is kept, and where it belongs among episodes.

    Looks for similar episodes only once everything cheaper speaks for keeping it.

    Args:
        memory: The user's.
        exchange: What is judged.
        policy: The limits and weights in force.
        recent: The user's turns since `pace_begins`, in any thread.
    """
    evidence = _evidence(exchange, policy, recent)
    going_on = replace(exchange.signals, goes_on=bool(exchange.outcomes.statements))
    hopeful = decide_capture(replace(evidence, signals=going_on, continues=True), policy)
    if not hopeful.keep:
        return decide_capture(replace(evidence, continues=True), policy)
    draft = exchange.draft
    dated = bool(draft.event_dates)
    known = await related(memory, exchange.text, exchange.theme, exchange.said_at, dated=dated)
    merge = choose_merge(draft, known, policy)
    parent_id, _ = choose_parent(draft, known, policy)
    found = replace(
        evidence,
        signals=going_on if merge.target or parent_id else exchange.signals,
        nearest_similarity=max((each.meaning for each in known), default=None),
        continues=merge.target is not None,
    )
    decided = decide_capture(found, policy)
    bounds = {
        "merge_similarity": policy.merge_similarity,
        "merge_window_hours": policy.merge_window_hours,
    }
    return replace(
        decided,
        near=tuple(each.episode for each in nearest(draft, known)),
        open_ids=frozenset(each.episode.id for each in still_open(draft, known, policy)),
        target=merge.target,
        parent_id=parent_id,
        scores={**decided.scores, **merge.scores},
        thresholds={**decided.thresholds, **bounds},
    )


def exceeds_quota(exchange: Exchange, policy: CapturePolicy, recent: Iterable[Listed]) -> bool:
    """Return whether more was captured today than may be; to be asked after a write.

    Of several that wrote at once, the last one sees all the others, so that the quota holds
    if everybody who sees it exceeded takes theirs back.
    """
    return _evidence(exchange, policy, recent).captured_today > policy.max_per_day


def pace_begins(now: datetime, zone: ZoneInfo, policy: CapturePolicy) -> datetime:
    """Return from when on decisions matter to the pace: today's, and those just made."""
    cooling = now - timedelta(minutes=policy.cooldown_minutes)
    return min(datetime.combine(now.astimezone(zone).date(), time(), tzinfo=zone), cooling)


def _evidence(exchange: Exchange, policy: CapturePolicy, recent: Iterable[Listed]) -> Evidence:
    """Return what an exchange shows, with the pace: how much was captured that day, how long ago.

    Both go by when things were said, so that what is written late does not put off what is said
    now. Turns are counted over all of the user's threads: each has its own record, so that
    no counter has to be shared. An episode made of several turns has several.
    """
    begins = pace_begins(exchange.said_at, exchange.zone, policy)
    turns = [each for each in recent if each.at >= begins and each.action]
    last = max((each.at for each in turns if each.action in TAKEN), default=None)
    that_day = (e for e in turns if e.at.astimezone(exchange.zone).date() == exchange.today)
    return Evidence(
        signals=exchange.signals,
        now=exchange.now,
        is_kept_as_facts=exchange.is_kept_as_facts,
        has_episode=exchange.has_episode,
        captured_today=len({each.episode for each in that_day if each.action == "create"}),
        last_captured_at=last,
        turns_since_last=sum(each.at > last for each in turns) + 1 if last else None,
    )
