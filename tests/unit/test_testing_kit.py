import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel

from memory_graph.graph import build_graph
from memory_graph.testing.scenario import GraphSurface, Scenario
from memory_graph.testing.scripted import ScriptedChat


class Answer(BaseModel):
    same: bool


def test_a_scripted_model_follows_its_script_and_notes_what_it_saw() -> None:
    model = ScriptedChat(replies=["one", "two"], otherwise="and so on")

    said = [model.invoke([HumanMessage(text)]).text for text in "abc"]

    assert said == ["one", "two", "and so on"]
    assert [prompt[0].text for prompt in model.prompts] == ["a", "b", "c"]


def test_a_script_that_is_too_short_fails_the_test() -> None:
    with pytest.raises(AssertionError, match="0 replies"):
        ScriptedChat().invoke("hello")


@pytest.mark.parametrize("schema", [Answer, Answer.model_json_schema()], ids=["model", "mapping"])
def test_structured_answers_go_by_name(schema: type[Answer] | dict[str, object]) -> None:
    model = ScriptedChat(answers={"Answer": {"same": True}})

    answered = model.with_structured_output(schema).invoke("are they?")

    assert dict(answered) == {"same": True}
    assert (model.asked, model.calls) == (["Answer"], 1)


@pytest.fixture
def talk() -> Scenario:
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    return Scenario(GraphSurface(graph, store))


async def test_expectations_that_hold_pass(talk: Scenario) -> None:
    await talk.user_says("My cat Luna is 3.")
    await talk.expect_fact("profile:pet:luna:age", value="3")
    talk.expect_skip("pure_fact_update")
    talk.wait(days=1)
    await talk.user_says("How old is Luna?")
    talk.expect_recall("found")
    talk.expect_reply("3")
    await talk.expect_episodes(0)


async def test_expectations_that_do_not_hold_say_what_there_was(talk: Scenario) -> None:
    await talk.user_says("My cat Luna is 3.")

    with pytest.raises(AssertionError, match=r"there is: .*profile:pet:luna:age"):
        await talk.expect_fact("profile:city")
    with pytest.raises(AssertionError, match="is '3', not '4'"):
        await talk.expect_fact("profile:pet:luna:age", value="4")
    with pytest.raises(AssertionError, match="is known"):
        await talk.expect_no_fact("profile:pet:luna:age")
    with pytest.raises(AssertionError, match="0 episodes, not 1"):
        await talk.expect_episodes(1)
    with pytest.raises(AssertionError, match=r"pure_fact_update.*not 'cooldown'"):
        talk.expect_skip("cooldown")
    with pytest.raises(AssertionError, match=r"No 'memory\.retract'"):
        talk.expect_event("memory.retract")
    with pytest.raises(AssertionError, match="not in"):
        talk.expect_reply("Paris")
