"""Prometheus counters and histograms of decisions and durations, if the extra is installed."""

from dataclasses import dataclass
from functools import cache

from memory_graph import telemetry
from memory_graph.errors import ConfigurationError

try:
    import prometheus_client as prometheus
except ImportError:  # the extra `metrics` is not installed
    prometheus = None  # type: ignore[assignment]

_SHARES = tuple(step / 20 for step in range(1, 21))
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_DOLLARS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.15, 0.5)

_COUNTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "memory_graph_decisions": ("Decisions", ("kind", "action", "reason")),
    "memory_graph_gave_up": ("Nodes that failed", ("node", "error")),
    "memory_graph_episodes_generated": ("Episodes written", ("outcome",)),
    "semantic_updates": ("Facts changed", ()),
    "semantic_creates": ("Facts created", ()),
    "episodic_creates": ("Episodes created", ()),
    "episodic_merges": ("Exchanges merged into an episode", ()),
    "episodic_skips": ("Exchanges not kept", ("reason",)),
}
_HISTOGRAMS: dict[str, tuple[str, tuple[str, ...], tuple[float, ...]]] = {
    "memory_graph_search_seconds": ("Recall", ("found",), _SECONDS),
    "memory_graph_episode_seconds": ("Writing", ("outcome",), _SECONDS),
    "memory_graph_episode_cost_usd": ("Price of an episode", (), _DOLLARS),
    "similarity_scores": ("Similarity to what is known", (), _SHARES),
    "notability_scores": ("Notability of exchanges", (), _SHARES),
    "decision_latencies": ("Seconds until a decision", (), (0.001, 0.0025, *_SECONDS)),
}
_SHORT_NAMES = {
    ("fact", "update"): "semantic_updates",
    ("fact", "create"): "semantic_creates",
    ("episode", "create"): "episodic_creates",
    ("episode", "merge"): "episodic_merges",
    ("episode", "skip"): "episodic_skips",
}
"""The counters that dashboards know, by what is decided about what."""


@dataclass(frozen=True)
class Exposition:
    """Metrics as text, and its content type."""

    body: bytes
    content_type: str


class Metrics:
    """Counters and histograms fed by events. Labels are reasons and names, never users."""

    def __init__(self) -> None:
        """Define the metrics in their own registry, apart from those of the application."""
        if prometheus is None:
            raise ConfigurationError(
                "Metrics need the extra: pip install 'langgraph-memory-nodes[metrics]'."
            )
        self.registry = prometheus.CollectorRegistry()
        self._counters = {
            name: prometheus.Counter(name, meaning, labels, registry=self.registry)
            for name, (meaning, labels) in _COUNTERS.items()
        }
        self._histograms = {
            name: prometheus.Histogram(
                name, meaning, labels, buckets=buckets, registry=self.registry
            )
            for name, (meaning, labels, buckets) in _HISTOGRAMS.items()
        }

    def observe(self, event: telemetry.Event) -> None:
        """Count one event."""
        if isinstance(event, telemetry.MemoryDecided):
            self._observe_decision(event)
        elif isinstance(event, telemetry.Considered):
            self._observe_scores(event)
        elif isinstance(event, telemetry.MemorySearched):
            self._note("memory_graph_search_seconds", event.milliseconds / 1000, event.found)
        elif isinstance(event, telemetry.NodeGaveUp):
            self._count("memory_graph_gave_up", event.node, event.error)
        elif isinstance(event, telemetry.EpisodeGenerated):
            self._count("memory_graph_episodes_generated", event.outcome)
            self._note("memory_graph_episode_seconds", event.duration_ms / 1000, event.outcome)
            if event.cost_usd is not None:
                self._note("memory_graph_episode_cost_usd", event.cost_usd)

    def _observe_decision(self, event: telemetry.MemoryDecided) -> None:
        self._count("memory_graph_decisions", event.kind, event.action, event.reason)
        if short := _SHORT_NAMES.get((event.kind, event.action)):
            self._count(short, *([event.reason] if short == "episodic_skips" else ()))

    def _observe_scores(self, event: telemetry.Considered) -> None:
        for name in {"similarity", "notability"} & event.scores.keys():
            self._note(f"{name}_scores", event.scores[name])
        if event.milliseconds is not None:
            self._note("decision_latencies", event.milliseconds / 1000)

    def _count(self, name: str, *labels: str) -> None:
        counter = self._counters[name]
        (counter.labels(*labels) if labels else counter).inc()

    def _note(self, name: str, value: float, *labels: str) -> None:
        histogram = self._histograms[name]
        (histogram.labels(*labels) if labels else histogram).observe(value)

    def expose(self) -> Exposition:
        """Return the metrics as Prometheus reads them."""
        body = prometheus.generate_latest(self.registry)
        return Exposition(body, prometheus.CONTENT_TYPE_LATEST)


@cache
def process_metrics() -> Metrics | None:
    """Return this process's metrics, counted since the first call; `None` without the extra."""
    if prometheus is None:
        return None
    metrics = Metrics()
    telemetry.listen(metrics.observe)
    return metrics


def exposition() -> Exposition | None:
    """Return this process's metrics as text; `None` without the extra."""
    metrics = process_metrics()
    return metrics.expose() if metrics else None
