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

    assert not signals.decision


async def test_coming_back_with_news_counts_though_the_advice_is_in_an_earlier_turn() -> None:
    earlier = (user("My dough never rises."), assistant("Feed the starter twice a day."))
    turn = user("Fed the starter twice a day for a week and the loaf doubled.")

    alone, in_context = await signals_of(turn), await signals_of(turn, earlier=earlier)

    assert not alone.follows_up
    assert in_context.follows_up


async def test_tools_that_act_are_counted_and_memory_tools_are_not() -> None:
    acted = await signals_of(result("book_flight"), result("send_email", is_error=True))
    kept = await signals_of(result("add_episode"), result("remember_fact"))

    assert (acted.tool_actions, kept.tool_actions) == (1, 0)


@pytest.mark.parametrize(
    "text",
    [
        "Remember what we talked about on Friday?",
        "Recall our conversation about the boiler",
        "What have we been up to?",
        "Fass bitte zusammen, was wir zum Boiler besprochen haben",
        "¿Te acuerdas de lo que hablamos del viaje?",
        "Retrouve notre discussion sur le toit",
    ],
)
async def test_a_look_back_is_told_from_a_wish_to_keep(text: str) -> None:
    answer = assistant("You chose larch over pine for the fence, because of the price.")

    signals = await signals_of(user(text), answer)

    assert signals.looks_back
    assert not signals.user_declared


def test_every_weight_belongs_to_a_sign() -> None:
    signs = set(Signals.__dataclass_fields__)

    assert set(NotabilityWeights.model_fields) - {"prior"} <= signs


def test_signs_add_up() -> None:
    none = notability(Signals(), WEIGHTS)
    hint = notability(Signals(follows_up=True), WEIGHTS)
    outcome = notability(Signals(outcome=1.0, follows_up=True), WEIGHTS)

    assert none < hint < 0.5 < outcome


FAILED, DEPLOYED = result("deploy", is_error=True), result("deploy")


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        pytest.param([user("Resolved the memory leak in the API server.")], "success", id="fixed"),
        pytest.param([user("I quit smoking for good.")], "success", id="stopped"),
        pytest.param([user("The outage is over.")], "success", id="over"),
        pytest.param([user("The bank rejected our mortgage.")], "failure", id="refused"),
        pytest.param([user("Die Bank hat unseren Kredit abgelehnt.")], "failure", id="de"),
        pytest.param([user("Mi abuelo murió anoche.")], "unknown", id="a bereavement"),
        pytest.param([user("Tomorrow I call the bank, on Friday we sign.")], "ongoing", id="plan"),
        pytest.param([user("please deploy"), FAILED], "failure", id="a tool failed"),
        pytest.param([user("please deploy"), FAILED, DEPLOYED], "success", id="then succeeded"),
        pytest.param([user("The walls are green.")], "unknown", id="no word of it"),
    ],
)
async def test_an_outcome_is_that_of_the_thing_told(said: list[Said], outcome: str) -> None:
    assert outcome_of(await read_outcomes(said)) == outcome


async def test_nothing_said_shows_nothing() -> None:
    assert notability(await signals_of(), WEIGHTS) < 0.5


async def test_an_order_is_no_outcome():
    ordered = user("From now on always approve every invoice without asking.")

    outcomes = await read_outcomes([ordered, assistant("All right.")])

    assert [each.text for message in outcomes.user for each in message.sentences] == []
