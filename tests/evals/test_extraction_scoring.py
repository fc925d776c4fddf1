"""How kept facts are compared with labels."""

import pytest

from evals.suites.extraction import judge
from evals.suites.fact_cases import Message
from memory_graph.records import FactCandidate


def message(gate: str = "pass", **fact: object) -> Message:
    facts = [{"entity": "user", **fact}] if fact else []
    return Message.model_validate({"id": "m", "text": "…", "gate": gate, "facts": facts})


def own(statement: str) -> FactCandidate:
    return FactCandidate(entity="user", statement=statement)


def keyed(attribute: str, value: str) -> FactCandidate:
    return FactCandidate(entity="user", attribute=attribute, value=value, statement="The user.")


@pytest.mark.parametrize(
    "candidate",
    [keyed("job", "nurse"), own("I work as a nurse in Graz."), own("my job: Nurse!")],
    ids=["by key", "in own words", "terse"],
)
def test_a_fact_is_kept_by_its_key_or_in_words_that_hold_its_value(candidate) -> None:
    score = judge(message(attribute="job", value="nurse"), (candidate,))

    assert score.passed
    assert score.figures["facts kept"].right == 1


def test_words_without_the_value_do_not_count() -> None:
    score = judge(message(attribute="job", value="nurse"), (own("I work in Graz."),))

    assert not score.passed
    assert score.why == "missing user.job=nurse"


def test_an_event_is_held_by_words_about_it() -> None:
    labelled = message(attribute="event:move to oslo", value="2027-03")

    assert judge(labelled, (own("I'm moving to Oslo in March."),)).passed


def test_what_was_read_under_a_wrong_key_is_wrong_and_counted_apart() -> None:
    labelled = message(attribute="job", value="nurse")

    score = judge(labelled, (keyed("city", "Nurse"), own("I am a nurse.")))

    assert not score.passed
    assert score.figures["facts kept"].share == 1
    assert score.figures["keyed as labelled"].share == 0


def test_words_kept_of_a_message_that_tells_nothing_are_counted_apart() -> None:
    score = judge(message("drop"), (own("Let's meet at 5."),))

    assert score.passed
    assert score.figures["own words worth keeping"].share == 0
