"""How often was what decided, and how long did it take? For Prometheus, if it is installed."""

from dataclasses import dataclass
from functools import cache

from memory_graph import telemetry
from memory_graph.errors import ConfigurationError

try:
    import prometheus_client as prometheus
except ImportError:  # the extra `metrics` is not installed
    prometheus = None  # type: ignore[assignment]

_SCORE_BUCKETS = tuple(step / 20 for step in range(1, 21))
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_DOLLARS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.15, 0.5)


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
        self._cost = self._histogram("episode_cost_usd", "Price of an episode", _DOLLARS)

    def observe(self, event: telemetry.Event) -> None:
        """Count one event."""
        if isinstance(event, telemetry.MemoryDecided):
            self._decisions.labels(event.kind, event.action, event.reason).inc()
            for name, score in event.scores.items():
                self._scores.labels(name).observe(score)
        elif isinstance(event, telemetry.MemorySearched):
            self._searches.labels(event.found).observe(event.milliseconds / 1000)
        elif isinstance(event, telemetry.NodeGaveUp):
            self._gave_up.labels(event.node, event.error).inc()
        elif isinstance(event, telemetry.EpisodeGenerated):
            self._generated.labels(event.outcome).inc()
            self._seconds.labels(event.outcome).observe(event.milliseconds / 1000)
            if event.cost_usd is not None:
                self._cost.observe(event.cost_usd)

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
