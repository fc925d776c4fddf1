import json
from pathlib import Path

import pytest

from memory_graph.records import SECRET_KINDS
from memory_graph.safety.secrets import MASK, holds_secret, mask_secrets

CASES = Path(__file__).parents[3] / "evals" / "cases" / "secrets.jsonl"
LINES = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
SECRETS = [each for each in LINES if each["hidden"]]
LOOK_ALIKES = [each for each in LINES if not each["hidden"]]


@pytest.mark.parametrize("case", SECRETS, ids=lambda case: case["id"])
def test_a_secret_is_masked_and_what_is_around_it_stays(case):
    masked = case["text"]
    for hidden in case["hidden"]:
        masked = masked.replace(hidden, MASK, 1)

    assert mask_secrets(case["text"]) == masked


def test_look_alikes_stay():
    touched = [case["text"] for case in LOOK_ALIKES if holds_secret(case["text"])]

    assert len(touched) <= len(LOOK_ALIKES) * 0.02, touched


@pytest.mark.parametrize("case", SECRETS, ids=lambda case: case["id"])
def test_masking_twice_changes_nothing_more(case):
    once = mask_secrets(case["text"])

    assert mask_secrets(once) == once


def test_what_counts_as_secret_is_a_choice():
    text = "My card is 4111 1111 1111 1111 and my password is hunter2."

    assert mask_secrets(text, ("card",)) == f"My card is {MASK} and my password is hunter2."
    assert mask_secrets(text, ()) == text


@pytest.mark.parametrize(
    "text",
    ["4111 1111 1111 1112", "0000 0000 0000 0000", "123456789012", "41111111111111111111111"],
    ids=["wrong check digit", "all the same", "too short", "too long"],
)
def test_digits_that_are_no_card_number_stay(text):
    assert mask_secrets(f"The number is {text}.", ("card",)) == f"The number is {text}."


def test_every_kind_can_be_found():
    texts = [case["text"] for case in SECRETS]

    assert all(any(holds_secret(text, (kind,)) for text in texts) for kind in SECRET_KINDS)


def test_the_lock_of_a_process_is_held_by_a_number_and_opens_nothing() -> None:
    text = "A stale lock of process 4411 is held on the repository."
    assert mask_secrets(text, SECRET_KINDS) == text
    assert "4411" not in mask_secrets("The code of the lock is 4411.", SECRET_KINDS)
