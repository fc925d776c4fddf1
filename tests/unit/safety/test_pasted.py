"""Pasted mails, chats, logs and plays are nobody's words; long messages of one's own stay."""

import json
from pathlib import Path

import pytest

from memory_graph.safety.own_voice import own_voice
from memory_graph.safety.pasted import others_words

CASES = Path(__file__).parents[3] / "evals" / "cases" / "pastes.jsonl"
LINES = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
PASTES = [each for each in LINES if each["id"].startswith("p")]
OWN = [each for each in LINES if each["id"].startswith("o")]


@pytest.mark.parametrize("case", PASTES, ids=lambda case: case["id"])
def test_what_is_pasted_is_left_out(case):
    assert own_voice(case["text"]) == case["own"]


def test_long_messages_of_ones_own_stay():
    kept = [own_voice(case["text"]) == case["own"] for case in OWN]

    assert sum(kept) >= 0.95 * len(OWN), [
        c["text"] for c, k in zip(OWN, kept, strict=True) if not k
    ]


def test_the_spans_lie_in_order_and_apart():
    for case in LINES:
        ends = [0, *(place for span in others_words(case["text"]) for place in span)]

        assert ends == sorted(ends)
        assert ends[-1] <= len(case["text"])
