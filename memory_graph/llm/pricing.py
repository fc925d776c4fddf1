"""The price of a model call, before and after it is made; an unknown price is never zero."""

from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel

from memory_graph.llm.ask import MOST_TOKENS
from memory_graph.records import Usage
from memory_graph.settings import Price, Settings

_CHARACTERS_PER_TOKEN = 3
"""Fewer than English needs, so that an estimate is rather too high."""


_SHORTEST_ANSWER = 100
"""Fewer tokens hold no answer."""


_ASSUMED = Price(1.0, 4.0)
"""Of a model whose price nobody said, in USD per million tokens: a small one of a provider."""


_MILLION = 1_000_000


@dataclass(frozen=True)
class Tariff:
    """The price of one model, if anybody said it, and how much one call may cost."""

    price: Price | None
    limit_usd: float

    def most_tokens(self, prompt: str) -> int:
        """Return how long an answer may be for a call to stay under the limit; 0: not made.

        Without a price, one is assumed: a budget bounds every model.
        """
        price = self.price or _ASSUMED
        asked = len(prompt) / _CHARACTERS_PER_TOKEN * price.input / _MILLION
        left = (self.limit_usd - asked) * _MILLION
        most = MOST_TOKENS if price.output <= 0 else min(MOST_TOKENS, int(left / price.output))
        return most if left >= 0 and most >= _SHORTEST_ANSWER else 0

    def cost(self, usage: Usage) -> float | None:
        """Return what calls cost in USD; `None` if the price or the tokens are unknown."""
        if usage.calls == 0:
            return 0.0
        if self.price is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        paid = usage.input_tokens * self.price.input + usage.output_tokens * self.price.output
        return paid / _MILLION


def tariff_of(
    model: BaseChatModel | None, settings: Settings, limit_usd: float | None = None
) -> Tariff:
    """Return the tariff of a model by the name its provider knows it under.

    Without a limit of its own, a call may cost as much as an episode.
    """
    name = getattr(model, "model_name", None) or getattr(model, "model", None)
    return Tariff(settings.prices.get(str(name)), limit_usd or settings.episode_budget_usd)
