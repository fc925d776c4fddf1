"""What does memory cost a turn, beside another version of itself?

Run `python -m benchmarks.turn_cost --baseline DIR`, where `DIR` is a checkout of the other version
(`git worktree add DIR COMMIT`). Both play the same conversations without a model, so that all the
time is the nodes' own. It is processor time of all threads: a busy machine counts little.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_graph.graph import MemoryGraph

CONVERSATIONS = Path(__file__).parents[1] / "evals" / "cases" / "people" / "dev.json"
ROUNDS = 2
KINDS = ("told", "asked", "other")

WARM_UP = (
    "My sister Anna moved to Leeds last week.", "Where does Anna live?", "Thanks!",
    "Ich wohne seit Mai in Köln und arbeite bei der Post.", "Wo wohne ich?", "Danke!",
    "Vivo en Sevilla con mi perro Kiko.", "¿Dónde vivo?", "Gracias, ahora vivo en Cádiz.",
    "J'habite à Lyon avec ma fille Jade.", "Où est-ce que j'habite ?", "Merci, on part lundi.",
)  # fmt: skip
"""What a process does once per language is no cost of a turn."""

Times = Mapping[str, Sequence[float]]


def play(conversations: Path) -> Times:
    """Return the milliseconds of every turn, by what it does."""
    from langchain_core.messages import HumanMessage  # noqa: PLC0415 — of the version measured
    from langgraph.checkpoint.memory import InMemorySaver  # noqa: PLC0415
    from langgraph.store.memory import InMemoryStore  # noqa: PLC0415

    from memory_graph import build_graph  # noqa: PLC0415

    def turn(graph: "MemoryGraph", text: str, user: str, thread: str) -> float:
        config = {"configurable": {"user_id": user, "thread_id": thread}}
        started = time.process_time()
        graph.invoke({"messages": [HumanMessage(text)]}, config)
        return (time.process_time() - started) * 1000

    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    warm = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    for text in WARM_UP:
        turn(warm, text, "warm", "warm")
    for person in json.loads(conversations.read_text(encoding="utf-8")):
        graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
        for said in person["turns"]:
            took = turn(graph, said["say"], person["id"], said["at"][:10])
            times[kind_of(said)].append(took)
    return times


def kind_of(turn: Mapping[str, object]) -> str:
    """Return what a turn does: tell something, ask, or neither."""
    return "told" if turn.get("fact") else "asked" if turn.get("ask") else "other"


def measure(directory: Path) -> Times:
    """Play in a process of its own, with the package that `directory` holds."""
    command = [
        *("env", "-u", "MEMORY_GRAPH_MODEL", "-u", "OPENAI_API_KEY", "-u", "OPENAI_BASE_URL"),
        *(f"PYTHONPATH={directory}", "OPENBLAS_NUM_THREADS=1"),
        *(sys.executable, __file__, "--play", str(CONVERSATIONS)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    times: Times = json.loads(done.stdout.splitlines()[-1])
    return times


def compare(now: Sequence[Times], before: Sequence[Times]) -> list[str]:
    """Return a line per kind of turn: median and mean of each version, and the ratio."""
    columns = ("turns", "median ms", "before", "mean ms", "before", "ratio")
    lines = [f"{'turn':8}" + "".join(f"{column:>10}" for column in columns)]
    for kind in (*KINDS, "all"):
        ours, theirs = _best(now, kind), _best(before, kind)
        figures = (median(ours), median(theirs), mean(ours), mean(theirs))
        shown = "".join(f"{figure:10.1f}" for figure in figures)
        lines.append(f"{kind:8}{len(ours):10}{shown}{mean(ours) / mean(theirs):10.2f}")
    return lines


def _best(rounds: Sequence[Times], kind: str) -> Sequence[float]:
    """Return the times of the round that the machine disturbed least."""
    every = [[t for k in KINDS if kind in (k, "all") for t in times[k]] for times in rounds]
    return min(every, key=mean)


def main() -> None:
    """Measure both versions in turn and print them beside each other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--baseline", type=Path, help="a checkout of the version to compare with")
    parser.add_argument("--play", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        print(json.dumps(play(options.play)))
        return
    if options.baseline is None:
        parser.error("name a checkout to compare with: `--baseline DIR`")
    now: list[Times] = []
    before: list[Times] = []
    for _ in range(ROUNDS):
        now.append(measure(Path(__file__).parents[1]))
        before.append(measure(options.baseline.resolve()))
    print("\n".join(compare(now, before)))


if __name__ == "__main__":
    main()
