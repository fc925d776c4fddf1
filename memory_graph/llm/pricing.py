"""What does a model call cost, before and after it is made? Unknown is never zero."""

from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from memory_graph.llm.ask import Usage
from memory_graph.settings import Price, Settings

_CHARACTERS_PER_TOKEN = 3
"""Fewer than English needs, so that an estimate is rather too high."""

_ANSWER_TOKENS = 500
_MILLION = 1_000_000


@dataclass(frozen=True)
class Tariff:
    """The price of one model, if anybody said it, and how much one call may cost."""

    price: Price | None
    limit_usd: float

    def allows(self, prompt: str) -> bool:
        """Return whether a call stays under the limit, as far as that can be told."""
        tokens = len(prompt) // _CHARACTERS_PER_TOKEN
        estimate = self.cost(Usage(1, tokens, _ANSWER_TOKENS))
        return estimate is None or estimate <= self.limit_usd

    def cost(self, usage: Usage) -> float | None:
        """Return what calls cost in USD; `None` if the price or the tokens are unknown."""
        if usage.calls == 0:
            return 0.0
        if self.price is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        paid = usage.input_tokens * self.price.input + usage.output_tokens * self.price.output
        return paid / _MILLION


def tariff_of(model: BaseChatModel | None, settings: Settings) -> Tariff:
    """Return the tariff of a model by the name its provider knows it under."""
    name = getattr(model, "model_name", None) or getattr(model, "model", None)
    return Tariff(settings.prices.get(str(name)), settings.episode_budget_usd)
