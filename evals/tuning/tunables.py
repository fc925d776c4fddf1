"""Every setting that can be tuned, with its labelled cases and its score."""

from evals.tuning import (
    episode_thresholds,
    pattern_thresholds,
    ranking_weights,
)
from evals.tuning.tasks import Tunable

TUNABLES: dict[str, Tunable] = {
    each.name: each
    for module in (
        ranking_weights,
        episode_thresholds,
        pattern_thresholds,
    )
    for each in module.TUNABLES
}
