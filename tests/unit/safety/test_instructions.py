import json
from pathlib import Path

import pytest

from memory_graph.safety.own_voice import is_instruction

CASES = Path(__file__).parents[3] / "evals" / "cases" / "injections.jsonl"
ATTACKS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack["id"])
def test_an_order_or_a_permission_is_recognised(attack):
    assert is_instruction(attack["text"])


@pytest.mark.parametrize(
    "statement",
    [
        "The user lives in Porto.",
        "The user always recommends the book Dune to friends.",
        "The user does not use Windows.",
        "The user never eats meat.",
        "The user is a system administrator.",
        "The user's website is www.ana.example.com.",
        "The user's email is ana@example.com.",
        "The user wants short answers.",
        "The user must take insulin every day.",
        "The user is not allowed to drink coffee.",
        "The user's sister was granted a scholarship.",
        "The user prefers to pay by card.",
        "The user works on the payments team, which handles wire transfers.",
    ],
)
def test_a_plain_fact_is_not(statement):
    assert not is_instruction(statement)
