"""What was said while something was down, or was never finished, is made up for."""

import asyncio

from langchain_core.messages import AIMessage, HumanMessage

from memory_graph import background, clock
from memory_graph.curation.forget import forget_everything
from tests.examples import a_stated
from tests.fakes import CountingModel
from tests.faults.conftest import Conversation, foreign_nodes, in_pairs, rows_of

TOLD = {
    "I live in Porto.": "profile:city",
    "My cat Luna is 3.": "profile:pet:luna:age",
    "I am a nurse.": "work:job",
    "I am allergic to peanuts.": "health:allergy:peanut",
    "My dog Rex is 5.": "profile:pet:rex:age",
    "My cat Milo is 7.": "profile:pet:milo:age",
    "My dog Bello is 9.": "profile:pet:bello:age",
    "My cat Nala is 2.": "profile:pet:nala:age",
    "My dog Bruno is 4.": "profile:pet:bruno:age",
    "My cat Cleo is 6.": "profile:pet:cleo:age",
    "My dog Fido is 8.": "profile:pet:fido:age",
    "My cat Simba is 1.": "profile:pet:simba:age",
}


async def keys(memory) -> set[str]:
    return {fact.id for fact in await memory.facts.all()}


@in_pairs
async def test_an_outage_of_many_turns_is_made_up_for_in_portions(conversation, store, memory_for):
    said = list(TOLD)
    store.is_down = True
    for text in said:
        assert (await conversation.say("ana", text))["messages"][-1].text
    store.is_down = False
    for _ in range(3):
        await conversation.say("ana", "Thanks!")

    assert await keys(memory_for("ana")) >= {TOLD[text] for text in said}
    rows = await rows_of(store, "ana")
    assert not [text for text in said if text not in rows], "word for word, too"
    assert await memory_for("ana").turns.waiting() == []


@in_pairs
async def test_what_is_made_up_for_is_kept_once(conversation, store, memory_for):
    store.is_down = True
    await conversation.say("ana", "I live in Porto.")
    await conversation.say("ana", "I live in Braga.")
    await conversation.say("ana", "I live in Faro.")
    await conversation.say("ana", "I live in Evora.")
    store.is_down = False
    for _ in range(3):
        await conversation.say("ana", "Thanks!")

    fact = await memory_for("ana").facts.get("profile:city")
    assert fact.value == "Evora"
    assert [version.value for version in fact.history] == ["Porto", "Braga", "Faro"]


async def test_what_was_missed_before_everything_was_forgotten_stays_so(store, memory_for):
    conversation = Conversation(foreign_nodes(store, None))
    store.is_down = True
    for text in list(TOLD)[:5]:
        await conversation.say("ana", text)
    store.is_down = False
    await forget_everything(memory_for("ana"), clock.utc_now())
    for _ in range(3):
        await conversation.say("ana", "Thanks!")

    assert await keys(memory_for("ana")) == set()
    assert "Porto" not in await rows_of(store, "ana")


class ModelWithOutages(CountingModel):
    """A model that is away for as long as it is told, and else keeps what it reads."""

    is_down: bool = False

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        if self.is_down:
            raise ConnectionError("model is down")
        last = str(messages[-1].text)
        facts = [
            a_stated(
                text.removeprefix("My "),
                about=f"{key.split(':')[-2].title()} (pet)",
                attribute="age",
                value=text.rstrip(".").split()[-1],
            )
            for text, key in TOLD.items()
            if key.endswith(":age") and text in last.rpartition("NEW: ")[2]
        ]
        self.answers = [{"facts": facts}]
        return super()._generate(messages, stop, run_manager, **kwargs)


async def test_a_model_that_was_away_is_asked_again(store, memory_for):
    model = ModelWithOutages(is_down=True)
    conversation = Conversation(foreign_nodes(store, model))
    said = [text for text, key in TOLD.items() if key.endswith(":age")][:6]
    for text in said:
        await conversation.say("ana", text)
    assert await keys(memory_for("ana")) == set(), "only a model reads where one is set"
    assert len(await memory_for("ana").turns.waiting()) == len(said)
    words = {turn.text for turn in await memory_for("ana").turns.all()}
    assert words >= {*said}, "until then, they are found as they were said"
    model.is_down = False
    for _ in range(3):
        await conversation.say("ana", "What shall we do tomorrow?")
        await background.drain()

    assert await keys(memory_for("ana")) == {TOLD[text] for text in said}
    assert await memory_for("ana").turns.waiting() == []


async def abandoned(conversation: Conversation, user_id: str, text: str) -> None:
    """Stream a turn, and leave as soon as there is a reply."""
    from memory_graph.context import Context

    stream = conversation.graph.astream(
        {"messages": [HumanMessage(text)]},
        conversation.config,
        context=Context(
            user_id=user_id, policies={"capture": {"cooldown_turns": 0, "cooldown_minutes": 0}}
        ),
        stream_mode="updates",
    )
    async for update in stream:
        said = [part.get("messages") for part in update.values() if isinstance(part, dict)]
        if any(isinstance(each[-1], AIMessage) for each in said if each):
            break
    await stream.aclose()


@in_pairs
async def test_streams_that_nobody_reads_to_the_end_lose_no_words(conversation, store, memory_for):
    said = list(TOLD)
    for text in said:
        await abandoned(conversation, "ana", text)
    await conversation.say("ana", "We decided to paint the fence green.")
    await conversation.say("ana", "Thanks!")

    words = {turn.text for turn in await memory_for("ana").turns.all()}
    assert not [text for text in said if text not in words]
    assert await keys(memory_for("ana")) >= {TOLD[text] for text in said}


@in_pairs
async def test_the_same_turn_delivered_three_times_is_kept_once(conversation, store, memory_for):
    said = HumanMessage("I live in Porto and we decided to buy a bike.", id="m1")
    for _ in range(3):
        await conversation.say("ana", said)

    memory = memory_for("ana")
    [turn] = [turn for turn in await memory.turns.all() if turn.role == "user"]
    assert turn.text == said.content
    assert len(await memory.episodes.all()) <= 1
    fact = await memory.facts.get("profile:city")
    assert (fact.value, fact.history) == ("Porto", ())


async def test_fifty_turns_at_once_lose_nothing(store, memory_for):
    graph = foreign_nodes(store, None)
    names = [f"{one}{two}" for one in ("Bel", "Cor", "Dan", "Fer", "Gil") for two in "abcdefghij"]
    await asyncio.gather(
        *(Conversation(graph, name).say("ana", f"My cat {name} is 3.") for name in names)
    )
    await asyncio.gather(*(Conversation(graph, name).say("ana", "Thanks!") for name in names))

    assert len(await keys(memory_for("ana"))) == len(names)
    words = {turn.text for turn in await memory_for("ana").turns.all()}
    assert not [name for name in names if f"My cat {name} is 3." not in words]
