"""What did memory add to this turn?"""

import time

from memory_graph.llm.ask import Usage
from memory_graph.state import Tax


def tax(started: float, *usages: Usage, before: Tax | None = None) -> Tax:
    """Return the calls, tokens and milliseconds since `started`, on top of `before`."""
    earlier = before or Tax()
    return Tax(
        calls=earlier.get("calls", 0) + sum(usage.calls for usage in usages),
        input_tokens=earlier.get("input_tokens", 0) + sum(u.input_tokens or 0 for u in usages),
        output_tokens=earlier.get("output_tokens", 0) + sum(u.output_tokens or 0 for u in usages),
        milliseconds=round(
            earlier.get("milliseconds", 0.0) + (time.perf_counter() - started) * 1000, 1
        ),
    )
