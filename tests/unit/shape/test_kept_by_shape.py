"""What a developer says matters is filed as they say, and what is never kept is nowhere."""

from datetime import timedelta
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore
from pydantic import AliasChoices, BaseModel, Field

from memory_graph import Context, Memory, build_graph, clock
from memory_graph.settings import get_settings
from memory_graph.shape import Shape
from memory_graph.testing import ScriptedChat
from tests.conftest import NOON


class Trip(BaseModel):
    city: str = ""
    nights: int = 0
    airlines: list[str] = []


class Renamed(BaseModel):
    place: str = Field("", validation_alias=AliasChoices("place", "city"))
    nights: int = 0


def stated(statement: str, attribute: str = "", value: str = "", **more: object) -> dict:
    blank = {"about": "user", "since": "", "from": "", "until": "", "replaces": []}
    return {
        "statement": statement,
        **blank,
        "attribute": attribute,
        "value": value,
        "was_wrong": False,
        "profile": False,
        **more,
    }


def reading(*facts: dict) -> ScriptedChat:
    answer = {"facts": [*facts], "ended": [], "wishes": [], "has_episode": False}
    return ScriptedChat(otherwise="ok", answers={"MessageRead": answer})


async def say(store: InMemoryStore, text: str, shape: Shape, *facts: dict, day: int = 0) -> None:
    graph = build_graph(store=store, model=reading(*facts) if facts else None, shape=shape)
    with clock.frozen(NOON + timedelta(days=day)):
        await graph.ainvoke({"messages": [HumanMessage(text)]}, context=Context(user_id="ana"))


async def test_a_document_is_filled_field_by_field_and_says_where_from() -> None:
    store, shape = InMemoryStore(), Shape(profiles=[Trip])
    await say(
        store,
        "We go to Porto for 3 nights, with TAP or Ryanair.",
        shape,
        stated("The trip goes to Porto.", "Trip.city", "Porto"),
        stated("The trip takes 3 nights.", "Trip.nights", "3 nights"),
        stated("The user flies with TAP.", "Trip.airlines", "TAP"),
        stated("The user flies with Ryanair.", "Trip.airlines", "Ryanair"),
    )
    await say(
        store,
        "Make that 4 nights.",
        shape,
        stated("The trip takes 4 nights.", "Trip.nights", "4"),
        day=1,
    )
    memory = Memory(store, user_id="ana")
    trip = await memory.aprofile(Trip)
    assert (trip.city, trip.nights, sorted(trip.airlines)) == ("Porto", 4, ["Ryanair", "TAP"])
    known = await memory.aprofile_with_sources(Trip)
    [nights] = known.sources["nights"]
    assert [each.value for each in nights.history] == ["3"]


async def test_a_renamed_field_keeps_its_value_and_a_dropped_one_is_left_out() -> None:
    store, shape = InMemoryStore(), Shape(profiles={"Renamed": Trip})
    await say(store, "We go to Porto.", shape, stated("They go to Porto.", "Renamed.city", "Porto"))
    renamed = await Memory(store, user_id="ana").aprofile(Renamed)
    assert renamed.place == "Porto"


async def test_a_value_that_does_not_fit_is_refused_with_its_reason() -> None:
    store = InMemoryStore()
    model = reading(stated("The trip takes some nights.", "Trip.nights", "some"))
    memory = Memory(store, user_id="ana", model=model, shape=Shape(profiles=[Trip]))
    added = await memory.aadd("We stay some nights.")
    assert "invalid_value" in {each.reason for each in added.decisions}
    assert (await memory.aprofile(Trip)).nights == 0


async def test_an_own_attribute_is_updated_by_its_key() -> None:
    tier = {"type": "choice", "choices": ("silver", "gold"), "category": "loyalty"}
    store, shape = InMemoryStore(), Shape(attributes={"loyalty-tier": tier})
    for day, value in enumerate(("silver", "gold")):
        await say(
            store,
            f"I am {value} tier now.",
            shape,
            stated(f"The user has {value} tier.", "loyalty-tier", value),
            day=day,
        )
    [fact] = await Memory(store, user_id="ana").afacts()
    assert (fact.key, fact.value, fact.category) == ("own:loyalty-tier", "gold", "loyalty")
    assert [each.value for each in fact.history] == ["silver"]


NEVER = Shape(never=("religion: faith, church, prayer", "health: illness, diagnosis, medication"))


@pytest.mark.parametrize("by_model", [True, False])
async def test_a_topic_that_is_never_kept_is_in_no_record(by_model: bool) -> None:
    store = InMemoryStore()
    told = "I go to church every Sunday. Remember that my train leaves at nine."
    facts = [
        stated("The user goes to church every Sunday."),
        stated("The user's train leaves at nine."),
    ]
    await say(store, told, NEVER, *(facts if by_model else ()))
    kept = str([item.value for item in store.search(("memories",), limit=100)])
    assert "church" not in kept
    assert "train" in kept


async def test_it_is_said_in_the_decisions() -> None:
    model = reading(stated("The user prays in church every Sunday."))
    memory = Memory(InMemoryStore(), user_id="ana", model=model, shape=NEVER)
    added = await memory.aadd("I see my friends every Sunday.")
    assert "never_kept" in {each.reason for each in added.decisions}


async def test_two_assistants_of_one_file_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "shapes.yaml"
    file.write_text('shapes: {coach: {}, support: {never: ["health: illness, diagnosis"]}}')
    monkeypatch.setenv("MEMORY_GRAPH_SHAPES", str(file))
    get_settings.cache_clear()
    store = InMemoryStore()
    told = "Remember that I was diagnosed with diabetes."
    for user, shape in (("ana", "coach"), ("ben", "support")):
        context = Context(user_id=user, shape=shape)
        await build_graph(store=store).ainvoke({"messages": [HumanMessage(told)]}, context=context)
    assert await Memory(store, user_id="ana").afacts()
    assert not await Memory(store, user_id="ben").afacts()


async def test_a_shape_that_does_not_exist_switches_memory_off_and_says_so() -> None:
    store = InMemoryStore()
    result = await build_graph(store=store).ainvoke(
        {"messages": [HumanMessage("I live in Porto.")]}, context=Context(user_id="ana", shape="x")
    )
    assert "there is no shape 'x'" in str(result["messages"][-1].text)
    assert not await Memory(store, user_id="ana").afacts()


async def test_a_document_that_is_shown_stands_in_the_stable_part() -> None:
    store, shape = InMemoryStore(), Shape(profiles=[Trip], shown=("Trip",))
    await say(store, "We go to Porto.", shape, stated("They go to Porto.", "Trip.city", "Porto"))
    model = ScriptedChat(otherwise="ok")
    graph = build_graph(store=store, model=model, shape=shape)
    await graph.ainvoke({"messages": [HumanMessage("thanks!")]}, context=Context(user_id="ana"))
    assert "Trip:\n- city: Porto" in str(model.prompts[-1][0].content)
