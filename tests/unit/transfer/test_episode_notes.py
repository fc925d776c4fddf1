from datetime import timedelta

import pytest

from memory_graph.errors import NoteError
from memory_graph.records import Decision, EpisodeMetadata, Event
from memory_graph.transfer.notes import episode_titles, read_episode, read_note, write_episode
from tests.examples import NOON, an_episode

TITLE = "EPISODE-2026-11-16-session-01"
EPISODE = an_episode(
    outcome="success",
    decisions=(
        Decision(
            id="d001",
            timestamp=NOON,
            type="recovery",
            context="the token had expired",
            options=("renew it", "ask for another"),
            chosen="renew it",
            outcome="success",
            effects=("d002", "e001"),
        ),
        Decision(id="d002", chosen="add a reminder"),
    ),
    events=(Event(id="e001", timestamp=NOON, content="deployed", caused_by=("d001",)),),
    lessons=("Check the token first.",),
    next_steps=("Rotate the key",),
    metadata=EpisodeMetadata(tags=("deploy",)),
    parent_episode_id="ep-0",
)

BY_HAND = """\
---
title: EPISODE-2026-01-21-session-42
type: episode
tags: [memory, episodic]
permalink: episodes/episode-2026-01-21-session-42
outcome: partial
task: Sort the archive
duration_minutes: 30
---

# EPISODE-2026-01-21-session-42

## Context
We sorted half of it.

## Decisions

### d001: Start with the letters
- **Timestamp**: 2026-01-21T10:00:00Z
- **Type**: design
- **Options**: letters; photos
- **Chosen**: Start with the letters
- **Effects**: [[e002]]

## Events Timeline

1. [2026-01-21T10:00:00Z] Began #milestone
2. [2026-01-21T10:15:00Z] The shelf broke #error

## Lessons Learned
- Buy a better shelf
"""


def test_a_note_has_the_shape_people_know():
    text = write_episode(EPISODE, TITLE)
    note = read_note(text)

    assert {name: note.matter[name] for name in ("title", "type", "tags", "permalink")} == {
        "title": TITLE,
        "type": "episode",
        "tags": ["episodic", "deploy"],
        "permalink": "episodes/episode-2026-11-16-session-01",
    }
    assert note.sections["Decisions"].splitlines()[:3] == [
        "### d001: renew it",
        "- **Timestamp**: 2026-11-16T12:00:00+00:00",
        "- **Type**: recovery",
    ]
    assert "- **Effects**: [[d002]], [[e001]]" in text
    assert "1. [2026-11-16T12:00:00+00:00] deployed #milestone ^e001" in text
    assert "- [[e001]] caused_by [[d001]]" in text
    assert "- continues [[ep-0]]" in text
    assert "exact" not in note.matter


def test_what_a_person_edits_is_what_is_read():
    text = write_episode(EPISODE, TITLE)
    text = text.replace("Check the token first.", "Renew tokens weekly.")
    text = text.replace("- **Type**: recovery", "- **Type**: design")

    episode = read_episode(read_note(text))

    assert episode.lessons == ("Renew tokens weekly.",)
    assert episode.decisions[0].type == "design"


def test_an_edit_wins_over_what_the_front_matter_kept_exact():
    two_lines = EPISODE.model_copy(update={"lessons": ("first\nsecond",), "note_title": TITLE})
    text = write_episode(two_lines, TITLE)
    assert read_episode(read_note(text)) == two_lines

    edited = text.replace("- first\nsecond", "- only one")

    assert read_episode(read_note(edited)).lessons == ("only one",)


def test_a_note_written_by_hand_is_read_too():
    episode = read_episode(read_note(BY_HAND))

    assert episode.id == "episode-2026-01-21-session-42"
    assert (episode.title, episode.summary) == ("Sort the archive", "We sorted half of it.")
    assert episode.ended_at - episode.started_at == timedelta(minutes=30)
    assert (episode.date_iso, episode.week, episode.year) == ("2026-01-21", 4, 2026)
    assert episode.decisions[0].options == ("letters", "photos")
    assert episode.decisions[0].effects == ("e002",)
    assert [(each.id, each.type) for each in episode.events] == [
        ("e001", "milestone"),
        ("e002", "error"),
    ]
    assert episode.metadata.tags == ("memory",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("# No front matter", "starts with front matter", id="no front matter"),
        pytest.param("---\n: [\n---\n", "not YAML", id="broken YAML"),
        pytest.param("---\n- a\n---\n", "not a list of", id="a bare list"),
        pytest.param(
            BY_HAND.replace("EPISODE-2026-01-21", "Session"), "starts with `EPISODE-`", id="title"
        ),
        pytest.param(
            BY_HAND.replace("EPISODE-2026-01-21", "EPISODE-2026-13-45"), "and a date", id="no date"
        ),
        pytest.param(BY_HAND.replace("partial", "splendid"), "outcome", id="unknown outcome"),
        pytest.param(
            BY_HAND.replace("**Type**: design", "**Type**: whim"), "decisions.0.type", id="type"
        ),
    ],
)
def test_an_unreadable_note_says_why(text, says):
    with pytest.raises(NoteError, match=says):
        read_episode(read_note(text))


def test_episodes_of_a_day_are_numbered_as_they_began():
    later = an_episode("b", started_at=NOON + timedelta(hours=1))
    other_day = an_episode("c", ended_at=NOON + timedelta(days=1))

    assert episode_titles([later, an_episode("a"), other_day]) == {
        "a": "EPISODE-2026-11-16-session-01",
        "b": "EPISODE-2026-11-16-session-02",
        "c": "EPISODE-2026-11-17-session-01",
    }


def test_pictures_from_elsewhere_are_links_and_the_text_comes_back_as_it_was():
    summary = (
        "See ![x](https://evil.example/p.png?q=1) and <img src=//evil.example/q>, ![y](own.png)."
    )
    episode = an_episode(summary=summary)

    note = write_episode(episode, "EPISODE-2026-11-16-session-01")

    body = note.partition("\n---\n")[2]
    assert "![x]" not in body
    assert "<img" not in body
    assert "[x](https://evil.example/p.png?q=1)" in body
    assert "![y](own.png)" in body
    assert read_episode(read_note(note)).summary == summary
