"""Notes that people wrote or changed: nothing of theirs is lost, and titles stay."""

from datetime import timedelta

import pytest

from memory_graph.curation.forget import forget
from memory_graph.patterns.writing import record_pattern
from memory_graph.records import Change, EpisodeMetadata, PatternDraft
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from memory_graph.transfer import imports
from memory_graph.transfer.notes import (
    export_notes,
    known_titles,
    read_note,
    read_notes,
    unsaved_edits,
)
from tests.examples import NOON, a_pattern, an_episode

CHANGE = Change(id="c1", by="import", at=NOON)
LATER = Change(id="c2", by="add_pattern", at=NOON + timedelta(hours=1))
SESSION = """\
---
title: EPISODE-2026-01-21-session-42
type: episode
tags: [episodic, memory, session-42]
permalink: episodes/episode-2026-01-21-session-42
outcome: success
task: Sort the archive
---

# EPISODE-2026-01-21-session-42

## Context
We sorted it.

## Decisions

### d001: Where to begin
- **Timestamp**: 2026-01-21T10:00:00Z
- **Chosen**: with the letters
- **Outcome**: success

## Remarks
The shelf is new.

## Relations
- migrated_from [[ai-agents episodic memory]]
- continues [[EPISODE-2026-01-20-session-41]]
"""
EARLIER = SESSION.replace("2026-01-21-session-42", "2026-01-20-session-41").replace(
    "- continues [[EPISODE-2026-01-20-session-41]]\n", ""
)
PATTERN = """\
---
title: PATTERN-build-failure
type: pattern
tags: [causal, pattern]
permalink: patterns/pattern-build-failure
trigger: the cache is stale
success_rate: 1.0
occurrences: 1
last_validated: 2026-01-21
---

# PATTERN-build-failure

## Context
Seen in CI.

## Trigger
the cache is stale

## Action
clear it

## Observations
- [insight] it is always the cache #ci

## Causal Relationships
- causes [[PATTERN-late-release]]

## Evidence Episodes
- [[EPISODE-2026-01-21-session-42]]

## Relations
- relates_to [[ADR-018]]
"""


@pytest.fixture
def memory(store):
    return memory_of(Owner("ana"), store)


async def take_in(memory, files):
    incoming = read_notes(files, NOON, await known_titles(memory))
    return (await imports.take_in(memory, incoming, CHANGE, overwrite=True)).fates


async def test_what_people_wrote_comes_back_in_the_next_export(memory):
    await take_in(memory, {"a.md": SESSION, "b.md": PATTERN, "c.md": EARLIER})

    notes = await export_notes(memory, NOON)

    episode = notes["episodes/EPISODE-2026-01-21-session-42.md"]
    pattern = notes["patterns/PATTERN-build-failure.md"]
    assert "### d001: Where to begin" in episode
    assert "- **Chosen**: with the letters" in episode
    assert "- migrated_from [[ai-agents episodic memory]]" in episode
    assert "- continues [[EPISODE-2026-01-20-session-41]]" in episode
    assert "## Remarks\n\nThe shelf is new." in episode
    assert "- [insight] it is always the cache #ci" in pattern
    assert "- causes [[PATTERN-late-release]]" in pattern
    assert "- [[EPISODE-2026-01-21-session-42]] worked" in pattern
    assert "- relates_to [[ADR-018]]" in pattern


async def test_evidence_and_parents_named_by_title_lead_to_the_episodes(memory):
    await take_in(memory, {"a.md": SESSION, "b.md": PATTERN, "c.md": EARLIER})

    [pattern] = await memory.patterns.all()
    episodes = {each.note_title: each for each in await memory.episodes.all()}
    session = episodes["EPISODE-2026-01-21-session-42"]
    assert [each.episode_id for each in pattern.evidence] == [session.id]
    assert session.parent_episode_id == episodes["EPISODE-2026-01-20-session-41"].id
    assert session.metadata.session_id == "2026-01-21-session-42"


async def test_required_sections_are_always_there(memory):
    await memory.commit(await memory.episodes.puts([an_episode()], NOON))
    await memory.commit(await memory.patterns.puts([a_pattern(description="")], NOON))

    notes = {name: read_note(text) for name, text in (await export_notes(memory, NOON)).items()}

    [episode] = [note for name, note in notes.items() if name.startswith("episodes/")]
    [pattern] = [note for name, note in notes.items() if name.startswith("patterns/")]
    needed = ("Context", "Decisions", "Events Timeline", "Lessons Learned", "Relations")
    assert {*needed, "Observations"} <= {*episode.sections}
    assert {"Context", "Trigger", "Action", "Relations"} <= {*pattern.sections}


async def test_a_title_stays_whatever_else_happened_that_day(memory):
    await memory.commit(await memory.episodes.puts([an_episode("ep-b")], NOON))
    await export_notes(memory, NOON)
    earlier = an_episode("ep-a", started_at=NOON.replace(hour=8))
    numbered = an_episode("ep-c", metadata=EpisodeMetadata(session_id="2026-11-16-session-42"))
    await memory.commit(await memory.episodes.puts([earlier, numbered], NOON))

    await export_notes(memory, NOON)

    titles = {each.id: each.note_title for each in await memory.episodes.all()}
    assert titles == {
        "ep-b": "EPISODE-2026-11-16-session-01",
        "ep-a": "EPISODE-2026-11-16-session-02",
        "ep-c": "EPISODE-2026-11-16-session-42",
    }


async def test_an_edit_that_memory_does_not_know_is_not_written_over(memory):
    await memory.commit(await memory.episodes.puts([an_episode()], NOON))
    notes = await export_notes(memory, NOON)
    [(name, text)] = notes.items()
    edited = {name: text.replace("## Relations", "## Mine\n\nkeep this\n\n## Relations")}

    assert unsaved_edits(notes, notes, NOON) == []
    assert unsaved_edits(edited, notes, NOON) == [name]
    await take_in(memory, edited)
    assert unsaved_edits(edited, await export_notes(memory, NOON), NOON) == []


def test_a_note_that_cannot_be_read_costs_itself_alone():
    found = read_notes({"a.md": SESSION, "bad.md": "---\n: [\n---\n"}, NOON)

    assert len(found.episodes) == 1
    assert [each.where for each in found.unusable] == ["bad.md"]


async def test_an_older_note_brings_nothing_back_and_undoes_nothing(memory):
    await memory.commit(await memory.episodes.puts([an_episode("ep-a"), an_episode("ep-b")], NOON))
    await memory.commit(await memory.patterns.puts([a_pattern()], NOON))
    notes = await export_notes(memory, NOON)
    await forget(memory, await memory.episodes.get("ep-b"), NOON)
    await record_pattern(memory, PatternDraft(name=a_pattern().name), LATER, success=False)
    known = await memory.patterns.get(a_pattern().name)

    assert await take_in(memory, notes) == {"keep": 2, "deleted": 1}
    assert [each.id for each in await memory.episodes.all()] == ["ep-a"]
    assert await memory.patterns.get(known.name) == known


async def test_what_was_deleted_comes_back_with_a_note_that_somebody_edited(memory):
    await memory.commit(await memory.episodes.puts([an_episode("ep-a")], NOON))
    [(name, text)] = (await export_notes(memory, NOON)).items()
    await forget(memory, await memory.episodes.get("ep-a"), NOON)

    await take_in(memory, {name: text.replace("## Context\n\n", "## Context\n\nYes: ")})

    assert (await memory.episodes.get("ep-a")).summary.startswith("Yes: ")


async def test_notes_fill_a_new_memory(memory, store):
    await memory.commit(await memory.episodes.puts([an_episode("ep-a")], NOON))
    notes = await export_notes(memory, NOON)
    other = memory_of(Owner("bo"), store)

    assert await take_in(other, notes) == {"create": 1}


async def test_a_stated_duration_is_the_one_in_the_note(memory):
    session = an_episode("ep-a", metrics={"duration_minutes": 45})
    await memory.commit(await memory.episodes.puts([session], NOON))

    [text] = (await export_notes(memory, NOON)).values()

    assert read_note(text).matter["duration_minutes"] == 45


def test_options_may_be_written_with_commas():
    told = SESSION.replace("- **Chosen**", "- **Options**: by year, by name\n- **Chosen**")

    [episode] = read_notes({"a.md": told}, NOON).episodes

    assert episode.decisions[0].options == ("by year", "by name")
