"""Stage one says of a message whether something came of it: `has_episode` of the same answer."""

from datetime import date

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import same_label
from evals.suites.exchanges import Exchange, decide, load
from evals.suites.fact_extraction import NoAnswerError, extract
from memory_graph.settings import get_settings

_TODAY = date(2026, 11, 16)


async def score(setup: Setup) -> list[Score]:
    """Ask the model about the user's words of every exchange; without one, the capture policy.

    A model that does not answer says no, as it does in a turn.
    """
    scores = []
    for exchange in setup.some(load(), lambda each: each.case_id):
        says = await told(exchange, setup)
        wanted, got = _label(exchange.worth), _label(says)
        verdict = same_label(wanted, got, positive="episode")
        scores.append(scored(exchange.case_id, verdict, wanted=wanted, got=got))
    return scores


async def told(exchange: Exchange, setup: Setup) -> bool:
    """Return whether something came of an exchange, as the model says or the capture policy."""
    if setup.model is None:
        return decide(exchange, get_settings().capture).keep
    said = [each.text for each in exchange.said if each.role == "user"]
    try:
        _, answer = await extract(said, _TODAY, setup)
    except NoAnswerError:
        return False
    return bool(answer.has_episode)


def _label(told: bool) -> str:
    return "episode" if told else "routine"


SUITE = CaseSuite(
    name="has-episode",
    promise="Stage one tells messages that something came of from routine ones.",
    files=("exchanges.jsonl",),
    bar=Bar(floor=0.6, tuned="the words of `prompts/read_message.md`; the rules by `evals tune`"),
    score=score,
)
