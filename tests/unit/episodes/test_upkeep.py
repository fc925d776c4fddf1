from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.episodes.upkeep import plan_upkeep
from memory_graph.policies import UpkeepPolicy
from memory_graph.records import Episode
from tests.examples import NOON, an_episode

POLICY = UpkeepPolicy()


def aged(days: float, episode_id: str = "ep-1", **given: object) -> Episode:
    title = f"story of {episode_id}"
    return an_episode(episode_id, title, ended_at=NOON - timedelta(days=days), **given)


def plan(*episodes: Episode, used=None):
    return plan_upkeep(episodes, used or {}, NOON, POLICY)


@pytest.mark.parametrize(
    ("episode", "reasons"),
    [
        pytest.param(aged(1.1, status="active"), ["stale"], id="a stale active one is closed"),
        pytest.param(aged(0.9, status="active"), [], id="a fresh active one stays open"),
        pytest.param(aged(181), ["old"], id="an old one is archived"),
        pytest.param(aged(181, importance=5), ["unused"], id="unless it matters most"),
        pytest.param(aged(61), ["unused"], id="an unused one counts less"),
        pytest.param(aged(59), [], id="a recent one stays"),
        pytest.param(aged(61, importance=1), [], id="nothing counts less than little"),
        pytest.param(aged(1, parent_episode_id="gone"), ["broken_parent"], id="no such parent"),
        pytest.param(aged(1, parent_episode_id="ep-1"), ["broken_parent"], id="its own parent"),
    ],
)
def test_what_is_due(episode: Episode, reasons: list[str]) -> None:
    assert [each.reason for each in plan(episode)] == reasons


def test_what_was_recalled_lately_does_not_count_less() -> None:
    assert plan(aged(61), used={"ep-1": NOON - timedelta(days=3)}) == ()


def test_a_duplicate_is_taken_in_and_its_children_follow() -> None:
    first = an_episode("ep-1")
    second = an_episode("ep-2", created_at=NOON + timedelta(seconds=1))
    child = aged(0, "ep-3", parent_episode_id="ep-2")

    changes = plan(first, second, child)

    after = {each.before.id: each.after for each in changes}
    assert after["ep-2"] is None
    assert after["ep-1"].merged_from == ("ep-2",)
    assert after["ep-3"].parent_episode_id == "ep-1"


def test_a_circle_is_opened_once() -> None:
    one, two = aged(1, "ep-1", parent_episode_id="ep-2"), aged(1, "ep-2", parent_episode_id="ep-1")

    changes = plan(one, two)

    assert [each.reason for each in changes] == ["broken_parent"]


episodes = st.lists(
    st.builds(
        aged,
        days=st.integers(0, 400),
        episode_id=st.sampled_from(["ep-1", "ep-2", "ep-3"]),
        status=st.sampled_from(["active", "summarized", "archived"]),
        importance=st.integers(1, 5),
        parent_episode_id=st.sampled_from([None, "ep-1", "ep-2", "ep-3", "gone"]),
    ),
    unique_by=lambda each: each.id,
)


@given(episodes)
def test_upkeep_needs_no_second_look_at_links(known: list[Episode]) -> None:
    standing = {each.id: each for each in known}
    for change in plan(*known):
        standing.pop(change.before.id)
        if change.after:
            standing[change.before.id] = change.after

    again = plan(*standing.values())

    assert not {"broken_parent", "duplicate", "stale"} & {each.reason for each in again}
