"""Prometheus counters and histograms of decisions and durations, if the extra is installed."""

from dataclasses import dataclass
from functools import cache

from memory_graph import telemetry
from memory_graph.errors import ConfigurationError

try:
    import prometheus_client as prometheus
except ImportError:  # the extra `metrics` is not installed
    prometheus = None  # type: ignore[assignment]

_SCORE_BUCKETS = tuple(step / 20 for step in range(1, 21))
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_DOLLARS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.15, 0.5)
_LATENCIES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)

_NAMED_COUNTERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("semantic_updates", "Facts changed", ()),
    ("semantic_creates", "Facts created", ()),
    ("episodic_creates", "Episodes created", ()),
    ("episodic_merges", "Exchanges merged into an episode", ()),
    ("episodic_skips", "Exchanges not kept", ("reason",)),
)

_NAMED_HISTOGRAMS: tuple[tuple[str, str, tuple[float, ...]], ...] = (
    ("similarity_scores", "Similarity to what is known", _SCORE_BUCKETS),
    ("notability_scores", "Notability of exchanges", _SCORE_BUCKETS),
    ("decision_latencies", "Seconds until a decision", _LATENCIES),
)

_COUNTED = {
    ("fact", "update"): "semantic_updates",
    ("fact", "create"): "semantic_creates",
    ("episode", "create"): "episodic_creates",
    ("episode", "merge"): "episodic_merges",
    ("episode", "skip"): "episodic_skips",
}

_SPREAD = {"similarity": "similarity_scores", "notability": "notability_scores"}


@dataclass(frozen=True)
class Exposition:
    """Metrics as text, and what kind of text it is."""

    body: bytes
    content_type: str


class Metrics:
    """Counters and histograms fed by events. Labels are reasons and names, never users."""

    def __init__(self) -> None:
        """Define the metrics in a registry of their own, so that they meet nobody else's."""
        if prometheus is None:
            raise ConfigurationError(
                "Metrics need the extra: pip install 'langgraph-memory-nodes[metrics]'."
            )
        self.registry = prometheus.CollectorRegistry()
        self._decisions = self._counter("decisions", "Decisions", "kind", "action", "reason")
        self._gave_up = self._counter("gave_up", "Nodes that failed", "node", "error")
        self._generated = self._counter("episodes_generated", "Episodes written", "outcome")
        self._scores = self._histogram("score", "Scores decided by", _SCORE_BUCKETS, "score")
        self._searches = self._histogram("search_seconds", "Recall", _SECONDS, "found")
        self._seconds = self._histogram("episode_seconds", "Writing", _SECONDS, "outcome")
        self._named = {
            name: prometheus.Counter(name, meaning, labels, registry=self.registry)
            for name, meaning, labels in _NAMED_COUNTERS
        }
        self._spread = {
            name: prometheus.Histogram(name, meaning, buckets=buckets, registry=self.registry)
            for name, meaning, buckets in _NAMED_HISTOGRAMS
        }
        self._cost = self._histogram("episode_cost_usd", "Price of an episode", _DOLLARS)

    def observe(self, event: telemetry.Event) -> None:
        """Count one event."""
        if isinstance(event, telemetry.MemoryDecided):
            self._decisions.labels(event.kind, event.action, event.reason).inc()
            for name, score in event.scores.items():
                self._scores.labels(name).observe(score)
            self._count_by_name(event)
        elif isinstance(event, telemetry.Considered):
            self._observe_by_name(event)
        elif isinstance(event, telemetry.MemorySearched):
            self._searches.labels(event.found).observe(event.milliseconds / 1000)
        elif isinstance(event, telemetry.NodeGaveUp):
            self._gave_up.labels(event.node, event.error).inc()
        elif isinstance(event, telemetry.EpisodeGenerated):
            self._generated.labels(event.outcome).inc()
            self._seconds.labels(event.outcome).observe(event.duration_ms / 1000)
            if event.cost_usd is not None:
                self._cost.observe(event.cost_usd)

    def _count_by_name(self, event: telemetry.MemoryDecided) -> None:
        """Count under the short names that dashboards know."""
        name = _COUNTED.get((event.kind, event.action))
        if name == "episodic_skips":
            self._named[name].labels(event.reason).inc()
        elif name:
            self._named[name].inc()

    def _observe_by_name(self, event: telemetry.Considered) -> None:
        for score, name in _SPREAD.items():
            if score in event.scores:
                self._spread[name].observe(event.scores[score])
        if event.milliseconds is not None:
            self._spread["decision_latencies"].observe(event.milliseconds / 1000)

    def expose(self) -> Exposition:
        """Return the metrics as Prometheus reads them."""
        body = prometheus.generate_latest(self.registry)
        return Exposition(body, prometheus.CONTENT_TYPE_LATEST)

    def _counter(self, name: str, meaning: str, *labels: str) -> "prometheus.Counter":
        return prometheus.Counter(f"memory_graph_{name}", meaning, labels, registry=self.registry)

    def _histogram(
        self, name: str, meaning: str, buckets: tuple[float, ...], *labels: str
    ) -> "prometheus.Histogram":
        return prometheus.Histogram(
            f"memory_graph_{name}", meaning, labels, buckets=buckets, registry=self.registry
        )


@cache
def process_metrics() -> Metrics | None:
    """Return this process's metrics, counting from the first call on; `None` without the extra."""
    if prometheus is None:
        return None
    metrics = Metrics()
    telemetry.listen(metrics.observe)
    return metrics


def exposition() -> Exposition | None:
    """Return this process's metrics as text; `None` without the extra."""
    metrics = process_metrics()
    return metrics.expose() if metrics else None
