"""Log events and metrics by the names that the sources fix."""

import logging

import pytest

from memory_graph import telemetry
from memory_graph.metrics import Metrics
from memory_graph.settings import get_settings
from tests.unit.test_graph import Talk

SEMANTIC = {"memory.decide", "memory.search", "memory.match", "memory.update", "memory.create"}
EPISODIC = {"episodic.decide", "episodic.skip", "episodic.merge", "episodic.create"}
STORY = (
    "My cat Luna is 3.",
    "Luna turned 4 yesterday!",
    "The import worker leaks memory. I decided to take a heap dump of the import worker.",
    "I found the root cause of the memory leak: the import worker keeps every row.",
    "Thanks!",
)


@pytest.fixture
async def logged(now, caplog):
    caplog.set_level(logging.INFO, logger="memory_graph")
    talk = Talk()
    for text in STORY:
        await talk.say(text)
        now.move(minutes=30)
    return [record for record in caplog.records if hasattr(record, "event")]


async def test_every_event_of_the_sources_is_logged_by_its_name(logged):
    assert {record.event for record in logged} >= SEMANTIC | EPISODIC


async def test_each_line_names_user_thread_and_turn_and_nothing_that_was_said(logged):
    words = ("Luna", "heap dump", "leak", "import worker")
    for record in logged:
        assert record.fields["user_id"] == "ana"
        assert record.fields["thread_id"] == "t1"
        assert record.fields["turn_id"]
        assert "\n" not in record.getMessage()
        assert not any(word in record.getMessage() for word in words)


async def test_a_decision_comes_before_what_is_done(logged):
    names = [record.event for record in logged]

    assert names.index("memory.decide") < names.index("memory.create")
    assert names.index("memory.match") < names.index("memory.update")
    assert names.index("episodic.decide") < names.index("episodic.skip")


async def test_counters_and_histograms_have_the_names_of_the_sources(now, monkeypatch):
    counted = Metrics()
    monkeypatch.setattr(telemetry, "_listeners", [counted.observe])
    talk = Talk()
    for text in STORY:
        await talk.say(text)
        now.move(minutes=30)

    sample = counted.registry.get_sample_value
    assert sample("semantic_creates_total") >= 1
    assert sample("semantic_updates_total") >= 1
    assert sample("episodic_creates_total") == 1
    assert sample("episodic_merges_total") == 1
    skips = [
        each.value
        for family in counted.registry.collect()
        for each in family.samples
        if each.name == "episodic_skips_total"
    ]
    assert sum(skips) >= 1
    assert sample("notability_scores_count") >= 5
    assert sample("decision_latencies_count") >= 5
    assert sample("decision_latencies_bucket", {"le": "120.0"}) == sample(
        "decision_latencies_count"
    )
    assert sample("similarity_scores_count") >= 1


@pytest.mark.parametrize("hours", ["24", "48", "72"])
async def test_a_merge_window_of_days_merges_over_days(now, monkeypatch, hours):
    monkeypatch.setenv("EPISODIC_MERGE_WINDOW_HOURS", hours)
    get_settings.cache_clear()
    talk = Talk()
    await talk.say(STORY[2])
    now.move(hours=int(hours) - 1)
    await talk.say(STORY[3])

    [episode] = await talk.memory.episodes.all()
    assert len(episode.merged_from) == 1


async def test_facts_can_be_switched_off(now, monkeypatch):
    monkeypatch.setenv("MEMORY_GRAPH_ADMISSION_ENABLED", "false")
    get_settings.cache_clear()
    talk = Talk()
    await talk.say(STORY[0])

    assert await talk.memory.facts.all() == []
    assert [each["reason"] for each in talk.named("memory.skip")] == ["disabled"]


async def test_the_boost_of_a_look_back_can_be_switched_off(monkeypatch):
    from memory_graph.policies import RecallPolicy
    from memory_graph.recall.search import plan_recall

    boosted = plan_recall("explicit", RecallPolicy())
    plain = plan_recall("explicit", RecallPolicy(boost=False))

    assert plain == plan_recall("none", RecallPolicy())
    assert boosted.recency_weight > plain.recency_weight


def test_similarity_is_understood_as_a_weight(monkeypatch):
    monkeypatch.setenv("MEMORY_RERANK_WEIGHTS", "similarity=0.5,importance=0.1, recency=0.2")
    get_settings.cache_clear()

    weights = get_settings().recall.weights
    assert (weights.lexical, weights.vector, weights.importance) == (0.5, 0.5, 0.1)
