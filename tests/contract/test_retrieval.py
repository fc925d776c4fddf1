"""The same questions find the same memories on every store."""

from dataclasses import replace
from datetime import timedelta

import pytest

from memory_graph.context import Context
from memory_graph.episodes.store import EPISODES, Episodes
from memory_graph.language.times import find_time_phrase
from memory_graph.policies import RankingWeights, RecallPolicy
from memory_graph.recall.search import look_back, plan_recall, recall
from memory_graph.records import TurnRecord
from memory_graph.store import collection
from memory_graph.store.index_cache import IndexCache
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import Query
from memory_graph.turns.store import TURNS, Turns
from tests.examples import NOON, a_fact, an_episode

SAID = [
    ("user", "We stayed at the Hotel Lumen in Porto, the breakfast was lovely."),
    ("assistant", "Shall I note the hotel for your next trip?"),
    ("user", "My sister plays the cello in an orchestra."),
    ("assistant", "That sounds like a demanding instrument."),
    ("user", "The billing service kept timing out until we raised the pool size."),
    ("assistant", "A larger pool hides a slow query; look at the index on orders."),
    ("user", "I am allergic to hazelnuts, so no pralines for me."),
    ("assistant", "Understood: no pralines."),
]
ASKED = {
    "What was the name of that hotel?": "turn-0",
    "Which instrument does my sister play?": "turn-2",
    "What did you tell me about the slow query?": "turn-5",
    "What am I allergic to?": "turn-6",
}


@pytest.fixture
async def filled(memory: UserMemory) -> UserMemory:
    turns = [
        TurnRecord(
            id=f"turn-{number}",
            text=text,
            role=role,
            speaker=role,
            session="t1",
            position=number,
            said_at=NOON - timedelta(days=8 - number),
        )
        for number, (role, text) in enumerate(SAID)
    ]
    await memory.commit(await memory.turns.puts(turns, NOON))
    episodes = [
        an_episode(
            "ep-1", "the venue", ended_at=NOON - timedelta(days=1), parent_episode_id="ep-2"
        ),
        an_episode("ep-2", "the menu", ended_at=NOON - timedelta(days=9)),
    ]
    await memory.commit(await memory.episodes.puts(episodes, NOON))
    await memory.commit(await memory.facts.puts([a_fact()], NOON))
    return memory


async def turns_for(
    memory: UserMemory, text: str, policy: RecallPolicy | None = None
) -> list[tuple[str, float]]:
    policy = policy or RecallPolicy(recall_turns=8)
    [vector] = await memory.scope.embedder.embed([text])
    phrase = find_time_phrase(text, now=NOON, zone=Context(user_id="ana").zone)
    query = Query(text=text, vector=vector, now=NOON.timestamp(), weights=policy.weights)
    past = await look_back(memory, query, phrase, plan_recall("explicit", policy))
    return [(found.record.id, round(found.score, 3)) for found in past.turns]


async def test_scores_are_the_same_everywhere(filled: UserMemory) -> None:
    weights = RankingWeights(lexical=0.6, vector=0.5, speaker=0.2)
    policy = RecallPolicy(recall_turns=3, weights=weights)

    assert await turns_for(filled, "What did my sister play?", policy) == SCORES


SCORES = [("turn-2", 0.822), ("turn-6", 0.266), ("turn-4", 0.225)]


async def test_a_day_without_a_topic_finds_what_happened_that_day(filled: UserMemory) -> None:
    recalled = await recall(filled, "What did we decide yesterday?", Context(user_id="ana"), NOON)

    assert recalled.verdict.found == "found"
    assert "ep-1" in {line.record.id for line in recalled.bearing}
    assert "ep-2" not in {line.record.id for line in recalled.bearing}  # of another day


async def test_a_deleted_turn_is_found_no_more(filled: UserMemory) -> None:
    await filled.commit(filled.turns.deletions(["turn-0"]))

    found = [turn_id for turn_id, _ in await turns_for(filled, "Which hotel was it?")]

    assert "turn-0" not in found
    assert len(found) == 7


async def test_a_namespace_too_large_for_the_process_gives_the_same_answers(
    filled: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = RecallPolicy(recall_turns=3)
    in_process = {text: await turns_for(filled, text, policy) for text in ASKED}
    monkeypatch.setattr(collection, "_SMALL", 0)
    scope = replace(filled.scope, largest=1, indexes=IndexCache(1000))
    large = replace(
        filled, scope=scope, turns=Turns(scope, TURNS), episodes=Episodes(scope, EPISODES)
    )

    in_store = {text: await turns_for(large, text, policy) for text in ASKED}

    assert {text: found[0][0] for text, found in in_store.items()} == ASKED
    for text, found in in_store.items():
        assert found[0][0] == in_process[text][0][0]
        scores = [score for _, score in in_process[text]]
        assert [score for _, score in found] == pytest.approx(scores, abs=0.01)
    searches_itself = "postgres" in type(filled.scope.gateway.store).__module__
    assert scope.gateway.searches == searches_itself
    assert (
        scope.indexes.holds((id(scope.gateway.store), large.turns.namespace), 100)
        != searches_itself
    )
