"""Answers of a real small model, as it gave them: each is read, and nobody's facts are mixed up.

`evals/real_model.py --keep FILE` records; docs/lab/models.md says how.
"""

import json
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from langchain_core.messages import AIMessage

from evals.suites.extraction import judge
from evals.suites.fact_cases import NOW, read_messages
from memory_graph.facts.extraction import (
    FactExtractor,
    is_quoted,
    join_readings,
    read_without_model,
)
from memory_graph.facts.model_reader import ExtractedFacts, SameFacts
from memory_graph.llm.ask import read_payload
from memory_graph.reading import read_message
from memory_graph.records import EpisodeAsked, EpisodeDraft, Outcome
from memory_graph.safety.own_voice import is_grounded
from tests.fakes import CountingModel

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

    assert len(answer.facts) + len(answer.unowned) + answer.unusable >= len(offered)


def answer_to(said):
    row, *_ = [row for row in recorded("extraction") if row["said"][-1].startswith(said)]
    return row


def test_what_a_statement_does_not_tell_is_no_value():
    row = answer_to("I don't have a favourite band")
    [offered] = json.loads(row["answered"])["facts"]
    assert (offered["attribute"], offered["value"]) == ("favourite:band", "Muse")

    assert facts_of(row) == []


def test_what_earlier_messages_and_known_facts_say_is_no_news():
    row = answer_to("living w my mum")
    assert len(facts_of(row)) == 4

    told = {fact.value for fact in facts_of(row) if is_quoted(fact, row["said"][-1])}
    assert told == {"Ince"}


def test_what_the_model_made_up_is_known_as_such():
    [row] = [
        row for row in recorded("extraction") if row["said"] == ["I prefer paperbacks to e-books."]
    ]
    [made_up] = facts_of(row)

    assert made_up.value == "reading"
    assert not is_grounded(made_up, row["said"])


def test_several_values_at_once_are_no_value_of_one_key():
    row = answer_to("I left Athens")
    assert [each["attribute"] for each in json.loads(row["answered"])["facts"]] == ["city", "city"]

    assert {fact.attribute for fact in facts_of(row)} == {None}


@pytest.mark.parametrize(
    ("said", "attribute"),
    [
        ("we've got a rescue greyhound", "age"),
        ("me nan cant have gluten", "allergy"),
        ("if city win league", "goal"),
        ("I stopped liking techno", "hobby"),
    ],
)
async def test_what_it_reads_wrong_of_a_message_is_not_kept_of_the_user(said, attribute):
    row = answer_to(said)
    assert attribute in {each["attribute"] for each in json.loads(row["answered"])["facts"]}
    model = CountingModel(answers=[json.loads(row["answered"])])

    found = await FactExtractor(model, 5).extract(row["said"], NOW, ZoneInfo("UTC"))

    assert attribute not in {each.attribute for each in found.candidates}


LABELLED = {each.text: each for each in read_messages()}


@pytest.mark.parametrize(
    "row",
    [row for row in recorded("extraction") if row["said"][-1] in LABELLED],
    ids=lambda row: row["said"][-1][:40],
)
async def test_no_answer_costs_a_fact_that_rules_keep(row):
    message, texts = LABELLED[row["said"][-1]], row["said"]
    reading = await read_message(texts[-1])
    by_rules = await read_without_model(texts, reading, NOW, ZoneInfo("UTC"))
    by_model = [fact for fact in facts_of(row) if is_grounded(fact, texts)]
    both = join_readings(by_rules, by_model)

    assert told_in(both, message) >= told_in(by_rules, message)


def told_in(found, message):
    """Count the labelled facts that are found, under their key or in a statement."""
    plain = [each.model_copy(update={"attribute": None}) for each in found]
    return judge(message, (*found, *plain)).figures["facts kept"].right


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
        ("My cat Luna is 4.", "4", "Luna"),
        ("My dad is 71.", "71", "father"),
        ("My sister Eva lives in Berlin.", "Berlin", "Eva"),
        ("My hamster's name is Pip.", "Pip", "Pip"),
        ("I've worked at Maersk since 2011.", "Maersk", "user"),
    ],
)
def test_a_fact_belongs_to_whom_its_statement_names_whatever_the_model_calls_them(
    said, value, entity
):
    rows = [row for row in recorded("extraction") if row["said"][-1] == said]
    found = [fact for row in rows for fact in facts_of(row) if fact.value == value]

    assert found
    assert {fact.entity for fact in found} == {entity}
