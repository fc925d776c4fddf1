"""The table: what becomes of a new statement beside what is known."""

from datetime import timedelta

import pytest

from memory_graph.facts.reconcile import Known, Utterance, reconcile
from memory_graph.facts.timeline import new_fact
from memory_graph.policies import AdmissionPolicy
from memory_graph.records import FactCandidate, Named, Source
from tests.examples import NOON

POLICY = AdmissionPolicy()
DAY = timedelta(days=1)
SURE, DOUBT, APART = 0.95, 0.8, 0.3


def said(statement, **given):
    return FactCandidate(statement=statement, **given)


def city(name, **given):
    return said(f"The user lives in {name}.", attribute="city", value=name, **given)


def known(candidate, *, key=None, **changes):
    fact = new_fact(
        candidate,
        fact_id=key or "fact-1",
        key=key,
        at=NOON,
        source=Source(message_ids=("m0",)),
    )
    return fact.model_copy(update=changes)


LEEDS = known(city("Leeds"), key="profile:city")
RENT = known(said("The user pays 720 dollars of rent a week."))
REX = known(said("The dog Rex is 7.", entity="Rex", entity_kind="dog"))


def naming(fact, *, revision=None):
    return (Named(id=fact.id, revision=revision or fact.updated_at),)


def decide(fact, candidate, likeness=APART, *, is_shown=True, same=(), **when):
    utterance = Utterance(
        at=when.get("at", NOON + DAY),
        source=Source(message_ids=("m1",)),
        extractor="x",
        is_late=when.get("is_late", False),
    )
    beside = Known(
        facts={fact.id: fact}, likeness=[{fact.id: likeness}], same=same, is_shown=is_shown
    )
    [verdict] = reconcile(beside, [candidate], [], utterance, POLICY)
    return verdict


@pytest.mark.parametrize("likeness", [SURE, DOUBT, APART])
def test_the_same_key_is_an_update_however_alike(likeness):
    verdict = decide(LEEDS, city("York"), likeness)

    assert (verdict.action, verdict.reason, verdict.key) == ("update", "key_match", LEEDS.key)


@pytest.mark.parametrize(
    ("fact", "candidate", "likeness", "expected"),
    [
        (RENT, "The user pays 740 dollars of rent a week.", SURE, "same_fact_confirmed"),
        (RENT, "Since May the flat costs more.", DOUBT, "same_fact_confirmed"),
        (RENT, "The flat got dearer.", APART, "same_fact_confirmed"),
        (REX, "The user's cat Mia is ill.", SURE, "same_fact_confirmed"),
        (REX, "The user's cat Mia is ill.", DOUBT, "same_fact_confirmed"),
        (REX, "The user's cat Mia is ill.", APART, "replaces_unrelated"),
        (REX, "Rex has grown old.", APART, "same_fact_confirmed"),
    ],
)
def test_what_it_names_it_replaces_unless_it_is_about_something_else(
    fact, candidate, likeness, expected
):
    about = {"entity": "Mia", "entity_kind": "cat"} if "Mia" in candidate else {}
    verdict = decide(fact, said(candidate, replaces=naming(fact), **about), likeness)

    assert verdict.reason == expected
    assert verdict.action == ("create" if expected == "replaces_unrelated" else "update")


@pytest.mark.parametrize(
    ("candidate", "likeness", "is_shown", "expected"),
    [
        ("The user pays 720 dollars rent each week.", SURE, True, ("verify", "exact_duplicate")),
        ("The user pays 740 dollars of rent a week.", SURE, False, ("update", "similar_fact")),
        ("The user pays 740 dollars of rent a week.", SURE, True, ("create", "new_fact")),
        ("Tom pays 740 dollars of rent a week.", SURE, False, ("update", "similar_fact")),
        ("The user pays Tom 740 dollars of rent.", SURE, False, ("create", "new_fact")),
        ("The user pays 90 dollars for gas.", DOUBT, False, ("create", "new_fact")),
        ("The user pays 90 dollars for gas.", APART, False, ("create", "new_fact")),
    ],
)
def test_what_names_none_is_said_again_or_new_and_ends_nothing_it_was_shown(
    candidate, likeness, is_shown, expected
):
    verdict = decide(RENT, said(candidate), likeness, is_shown=is_shown)

    assert (verdict.action, verdict.reason) == expected


def test_in_doubt_the_judge_says_what_is_one_fact_where_nobody_was_shown_it():
    candidate = said("The rent went up to 740.")

    assert decide(RENT, candidate, DOUBT, is_shown=False, same={(0, RENT.id)}).action == "update"
    assert decide(RENT, candidate, DOUBT, is_shown=False).action == "create"


def test_one_statement_replaces_several():
    gas = known(said("The user pays 90 dollars for gas."), id="fact-2")
    both = (*naming(RENT), *naming(gas))
    candidate = said("Rent and gas are 850 together.", replaces=both)
    beside = Known(facts={RENT.id: RENT, gas.id: gas}, likeness=[{}], is_shown=True)
    utterance = Utterance(at=NOON + DAY, source=Source(message_ids=("m1",)), extractor="x")

    [verdict] = reconcile(beside, [candidate], [], utterance, POLICY)

    assert (verdict.target, verdict.ends) == (RENT, (gas,))


def test_two_statements_that_replace_one_compound_stand_beside_each_other():
    beside = Known(facts={RENT.id: RENT}, likeness=[{}, {}], is_shown=True)
    utterance = Utterance(at=NOON + DAY, source=Source(message_ids=("m1",)), extractor="x")
    parts = [said(each, replaces=naming(RENT)) for each in ("Rent is 740.", "It is weekly.")]

    verdicts = reconcile(beside, parts, [], utterance, POLICY)

    assert [each.action for each in verdicts] == ["update", "create"]


def test_what_is_to_come_stands_beside_what_it_will_replace():
    then = NOON + 60 * DAY
    verdict = decide(LEEDS, city("York", starts=then, replaces=naming(LEEDS)))

    assert (verdict.action, verdict.key, verdict.target) == ("create", None, None)
    assert verdict.ends == (LEEDS,)


def test_what_a_hand_corrected_changes_only_by_what_names_it():
    mended = LEEDS.model_copy(update={"by_hand": True})

    beside = decide(mended, city("York"))
    named = decide(mended, city("York", replaces=naming(mended)))

    assert (beside.action, beside.reason, beside.key) == ("create", "kept_by_hand", None)
    assert (named.action, named.target) == ("update", mended)


def test_a_number_stands_for_what_was_shown_and_no_later_value():
    older = naming(REX, revision=NOON - DAY)
    mia = {"entity": "Rex", "entity_kind": "dog"}

    assert decide(REX, said("Rex is 8.", replaces=older, **mia)).reason == "changed_meanwhile"
    assert decide(REX, said("Rex is 8.", replaces=older, **mia), DOUBT).action == "update"


def test_a_message_that_is_read_late_replaces_nothing_that_was_said_after_it():
    late = {"at": NOON - DAY, "is_late": True}
    verdict = decide(RENT, said("Rent is 600.", replaces=naming(RENT)), **late)

    assert (verdict.action, verdict.reason) == ("create", "changed_meanwhile")


@pytest.mark.parametrize(
    ("revision", "expected"),
    [
        (None, ("retract", "retracted_by_user")),
        (NOON - DAY, ("skip", "changed_meanwhile")),
    ],
)
def test_what_is_over_ends_if_it_is_still_what_was_shown(revision, expected):
    beside = Known(facts={RENT.id: RENT}, is_shown=True)
    utterance = Utterance(at=NOON + DAY, source=Source(message_ids=("m1",)), extractor="x")

    [verdict] = reconcile(beside, [], naming(RENT, revision=revision), utterance, POLICY)

    assert (verdict.action, verdict.reason) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [("Leeds", "retract"), (None, "retract"), ("York", "skip")]
)
def test_a_statement_that_ends_a_key_ends_the_value_it_names(value, expected):
    over = said("The user has moved away.", attribute="city", value=value, retracts=True)

    assert decide(LEEDS, over).action == expected


def test_what_names_a_fact_and_says_it_better_takes_its_place_though_the_value_is_the_same():
    nico = known(said("Leo's friend Nico is a firefighter.", entity="Nico", value="firefighter"))
    better = said(
        "Leo's former friend Nico is a firefighter.",
        entity="Nico",
        value="firefighter",
        replaces=naming(nico),
    )
    verdict = decide(nico, better, SURE)
    assert (verdict.action, verdict.reason) == ("update", "same_fact_confirmed")
    assert verdict.candidate.statement == better.statement
