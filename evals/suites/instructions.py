"""How the agent is to work, read from messages by the rules; what only sounds like it is left."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, ConfigDict

from evals.harness.runner import CASES, Bar, CaseSuite, Figure, Score, Setup, add_figures
from memory_graph.memory import Memory

FILE = "instructions.jsonl"
_KEPT, _LEFT, _OVER = 0.8, 0.966, 0.5


class Message(BaseModel):
    """One message, and whether it says how the agent is to work from now on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str
    language: str
    kind: Literal["instruction", "lookalike"]
    when: str
    earlier: str = ""
    """What the user wished before, where this message changes or ends it."""

    ends: bool = False
    sealed: bool


@dataclass(frozen=True)
class Played:
    """What is in force after a message: of the earlier wish, and besides it."""

    earlier: bool
    new: tuple[tuple[str, str], ...]


async def score(setup: Setup) -> list[Score]:
    """Play every message into a memory of its own; of the sealed ones, say the sums only."""
    cases = [Message.model_validate_json(line) for line in _lines()]
    open_half = [await _scored(each) for each in cases if not each.sealed]
    if not setup.held_back:
        return open_half
    return [*open_half, _summed([await _scored(each) for each in cases if each.sealed])]


def _lines() -> Sequence[str]:
    return (CASES / FILE).read_text(encoding="utf-8").splitlines()


async def play(case: Message) -> Played:
    """Return the instructions after a message, and after the earlier one that it is about."""
    memory = Memory(InMemoryStore(), user_id="user")
    if case.earlier:
        await memory.aadd(case.earlier)
    before = {each.wish for each in await memory.ainstructions()}
    await memory.aadd(case.text)
    after = await memory.ainstructions()
    new = tuple((each.wish, each.when) for each in after if each.wish not in before)
    return Played(not case.earlier or any(each.wish in before for each in after), new)


async def _scored(case: Message) -> Score:
    played = await play(case)
    figures = _figures(case, played)
    short = [name for name, figure in figures.items() if figure.right < figure.of]
    return Score(
        case_id=case.text,
        passed=not short,
        value=1.0 - bool(short),
        why=f"not {', '.join(short)}: {played.new}" if short else "as wished",
        tier="should",
        part="tune",
        figures=figures,
    )


def _figures(case: Message, played: Played) -> dict[str, Figure]:
    """Return what is counted of a message: a wish is in force, or the one it ends no longer is."""
    if case.kind == "lookalike":
        return {"look-alikes left": Figure(not played.new, 1, _LEFT)}
    is_over = not played.earlier
    figures = {"kept": Figure(is_over if case.ends else bool(played.new), 1, _KEPT)}
    if case.earlier:
        figures["earlier one over"] = Figure(is_over, 1, _OVER)
    if case.when != "always":
        has_occasion = case.ends or any(when != "always" for _, when in played.new)
        figures["occasion read"] = Figure(has_occasion, 1)
    return figures


def _summed(scores: Sequence[Score]) -> Score:
    figures = add_figures(each.figures for each in scores)
    short = [f"{name} {figure}" for name, figure in figures.items() if not figure.holds]
    return Score(
        case_id="sealed messages",
        passed=not short,
        value=sum(each.value for each in scores) / len(scores),
        why=", ".join(short) or "as promised",
        tier="should",
        part="check",
        figures=figures,
    )


SUITE = CaseSuite(
    name="instructions",
    promise="What the user wants from now on is kept without a model; look-alikes are not.",
    files=(FILE,),
    bar=Bar(tuned="`memory_graph/language/data/wishes.json`, on the open half"),
    score=score,
)
