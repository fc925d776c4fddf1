"""Share of LoCoMo's evidence among the first ten turns found."""

from pathlib import Path

from benchmarks.locomo import load
from benchmarks.locomo_retrieval import TUNED_ON, Asked, ask_all
from evals.harness.runner import Bar, CaseSuite, Score, Setup, SkippedSuiteError, scored
from evals.harness.scorers import found_among
from memory_graph.embedding import load_embedder
from memory_graph.settings import get_settings

CUT = 10


async def score(setup: Setup) -> list[Score]:
    """Ask the questions of the held-out conversations in the file."""
    if setup.locomo is None or not setup.locomo.exists():
        raise SkippedSuiteError("no LoCoMo file: pass `--locomo FILE` (its licence keeps it out)")
    return await _score_file(setup.locomo)


async def _score_file(path: Path) -> list[Score]:
    held_out = [each for each in load(path) if each.name not in TUNED_ON]
    if not held_out:
        raise SkippedSuiteError(f"every conversation in {path.name} was tuned on")
    embedder = load_embedder(get_settings().embedder)
    answers = [each async for each in ask_all(held_out, embedder, captions=False)]
    return [_score(number, asked) for number, asked in enumerate(answers)]


def _score(number: int, asked: Asked) -> Score:
    ranked = [turn.turn_id for turn in asked.found["ours"]]
    case_id = f"{asked.conversation.name}-{number}"
    return scored(case_id, found_among(asked.question.evidence, ranked, CUT))


SUITE = CaseSuite(
    name="locomo",
    promise="In long conversations, the evidence is among the first ten turns found.",
    files=(),
    bar=Bar(tolerance=0.01, tuned="ranking weights, on conversations 26, 30 and 41"),
    score=score,
)
