from memory_graph.records import Decision, Event
from memory_graph.tools.episodes import get_decision_sequence
from tests.examples import NOON, an_episode

EPISODE = an_episode(
    "ep-1",
    decisions=(
        Decision(
            id="d001",
            timestamp=NOON,
            context="the token had expired",
            chosen="renew the token",
            rationale="it is quicker than a new account",
            outcome="success",
            effects=("e001", "d009"),
        ),
    ),
    events=(Event(id="e001", content="the deploy went through"),),
)


async def keep(memory, episode):
    await memory.commit(await memory.episodes.puts([episode], NOON))


async def test_decisions_are_told_with_their_effects_and_broken_links(call, memory):
    await keep(memory, EPISODE)
    answer = await call(get_decision_sequence, episode_id="ep-1")

    assert "d001 (2026-11-16 12:00, design, success): renew the token." in answer
    assert "Led to: e001 (the deploy went through), d009." in answer
    assert "Links that lead nowhere: d001 effects d009." in answer


async def test_an_episode_without_decisions_says_so(call, memory):
    await keep(memory, an_episode("ep-2"))

    assert "No decision is known" in await call(get_decision_sequence, episode_id="ep-2")


async def test_an_unknown_episode_is_answered_in_words(call):
    assert "No episode with id 'ep-9'" in await call(get_decision_sequence, episode_id="ep-9")


async def test_anothers_episode_is_unknown(call, memory):
    await keep(memory, EPISODE)

    assert "No episode" in await call(get_decision_sequence, user="bo", episode_id="ep-1")
