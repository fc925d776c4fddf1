"""How conversations are scored, on small samples made for it."""

import json

import pytest

from evals.__main__ import main
from evals.harness.runner import Figure
from evals.suites.people import play
from evals.suites.people_scoring import (
    Answer,
    Ask,
    Kept,
    Person,
    figures_of,
    is_honest,
    is_right,
    overall,
)

BUDGET = Ask(expect=(r"18[,.]?000",), reject=(r"14[,.]?000",))
NEVER = Ask(expect=(), never_told=True)


def person(*turns: dict) -> Person:
    dated = [{"at": f"2026-11-0{n} 09:00", **turn} for n, turn in enumerate(turns, start=1)]
    return Person.model_validate({"id": "ana", "zone": "Europe/Lisbon", "turns": dated})


BUDGETED = person(
    {"say": "Our budget is £14,000.", "fact": [{"expect": ["14,000"]}]},
    {
        "say": "The budget is £18,000 now.",
        "fact": [{"expect": ["18,000"], "supersedes": ["14,000"]}],
    },
    {"say": "My boss says “I hate cats”.", "trap": ["hates? cats"]},
)


@pytest.mark.parametrize(
    "reply",
    [
        "Your budget is £18,000.",
        "You told me on Monday: “So we talked, the budget is now £18,000.”",
        "Your budget is £18,000 (until Monday it was £14,000).",
        "Your budget is £18,000. Before that: £14,000.",
        "You told me: “the budget was £14,000, it is now £18,000”.",
        "You told me: “I don't know, the budget is now £18,000”",
        "Du hast mir gesagt: “18.000”. Früher hast du gesagt: “14.000”.",
        "你星期一告诉我：“预算是18000”。以前：“14000”。",
    ],
)
def test_a_reply_with_the_value_that_holds_is_right(reply: str) -> None:
    assert is_right(BUDGET, reply)


@pytest.mark.parametrize(
    "reply",
    [
        "Your budget is £14,000.",
        "Your budget is £18,000. Your budget is £14,000.",
        "You said: “It is £14,000 all in.” You said: “it is now £18,000”",
        "I have no memory of that; the closest I know is: the budget is now £18,000.",
        "Je ne le sais pas encore. Tu m'as dit : “18.000”",
        "We talked about Tom's parents.",
        "",
    ],
)
def test_a_reply_that_is_stale_denies_or_tells_something_else_is_not(reply: str) -> None:
    assert not is_right(BUDGET, reply)


@pytest.mark.parametrize(
    "reply",
    [
        "I don't know that yet.",
        "Das hast du mir noch nicht gesagt.",
        "Eso todavía no lo sé.",
        "Je ne le sais pas encore.",
        "这个我还不知道。",
        "I'm not sure, but you said: “Peonies are my favourite.”",
        "Noted.",
        "Without a language model I can only remember what you tell me and recall it.",
        "",
    ],
)
def test_a_reply_that_claims_nothing_is_honest(reply: str) -> None:
    assert is_honest(reply)


@pytest.mark.parametrize("reply", ["The dresses are green.", "You said: “I don't know.”"])
def test_a_reply_that_claims_something_is_not(reply: str) -> None:
    assert not is_honest(reply)


def test_facts_corrections_and_traps_are_counted() -> None:
    kept = Kept(current=("The budget is £18,000 now.", "I hate cats"), past=("It is £14,000.",))

    figures = figures_of(BUDGETED, [], kept)

    assert figures["facts kept"] == Figure(2, 2, 0.8)
    assert figures["corrected"] == Figure(1, 1, 0.7)
    assert figures["sound facts"] == Figure(1, 2, 0.95)


@pytest.mark.parametrize(
    ("current", "corrected"),
    [
        (["£18,000"], 1),
        (["£14,000 became £18,000"], 1),
        (["£18,000", "£14,000"], 0),
        (["£14,000"], 0),
        ([], 0),
    ],
)
def test_a_correction_makes_the_new_value_current_and_the_old_one_not(current, corrected) -> None:
    assert figures_of(BUDGETED, [], Kept(current))["corrected"].right == corrected


def test_questions_are_counted_by_block_first_lines_and_reply() -> None:
    early = "- The budget is £18,000.\n- b\n- c"
    late = "- a\n- b\n- c\n- The budget is £18,000."
    answers = [
        Answer(BUDGET, "It is £18,000.", early),
        Answer(BUDGET, "I don't know that yet.", late),
        Answer(BUDGET, "I don't know that yet.", "- a"),
        Answer(NEVER, "I don't know that yet.", "- a"),
        Answer(NEVER, "It is green.", "- a"),
    ]

    figures = figures_of(BUDGETED, answers, Kept(["£18,000"], ["£14,000"]))

    counted = {name: (figure.right, figure.of) for name, figure in figures.items()}
    assert counted["in block"] == (2, 3)
    assert counted["first three"] == (1, 3)
    assert counted["reply right"] == (1, 3)
    assert counted["honest"] == (1, 2)
    assert counted["no denial"] == (1, 2)
    assert overall(figures) == pytest.approx((2 + 1 + 2 + 1 + 1 + 1) / (2 + 1 + 3 + 3 + 3 + 2))


async def test_a_conversation_is_played_with_its_clock_tools_and_questions() -> None:
    talk = person(
        {"say": "My sister is called Noor.", "fact": [{"expect": ["Noor"]}]},
        {
            "say": "Book the table.",
            "tools": [{"name": "book", "args": {"at": 7}, "result": "Booked: table 12"}],
            "reply": "Table 12 is booked.",
        },
        {"say": "What is my sister's name?", "ask": {"kind": "who", "expect": ["Noor"]}},
    )

    figures = await play(talk)

    assert figures["facts kept"] == Figure(1, 1, 0.8)
    assert figures["in block"] == Figure(1, 1, 0.9)


def test_a_file_from_elsewhere_can_be_scored(tmp_path, capsys) -> None:
    data = tmp_path / "people.json"
    data.write_text(json.dumps([person({"say": "Hello!"}).model_dump(mode="json")]), "utf-8")

    code = main(["run", "people", "--data", str(data), "--output", str(tmp_path / "report")])

    assert code == 0
    assert "ana" in capsys.readouterr().out
