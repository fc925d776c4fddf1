"""Which numbers can be tuned? Each with its labelled cases and what they are scored by."""

from evals.tasks import Tunable
from evals.tunables import episodes, facts, patterns, ranking, recall

TUNABLES: dict[str, Tunable] = {
    each.name: each
    for module in (facts, recall, ranking, episodes, patterns)
    for each in module.TUNABLES
}
