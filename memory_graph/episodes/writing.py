"""Write a kept exchange as a new episode or into a known one, with a model or without."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, NamedTuple

from langchain_core.language_models import BaseChatModel
from langgraph.store.base import PutOp

from memory_graph import prompts, telemetry
from memory_graph.episodes.building import Occasion, build_episode, merge_episodes
from memory_graph.episodes.capture import Capture, Exchange, PaceReason
from memory_graph.episodes.messages import own_messages
from memory_graph.episodes.offline_summary import by_day, summarise
from memory_graph.episodes.signals import read_outcomes
from memory_graph.errors import (
    ConfigurationError,
    ExtractionError,
    MemoryGraphError,
    ModelUnavailableError,
)
from memory_graph.language.words import language_of, words_of
from memory_graph.llm.ask import Tariff, ask, tariff_of
from memory_graph.llm.models import patience_with
from memory_graph.records import (
    Action,
    Episode,
    EpisodeAsked,
    EpisodeDraft,
    MemoryDecision,
    Said,
    Usage,
)
from memory_graph.safety.secrets import fence, one_line
from memory_graph.settings import get_settings
from memory_graph.store.changes import decision_for
from memory_graph.store.scope import UserMemory

EXTRACTIVE = "extractive/1"
PROMPT = "write_episode/1"
WHOLE = "close_episode/1"
"""Wrote an episode of several exchanges again, from its own messages."""

WriteFailure = Literal["timeout", "model_error", "parse_error", "over_budget"]
DeclineReason = Literal["nothing_came_of_it"]
DECLINED: DeclineReason = "nothing_came_of_it"
_NOTABLE = 0.9
_EVENT_CHARACTERS = 300


@dataclass(frozen=True)
class Known:
    """What memory holds that bears on an exchange."""

    kept: tuple[str, ...] = ()
    """Facts that were kept of it."""

    events: tuple[Episode, ...] = ()
    open_ids: frozenset[str] = frozenset()
    target: Episode | None = None
    """The event that it goes on with, by theme and time."""

    own: tuple[tuple[date, Said], ...] = ()
    """What was said in that event before, by day, as far as it is kept."""


def _prompt(exchange: Exchange, known: Known, most: int) -> str:
    """Return what a model is asked: to judge an exchange, and to write it down."""
    new = exchange.said[-most:]
    before = (*(said for _, said in known.own), *exchange.context)
    earlier = before[-(most - len(new)) :] if most > len(new) else ()
    listed = [
        one_line(f"{number}. {_noted(each, is_open=each.id in known.open_ids)}", _EVENT_CHARACTERS)
        for number, each in enumerate(known.events, start=1)
    ]
    return prompts.render(
        "write_episode",
        today=exchange.today.isoformat(),
        kept=fence("kept-facts", known.kept) if known.kept else "(none)",
        events=fence("known-events", listed) if listed else "(none)",
        earlier=quoted("earlier", earlier) if earlier else "(none)",
        exchange=quoted("exchange", new, with_tools=True),
    )


def _noted(episode: Episode, *, is_open: bool) -> str:
    state = f"open, {episode.outcome}" if is_open else episode.outcome
    return f"{episode.date_iso} ({state}) {episode.title}: {episode.summary}"


def quoted(label: str, said: Sequence[Said], *, with_tools: bool = False) -> str:
    """Quote the conversation; of tools only which ran, and whether they failed."""
    longest = get_settings().limits.episode_characters
    lines = [
        f"tool {one.tool or ''}: {'failed' if one.is_error else 'succeeded'}"
        if one.role == "tool"
        else f"{one.role}: {one_line(one.text, longest)}"
        for one in said
        if (one.text and one.role != "tool") or (with_tools and one.role == "tool")
    ]
    return fence(label, lines)


def _spoken(said: Sequence[Said]) -> list[Said]:
    return [each for each in said if each.role != "tool" and each.text]


@dataclass(frozen=True)
class Written:
    """An episode's draft, and who wrote it."""

    draft: EpisodeDraft
    usage: Usage = field(default_factory=Usage)
    failure: WriteFailure | None = None
    """Why no model wrote it, although one was asked."""

    cause: str | None = None
    """The name of the error."""

    by: str = EXTRACTIVE
    cut: int = 0
    """Characters of the exchange that were not shown to the model."""


@dataclass(frozen=True)
class EpisodeWriter:
    """Whoever writes episodes: a model, or the extractive summariser without one."""

    model: BaseChatModel | None
    tariff: Tariff
    timeout_s: float
    window_n: int = 10
    """How many of the last messages the prompt holds."""

    async def write(self, exchange: Exchange, known: Known, *, declared: bool = False) -> Written:
        """Judge the exchange and write it down.

        A model that fails costs its own words, not the episode: the summariser writes it at
        once, so that no later turn has to wait for that model again. What the user asked to
        keep is an episode, whatever a model says.
        """
        offline = await _offline(exchange, known)
        if self.model is None:
            return Written(offline)
        written = await self.asked(_prompt(exchange, known, self.window_n), offline)
        if written.failure:
            return written
        if not written.draft.worth:
            return replace(written, draft=offline, by=EXTRACTIVE) if declared else written
        if not tells_of(written.draft.summary, _all_said(exchange, known)):
            return Written(offline, written.usage, failure="parse_error", cause="not_said")
        longest = get_settings().limits.episode_characters
        cut = sum(max(0, len(each.text) - longest) for each in _spoken(exchange.said))
        return replace(written, cut=cut)

    async def asked(self, prompt: str, offline: EpisodeDraft) -> Written:
        """Return what the model wrote, or the other draft with why it did not."""
        assert self.model is not None
        most = self.tariff.most_tokens(prompt)
        if not most:
            return Written(offline, failure="over_budget", cause="over_budget")
        try:
            answer = await ask(
                self.model,
                prompt,
                EpisodeDraft,
                timeout_s=self.timeout_s,
                asked=EpisodeAsked,
                most_tokens=most,
            )
        except (ExtractionError, ModelUnavailableError) as error:
            return Written(offline, Usage(1, None, None), *_failure(error))
        draft = answer.reply.model_copy(update={"tools_used": offline.tools_used})
        return Written(draft, answer.usage, by=PROMPT)


async def _offline(exchange: Exchange, known: Known) -> EpisodeDraft:
    """Return what the sentences themselves tell, together with those of the event they go on."""
    draft, target = summarise(exchange.outcomes), known.target
    if target is None:
        return draft
    days: dict[str, list[Said]] = {}
    for day, one in known.own:
        days.setdefault(day.isoformat(), []).append(one)
    days.setdefault(exchange.today.isoformat(), []).extend(exchange.said)
    if len(days) == 1 and known.own:
        whole = summarise(await read_outcomes([one for said in days.values() for one in said]))
        return draft.model_copy(update={"summary": whole.summary, "topic": whole.topic})
    told = {day: summarise(await read_outcomes(said)).summary for day, said in days.items()}
    return draft.model_copy(update={"summary": by_day({target.date_iso: target.summary} | told)})


def _failure(error: MemoryGraphError) -> tuple[WriteFailure, str]:
    """Return how a model failed, and the provider's own error, where it is known."""
    cause = error.__cause__ or error
    kind: WriteFailure = "parse_error" if isinstance(error, ExtractionError) else "model_error"
    return "timeout" if isinstance(cause, TimeoutError) else kind, type(cause).__name__


def _all_said(exchange: Exchange, known: Known) -> str:
    """Return all that a summary of an exchange may tell of."""
    spoken = _spoken((*exchange.context, *exchange.said))
    noted = (f"{each.title} {each.summary}" for each in known.events)
    own = (said.text for _, said in known.own)
    return " ".join((*(each.text for each in spoken), *known.kept, *noted, *own))


def tells_of(summary: str, text: str) -> bool:
    """Say whether a summary tells of what was said: a small model may make up a story.

    In a few words, or told in another language, it need not share any, and is believed.
    """
    language = language_of(text)
    told = {word[:_BEGINNING] for word in words_of(summary, language)}
    said = {word[:_BEGINNING] for word in words_of(text, language)}
    is_judged = len(told) >= _LEAST and language_of(summary) == language
    return not is_judged or len(told & said) >= _SHARE * len(told)


_BEGINNING, _LEAST, _SHARE = 4, 6, 0.2
"""Words that begin alike are one, and so many of a summary's words were said. A limit: of the
recorded summaries that tell what was said, the freest shares a quarter of its words."""


def writer_for(model: BaseChatModel | None, window_n: int = 10) -> EpisodeWriter:
    """Return a writer with the limits that settings name."""
    settings = get_settings()
    return EpisodeWriter(
        model, tariff_of(model, settings), patience_with(model).episode_s, window_n
    )


@dataclass(frozen=True)
class Captured:
    """What was decided about an exchange, and the writes that carry it out."""

    decision: MemoryDecision
    puts: list[PutOp] = field(default_factory=list)
    written: Written | None = None
    """Who wrote the episode, if one was written."""

    event: telemetry.EpisodeGenerated | None = None
    """The line about it; without one nothing was tried."""

    @property
    def usage(self) -> Usage:
        """What the model calls cost."""
        return self.written.usage if self.written else Usage()

    @classmethod
    def skipped(cls, verdict: Capture, reason: str | None = None) -> "Captured":
        """Return the outcome of an exchange that is not kept."""
        return cls(
            MemoryDecision(
                kind="episode",
                action="skip",
                reason=reason or verdict.reason,
                scores=verdict.scores,
                thresholds=verdict.thresholds,
            )
        )


class _Place(NamedTuple):
    """Where an exchange belongs among episodes, or why it has to wait."""

    target: Episode | None = None
    parent_id: str | None = None
    waits: PaceReason | None = None


def place_of(verdict: Capture, written: Written) -> _Place:
    """Return where an exchange belongs: a model that judged it says so, else theme and time do.

    What is an event of its own after all is subject to quota and cooldown.
    """
    number = written.draft.continues
    if written.by != PROMPT or number is None or number > len(verdict.near):
        return _Place(verdict.target, verdict.parent_id)
    named = verdict.near[number - 1] if number > 0 else None
    if named and named.id in verdict.open_ids:
        return _Place(named)
    return _Place(None, named.id if named else None, verdict.pace)


async def write_episode(
    memory: UserMemory, exchange: Exchange, verdict: Capture, writer: EpisodeWriter
) -> Captured:
    """Write an exchange, once, into a new episode or into the one it goes on with.

    A model may say that nothing came of it; then nothing is written.
    """
    known = await _known(memory, exchange, verdict)
    declared = exchange.signals.user_declared
    written = await writer.write(exchange, known, declared=declared)
    if not written.draft.worth:
        return replace(Captured.skipped(verdict, DECLINED), written=written)
    target, parent_id, waits = place_of(verdict, written)
    if waits:
        return replace(Captured.skipped(verdict, waits), written=written)
    occasion = Occasion(
        episode_id=exchange.episode_id,
        started_at=exchange.said_at,
        ended_at=exchange.said_at,
        now=exchange.now,
        zone=exchange.zone,
        said=exchange.said,
        source=exchange.source,
        project=exchange.project,
        parent_episode_id=parent_id,
        importance=3 + (verdict.scores["notability"] >= _NOTABLE),
        novelty=verdict.scores["novelty"],
        summariser=written.by,
    )
    if target is None:
        episode = build_episode(written.draft, occasion)
    else:
        episode = merge_episodes(target, written.draft, occasion)
    action: Action = "merge" if target else "create"
    decision = decision_for(action, verdict.reason, before=target, after=episode)
    numbers = {"scores": verdict.scores, "thresholds": verdict.thresholds}
    puts = await memory.episodes.puts([episode], exchange.now)
    return Captured(decision.model_copy(update=numbers), puts, written)


async def _known(memory: UserMemory, exchange: Exchange, verdict: Capture) -> Known:
    """Return what bears on an exchange: the facts kept of it, near events, their own words."""
    facts = await memory.facts.find(exchange.kept)
    target = verdict.target
    own = await own_messages(memory, target) if target else []
    return Known(
        kept=tuple(one_line(fact.statement, _EVENT_CHARACTERS) for fact in facts.values()),
        events=verdict.near,
        open_ids=verdict.open_ids,
        target=target,
        own=tuple(own),
    )


@dataclass
class FailureStreak:
    """How many episodes in a row failed in this process; somebody is told once."""

    length: int = 0

    def note(self, *, failed: bool) -> None:
        """Count one more try."""
        self.length = self.length + 1 if failed else 0
        if self.length == get_settings().limits.episode_alarm_after:
            telemetry.alarm("%d episodes in a row failed to be written.", self.length)


streak = FailureStreak()


async def generate(
    memory: UserMemory,
    exchange: Exchange,
    verdict: Capture,
    writer: EpisodeWriter,
    commit: Callable[[Captured], Awaitable[None]],
) -> Captured:
    """Write an episode and commit it; a failure of the store is told and leaves nothing behind.

    Then the exchange gets no receipt, so that the next turn picks it up. Where the model
    failed, the episode is written without it, and the line says why.
    """
    started = time.perf_counter()
    try:
        captured = await write_episode(memory, exchange, verdict, writer)
        await commit(captured)
    except ConfigurationError:
        raise
    except Exception as error:  # noqa: BLE001 — a lost episode costs nothing else
        captured = Captured.skipped(verdict, "store_failed")
        event = telemetry.EpisodeGenerated(
            outcome="store_failed", reason=type(error).__name__, duration_ms=_since(started)
        )
    else:
        assert captured.written is not None
        event = line_of(captured.decision, captured.written, writer.tariff, started)
    streak.note(failed=event.outcome not in {"stored", "declined"})
    return replace(captured, event=event)


def line_of(
    decision: MemoryDecision, written: Written, tariff: Tariff, started: float
) -> telemetry.EpisodeGenerated:
    """Return the line about one generation: what came of it, what it cost, how long it took."""
    is_stored = not written.failure and decision.action != "skip"
    return telemetry.EpisodeGenerated(
        outcome=written.failure or ("stored" if is_stored else "declined"),
        duration_ms=_since(started),
        cost_usd=tariff.cost(written.usage),
        memory_id=decision.memory_id if is_stored else None,
        reason=written.cause or (None if is_stored else decision.reason),
        cut_characters=written.cut or None,
    )


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
