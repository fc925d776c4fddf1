"""Chaining: which earlier episode an exchange belongs to, or continues."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.episodes.chaining import Draft, Related, choose_merge, choose_parent
from memory_graph.episodes.store import walk_chain
from memory_graph.policies import CapturePolicy
from memory_graph.records import EpisodeMetadata
from tests.examples import an_episode

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
POLICY = CapturePolicy()
DRAFT = Draft(episode_id="new", now=NOON)
FIRST_OF_MAY, SECOND_OF_MAY = date(2026, 5, 1), date(2026, 5, 2)


def neighbour(episode_id: str, similarity: float, hours_ago: float, **given: object) -> Related:
    episode = an_episode(episode_id, ended_at=NOON - timedelta(hours=hours_ago), **given)
    return Related(episode=episode, meaning=0.5, similarity=similarity)


def target_of(draft: Draft, *known: Related, policy: CapturePolicy = POLICY) -> str | None:
    target = choose_merge(draft, known, policy).target
    return target.id if target else None


def parent_of(draft: Draft, *known: Related) -> str | None:
    return choose_parent(draft, known, POLICY)[0]


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        pytest.param(neighbour("a", 0.85, 1), "same_theme", id="at the similarity threshold"),
        pytest.param(neighbour("a", 0.84, 1), "different_theme", id="below it"),
        pytest.param(neighbour("a", 0.9, 12), "same_theme", id="at the end of the window"),
        pytest.param(neighbour("a", 0.9, 12.1), "no_recent_episode", id="after it"),
        pytest.param(neighbour("a", 0.9, 1, status="archived"), "no_recent_episode", id="archived"),
        pytest.param(neighbour("new", 1.0, 1), "no_recent_episode", id="itself"),
    ],
)
def test_choose_merge(candidate: Related, reason: str) -> None:
    choice = choose_merge(DRAFT, [candidate], POLICY)

    assert choice.reason == reason
    assert (choice.target is not None) == (reason == "same_theme")


def test_what_was_said_just_before_on_the_same_topic_takes_in_more_of_it() -> None:
    draft = replace(DRAFT, joins="sitting")

    assert target_of(draft, neighbour("sitting", 0.6, 1)) == "sitting"
    assert target_of(draft, neighbour("other", 0.6, 1)) is None


def test_the_latest_episode_of_a_story_is_merged_into() -> None:
    older, later = neighbour("older", 0.95, 10), neighbour("later", 0.95, 2)

    assert target_of(DRAFT, older, later) == "later"


def test_what_fits_another_story_better_is_not_merged_into_the_latest() -> None:
    """Two projects on one day read alike: the turn belongs to the one it fits best."""
    own, alike = neighbour("own", 0.97, 24), neighbour("alike", 0.88, 2)
    archived = neighbour("own", 0.97, 24, status="archived")

    assert target_of(DRAFT, own, alike) is None
    assert parent_of(DRAFT, own, alike) == "own"
    assert target_of(DRAFT, archived, alike) == "alike"


@pytest.mark.parametrize(
    ("ours", "theirs", "target_id"),
    [
        pytest.param({FIRST_OF_MAY}, {SECOND_OF_MAY}, None, id="different days stay apart"),
        pytest.param({FIRST_OF_MAY}, {FIRST_OF_MAY, SECOND_OF_MAY}, "a", id="one day in common"),
        pytest.param(set(), {SECOND_OF_MAY}, "a", id="we name no day"),
        pytest.param({FIRST_OF_MAY}, set(), "a", id="they name no day"),
    ],
)
def test_event_dates_decide_over_similarity(
    ours: set[date], theirs: set[date], target_id: str | None
) -> None:
    draft = replace(DRAFT, event_dates=frozenset(ours))
    candidate = replace(neighbour("a", 0.99, 1), event_dates=frozenset(theirs))

    assert target_of(draft, candidate) == target_id


def test_a_date_conflict_is_the_reason_given() -> None:
    draft = replace(DRAFT, event_dates=frozenset({FIRST_OF_MAY}))
    candidate = replace(neighbour("a", 0.99, 1), event_dates=frozenset({SECOND_OF_MAY}))

    assert choose_merge(draft, [candidate], POLICY).reason == "different_event_date"


@pytest.mark.parametrize(
    ("candidate", "parent_id", "reason"),
    [
        pytest.param(neighbour("a", 0.86, 47), "a", "continues", id="similar and recent"),
        pytest.param(neighbour("a", 0.85, 1), None, "none_similar", id="at the threshold is not"),
        pytest.param(neighbour("a", 0.99, 48), "a", "continues", id="at the end of the window"),
        pytest.param(neighbour("a", 0.99, 49), None, "none_recent", id="too long ago"),
        pytest.param(neighbour("new", 1.0, 1), None, "none_recent", id="never itself"),
    ],
)
def test_choose_parent(candidate: Related, parent_id: str | None, reason: str) -> None:
    choice = choose_parent(DRAFT, [candidate], POLICY)

    assert choice == (parent_id, reason)


def test_shared_entities_decide_between_equally_similar_episodes() -> None:
    draft = replace(DRAFT, entities=frozenset({"Helix"}))
    stranger = neighbour("stranger", 0.9, 1)
    relative = neighbour("relative", 0.9, 5, metadata=EpisodeMetadata(entities=("Helix",)))

    assert parent_of(draft, stranger, relative) == "relative"


def test_a_story_goes_on_from_its_last_chapter_not_from_the_most_similar_one() -> None:
    first = neighbour("first", 0.99, 40)
    second = neighbour("second", 0.9, 20, parent_episode_id="first")

    assert parent_of(DRAFT, first, second) == "second"


def test_chapters_in_a_circle_are_all_candidates() -> None:
    first = neighbour("first", 0.99, 40, parent_episode_id="second")
    second = neighbour("second", 0.9, 20, parent_episode_id="first")

    assert parent_of(DRAFT, first, second) == "first"


def test_a_parent_named_by_the_caller_wins() -> None:
    near = neighbour("near", 0.99, 1)

    choice = choose_parent(DRAFT, [near], POLICY, explicit_parent_id="named")

    assert choice == ("named", "explicit")


def test_an_episode_cannot_be_named_its_own_parent() -> None:
    assert choose_parent(DRAFT, [], POLICY, explicit_parent_id="new")[0] is None


@pytest.mark.parametrize(
    ("parent_of", "chain"),
    [
        pytest.param({"c": "b", "b": "a", "a": None}, ("a", "b", "c"), id="root first"),
        pytest.param({"c": None}, ("c",), id="alone"),
        pytest.param({"c": "gone"}, ("c",), id="an unknown parent ends it"),
        pytest.param({"c": "b", "b": "c"}, ("b", "c"), id="a circle is walked once"),
        pytest.param({"c": "c"}, ("c",), id="its own parent"),
        pytest.param({}, (), id="an unknown episode has no chain"),
    ],
)
def test_walk_chain(parent_of: dict[str, str | None], chain: tuple[str, ...]) -> None:
    assert walk_chain("c", parent_of) == chain


ids = st.sampled_from("abcdef")


@given(ids, st.dictionaries(ids, st.none() | ids))
def test_a_chain_never_repeats_an_episode(start: str, parent_of: dict[str, str | None]) -> None:
    chain = walk_chain(start, parent_of)

    assert len(chain) == len(set(chain))
    assert not chain or chain[-1] == start
    assert all(parent_of[child] == parent for parent, child in pairwise(chain))


@pytest.mark.parametrize(("hours", "target_id"), [(12, None), (24, "a"), (72, "a")])
def test_a_window_of_a_day_or_more_merges_across_days(hours: float, target_id: str | None) -> None:
    draft = replace(DRAFT, day=DRAFT.now.date())
    yesterday = neighbour("a", 0.9, 10, date_iso="2026-11-15")
    policy = POLICY.model_copy(update={"merge_window_hours": hours})

    assert target_of(draft, yesterday, policy=policy) == target_id


def test_another_project_is_another_story() -> None:
    draft = replace(DRAFT, project="harbour")
    other = neighbour("a", 0.99, 1, project="tillman")

    assert choose_merge(draft, [other], POLICY).reason == "different_project"
    assert parent_of(draft, other) is None


def test_a_story_goes_on_where_it_ended_though_that_day_reads_otherwise() -> None:
    first = neighbour("first", 0.95, 40)
    last = neighbour("last", 0.2, 20, parent_episode_id="first")

    assert parent_of(DRAFT, first, last) == "last"
