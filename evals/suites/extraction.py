"""Are the facts in a message found as labelled: entity, attribute, value, retraction?"""

from evals.fact_cases import TODAY, Message
from evals.facts import Label, labelled, labels_of
from evals.harness import Bar, CaseSuite, Score, Setup, scored
from evals.listening import NoAnswerError, listen
from evals.scorers import Verdict, same_set
from evals.suites.gate import FILE, read_messages


async def score(setup: Setup) -> list[Score]:
    """Extract from every message, behind the gate, as the graph does."""
    messages = setup.some(read_messages(), lambda message: message.id)
    return [scored(message.id, await _judge(message, setup)) for message in messages]


async def _judge(message: Message, setup: Setup) -> Verdict:
    wanted = {_written(each) for each in labelled(message)}
    try:
        heard = await listen((*message.history, message.text), TODAY, setup)
    except NoAnswerError as reason:
        return Verdict(0.0, str(reason), same_set(wanted, set()).counts)
    return same_set(wanted, {_written(each) for each in labels_of(heard.candidates)})


def _written(label: Label) -> str:
    entity, attribute, value, retracts = label
    return f"{'no longer ' if retracts else ''}{entity}.{attribute}={value}"


SUITE = CaseSuite(
    name="extraction",
    promise="Facts are read with the right subject, attribute and value, and none is made up.",
    files=(FILE,),
    bar=Bar(floor=0.7, tuned="the offline grammar, by hand"),
    score=score,
)
