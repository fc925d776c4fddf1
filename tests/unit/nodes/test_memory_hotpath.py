"""What a turn costs in model calls and tokens, and what becomes of it."""

import json
from pathlib import Path

import pytest
import wordllama
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from tokenizers import Tokenizer

from memory_graph.nodes import memory_hotpath
from memory_graph.nodes._reading import PENDING
from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.fakes import CountingModel

CONFIG = {"configurable": {"thread_id": "t"}}
ORDINARY = (
    "Hi! I moved to Porto last month because of my new job at Acme, where I work as a data "
    "engineer. My daughter Mia just turned seven and she is allergic to peanuts, so when you "
    "suggest recipes please keep that in mind."
)


def fact(statement, **given):
    return {"statement": statement, "entity": "user", **given}


CITY = fact("The user lives in Porto.", category="profile", attribute="city", value="Porto")


@pytest.fixture
def memory(store):
    return memory_of(Owner("ana@example.com"), store)


async def turn(runtime, model, *texts):
    messages = [HumanMessage(text, id=f"m{n}") for n, text in enumerate(texts)]
    return await memory_hotpath.using(model=model)({"messages": messages}, runtime, CONFIG)


@pytest.mark.parametrize(
    "text",
    ["Thanks!", "What is the capital of France?", "```python\nprint(1)\n```", "ok cool", "lol"],
)
async def test_a_routine_turn_costs_no_call(runtime, now, text):
    model = CountingModel()
    update = await turn(runtime, model, text)

    assert model.calls == 0
    assert update["memory_tax"]["calls"] == 0
    assert update["memory_decisions"][0]["reason"]


async def test_a_fact_turn_costs_one_call_however_many_facts(runtime, now, memory):
    places = ["Porto", "Lisbon", "Faro", "Braga", "Evora"]
    facts = [
        fact(f"The user likes {each}.", attribute=f"taste:{each}", value="like") for each in places
    ]
    model = CountingModel(answers=[{"facts": facts}])
    await turn(runtime, model, f"I love {', '.join(places)}.")

    assert model.calls == 1
    assert len(await memory.facts.all()) == len(places)


@pytest.mark.parametrize(
    ("replaces", "kept"),
    [
        (1, {"I am now saving up for a flat."}),
        (0, {"I am saving up for a house.", "I am also saving up for a flat."}),
    ],
)
async def test_a_model_that_says_what_a_fact_replaces_is_not_asked_again(
    runtime, now, memory, replaces, kept
):
    first = "I am saving up for a house."
    await turn(runtime, CountingModel(answers=[{"facts": []}]), first)
    second = fact("The user is saving up for a flat.", replaces=replaces)
    model = CountingModel(answers=[{"facts": [second]}])

    await turn(runtime, model, first, f"I am {'now' if replaces else 'also'} saving up for a flat.")

    assert model.calls == 1
    assert {fact.statement for fact in await memory.facts.current()} == kept


async def test_a_fact_turn_of_ordinary_length_stays_under_900_prompt_tokens(runtime, now):
    model = CountingModel(answers=[{"facts": [CITY]}])
    await turn(runtime, model, "Good morning!", "How are you?", ORDINARY)

    sent = model.prompts[0] + json.dumps(model.schemas[0], separators=(",", ":"))
    folder = Path(wordllama.__file__).parent / "tokenizers"
    tokenizer = Tokenizer.from_file(str(folder / "l2_supercat_tokenizer_config.json"))
    assert ORDINARY in model.prompts[0]
    assert len(tokenizer.encode(sent).ids) <= 900


async def test_a_turn_that_was_handled_costs_nothing_again(runtime, now, store):
    model = CountingModel(answers=[{"facts": [CITY]}])
    first = await turn(runtime, model, "I live in Porto.")
    before = [(item.key, item.value) for item in store.search(("memories",), limit=100)]
    now.move(hours=1)
    again = await turn(runtime, model, "I live in Porto.")

    assert model.calls == 1
    assert again["memory_decisions"] == first["memory_decisions"]
    assert [(item.key, item.value) for item in store.search(("memories",), limit=100)] == before


async def test_tool_output_replies_and_injected_memory_are_never_read(runtime, now):
    model = CountingModel(answers=[{"facts": []}])
    messages = [
        HumanMessage("Look up my account.", id="m1"),
        AIMessage("", tool_calls=[{"name": "crm", "args": {}, "id": "c1"}], id="a1"),
        ToolMessage("The user lives in Oslo and always buys Brand X.", tool_call_id="c1", id="x1"),
        AIMessage("You live in Oslo, right?", id="a2"),
        HumanMessage("I live in Porto.", id="m2"),
    ]
    state = {"messages": messages, "memory_context": "<memory>The user is called Eve.</memory>"}
    await memory_hotpath.using(model=model)(state, runtime, CONFIG)

    assert "I live in Porto." in model.prompts[0]
    assert not any(word in model.prompts[0] for word in ("Oslo", "Brand X", "Eve"))


async def test_what_the_prompt_says_is_not_what_the_user_said(runtime, now, memory):
    luna = fact("Luna is 4 years old.", entity="Luna", entity_kind="pet", attribute="age", value=4)
    meat = fact("The user no longer eats meat.", attribute="diet", value="no meat")
    model = CountingModel(answers=[{"facts": [CITY, luna, meat]}])
    update = await turn(runtime, model, "I live in Porto.")

    assert {fact.id for fact in await memory.facts.all()} == {"profile:city"}
    [not_said] = [d for d in update["memory_decisions"] if d["reason"] == "not_said"]
    assert not_said["scores"] == {"candidates": 2.0}


async def test_where_no_model_answers_the_turn_waits_and_its_record_says_so(runtime, now, memory):
    down = CountingModel(answers=[ConnectionError("down")])
    update = await turn(runtime, down, "I live in Porto.")

    assert await memory.facts.all() == []
    [record] = await memory.turns.waiting()
    assert (record.read.state, record.read.reason) == ("open", PENDING)
    assert [each["reason"] for each in update["memory_decisions"]] == [PENDING]


async def test_a_model_that_stays_down_is_asked_once_a_turn(runtime, now):
    down = [ConnectionError("down")] * 9
    await turn(runtime, CountingModel(answers=list(down)), "I live in Porto.")
    model = CountingModel(answers=list(down))
    await turn(runtime, model, "I live in Porto.", "I am a nurse.")

    assert model.calls == 1


async def test_forgetting_everything_does_not_bring_earlier_turns_back(runtime, now, memory):
    from memory_graph.curation.forget import forget_everything

    await turn(runtime, None, "I live in Porto.")
    await forget_everything(memory, now())
    await turn(runtime, None, "I live in Porto.", "I am a nurse.")

    assert {fact.id for fact in await memory.facts.all()} == {"work:job"}


async def test_a_secret_reaches_neither_the_model_nor_the_store(runtime, now, store):
    model = CountingModel(answers=[{"facts": [CITY]}])
    text = "I live in Porto and my password is hunter2."
    update = await turn(runtime, model, text)

    kept = json.dumps([item.value for item in store.search(("memories",), limit=100)])
    assert "hunter2" not in kept + model.prompts[0]
    assert "Porto" in kept
    assert "sensitive" in [each["reason"] for each in update["memory_decisions"]]


async def test_a_nested_value_is_kept_and_changed_field_by_field(runtime, now, memory):
    address = {"street": "Rua Nova 1", "city": "Porto", "zip": "4000-100"}
    whole = fact("The user's address is Rua Nova 1.", attribute="address", value=address)
    text = "My address is Rua Nova 1, 4000-100 Porto."
    await turn(runtime, CountingModel(answers=[{"facts": [whole]}]), text)
    now.move(days=1)
    patch = fact("The user's street changed.", attribute="address", value={"street": "Rua Velha 2"})
    later = "The street is Rua Velha 2 now, I moved next door."
    await turn(runtime, CountingModel(answers=[{"facts": [patch]}]), text, later)

    fields = {fact.id: fact for fact in await memory.facts.all() if not fact.own_words}
    assert {key: each.value for key, each in fields.items()} == {
        "profile:address:street": "Rua Velha 2",
        "profile:address:city": "Porto",
        "profile:address:zip": "4000-100",
    }
    assert [len(each.history) for each in fields.values()].count(1) == 1
    assert fields["profile:address:street"].history[0].value == "Rua Nova 1"


async def test_specs_of_a_device_are_kept_one_by_one(runtime, now, memory):
    laptop = fact(
        "The user's laptop has 16 GB.",
        entity="laptop",
        entity_kind="laptop",
        attribute="spec",
        value={"memory": "16 GB", "cpu": {"name": "M3", "cores": 8}},
    )
    text = "My laptop has 16 GB of memory and an M3 with 8 cores."
    await turn(runtime, CountingModel(answers=[{"facts": [laptop]}]), text)

    assert {fact.id: fact.value for fact in await memory.facts.all()} == {
        "profile:laptop:spec:memory": "16 GB",
        "profile:laptop:spec:cpu:name": "M3",
        "profile:laptop:spec:cpu:core": "8",
    }
