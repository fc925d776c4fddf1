"""What does the model of a run hear in a message, and did it answer at all?"""

from collections.abc import Sequence
from datetime import date

from evals.harness import Setup
from memory_graph.errors import ModelUnavailableError
from memory_graph.llm.facts import RULES
from memory_graph.settings import get_settings
from memory_graph.steps.hear import Heard, Listener


class NoAnswerError(Exception):
    """The model of a run gave no usable answer: the case is wrong, the run goes on."""


async def listen(texts: Sequence[str], today: date, setup: Setup) -> Heard:
    """Read the facts out of the last of `texts`, as the hot path does.

    There the rules step in for a model that fails; here that would hide the failure.

    Raises:
        NoAnswerError: If the run has a model, and it fails.
    """
    try:
        heard = await Listener(setup.model, get_settings().extraction_timeout_s).hear(texts, today)
    except ModelUnavailableError as error:
        raise NoAnswerError(str(error)) from error
    if heard.usage.calls and heard.extractor == RULES:
        reasons = ", ".join(skipped.reason for skipped in heard.skipped)
        raise NoAnswerError(f"The model gave no usable answer: {reasons}.")
    return heard
