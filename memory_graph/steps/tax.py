"""What did memory add to this turn?"""

import time

from memory_graph.llm.ask import Usage
from memory_graph.state import Tax


def tax(started: float, *usages: Usage, before: Tax | None = None) -> Tax:
    """Return the calls, tokens and milliseconds since `started`, on top of `before`.

    What an endpoint did not say stays unknown.
    """
    earlier = before or Tax()
    total = Usage(
        earlier.get("calls", 0), earlier.get("input_tokens", 0), earlier.get("output_tokens", 0)
    )
    for usage in usages:
        total += usage
    spent = (time.perf_counter() - started) * 1000
    return Tax(
        calls=total.calls,
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        milliseconds=round(earlier.get("milliseconds", 0.0) + spent, 1),
    )
