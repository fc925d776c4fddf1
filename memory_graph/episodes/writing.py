"""Write a kept exchange as a new episode or into a known one, with a model or without."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from langchain_core.language_models import BaseChatModel
from langgraph.store.base import PutOp

from memory_graph import prompts, telemetry
from memory_graph.episodes.building import Occasion, build_episode, merge_episodes
from memory_graph.episodes.capture import Capture, Exchange
from memory_graph.episodes.offline_summary import summarise
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
PROMPT = "summarise_episode/2"
TOLD = "told_with_facts/1"
"""Its summary is what the model told that read the facts."""

WriteFailure = Literal["timeout", "model_error", "parse_error", "over_budget"]
_NOTABLE = 0.9

_WHY: Mapping[str, str] = {
    "user_declared": "the user asked to remember it",
    "milestone": "something was reached or finished",
    "decision": "the user decided something",
    "outcome": "something worked, failed or was put right",
    "commitment": "the user plans or promised something",
    "recall_recap": "the user looked back on something that happened",
}
"""What the reason of a capture means to whoever writes the episode."""


def _prompt(exchange: Exchange, why: str, known: Episode | None, most: int) -> str:
    """Return what a model is asked: to write an exchange down, alone or as one with `known`."""
    new = exchange.said[-most:]
    earlier = exchange.context[-(most - len(new)) :] if most > len(new) else ()
    slots = {
        "today": exchange.today.isoformat(),
        "why": _WHY.get(why, "it is worth remembering"),
        "earlier": quoted("earlier", earlier) if earlier else "(none)",
        "exchange": quoted("new-messages", new),
    }
    if known is None:
        return prompts.render("summarise_episode", **slots)
    told = fence("known-episode", [one_line(f"{known.title}: {known.summary}", 1000)])
    return prompts.render("merge_episode", known=told, **slots)


def quoted(label: str, said: Sequence[Said]) -> str:
    """Quote the conversation: user and assistant only, tool traces left out."""
    longest = get_settings().limits.episode_characters
    return fence(label, (f"{each.role}: {one_line(each.text, longest)}" for each in _spoken(said)))


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

    told: tuple[str, ...] = ()
    """What the model that read the facts of the exchange said came of it."""

    async def write(self, exchange: Exchange, why: str, known: Episode | None) -> Written:
        """Write the exchange down; with a model, a known episode is written anew as one.

        A model that fails costs its own words, not the episode: the summariser writes it at
        once, so that no later turn has to wait for that model again. So it does where the call
        would cost too much, which is then not made.
        """
        offline = summarise(exchange.outcomes, exchange.signals)
        if self.model is None:
            return Written(offline)
        if self.told and _is_told_well(self.told, exchange):
            return Written(offline.model_copy(update={"summary": " ".join(self.told)}), by=TOLD)
        prompt = _prompt(exchange, why, known, self.window_n)
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
        if not _tells_of(answer.reply.summary, exchange, known):
            return Written(offline, answer.usage, failure="parse_error", cause="not_said")
        longest = get_settings().limits.episode_characters
        cut = sum(max(0, len(each.text) - longest) for each in _spoken(exchange.said))
        return Written(_with_known(answer.reply, offline), answer.usage, by=PROMPT, cut=cut)


def _failure(error: MemoryGraphError) -> tuple[WriteFailure, str]:
    """Return how a model failed, and the provider's own error, where it is known."""
    cause = error.__cause__ or error
    kind: WriteFailure = "parse_error" if isinstance(error, ExtractionError) else "model_error"
    return "timeout" if isinstance(cause, TimeoutError) else kind, type(cause).__name__


def _is_told_well(told: Sequence[str], exchange: Exchange) -> bool:
    """Say whether what was told of the user's messages alone tells the exchange.

    What tools did is not in them; what is said in a few words ("B it is") lives by the reply
    before it; and a small model may make up a story.
    """
    is_plain = exchange.is_told_by_user and not exchange.outcomes.tools_used
    return is_plain and all(_tells_of(each, exchange, None) for each in told)


def _tells_of(summary: str, exchange: Exchange, known: Episode | None) -> bool:
    """Say whether a summary tells of what was said: a small model may make up a story.

    In a few words, or told in another language, it need not share any, and is believed.
    """
    spoken = _spoken((*exchange.context, *exchange.said))
    text = " ".join((*(each.text for each in spoken), known.summary if known else ""))
    language = language_of(text)
    told = {word[:_BEGINNING] for word in words_of(summary, language)}
    said = {word[:_BEGINNING] for word in words_of(text, language)}
    is_judged = len(told) >= _LEAST and language_of(summary) == language
    return not is_judged or len(told & said) >= _SHARE * len(told)


_BEGINNING, _LEAST, _SHARE = 4, 6, 0.2
"""Words that begin alike are one, and so many of a summary's words were said. A limit: of the
recorded summaries that tell what was said, the freest shares a quarter of its words."""


def _with_known(draft: EpisodeDraft, offline: EpisodeDraft) -> EpisodeDraft:
    """Return a model's draft with the tools, people and things that the messages name.

    These are known from the messages themselves, whatever the model says of them.
    """
    return draft.model_copy(
        update={
            "tools_used": tuple(dict.fromkeys((*offline.tools_used, *draft.tools_used))),
            "participants": tuple(dict.fromkeys((*offline.participants, *draft.participants))),
            "entities": draft.entities or offline.entities,
            "tags": draft.tags or offline.tags,
        }
    )


def writer_for(
    model: BaseChatModel | None, window_n: int = 10, told: tuple[str, ...] = ()
) -> EpisodeWriter:
    """Return a writer with the limits that settings name.

    A model that is named for episodes writes each of them, whatever another one told.
    """
    settings = get_settings()
    known = () if settings.episode_model else told
    patience = patience_with(model).episode_s
    return EpisodeWriter(model, tariff_of(model, settings), patience, window_n, known)


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


async def write_episode(
    memory: UserMemory, exchange: Exchange, verdict: Capture, writer: EpisodeWriter
) -> Captured:
    """Summarise a kept exchange, once, into a new episode or into the one it continues.

    What a model rewrote as one with the known episode is taken as it is.
    """
    target = verdict.target
    written = await writer.write(exchange, verdict.reason, target)
    occasion = Occasion(
        episode_id=exchange.episode_id,
        started_at=exchange.said_at,
        ended_at=exchange.said_at,
        now=exchange.now,
        zone=exchange.zone,
        said=exchange.said,
        source=exchange.source,
        project=exchange.project,
        parent_episode_id=verdict.parent_id,
        importance=3 + (verdict.scores["notability"] >= _NOTABLE),
        novelty=verdict.scores["novelty"],
        summariser=written.by,
    )
    if target is None:
        episode = build_episode(written.draft, occasion)
    else:
        episode = merge_episodes(target, written.draft, occasion)
        if written.by == PROMPT:  # it tells the known episode and what followed as one
            episode = episode.model_copy(update={"summary": written.draft.summary})
    action: Action = "merge" if target else "create"
    decision = decision_for(action, verdict.reason, before=target, after=episode)
    numbers = {"scores": verdict.scores, "thresholds": verdict.thresholds}
    puts = await memory.episodes.puts([episode], exchange.now)
    return Captured(decision.model_copy(update=numbers), puts, written)


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
    event = telemetry.EpisodeGenerated(outcome="stored", duration_ms=0.0)
    try:
        captured = await write_episode(memory, exchange, verdict, writer)
        await commit(captured)
    except ConfigurationError:
        raise
    except Exception as error:  # noqa: BLE001 — a lost episode costs nothing else
        captured = Captured.skipped(verdict, "store_failed")
        event = replace(event, outcome="store_failed", reason=type(error).__name__)
    else:
        written = captured.written
        assert written is not None
        event = replace(
            event,
            outcome=written.failure or "stored",
            cost_usd=writer.tariff.cost(written.usage),
            memory_id=None if written.failure else captured.decision.memory_id,
            reason=written.cause,
            cut_characters=written.cut or None,
        )
    streak.note(failed=event.outcome != "stored")
    milliseconds = round((time.perf_counter() - started) * 1000, 1)
    return replace(captured, event=replace(event, duration_ms=milliseconds))
