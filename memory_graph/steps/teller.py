"""Who writes an episode down, how long may it take, and what may it cost?"""

from dataclasses import dataclass
from typing import Literal

from langchain_core.language_models import BaseChatModel

from memory_graph.errors import ExtractionError, MemoryGraphError
from memory_graph.llm.ask import Answer
from memory_graph.llm.episodes import (
    EXTRACTIVE,
    PROMPT,
    extract,
    merge_prompt,
    summarise,
    summary_prompt,
)
from memory_graph.llm.pricing import Tariff, tariff_of
from memory_graph.records import Episode, EpisodeDraft
from memory_graph.settings import get_settings
from memory_graph.steps.exchange import Exchange

TellingFailure = Literal["timeout", "model_error", "parse_error"]


class TellingError(MemoryGraphError):
    """Nobody could write the episode down; the turn is left to the next one."""

    def __init__(self, outcome: TellingFailure, cause: Exception) -> None:
        self.outcome = outcome
        self.cause = cause
        super().__init__(f"No episode was written: {outcome} ({type(cause).__name__}).")


class OverBudgetError(MemoryGraphError):
    """The call would cost more than an episode may."""


@dataclass(frozen=True)
class Teller:
    """Whoever writes episodes: a model, or the extractive summariser without one."""

    model: BaseChatModel | None
    tariff: Tariff
    timeout_s: float

    @property
    def name(self) -> str:
        """How episodes say who wrote them."""
        return PROMPT if self.model else EXTRACTIVE

    async def tell(self, exchange: Exchange, known: Episode | None) -> Answer[EpisodeDraft]:
        """Write the exchange down; with a model, a known episode is written anew as one.

        Raises:
            OverBudgetError: If the call would cost too much; it is not made.
            TellingError: If no usable answer came.
        """
        if self.model is None:
            return extract(exchange.window, new=exchange.said)
        prompt = _prompt(exchange, known)
        if not self.tariff.allows(prompt):
            raise OverBudgetError("The call would cost more than an episode may.")
        try:
            return await summarise(prompt, self.model, timeout_s=self.timeout_s)
        except ExtractionError as error:
            late = isinstance(error.__cause__, TimeoutError)
            raise TellingError("timeout" if late else "parse_error", error) from error
        except Exception as error:
            raise TellingError("model_error", error) from error


def teller_for(model: BaseChatModel | None) -> Teller:
    """Return a teller with the limits that settings name."""
    settings = get_settings()
    return Teller(model, tariff_of(model, settings), settings.episode_timeout_s)


def _prompt(exchange: Exchange, known: Episode | None) -> str:
    if known is None:
        return summary_prompt(exchange.window, exchange.today)
    return merge_prompt(known, exchange.window, exchange.today)
