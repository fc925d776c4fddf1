"""Extracts the facts of a message with the model of a run."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from evals.harness.runner import Setup
from memory_graph.errors import ModelUnavailableError
from memory_graph.facts.extraction import RULES, Extracted, FactExtractor
from memory_graph.llm.models import patience_with
from memory_graph.store.scope import UserMemory


class NoAnswerError(Exception):
    """The model of a run gave no usable answer: the case is wrong, the run goes on."""


async def extract(
    texts: Sequence[str], today: date, setup: Setup, memory: UserMemory | None = None
) -> Extracted:
    """Read the facts out of the last of `texts`, as the hot path does.

    There the rules step in for a model that fails; here that would hide the failure.

    Raises:
        NoAnswerError: If the run has a model, and it fails.
    """
    try:
        extractor = FactExtractor(setup.model, patience_with(setup.model).episode_s, memory)
        now = datetime.combine(today, time(12), UTC)
        found = await extractor.extract(texts, now, ZoneInfo("UTC"))
    except ModelUnavailableError as error:
        raise NoAnswerError(str(error)) from error
    if found.usage.calls and found.extractor == RULES:
        reasons = ", ".join(skipped.reason for skipped in found.skipped)
        raise NoAnswerError(f"The model gave no usable answer: {reasons}.")
    return found
