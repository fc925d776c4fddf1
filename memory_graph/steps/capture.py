"""How does an exchange become an episode: is it kept, and does it join an earlier one?"""

from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from langgraph.store.base import PutOp

from memory_graph.context import Context
from memory_graph.llm.ask import Answer, Usage
from memory_graph.llm.episodes import EXTRACTIVE, PROMPT, resummarise, summarise
from memory_graph.policy.capture import Capture, CapturePolicy, Evidence, decide_capture
from memory_graph.policy.chaining import Draft, MergeChoice, Neighbour, choose_merge, choose_parent
from memory_graph.policy.episode_building import Occasion, build_episode, merge_episodes
from memory_graph.policy.event_dates import find_event_dates
from memory_graph.policy.exchange import Said
from memory_graph.policy.signals import read_signals
from memory_graph.records import Episode, EpisodeDraft, LedgerEntry, MemoryDecision, Source
from memory_graph.storage.labels import stable_id
from memory_graph.storage.scope import UserMemory

NODE = "episodic_capture"
_KEPT = frozenset({"create", "merge"})
_NEIGHBOURS = 8
_NOTABLE = 0.9


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """The part of a conversation that no earlier capture has looked at."""

    said: tuple[Said, ...]
    """What is judged: the new messages, and notable ones that came too soon before."""

    earlier: tuple[Said, ...]
    """What was said before that and judged already, for reference."""

    window: tuple[Said, ...]
    """What an episode is written from: everything since the last one, within bounds."""

    facts_changed: bool
    """Facts of this turn were already kept before the reply."""

    source: Source
    now: datetime
    zone: ZoneInfo

    @property
    def episode_id(self) -> str:
        """The same for the same messages, so that a retry overwrites instead of repeating."""
        return f"ep-{stable_id(self.source.thread_id or '', *self.source.message_ids[:1])}"

    @property
    def text(self) -> str:
        """What is compared with earlier episodes: the words, without tool traces."""
        spoken = (each.text[:600] for each in self.said if each.role != "tool")
        return "\n".join(text for text in spoken if text)[-3000:]

    @property
    def today(self) -> date:
        """The user's local day."""
        return self.now.astimezone(self.zone).date()


@dataclass(frozen=True)
class Captured:
    """What was decided about an exchange, and the writes that carry it out."""

    decision: MemoryDecision
    puts: list[PutOp] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    @classmethod
    def skipped(cls, verdict: Capture) -> "Captured":
        """Return the outcome of an exchange that is not kept."""
        return cls(
            MemoryDecision(
                kind="episode",
                action="skip",
                reason=verdict.reason,
                scores=verdict.scores,
                thresholds=verdict.thresholds,
            )
        )


async def judge(memory: UserMemory, exchange: Exchange, policy: CapturePolicy) -> Capture:
    """Decide, without any model, whether an exchange is kept.

    Looks for similar episodes only once everything cheaper speaks for keeping it.
    """
    pace = await _pace(memory, exchange, policy)
    evidence = Evidence(
        signals=read_signals(exchange.said, earlier=exchange.earlier),
        now=exchange.now,
        new_messages=len(exchange.said),
        facts_changed=exchange.facts_changed,
        captured_today=pace.captured_today,
        last_captured_at=pace.last_captured_at,
        turns_since_last=pace.turns_since_last,
    )
    verdict = decide_capture(evidence, policy)
    if not verdict.keep:
        return verdict
    similar = await memory.episodes.similar(exchange.text, 1)
    nearest = similar[0][1] if similar else None
    return decide_capture(replace(evidence, nearest_similarity=nearest), policy)


async def write_episode(
    memory: UserMemory,
    exchange: Exchange,
    verdict: Capture,
    context: Context,
    teller: "Teller",
) -> Captured:
    """Summarise a kept exchange, once, into a new episode or into the one it continues.

    Raises:
        ExtractionError: If the model's answer cannot be used.
    """
    known = await _related(memory, exchange)
    merge = choose_merge(_draft_of(exchange), [n for n, _ in known], context.capture)
    target = next((e for _, e in known if e.id == merge.target_id), None)
    answer = await teller.tell(exchange, target)
    occasion = _occasion(exchange, context, verdict, teller)
    if target is not None:
        episode = _merged(target, answer.reply, occasion, rewritten=teller.model is not None)
    else:
        episode = await _created(memory, answer.reply, occasion, context.capture)
    return Captured(
        _decision(verdict, merge, episode, target),
        await memory.episodes.puts([episode], exchange.now),
        answer.usage,
    )


@dataclass(frozen=True)
class Teller:
    """Whoever writes episodes: a model, or the extractive summariser without one."""

    model: BaseChatModel | None
    timeout_s: float

    @property
    def name(self) -> str:
        """How episodes say who wrote them."""
        return PROMPT if self.model else EXTRACTIVE

    async def tell(self, exchange: Exchange, known: Episode | None) -> Answer[EpisodeDraft]:
        """Write the exchange down; with a model, a known episode is written anew as one."""
        today, told = exchange.today, exchange.window
        if known is not None and self.model is not None:
            return await resummarise(known, told, self.model, today=today, timeout_s=self.timeout_s)
        return await summarise(told, self.model, today=today, timeout_s=self.timeout_s)


@dataclass(frozen=True)
class _Pace:
    captured_today: int
    last_captured_at: datetime | None
    turns_since_last: int | None


async def _pace(memory: UserMemory, exchange: Exchange, policy: CapturePolicy) -> _Pace:
    """Read off the ledger how much was captured today, and how long ago the last was.

    Turns are counted over all of the user's threads: each leaves its own entry, so that
    no counter has to be shared.
    """
    midnight = datetime.combine(exchange.today, time(), tzinfo=exchange.zone)
    cooling = exchange.now - timedelta(minutes=policy.cooldown_minutes)
    entries = await memory.ledger.since(min(midnight, cooling), node=NODE)
    last = max((entry.at for entry in entries if _has(entry, _KEPT)), default=None)
    return _Pace(
        captured_today=sum(_has(e, {"create"}) and e.at >= midnight for e in entries),
        last_captured_at=last,
        turns_since_last=sum(entry.at > last for entry in entries) + 1 if last else None,
    )


def _has(entry: LedgerEntry, actions: frozenset[str] | set[str]) -> bool:
    return any(decision.action in actions for decision in entry.decisions)


async def _related(memory: UserMemory, exchange: Exchange) -> list[tuple[Neighbour, Episode]]:
    similar = await memory.episodes.similar(exchange.text, _NEIGHBOURS)
    return [(_neighbour(episode, similarity), episode) for episode, similarity in similar]


def _neighbour(episode: Episode, similarity: float) -> Neighbour:
    return Neighbour(
        episode_id=episode.id,
        similarity=similarity,
        ended_at=episode.ended_at,
        status=episode.status,
        event_dates=find_event_dates(episode.content, today=date.fromisoformat(episode.date_iso)),
        entities=frozenset(episode.metadata.entities),
        day=date.fromisoformat(episode.date_iso),
    )


def _draft_of(exchange: Exchange) -> Draft:
    return Draft(
        episode_id=exchange.episode_id,
        now=exchange.now,
        event_dates=find_event_dates(exchange.text, today=exchange.today),
        day=exchange.today,
    )


def _occasion(exchange: Exchange, context: Context, verdict: Capture, teller: Teller) -> Occasion:
    return Occasion(
        episode_id=exchange.episode_id,
        started_at=exchange.now,
        ended_at=exchange.now,
        now=exchange.now,
        zone=exchange.zone,
        said=exchange.said,
        source=exchange.source,
        project=context.project,
        importance=3 + (verdict.scores["notability"] >= _NOTABLE),
        novelty=verdict.scores["novelty"],
        summariser=teller.name,
    )


def _merged(
    target: Episode, draft: EpisodeDraft, occasion: Occasion, *, rewritten: bool
) -> Episode:
    """Take the exchange into `target`; what a model rewrote as one is taken as it is."""
    episode = merge_episodes(target, draft, occasion)
    return episode.model_copy(update={"summary": draft.summary}) if rewritten else episode


async def _created(
    memory: UserMemory, draft: EpisodeDraft, occasion: Occasion, policy: CapturePolicy
) -> Episode:
    """Build a new episode, linked to the one it continues."""
    similar = await memory.episodes.similar(f"{draft.topic}. {draft.summary}", _NEIGHBOURS)
    place = Draft(
        episode_id=occasion.episode_id, now=occasion.now, entities=frozenset(draft.entities)
    )
    parent = choose_parent(place, [_neighbour(*each) for each in similar], policy)
    return build_episode(draft, replace(occasion, parent_episode_id=parent.parent_id))


def _decision(
    verdict: Capture, merge: MergeChoice, episode: Episode, target: Episode | None
) -> MemoryDecision:
    return MemoryDecision(
        kind="episode",
        action="merge" if target else "create",
        reason=verdict.reason,
        memory_id=episode.id,
        scores={**verdict.scores, **merge.scores},
        thresholds={**verdict.thresholds, **merge.thresholds},
        before=target.model_dump(mode="json") if target else None,
        after=episode.model_dump(mode="json"),
    )
