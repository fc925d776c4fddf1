"""Stories told over several days become linked episodes, and never of two stories at once."""

from dataclasses import replace

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import Counts, Verdict
from evals.suites.stories_report import OPEN, PARTS, Told, play, read_stories


async def score(setup: Setup) -> list[Score]:
    """Play every story through the graph; what is sealed is held back."""
    parts = PARTS if setup.held_back else OPEN
    stories = [(part, story) for part in parts for story in read_stories(part)]
    some = setup.some(stories, lambda each: each[1].id)
    return [
        replace(
            scored(story.id, _verdict(await play(story, setup))),
            part="tune" if part in OPEN else "check",
        )
        for part, story in some
    ]


def _verdict(told: Told) -> Verdict:
    """Count turns that matter and links; a link or an episode across stories counts as wrong."""
    right = told.kept + told.right
    wanted = told.matter + told.due
    proposed = right + told.noise + (told.linked - told.right) + told.mixed
    counts = Counts(right, proposed, wanted)
    why = (
        f"kept {told.kept} of {told.matter}, links {told.right} of {told.due}, "
        f"across {told.across}, mixed {told.mixed}"
    )
    return Verdict(right / max(wanted, proposed, 1), why, counts)


SUITE = CaseSuite(
    name="stories",
    promise="What matters in a story of several days is kept, linked day by day, and not mixed.",
    files=tuple(f"stories/{part}.yaml" for part in PARTS),
    bar=Bar(floor=0.6, tolerance=0.03, tuned="theme matching on the open stories"),
    score=score,
)
