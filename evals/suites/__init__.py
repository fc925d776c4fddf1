"""Which suites are there? In the order in which a turn meets what they measure."""

from evals.harness import Suite
from evals.suites import (
    abstention,
    capture,
    chaining,
    extraction,
    gate,
    injection,
    isolation,
    latency,
    locomo,
    ordering,
    pace,
    patterns,
    recall_intent,
    retrieval,
    same_fact,
    scenarios,
    time_phrases,
    updates,
)

SUITES: tuple[Suite, ...] = (
    gate.SUITE,
    extraction.SUITE,
    same_fact.SUITE,
    updates.SUITE,
    recall_intent.SUITE,
    time_phrases.SUITE,
    retrieval.SUITE,
    locomo.SUITE,
    abstention.SUITE,
    capture.SUITE,
    pace.SUITE,
    chaining.SUITE,
    ordering.SUITE,
    patterns.SUITE,
    isolation.SUITE,
    injection.SUITE,
    scenarios.SUITE,
    latency.SUITE,
)
