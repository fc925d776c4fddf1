import pytest

from memory_graph.facts.admission import Evidence, decide_admission
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import Fact, FactCandidate, Source
from tests.examples import a_fact

POLICY = AdmissionPolicy(auto=0.9, low=0.7)
LISBON = a_fact(value="Lisbon", attribute="city", key="profile:city")
UNKEYED = a_fact("fact-1", "The user is saving for a house.")
CITY = FactCandidate(statement="The user lives in Porto.", attribute="city", value="Porto")
HOUSE = FactCandidate(statement="The user saves money to buy a house.")


def near(similarity: float, fact=UNKEYED) -> tuple[tuple[Fact, float], ...]:
    return ((fact, similarity),)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        pytest.param({}, ("create", "new_fact"), id="nothing known"),
        pytest.param(
            {"candidate": CITY, "keyed": LISBON}, ("update", "key_match"), id="another value"
        ),
        pytest.param(
            {"candidate": CITY.model_copy(update={"value": "lisbon"}), "keyed": LISBON},
            ("verify", "exact_duplicate"),
            id="the same value",
        ),
        pytest.param(
            {
                "candidate": CITY.model_copy(update={"retracts": True, "value": "Lisbon"}),
                "keyed": LISBON,
            },
            ("retract", "retracted_by_user"),
            id="an end",
        ),
        pytest.param(
            {"candidate": CITY.model_copy(update={"retracts": True}), "keyed": LISBON},
            ("skip", "nothing_to_retract"),
            id="an end of another value",
        ),
        pytest.param(
            {"candidate": CITY.model_copy(update={"retracts": True})},
            ("skip", "nothing_to_retract"),
            id="an end of nothing",
        ),
        pytest.param(
            {"neighbours": near(0.9)}, ("update", "similar_fact"), id="at the upper threshold"
        ),
        pytest.param({"neighbours": near(0.89)}, ("skip", "ambiguous"), id="just below it"),
        pytest.param({"neighbours": near(0.7)}, ("skip", "ambiguous"), id="at the lower threshold"),
        pytest.param({"neighbours": near(0.69)}, ("create", "new_fact"), id="below the lower one"),
        pytest.param(
            {"neighbours": near(0.8), "same_fact": True},
            ("update", "same_fact_confirmed"),
            id="confirmed",
        ),
        pytest.param(
            {"neighbours": near(0.8), "same_fact": False}, ("create", "new_fact"), id="denied"
        ),
        pytest.param(
            {"candidate": CITY, "neighbours": near(0.99, LISBON)},
            ("create", "new_fact"),
            id="facts of different keys never meet",
        ),
        pytest.param(
            {
                "candidate": HOUSE.model_copy(update={"entity": "Eva", "entity_kind": "sister"}),
                "neighbours": near(0.99),
            },
            ("create", "new_fact"),
            id="another person's fact is another fact",
        ),
        pytest.param(
            {"candidate": HOUSE.model_copy(update={"kind": "episodic"})},
            ("skip", "deferred_to_capture"),
            id="what happened is not for the hot path",
        ),
        pytest.param(
            {"candidate": FactCandidate(statement="The user's password is hunter2.")},
            ("skip", "sensitive"),
            id="a password",
        ),
        pytest.param(
            {"candidate": FactCandidate(statement="The user's card is 4111 1111 1111 1111.")},
            ("skip", "sensitive"),
            id="a card number",
        ),
    ],
)
def test_decide_admission(evidence, expected) -> None:
    given = Evidence(**{"candidate": HOUSE, "message_id": "m9", **evidence})

    decided = decide_admission(given, POLICY)

    assert (decided.action, decided.reason) == expected


def test_the_same_message_applies_once() -> None:
    known = LISBON.model_copy(update={"value": "Porto", "source": Source(message_ids=("m9",))})

    decided = decide_admission(Evidence(candidate=CITY, message_id="m9", keyed=known), POLICY)

    assert decided.reason == "already_applied"


def test_a_category_may_have_bands_of_its_own() -> None:
    strict = AdmissionPolicy(auto=0.9, low=0.7, auto_by_category="health=0.97", low_by_category={})
    candidate = HOUSE.model_copy(update={"category": "health"})
    evidence = Evidence(candidate=candidate, message_id="m9", neighbours=near(0.95))

    decided = decide_admission(evidence, strict)

    assert (decided.reason, decided.thresholds) == (
        "ambiguous",
        {"auto": 0.97, "low": 0.7, "floor": 0.5},
    )


@pytest.mark.parametrize(
    ("statement", "known", "similarity", "reason"),
    [
        pytest.param("Pedro lent the user Pedro's bike.", "Pedro", 0.6, "ambiguous", id="a name"),
        pytest.param("The user saves for a car.", "Pedro", 0.6, "new_fact", id="no name shared"),
        pytest.param("Ask Pedro, the user owes Pedro.", "Pedro", 0.49, "new_fact", id="too far"),
    ],
)
def test_below_the_band_a_shared_name_is_worth_asking(statement, known, similarity, reason):
    fact = a_fact("fact-1", f"The user owes {known} money.")
    evidence = Evidence(
        candidate=FactCandidate(statement=statement),
        message_id="m9",
        neighbours=near(similarity, fact),
    )

    assert decide_admission(evidence, POLICY).reason == reason


def test_below_the_band_another_category_is_another_fact():
    fact = a_fact("fact-1", "The user owes Pedro money.", category="goal")
    evidence = Evidence(
        candidate=FactCandidate(statement="The user lent Pedro a bike."),
        message_id="m9",
        neighbours=near(0.6, fact),
    )

    assert decide_admission(evidence, POLICY).reason == "new_fact"
