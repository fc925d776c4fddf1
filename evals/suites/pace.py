"""A day leaves one episode per story worth one, and none of anything else."""

import asyncio
from collections import Counter

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import Verdict, one_each
from evals.suites.sitting_play import Played, play
from evals.suites.sittings import FILE, Sitting, read_sittings
from memory_graph.embedding import load_embedder
from memory_graph.policies import CapturePolicy
from memory_graph.settings import get_settings


async def score(setup: Setup) -> list[Score]:
    """Play every sitting with the capture policy in force."""
    policy = get_settings().capture
    judged = (asyncio.to_thread(judge_sitting, each, policy) for each in read_sittings())
    return [
        scored(each.id, await verdict)
        for each, verdict in zip(read_sittings(), judged, strict=True)
    ]


def judge_sitting(sitting: Sitting, policy: CapturePolicy) -> Verdict:
    """Play a sitting under a policy and compare what was kept with what should have been."""
    embedder = load_embedder(get_settings().embedder)
    return _verdict(sitting, play(sitting, policy, embedder))


def _verdict(sitting: Sitting, played: Played) -> Verdict:
    lines = sitting.lines
    due = Counter(line.story for line in lines if line.label == "adds")
    stories = {line.story: due[line.story] for line in lines if line.label == "opens"}
    kept = [[(lines[n].story, lines[n].label == "adds") for n in each] for each in played.episodes]
    return one_each(stories, kept)


SUITE = CaseSuite(
    name="pace",
    promise="A day leaves one episode per story worth it, and none of anything else.",
    files=(FILE,),
    bar=Bar(floor=0.6, tolerance=0.03, tuned="cooldowns, novelty and merging: `evals tune`"),
    score=score,
)
