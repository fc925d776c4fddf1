from hypothesis import HealthCheck, given, settings

from memory_graph.transfer.notes import (
    read_episode,
    read_note,
    read_pattern,
    write_episode,
    write_pattern,
)
from tests.examples import NOON
from tests.unit.transfer import strategies

ANYTHING = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TITLE = "EPISODE-2026-11-16-session-01"


@ANYTHING
@given(strategies.episodes)
def test_an_episode_comes_back_from_its_note_as_it_was(episode):
    written = episode.model_copy(update={"note_title": TITLE})

    assert read_episode(read_note(write_episode(written, TITLE))) == written


@ANYTHING
@given(strategies.patterns())
def test_a_pattern_comes_back_from_its_note_as_it_was(pattern):
    assert read_pattern(read_note(write_pattern(pattern, {})), NOON) == pattern
