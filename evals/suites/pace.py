"""Does a day leave one episode per story worth it, and none of anything else?"""

from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.scorers import Verdict, one_each
from evals.sitting_play import Played, play
from evals.sittings import FILE, Sitting, read_sittings
from memory_graph.embeddings import load_embedder
from memory_graph.policy.capture import CapturePolicy
from memory_graph.settings import get_settings


async def score(setup: Setup) -> list[Score]:
    """Play every sitting with the capture policy in force."""
    policy = get_settings().capture
    return [scored(each.id, await judge_sitting(each, policy)) for each in read_sittings()]


async def judge_sitting(sitting: Sitting, policy: CapturePolicy) -> Verdict:
    """Play a sitting under a policy and compare what was kept with what should have been."""
    embedder = load_embedder(get_settings().embedder)
    return _verdict(sitting, await play(sitting, policy, embedder))


def _verdict(sitting: Sitting, played: Played) -> Verdict:
    wanted = {line.story for line in sitting.lines if line.label == "opens"}
    told = [[sitting.lines[n].story for n in lines] for lines in played.episodes]
    return one_each(wanted, told)


SUITE = CaseSuite(
    name="pace",
    promise="A day leaves one episode per story worth it, and none of anything else.",
    files=(FILE,),
    bar=Bar(tolerance=0.02, tuned="cooldowns, novelty and merging: `memory-graph tune`"),
    score=score,
)
