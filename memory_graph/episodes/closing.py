"""Close episodes: write those of several exchanges again, and read what a told one names."""

import time
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from memory_graph import clock, prompts
from memory_graph.episodes.building import approach_of, dated, in_full
from memory_graph.episodes.capture import CAPTURE
from memory_graph.episodes.messages import named_in, own_messages
from memory_graph.episodes.signals import outcome_of, read_outcomes
from memory_graph.episodes.store import STATED
from memory_graph.episodes.themes import SITTING
from memory_graph.episodes.writing import (
    WHOLE,
    Captured,
    EpisodeWriter,
    Written,
    line_of,
    tells_of,
)
from memory_graph.language.mentions import entities_in, keywords, people_in
from memory_graph.language.sentences import split_sentences
from memory_graph.language.words import shorten
from memory_graph.records import Decision, Episode, EpisodeDraft, MemoryDecision, Outcome, Said
from memory_graph.safety.secrets import fence, one_line
from memory_graph.settings import get_settings
from memory_graph.store.changes import decision_for
from memory_graph.store.locks import user_lock_across_processes
from memory_graph.store.scope import UserMemory

_LATE = timedelta(days=7)
"""So long after its end an episode is still written again. A limit: its turns may be gone."""

_LOOKED_AT = 12
"""Latest episodes among which one that is over is looked for. A limit: bounds what a turn costs."""

_LONGEST_SUMMARY = 600
_MOST_NAMES, _MOST_TAGS = 12, 5
_NOTED = 1000


def is_over(episode: Episode, now: datetime) -> bool:
    """Say whether an episode of several exchanges has ended and is still to be written as one."""
    idle = now - episode.ended_at
    return (
        len(episode.source.message_ids) > 1
        and bool(episode.merged_from)
        and episode.summariser not in {WHOLE, STATED}
        and SITTING <= idle <= _LATE
    )


async def close_over(memory: UserMemory, writer: EpisodeWriter, now: datetime) -> Captured | None:
    """Write the oldest episode that is over again, from its own messages; with a model only."""
    started = time.perf_counter()
    if writer.model is None:
        return None
    recent = await memory.episodes.recent(_LOOKED_AT, since=now - _LATE)
    episode = next((each for each in reversed(recent) if is_over(each, now)), None)
    said = await own_messages(memory, episode) if episode else []
    if episode is None or not said:
        return None
    written = await write_whole(writer, episode, said)
    decision = decision_for("skip", "model_unavailable", before=episode, after=None)
    if written.failure not in {"timeout", "model_error"}:
        after = rewritten(episode, written, now)
        decision = decision_for("update", "closed", before=episode, after=after)
        puts = await memory.episodes.puts([after], now)
        await memory.apply(CAPTURE, [decision], puts, at=now)
    return Captured(decision, [], written, line_of(decision, written, writer.tariff, started))


_MOST = 10
"""Episodes that one run of maintenance closes. A limit: bounds its cost."""


async def close_all(
    memory: UserMemory, writer: EpisodeWriter, now: datetime
) -> list[MemoryDecision]:
    """Write the episodes that are over again, until one cannot be."""
    decisions: list[MemoryDecision] = []
    async with user_lock_across_processes(memory.scope):
        while len(decisions) < _MOST and (done := await close_over(memory, writer, now)):
            if done.decision.action == "skip":
                break
            decisions.append(done.decision)
    return decisions


async def write_whole(
    writer: EpisodeWriter, episode: Episode, said: Sequence[tuple[date, Said]]
) -> Written:
    """Ask a model to write an episode again from what was said in it."""
    longest = get_settings().limits.episode_characters
    lines = [f"{day.isoformat()} {one.role}: {one_line(one.text, longest)}" for day, one in said]
    noted = f"{episode.date_iso} ({episode.outcome}) {episode.title}: {episode.summary}"
    prompt = prompts.render(
        "close_episode",
        today=clock.utc_now().date().isoformat(),
        known=fence("noted", [one_line(noted, _NOTED)]),
        exchange=fence("messages", lines),
    )
    known = EpisodeDraft(
        summary=shorten(episode.summary, _LONGEST_SUMMARY),
        tools_used=episode.metadata.tools_used,
    )
    written = await writer.asked(prompt, known)
    told = " ".join([noted, *lines])
    if not written.draft.worth or not tells_of(written.draft.summary, told):
        return Written(known, written.usage, failure="parse_error", cause="not_said")
    return written


def rewritten(episode: Episode, written: Written, now: datetime) -> Episode:
    """Return an episode as it was written again; one that could not be stays, and is settled."""
    if written.failure:
        return episode.model_copy(update={"summariser": WHOLE, "updated_at": now})
    draft, known = written.draft, episode.metadata
    named = {
        "participants": draft.participants or known.participants,
        "entities": draft.entities or known.entities,
        "tags": draft.tags or known.tags,
        "key_decisions": draft.decisions,
    }
    day = episode.ended_at.astimezone(ZoneInfo(episode.time_zone))
    decided = {each.chosen: each for each in episode.decisions}
    numbered = enumerate(draft.decisions, start=1)
    return in_full(
        episode.model_copy(
            update={
                **dated(day, draft.topic, draft.approach or approach_of(episode)),
                "title": draft.topic,
                "summary": draft.summary,
                "goal": draft.goal or episode.goal,
                "quality": draft.quality,
                "outcome": episode.outcome if draft.outcome == "unknown" else draft.outcome,
                "status": "active" if draft.outcome == "ongoing" else "summarized",
                "decisions": tuple(
                    decided.get(chosen)
                    or Decision(id=f"d{number:03d}", timestamp=episode.ended_at, chosen=chosen)
                    for number, chosen in numbered
                ),
                "lessons": draft.lessons,
                "next_steps": draft.next_steps,
                "metadata": known.model_copy(update=named),
                "summariser": WHOLE,
                "updated_at": now,
            }
        )
    )


async def closed(episode: Episode, writer: EpisodeWriter, now: datetime) -> Episode:
    """Return a told episode that is over, with the metadata that its words name.

    A model reads them where there is one; what somebody stated stays.
    """
    texts = [text for text in (episode.content, *episode.lessons) if text]
    told = shorten(episode.content.strip(), _LONGEST_SUMMARY) or episode.summary
    draft = EpisodeDraft(summary=told or "…") if texts else None
    if texts and writer.model is not None:
        said = [(now.date(), Said(role="user", text="\n".join(texts)))]
        written = await write_whole(writer, episode, said)
        draft = None if written.failure else written.draft
    read = draft or EpisodeDraft(summary=told or "…")
    outcome = episode.outcome
    if outcome in {"ongoing", "unknown"}:
        outcome = read.outcome if read.outcome != "unknown" else await _ended(texts)
    known = episode.metadata
    decided = tuple(each.chosen for each in episode.decisions)
    people = tuple(dict.fromkeys((*named_in(texts, "people"), *people_in(texts))))
    named = {
        "participants": _first(known.participants, read.participants, people),
        "tools_used": _first(known.tools_used, named_in(texts, "tools")),
        "entities": _first(known.entities, read.entities, entities_in(texts)),
        "key_decisions": _first(known.key_decisions, decided, read.decisions),
        "tags": _first(known.tags, read.tags, keywords(texts, _MOST_TAGS)),
    }
    return episode.model_copy(
        update={
            "status": "summarized",
            "outcome": "unknown" if outcome == "ongoing" else outcome,
            "summary": read.summary if episode.summary == episode.title else episode.summary,
            "goal": episode.goal or read.goal,
            "metadata": known.model_copy(update=named),
        }
    )


async def _ended(texts: Iterable[str]) -> Outcome:
    """Return how it ended, by the sentences that do more than list people and tools."""
    telling = " ".join(
        sentence
        for text in texts
        for sentence in split_sentences(text)
        if not (named_in([sentence], "people") or named_in([sentence], "tools"))
    )
    return outcome_of(await read_outcomes([Said(role="user", text=telling)]))


def _first(*choices: tuple[str, ...]) -> tuple[str, ...]:
    return next((each for each in choices if each), ())[:_MOST_NAMES]
