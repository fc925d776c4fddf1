"""A request to forget ends the key and the words beside it, in any language."""

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from memory_graph import Memory, build_graph


@pytest.mark.parametrize(
    ("told", "request_", "left"),
    [
        (["I can't stand coriander"], "forget that I can't stand coriander", []),
        (
            ["My colleague Jules is annoying. He keeps stealing my lunch.", "Jules is moving away"],
            "Forget about Jules",
            [],
        ),
        (
            ["I'm allergic to penicillin, found out the hard way at 12"],
            "forget that I'm allergic to penicillin",
            [],
        ),
        (
            ["I work at Siemens as a welder, night shifts mostly"],
            "please forget where I work",
            ["The user works as a welder."],
        ),
        (
            ["Ich kann Koriander nicht ausstehen"],
            "Vergiss, dass ich Koriander nicht ausstehen kann",
            [],
        ),
        (
            ["Ich wohne in Hamburg mit meiner Frau Lena"],
            "Vergiss, dass ich in Hamburg wohne",
            [],
        ),
        (["Mein Sohn Jules spielt Cello und ist 7"], "Vergiss Jules", []),
        (["No soporto el cilantro"], "Olvida que no soporto el cilantro", []),
        (
            ["Vivo en Sevilla con mi hermana Carmen"],
            "Olvida que vivo en Sevilla",
            [],
        ),
        (["Mi hijo Julio toca el violín"], "Olvida a Julio", []),
    ],
)
def test_a_request_to_forget_leaves_nothing_of_what_it_names(told, request_, left):
    with Memory(InMemoryStore(), user_id="mia") as memory:
        for text in told:
            memory.add(text, thread_id="1")
        assert memory.recall(told[0]).block

        memory.add(request_, thread_id="1")

        assert sorted(fact.statement for fact in memory.facts()) == left
        assert memory.recall(told[0]).block == "" or left


def test_a_request_to_forget_a_key_leaves_what_only_shares_a_word_with_it():
    with Memory(InMemoryStore(), user_id="mia") as memory:
        memory.add("I work at Siemens.", thread_id="1")
        memory.add("My sister Ana works at Bosch.", thread_id="1")

        memory.add("forget where I work", thread_id="1")

        known = memory.recall("Where do my sister and I work?").block
        assert "Bosch" in known
        assert "Siemens" not in known


@pytest.mark.parametrize(
    ("told", "request_", "asked", "word"),
    [
        (
            "My brother Karel has been diagnosed with diabetes.",
            "forget about Karel",
            "What has my brother been diagnosed with?",
            "diabetes",
        ),
        (
            "I live in Brno with my dog Rex.",
            "Please forget that I live in Brno",
            "where do I live?",
            "Brno",
        ),
        (
            "Ich kann Koriander nicht ausstehen",
            "Vergiss, dass ich Koriander nicht ausstehen kann",
            "Welches Kraut mag ich nicht?",
            "Koriander",
        ),
        (
            "Mi hermana Carmen tiene asma desde niña",
            "Olvida a Carmen",
            "¿Qué sabes de Carmen?",
            "asma",
        ),
    ],
)
async def test_what_one_asked_to_forget_is_never_told_again(told, request_, asked, word):
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())

    async def say(text: str, thread: str) -> tuple[str, str]:
        config = {"configurable": {"user_id": "mia", "thread_id": thread}}
        keys = ["messages", "memory_context"]
        said = {"messages": [HumanMessage(text)]}
        state = await graph.ainvoke(said, config, output_keys=keys)
        block = state["memory_context"]
        return state["messages"][-1].text, block

    await say(told, "1")
    before, _ = await say(asked, "2")
    assert word in before

    answer, _ = await say(request_, "1")
    assert "bring" in answer or "erwähne" in answer or "mencionar" in answer

    reply, block = await say(asked, "3")
    assert word not in reply + block


async def test_what_one_asked_to_forget_comes_back_when_told_again():
    graph = build_graph(store=InMemoryStore(), checkpointer=InMemorySaver())
    config = {"configurable": {"user_id": "mia", "thread_id": "1"}}
    for text in ("I live in Brno.", "forget where I live", "I live in Brno."):
        await graph.ainvoke({"messages": [HumanMessage(text)]}, config)

    state = await graph.ainvoke({"messages": [HumanMessage("where do I live?")]}, config)

    assert "Brno" in state["messages"][-1].text


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        ("forget about my yacht", "I found nothing to forget by those words."),
        ("Vergiss bitte meine Yacht", "finde ich nichts zum Vergessen"),
        ("Forget everything you know about me.", "I can't erase everything"),
        ("Olvida todo lo que sabes de mí", "No puedo borrarlo todo"),
    ],
)
async def test_a_request_to_forget_that_names_nothing_known_is_answered_honestly(request_, answer):
    graph = build_graph(store=InMemoryStore())
    config = {"configurable": {"user_id": "mia"}}
    await graph.ainvoke({"messages": [HumanMessage("My locker code is 4471.")]}, config)

    state = await graph.ainvoke({"messages": [HumanMessage(request_)]}, config)

    assert answer in state["messages"][-1].text


@pytest.mark.parametrize(
    ("told", "request_"),
    [
        (
            "My locker code is 4471.",
            "Forget about the locker code please, they gave us new lockers.",
        ),
        ("My locker code is 4471.", "Could you forget my locker code?"),
        ("My locker code is 4471.", "You can forget about the locker code now."),
        ("My locker code is 4471.", "Please don't mention my locker code again"),
        ("My brother Theo is 35 years old.", "Forget what I told you about Theo."),
        ("My brother Theo is 35 years old.", "Delete what I said about Theo."),
        ("Mein Spindcode ist 4471.", "Vergiss bitte meinen Spindcode."),
        (
            "Ich bin allergisch gegen Haselnüsse.",
            "Vergiss die Sache mit den Haselnüssen, das war ein Irrtum.",
        ),
        ("El código de mi taquilla es 4471.", "¿Puedes olvidar lo del código de la taquilla?"),
        ("El código de mi taquilla es 4471.", "Olvida lo del código de la taquilla, por favor"),
    ],
)
def test_a_request_to_forget_is_understood_as_people_say_it(told, request_):
    with Memory(InMemoryStore(), user_id="mia") as memory:
        memory.add(told, thread_id="1")
        assert memory.recall(told).block

        memory.add(request_, thread_id="1")

        assert memory.facts() == []
        assert memory.recall(told).block == ""
        assert memory.recall(request_).block == ""


def test_a_request_to_forget_becomes_no_episode():
    with Memory(InMemoryStore(), user_id="mia") as memory:
        memory.add("Forget about the locker code, we decided to give it back.", thread_id="1")

        assert memory.episodes() == []


async def test_episodes_and_older_words_of_what_one_asked_to_forget_are_not_told_either():
    store = InMemoryStore()
    graph = build_graph(store=store, checkpointer=InMemorySaver())

    async def say(text: str, thread: str) -> str:
        config = {"configurable": {"user_id": "mia", "thread_id": thread}}
        keys = ["messages", "memory_context"]
        said = {"messages": [HumanMessage(text)]}
        state = await graph.ainvoke(said, config, output_keys=keys)
        block = state["memory_context"]
        return str(state["messages"][-1].text) + block

    for text in (
        "We have two kilns, the older one is from 1998.",
        "The older kiln died yesterday. We decided to order a new one from Kilncare for 1,900.",
    ):
        await say(text, "1")
    assert "Kilncare" in await say("What did we decide about the kiln?", "2")

    await say("forget about the kiln please", "1")

    for asked in ("What did we decide about the kiln?", "What did the kiln cost?"):
        assert "Kilncare" not in await say(asked, "3")
    assert await Memory(store, user_id="mia").aepisodes() == []


def test_a_request_to_forget_also_takes_what_was_past_already():
    with Memory(InMemoryStore(), user_id="mia") as memory:
        memory.add("My dog Rex is afraid of thunder.", thread_id="1")
        memory.add("My dog Rex is no longer afraid of thunder.", thread_id="1")

        memory.add("forget about Rex", thread_id="1")

        assert "Rex" not in memory.recall("What was Rex afraid of?").block


def test_a_forgotten_fact_comes_back_by_undo():
    with Memory(InMemoryStore(), user_id="mia") as memory:
        [fact] = memory.add("I live in Brno.", thread_id="1").facts
        memory.add("forget where I live", thread_id="1")
        assert not memory.facts()

        memory.undo(memory.why(fact.id).entries[-1].id)

        assert [each.statement for each in memory.facts()] == ["The user lives in Brno."]
        assert "Brno" in memory.recall("Where do I live?").block


@pytest.mark.parametrize("command", ["Delete the test file.", "Please erase the test file"])
def test_a_command_to_delete_something_touches_no_memory(command):
    with Memory(InMemoryStore(), user_id="mia") as memory:
        memory.add(
            "We decided to ship the test file on Friday, because QA needs it.", thread_id="1"
        )
        episodes = memory.episodes()
        assert episodes

        memory.add(command, thread_id="1")

        assert [each.id for each in memory.episodes()] == [each.id for each in episodes]
        assert "test file" in memory.recall("When do we ship the test file?").block
