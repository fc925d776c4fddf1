"""How long memory holds up a turn with a huge message, and how long it blocks the event loop.

`python -m benchmarks.largest_message` prints one line per message: what the memory nodes added
to the reply (the same graph without memory is subtracted), and the longest step during which
nothing else could run. The limits are 1.5 s and 50 ms, of the processor's time: on a machine that
others use, too, the clock on the wall (`wall_…`) says more about them.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.memory import InMemoryStore

from memory_graph.compose import add_memory
from memory_graph.context import Context
from memory_graph.reading import read_message

ADDED_S, BLOCKED_S = 1.5, 0.050
UNITS = {
    "spaces": " ",
    "newlines": "\n",
    "digits": "7",
    "hyphens": "-",
    "one word": "a",
    "prose": "We walked to the market and bought bread, then we came home. ",
    "statements": "I live in Porto. My cat Luna is 3. I work at Acme. I am allergic to nuts. ",
    "japanese": "私はポルトに住んでいます。",
    "quoted": "> I live in Porto\n",
    "json": '{"name": "ana", "city": "Porto", "tags": ["a", "b"]}, ',
}
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
_BEAT_S = 0.002


@dataclass(frozen=True)
class Measured:
    """One message, and what memory made of it."""

    message: str
    size: int
    added_s: float
    blocked_ms: float
    wall_s: float
    wall_blocked_ms: float

    @property
    def is_within(self) -> bool:
        """Whether both limits hold."""
        return self.added_s <= ADDED_S and self.blocked_ms <= 1000 * BLOCKED_S


class Watch:
    """Watches the event loop: the step that kept it busiest, and the longest time between beats."""

    def __init__(self) -> None:
        self.busiest_s = 0.0
        self.pause_s = 0.0

    async def __aenter__(self) -> "Watch":
        self._run = asyncio.Handle._run  # noqa: SLF001 — every step of a loop goes through it
        asyncio.Handle._run = self._timed()  # type: ignore[method-assign]  # noqa: SLF001
        self._task = asyncio.create_task(self._beat())
        await asyncio.sleep(5 * _BEAT_S)
        self.busiest_s = self.pause_s = 0.0
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        asyncio.Handle._run = self._run  # type: ignore[method-assign]  # noqa: SLF001

    def _timed(self) -> Callable[[asyncio.Handle], None]:
        def run(handle: asyncio.Handle) -> None:
            before = time.thread_time()
            self._run(handle)
            self.busiest_s = max(self.busiest_s, time.thread_time() - before)

        return run

    async def _beat(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(_BEAT_S)
            self.pause_s = max(self.pause_s, time.perf_counter() - before - _BEAT_S)


def graphs() -> tuple[object, object]:
    """Return a graph with memory, and the same without."""

    def builder() -> StateGraph[MessagesState, Context, MessagesState, MessagesState]:
        made = StateGraph(MessagesState, context_schema=Context)
        made.add_node("agent", lambda _: {"messages": [AIMessage("I see.")]})
        made.add_edge(START, "agent")
        return made

    return add_memory(builder()).compile(store=InMemoryStore()), builder().compile()


@dataclass(frozen=True)
class Taken:
    """What one turn took."""

    processor_s: float
    wall_s: float
    blocked_s: float
    pause_s: float


async def take(graph: object, text: str) -> Taken:
    """Run one turn and return what it took."""
    given = {"messages": [HumanMessage(text)]}
    async with Watch() as watch:
        processor, wall = time.process_time(), time.perf_counter()
        await graph.ainvoke(given, context=Context(user_id="ana"))  # type: ignore[attr-defined]
        took = time.process_time() - processor, time.perf_counter() - wall
    return Taken(*took, watch.busiest_s, watch.pause_s)


async def measure(name: str, size: int, runs: int) -> Measured:
    """Measure one message; the median of some runs, since others use the machine."""
    unit = UNITS[name]
    text = (unit * (size // len(unit) + 1))[:size]
    pairs = []
    for _ in range(runs):
        with_memory, without = graphs()
        pairs.append((await take(without, text), await take(with_memory, text)))
    median = statistics.median
    return Measured(
        name,
        size,
        added_s=round(median(b.processor_s - a.processor_s for a, b in pairs), 3),
        blocked_ms=round(1000 * median(b.blocked_s for _, b in pairs), 1),
        wall_s=round(median(b.wall_s - a.wall_s for a, b in pairs), 3),
        wall_blocked_ms=round(1000 * median(b.pause_s for _, b in pairs), 1),
    )


async def main() -> int:
    """Measure every message and print what is over the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    args = parser.parse_args()
    await read_message("The weights are loaded before anything is measured.")
    await measure("statements", 1000, 1)
    found = []
    for size in args.sizes:
        for name in UNITS:
            measured = await measure(name, size, args.runs)
            found.append(measured)
            print(json.dumps({**vars(measured), "ok": measured.is_within}), flush=True)
    slowest = max(found, key=lambda each: each.added_s)
    longest = max(found, key=lambda each: each.blocked_ms)
    print(f"added at most {slowest.added_s} s ({slowest.message}, {slowest.size})")
    print(f"blocked at most {longest.blocked_ms} ms ({longest.message}, {longest.size})")
    return 0 if all(each.is_within for each in found) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
