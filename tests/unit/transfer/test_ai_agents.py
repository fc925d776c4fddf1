import pytest

from memory_graph.patterns.evidence import success_rate
from memory_graph.records import Relation
from memory_graph.transfer.other_systems import read_causal_graph, read_episode, read_folder
from tests.examples import NOON

EPISODE = {
    "id": "episode-2026-01-21-session-42",
    "session": "2026-01-21-session-42",
    "timestamp": "2026-01-21T10:00:00",
    "outcome": "Success",
    "task": "Sort the archive",
    "decisions": [
        {
            "id": "d001",
            "timestamp": "2026-01-21T10:05:00Z",
            "type": "design",
            "context": "",
            "chosen": "start with letters",
            "outcome": "success",
            "effects": ["e001"],
        }
    ],
    "events": [{"id": "e001", "type": "milestone", "content": "done", "caused_by": ["d001"]}],
    "metrics": {"tool_calls": 3, "notes": "none", "flaky": True},
    "lessons": ["Label the boxes"],
}
GRAPH = {
    "version": "1",
    "nodes": [
        {"id": "n1", "label": "Skip tests", "type": "pattern"},
        {"id": "n2", "label": "Broken release", "type": "outcome"},
    ],
    "edges": [
        {"source": "n1", "target": "n2", "type": "causes"},
        {"source": "n1", "target": "n2", "type": "annoys"},
    ],
    "patterns": [
        {
            "name": "Skip tests",
            "trigger": "late",
            "action": "release anyway",
            "success_rate": 0.25,
            "occurrences": 8,
            "last_used": "2026-01-20",
        }
    ],
}


def test_an_episode_file_becomes_an_episode_with_its_links():
    [episode] = read_episode(EPISODE).episodes

    assert (episode.title, episode.outcome) == ("Sort the archive", "success")
    assert f"{episode.started_at:%Y-%m-%d %H:%M %Z}" == "2026-01-21 10:00 UTC"
    assert episode.decisions[0].effects == ("e001",)
    assert episode.events[0].caused_by == ("d001",)
    assert episode.metrics == {"tool_calls": 3.0}
    assert episode.source.thread_id == "ai-agents:2026-01-21-session-42"


def test_the_same_file_becomes_the_same_record():
    assert read_episode(EPISODE) == read_episode(dict(EPISODE))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"timestamp": "soon"}, "has no id or no timestamp", id="no time"),
        pytest.param({"outcome": "splendid"}, "does not fit: outcome", id="unknown outcome"),
        pytest.param(
            {"events": [{"id": "e1", "type": "whim", "content": "x"}]},
            "does not fit: events.0.type",
            id="unknown kind of event",
        ),
    ],
)
def test_an_unusable_episode_says_why(change, reason):
    found = read_episode({**EPISODE, **change})

    assert found.episodes == ()
    assert [each.reason for each in found.unusable] == [reason]


def test_a_causal_graph_becomes_patterns_with_their_edges():
    found = read_causal_graph(GRAPH, NOON)

    pattern, outcome = found.patterns
    assert (pattern.name, pattern.successes, pattern.occurrences) == ("skip-tests", 2, 8)
    assert pattern.relations == (Relation(type="causes", target="broken-release"),)
    assert (outcome.name, outcome.occurrences) == ("broken-release", 0)
    assert [(each.where, each.reason) for each in found.unusable] == [
        ("n1 → n2", "is of an unknown kind of relation"),
    ]


def test_a_pattern_without_counts_is_refused():
    graph = {"patterns": [{"name": "guess", "trigger": "t", "action": "a"}]}

    [problem] = read_causal_graph(graph, NOON).unusable
    assert problem.reason == "has no occurrences or no success_rate"


@pytest.mark.parametrize("graph", [{}, {"nodes": None, "edges": "x", "patterns": [1]}])
def test_an_empty_or_odd_graph_holds_nothing(graph):
    assert read_causal_graph(graph, NOON).patterns == ()


def test_a_migrated_session_has_its_span_its_tags_and_its_project():
    [episode] = read_folder({"a.json": EPISODE}, NOON, "archive").episodes

    assert f"{episode.started_at:%H:%M}–{episode.ended_at:%H:%M}" == "10:00–10:05"
    assert episode.metadata.tags == ("memory", "session-42")
    assert episode.project == "archive"


def test_a_migrated_success_rate_is_not_rounded_to_whole_tries():
    [stated] = GRAPH["patterns"]
    graph = {**GRAPH, "patterns": [{**stated, "success_rate": 0.85, "occurrences": 7}]}

    [pattern, _] = read_folder({"graph.json": graph}, NOON, "archive").patterns

    assert success_rate(pattern) == pytest.approx(0.85)
    assert pattern.projects == ("archive",)
