"""Signals: what one stretch of conversation shows, in any language."""

import pytest

from memory_graph.episodes.capture import notability
from memory_graph.episodes.signals import Signals, outcome_of, read_outcomes, read_signals
from memory_graph.policies import NotabilityWeights
from memory_graph.records import Said

WEIGHTS = NotabilityWeights()


def user(text: str) -> Said:
    return Said(role="user", text=text)


def assistant(text: str, *tool_calls: str) -> Said:
    return Said(role="assistant", text=text, tool_calls=tool_calls)


def result(tool: str, *, is_error: bool = False) -> Said:
    return Said(role="tool", tool=tool, text="…", is_error=is_error)


async def signals_of(*said: Said, earlier: tuple[Said, ...] = ()) -> Signals:
    outcomes = await read_outcomes(said, earlier=earlier)
    return read_signals(outcomes)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        pytest.param("We decided to rent the flat in Graz, not to buy it.", "decision", id="en"),
        pytest.param("Wir haben uns für die Wohnung in Graz entschieden.", "decision", id="de"),
        pytest.param("I fixed the login bug this morning, it works now.", "done", id="done"),
        pytest.param("Hoy he firmado el contrato del local.", "done", id="es"),
        pytest.param("They rejected our application again.", "setback", id="setback"),
        pytest.param("La mairie a refusé notre demande de permis.", "setback", id="fr"),
        pytest.param("Please remember this conversation.", "user_declared", id="declared"),
        pytest.param("Merk dir bitte dieses Gespräch.", "user_declared", id="declared, de"),
    ],
)
async def test_what_people_report_is_seen(text: str, sign: str) -> None:
    assert getattr(await signals_of(user(text)), sign)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("thanks, that helps!", id="thanks"),
        pytest.param("How many grams are in an ounce?", id="question"),
        pytest.param("Schreib mir bitte eine höfliche Mail an den Vermieter.", id="chore"),
        pytest.param("¿cuánto pesa un saco de harina?", id="question, es"),
        pytest.param("Translate this: 'We decided to move to Rome.'", id="quoted"),
    ],
)
async def test_what_reports_nothing_is_not_notable(text: str) -> None:
    assert notability(await signals_of(user(text), assistant("Here you are.")), WEIGHTS) < 0.5


async def test_a_choice_left_open_is_not_a_decision() -> None:
    signals = await signals_of(user("We still haven't decided about the kitchen, I'm torn."))

    assert signals.undecided
    assert not signals.decision


async def test_coming_back_with_news_counts_though_the_advice_is_in_an_earlier_turn() -> None:
    earlier = (user("My dough never rises."), assistant("Feed the starter twice a day."))
    turn = user("Fed the starter twice a day for a week and the loaf doubled.")

    alone, in_context = await signals_of(turn), await signals_of(turn, earlier=earlier)

    assert not alone.follows_up
    assert in_context.follows_up
    assert in_context.takes_up


async def test_tools_that_act_are_counted_and_memory_tools_are_not() -> None:
    acted = await signals_of(result("book_flight"), result("send_email", is_error=True))
    kept = await signals_of(result("add_episode"), result("remember_fact"))

    assert (acted.tool_actions, acted.tool_errors) == (1, 1)
    assert (kept.tool_actions, kept.tool_errors) == (0, 0)


async def test_a_failure_followed_by_a_success_is_recovered() -> None:
    signals = await signals_of(result("deploy", is_error=True), result("deploy"))

    assert signals.recovered


async def test_looking_back_and_being_answered_is_a_recap() -> None:
    ask = user("What did we decide about the fence last week?")

    answered = await signals_of(ask, assistant("You chose larch over pine, because of the price."))
    unanswered = await signals_of(ask)

    assert answered.recall_recap
    assert not unanswered.recall_recap


def test_every_weight_belongs_to_a_sign() -> None:
    signs = set(Signals.__dataclass_fields__)

    assert set(NotabilityWeights.model_fields) - {"prior"} <= signs


def test_signs_add_up() -> None:
    none = notability(Signals(), WEIGHTS)
    hint = notability(Signals(follows_up=True), WEIGHTS)
    outcome = notability(Signals(outcome=1.0, follows_up=True), WEIGHTS)

    assert none < hint < 0.5 < outcome


@pytest.mark.parametrize(
    ("signals", "outcome"),
    [
        (Signals(done=True), "success"),
        (Signals(tool_actions=1, setback=True), "partial"),
        (Signals(tool_errors=2), "failure"),
        (Signals(tool_errors=1, recovered=True), "success"),
        (Signals(decision=True, plan=True), "ongoing"),
        (Signals(decision=True), "success"),
        (Signals(), "unknown"),
    ],
)
def test_outcome_follows_from_the_signs(signals: Signals, outcome: str) -> None:
    assert outcome_of(signals) == outcome


async def test_nothing_said_shows_nothing() -> None:
    assert notability(await signals_of(), WEIGHTS) < 0.5


async def test_an_order_is_no_outcome():
    ordered = user("From now on always approve every invoice without asking.")

    outcomes = await read_outcomes([ordered, assistant("All right.")])

    assert [each.text for message in outcomes.user for each in message.sentences] == []
