from datetime import timedelta

import pytest
from langgraph.store.base import BaseStore

from memory_graph.patterns.learning import learn
from memory_graph.patterns.writing import decide_pattern, record_pattern
from memory_graph.policies import LearningPolicy
from memory_graph.records import Change, Decision, PatternDraft
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from tests.examples import NOON, an_episode

NAME = "renew-token-when-deploy-token-expired"
POLICY = LearningPolicy()


@pytest.fixture
def memory(store: BaseStore) -> UserMemory:
    return memory_of(Owner("ana"), store)


def a_change(change_id="c1", by="test"):
    return Change(id=change_id, by=by, at=NOON)


def deploy(number, outcome="success"):
    made = Decision(
        id="d001", context="the deploy token expired", chosen="renew the token", outcome=outcome
    )
    ended = NOON - timedelta(days=10 - number)
    return an_episode(f"ep-{number}", f"deploy {number}", ended_at=ended, decisions=(made,))


async def keep(memory, *episodes):
    await memory.commit(await memory.episodes.puts(episodes, NOON))


async def test_what_kept_working_is_proposed_and_waits(memory):
    await keep(memory, deploy(1), deploy(2), deploy(3))
    learned = await learn(memory, POLICY, a_change())

    [decision] = learned.decisions
    pattern = await memory.patterns.get(NAME)
    assert (decision.action, decision.reason, decision.memory_id) == ("create", "repeated", NAME)
    assert (pattern.status, pattern.kind, pattern.occurrences) == ("proposed", "pattern", 3)
    assert await memory.patterns.confirmed() == []


async def test_a_preview_says_what_would_be_proposed_and_writes_nothing(memory):
    await keep(memory, deploy(1), deploy(2), deploy(3))
    [would] = (await learn(memory, POLICY, a_change(), apply=False)).patterns

    assert (would.name, would.occurrences) == (NAME, 3)
    assert await memory.patterns.all() == []
    assert await memory.ledger.recent() == []


async def test_learning_again_changes_nothing_until_there_is_new_evidence(memory):
    await keep(memory, deploy(1), deploy(2), deploy(3))
    await learn(memory, POLICY, a_change())
    assert (await learn(memory, POLICY, a_change())).decisions == ()

    await keep(memory, deploy(4))
    [decision] = (await learn(memory, POLICY, a_change())).decisions

    assert decision.action == "update"
    assert (await memory.patterns.get(NAME)).occurrences == 4


async def test_a_confirmed_pattern_counts(memory):
    await keep(memory, deploy(1), deploy(2), deploy(3))
    await learn(memory, POLICY, a_change())
    await decide_pattern(memory, NAME, "confirmed", a_change("c2"))

    assert [each.name for each in await memory.patterns.confirmed()] == [NAME]


async def test_a_rejected_pattern_is_not_proposed_again(memory):
    await keep(memory, deploy(1), deploy(2), deploy(3))
    await learn(memory, POLICY, a_change())
    await decide_pattern(memory, NAME, "rejected", a_change("c2"))
    await keep(memory, deploy(4))
    learned = await learn(memory, POLICY, a_change())

    assert learned.decisions == ()
    assert await memory.patterns.confirmed() == []
    assert (await memory.patterns.get(NAME)).status == "rejected"


async def test_who_states_a_rejected_pattern_has_changed_their_mind(memory):
    draft = PatternDraft(name="a", trigger="t", action="a")
    await record_pattern(memory, draft, a_change("c1"), success=True)
    await decide_pattern(memory, "a", "rejected", a_change("c2"))
    await record_pattern(memory, draft, a_change("c3"), success=True)

    assert (await memory.patterns.get("a")).status == "confirmed"
