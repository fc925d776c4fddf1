import pytest

from memory_graph.errors import NoteError
from memory_graph.records import Observation, Relation
from memory_graph.transfer.notes import read_note, read_pattern, write_pattern
from tests.examples import NOON, a_pattern

BY_HAND = """\
---
title: ANTIPATTERN-skip-tests
type: pattern
tags: [causal, pattern]
permalink: patterns/antipattern-skip-tests
trigger: the release is late
success_rate: 0.25
occurrences: 8
last_validated: 2026-01-21
---

# ANTIPATTERN-skip-tests

## Context
It never saves time.

## Action
Release without running the tests

## Causal Relationships
- causes [[PATTERN-broken-release]]
- prevents [[Happy users]]
"""


def test_a_note_links_to_its_relations_and_evidence():
    pattern = a_pattern(
        relations=(Relation(type="prevents", target="outage"),),
        evidence=(Observation(id="o1", success=True, at=NOON, episode_id="ep-1"),),
        successes=1,
        occurrences=1,
    )
    text = write_pattern(pattern, {"ep-1": "EPISODE-2026-11-16-session-01"})

    assert "title: PATTERN-retry-on-timeout\n" in text
    assert "permalink: patterns/pattern-retry-on-timeout\n" in text
    assert "- prevents [[PATTERN-outage]]" in text
    assert "- [[EPISODE-2026-11-16-session-01]] worked" in text


def test_a_warning_says_so():
    text = write_pattern(a_pattern(kind="antipattern", occurrences=3), {})

    assert "# ANTIPATTERN-retry-on-timeout" in text
    assert "## Anti-Pattern Warning\n\nAvoid this: 0 of 3 worked" in text


def test_a_note_written_by_hand_is_read_too():
    pattern = read_pattern(read_note(BY_HAND), NOON)

    assert (pattern.name, pattern.kind) == ("skip-tests", "antipattern")
    assert (pattern.successes, pattern.occurrences) == (2, 8)
    assert (pattern.trigger, pattern.description) == ("the release is late", "It never saves time.")
    assert f"{pattern.last_validated_at:%Y-%m-%d}" == "2026-01-21"
    assert pattern.relations == (
        Relation(type="causes", target="broken-release"),
        Relation(type="prevents", target="happy-users"),
    )


def test_an_impossible_count_is_refused():
    text = write_pattern(a_pattern(occurrences=1), {}).replace("successes: 0", "successes: 2")

    with pytest.raises(NoteError):
        read_pattern(read_note(text), NOON)
