"""What a message states becomes a fact: with a key, or in the words that were to be remembered.

Without a model, what rules do not surely read stays a quotation, and counts here as missing.
"""

from evals.harness.runner import Bar, CaseSuite, Figure, Score, Setup
from evals.harness.scorers import NOTHING_WRONG, Counts
from evals.suites.fact_cases import (
    MESSAGES,
    TODAY,
    Label,
    Message,
    labelled,
    labels_of,
    read_messages,
)
from evals.suites.fact_extraction import NoAnswerError, extract
from memory_graph.keys import normalise
from memory_graph.records import FactCandidate

_BEGINNING = 3
"""Words that begin alike are one word: `moving` and `move`."""

_SMALL = {"", "a", "in", "of", "the", "to"}


async def score(setup: Setup) -> list[Score]:
    """Extract from every message, behind the gate, as the graph does."""
    messages = setup.some(read_messages(), lambda message: message.id)
    return [await judge_one(message, setup) for message in messages]


async def judge_one(message: Message, setup: Setup) -> Score:
    """Extract from one message, and compare with its labels."""
    try:
        _, heard = await extract((*message.history, message.text), TODAY, setup)
    except NoAnswerError as reason:
        wanted = len(labelled(message))
        counts = Counts(wanted=wanted)
        return _as_score(message, counts, {"facts kept": Figure(0, wanted)}, str(reason))
    return judge(message, heard.facts)


def judge(message: Message, candidates: tuple[FactCandidate, ...]) -> Score:
    """Compare candidates with labels.

    A labelled fact is kept if it was read under its key, or if words of the user that hold its
    value were kept. What was read under a key must be as labelled. Labels do not know which
    words are worth keeping, only which messages tell something: that share is a figure apart.
    """
    wanted = labelled(message)
    keyed = labels_of(each for each in candidates if each.attribute)
    own = [each.statement for each in candidates if not each.attribute]
    kept = {label for label in wanted if label in keyed or any(_holds(s, label) for s in own)}
    worth = own if message.gate == "pass" else []
    wrong = sorted(map(_written, keyed - wanted))
    counts = Counts(len(kept), len(kept) + len(wrong), len(wanted))
    figures = {
        "facts kept": Figure(len(kept), len(wanted)),
        "keyed as labelled": Figure(len(keyed & wanted), len(keyed)),
        "own words worth keeping": Figure(len(worth), len(own)),
    }
    missing = sorted(map(_written, wanted - kept))
    problems = [f"missing {', '.join(missing)}"] if missing else []
    problems += [f"wrong {', '.join(wrong)}"] if wrong else []
    return _as_score(message, counts, figures, "; ".join(problems))


def _as_score(message: Message, counts: Counts, figures: dict[str, Figure], problems: str) -> Score:
    return Score(
        case_id=message.id,
        passed=not problems,
        value=1.0 if not problems else counts.f_score(),
        why=problems or NOTHING_WRONG,
        tier="should",
        counts=counts,
        figures=figures,
    )


def _holds(statement: str, label: Label) -> bool:
    """Say whether words hold a labelled value; of events and endings, what they are about."""
    _, attribute, value, _ = label
    looked_for = attribute.partition("-")[2] if attribute.startswith("event-") else value
    said = "-".join(normalise(word) for word in statement.split())
    return _beginnings(looked_for or attribute) <= _beginnings(said)


def _beginnings(normalised: str) -> set[str]:
    return {word[:_BEGINNING] for word in normalised.split("-") if word not in _SMALL}


def _written(label: Label) -> str:
    entity, attribute, value, retracts = label
    return f"{'no longer ' if retracts else ''}{entity}.{attribute}={value}"


SUITE = CaseSuite(
    name="extraction",
    promise="What is surely read is a fact under its key, and nothing made up.",
    files=(MESSAGES,),
    bar=Bar(floor=0.5, tuned="the table of keys, by hand; what it leaves out stays a quotation"),
    score=score,
)
