import pytest

from memory_graph import metrics, telemetry
from memory_graph.errors import ConfigurationError
from memory_graph.metrics import Metrics
from memory_graph.records import MemoryDecision


def decided(action: str, reason: str, **scores: float) -> telemetry.Event:
    decision = MemoryDecision(kind="episode", action=action, reason=reason, scores=scores)
    return telemetry.MemoryDecided.of("episodic_capture", decision)


def test_decisions_are_counted_by_reason() -> None:
    counted = Metrics()
    for _ in range(2):
        counted.observe(decided("skip", "cooldown", notability=0.72))

    labels = {"kind": "episode", "action": "skip", "reason": "cooldown"}
    sample = counted.registry.get_sample_value
    assert sample("memory_graph_decisions_total", labels) == 2


def test_time_price_and_failures_are_counted() -> None:
    counted = Metrics()
    counted.observe(telemetry.EpisodeGenerated(outcome="stored", duration_ms=1500, cost_usd=0.002))
    counted.observe(telemetry.NodeGaveUp(node="memory_context", error="ConnectionError"))

    sample = counted.registry.get_sample_value
    assert sample("memory_graph_episode_seconds_sum", {"outcome": "stored"}) == 1.5
    assert sample("memory_graph_episode_cost_usd_sum", {}) == 0.002
    failed = {"node": "memory_context", "error": "ConnectionError"}
    assert sample("memory_graph_gave_up_total", failed) == 1


def test_an_event_of_the_process_reaches_the_exposition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "_listeners", [])
    metrics.process_metrics.cache_clear()
    assert metrics.process_metrics()

    telemetry.record(None, decided("create", "decision"))

    exposed = metrics.exposition()
    metrics.process_metrics.cache_clear()
    assert exposed
    assert b'reason="decision"' in exposed.body
    assert exposed.content_type.startswith("text/plain")


def test_without_the_extra_there_are_no_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "prometheus", None)
    metrics.process_metrics.cache_clear()

    assert metrics.exposition() is None
    metrics.process_metrics.cache_clear()
    with pytest.raises(ConfigurationError, match="metrics"):
        Metrics()
