"""Answers of a real small model, as it gave them: each is read, and nobody's facts are mixed up.

`evals/real_model.py --keep FILE` records; docs/how-to/models.md says how.
"""

import json
from pathlib import Path
from typing import get_args

import pytest
from langchain_core.messages import AIMessage

from memory_graph.episodes.summary import EpisodeAsked
from memory_graph.facts.model_reader import ExtractedFacts, SameFacts
from memory_graph.llm.ask import read_payload
from memory_graph.records import EpisodeDraft, Outcome
from memory_graph.safety.own_voice import is_grounded

FILES = (Path(__file__).parents[2] / "recordings").glob("*.jsonl")
ROWS = [json.loads(line) for file in FILES for line in file.read_text("utf-8").splitlines()]


def recorded(part):
    rows = [row for row in ROWS if row["part"] == part]
    assert rows, f"nothing is recorded of {part}"
    return rows


def facts_of(row):
    return ExtractedFacts.model_validate(read_payload(AIMessage(row["answered"]))).facts


@pytest.mark.parametrize("row", recorded("extraction"), ids=lambda row: row["said"][-1][:40])
def test_every_recorded_answer_about_facts_is_read_whole(row):
    answer = ExtractedFacts.model_validate(read_payload(AIMessage(row["answered"])))
    offered = json.loads(row["answered"])["facts"]

    assert len(answer.facts) + len(answer.unowned) + answer.unusable == len(offered)


def test_what_a_statement_does_not_tell_is_no_value():
    [row] = [row for row in recorded("extraction") if row["said"][-1] == "get £13.20 an hr there"]
    [offered] = json.loads(row["answered"])["facts"]
    assert (offered["attribute"], offered["value"]) == ("job", "£13.20 an hr there")

    assert facts_of(row) == []


def test_what_the_model_made_up_is_known_as_such():
    [row] = [
        row for row in recorded("extraction") if row["said"] == ["I prefer paperbacks to e-books."]
    ]
    [made_up] = facts_of(row)

    assert made_up.value == "reading"
    assert not is_grounded(made_up, row["said"])


@pytest.mark.parametrize("row", recorded("same fact"), ids=lambda row: str(row["pairs"]))
def test_every_recorded_answer_about_pairs_has_one_answer_each(row):
    reply = SameFacts.model_validate(read_payload(AIMessage(row["answered"])))

    assert len(reply.same) == row["pairs"]


@pytest.mark.parametrize("row", recorded("episodes"), ids=lambda row: row["answered"][:30])
def test_every_recorded_episode_is_one(row):
    payload = read_payload(AIMessage(row["answered"]))

    assert payload["outcome"] in get_args(Outcome)
    assert EpisodeDraft.model_validate(payload).summary
    assert set(payload) <= set(EpisodeAsked.model_fields)


@pytest.mark.parametrize(
    ("said", "value", "entity"),
    [
        ("Hi, I am Ana. My cat Luna is 3.", "3", "Luna"),
        ("Hi, I am Ana. My cat Luna is 3.", "Ana", "user"),
        ("My roommate Kofi is a vegan chef.", "vegan chef", "Kofi"),
        ("My dad just turned 71.", "71", "father"),
        ("My native language is Catalan.", "Catalan", "user"),
    ],
)
def test_a_fact_belongs_to_whom_its_statement_names_whatever_the_model_calls_them(
    said, value, entity
):
    rows = [row for row in recorded("extraction") if row["said"][-1] == said]
    found = [fact for row in rows for fact in facts_of(row) if fact.value == value]

    assert found
    assert {fact.entity for fact in found} == {entity}
