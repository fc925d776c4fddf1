"""Episodes: built from a draft, and grown by later exchanges."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory_graph.episodes.building import Occasion, approach_of, build_episode, merge_episodes
from memory_graph.records import EpisodeDraft, EpisodeMetadata, Said, Source
from tests.examples import an_episode

MONDAY = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
DRAFT = EpisodeDraft(
    summary="The floor of the kitchen was chosen.",
    topic="the kitchen floor",
    approach="compared oak and tiles",
    outcome="ongoing",
    decisions=("Oak planks for the kitchen floor.",),
    next_steps=("Order samples of oak.",),
    participants=("Tom",),
    tags=("kitchen", "floor"),
)


def occasion(episode_id: str = "monday", at: datetime = MONDAY, zone: str = "UTC") -> Occasion:
    return Occasion(episode_id=episode_id, started_at=at, ended_at=at, now=at, zone=ZoneInfo(zone))


def tuesday() -> Occasion:
    return occasion("tuesday", MONDAY + timedelta(days=1))


@pytest.mark.parametrize(
    ("at", "zone", "date_iso", "week", "year"),
    [
        pytest.param("2026-11-16T12:00+00:00", "UTC", "2026-11-16", 47, 2026, id="plain day"),
        pytest.param("2027-01-01T12:00+00:00", "UTC", "2027-01-01", 53, 2026, id="week 53"),
        pytest.param("2024-12-30T12:00+00:00", "UTC", "2024-12-30", 1, 2025, id="next year's week"),
        pytest.param(
            "2026-12-31T23:30+00:00", "Europe/Madrid", "2027-01-01", 53, 2026, id="east of UTC"
        ),
        pytest.param(
            "2027-01-04T03:00+00:00", "America/Lima", "2027-01-03", 53, 2026, id="west of UTC"
        ),
    ],
)
def test_dates_are_those_of_the_users_zone_with_iso_week_and_year(
    at: str, zone: str, date_iso: str, week: int, year: int
) -> None:
    episode = build_episode(DRAFT, occasion(at=datetime.fromisoformat(at), zone=zone))

    assert (episode.date_iso, episode.week, episode.year) == (date_iso, week, year)
    assert episode.human_line.startswith(f"On {date_iso} (W{week:02d}, {year}) we discussed ")
    assert episode.time_zone == zone


def test_the_human_line_tells_topic_and_approach() -> None:
    episode = build_episode(DRAFT, occasion())

    assert episode.human_line == (
        "On 2026-11-16 (W47, 2026) we discussed the kitchen floor. "
        "Approach: compared oak and tiles."
    )


@pytest.mark.parametrize("approach", ["", "  ", "."])
def test_without_an_approach_the_human_line_ends_after_the_topic(approach: str) -> None:
    draft = DRAFT.model_copy(update={"approach": approach, "topic": "the floor."})

    line = build_episode(draft, occasion()).human_line

    assert line == "On 2026-11-16 (W47, 2026) we discussed the floor."


def test_decisions_and_events_are_numbered() -> None:
    said = (
        Said(role="tool", tool="run_tests", is_error=True, text="secret output"),
        Said(role="tool", tool="run_tests"),
    )

    episode = build_episode(DRAFT, replace(occasion(), said=said))

    assert [one.id for one in episode.decisions] == ["d001"]
    assert [(one.id, one.content, one.caused_by) for one in episode.events] == [
        ("e001", "run_tests failed", ()),
        ("e002", "run_tests succeeded", ("e001",)),
    ]


def test_the_content_holds_all_that_can_be_searched_for() -> None:
    content = build_episode(DRAFT, occasion()).content

    for part in (DRAFT.topic, DRAFT.summary, DRAFT.decisions[0], DRAFT.next_steps[0]):
        assert part in content


def test_a_merge_keeps_the_start_and_theme_and_moves_the_dates() -> None:
    old = build_episode(DRAFT, occasion())
    draft = EpisodeDraft(summary="Samples arrived.", topic="samples", approach="laid them out")

    merged = merge_episodes(old, draft, tuesday())

    assert (merged.id, merged.title) == ("monday", "the kitchen floor")
    assert (merged.started_at, merged.ended_at) == (MONDAY, MONDAY + timedelta(days=1))
    assert (merged.created_at, merged.updated_at) == (MONDAY, MONDAY + timedelta(days=1))
    assert merged.merged_from == ("tuesday",)
    assert merged.human_line == (
        "On 2026-11-17 (W47, 2026) we discussed the kitchen floor. Approach: laid them out."
    )


def test_a_merged_episode_is_called_after_its_end() -> None:
    quarrel = EpisodeDraft(
        summary="The landlord wants more.", topic="Landlord wants more rent", outcome="failure"
    )
    settled = EpisodeDraft(
        summary="Settled.", topic="Settled the rent with the landlord", outcome="success"
    )
    unrelated = settled.model_copy(update={"topic": "It works now"})
    old = build_episode(quarrel, occasion())

    assert merge_episodes(old, settled, tuesday()).title == "Settled the rent with the landlord"
    assert merge_episodes(old, unrelated, tuesday()).title == "Landlord wants more rent"


def test_the_newer_statement_replaces_the_one_it_contradicts() -> None:
    old = build_episode(DRAFT, occasion())
    draft = EpisodeDraft(
        summary="The choice of the kitchen floor was changed.",
        topic="the floor",
        decisions=("Tiles for the kitchen floor after all.",),
    )

    merged = merge_episodes(old, draft, tuesday())

    assert [(one.id, one.chosen) for one in merged.decisions] == [
        ("d002", "Tiles for the kitchen floor after all.")
    ]
    assert merged.metadata.key_decisions == ("Tiles for the kitchen floor after all.",)
    assert merged.summary == "The choice of the kitchen floor was changed."
    assert "Oak planks" not in merged.content


def test_statements_that_do_not_clash_are_both_kept() -> None:
    old = build_episode(DRAFT, occasion())
    draft = EpisodeDraft(
        summary="Tom measured the hall.", topic="hall", decisions=("Wool carpet in the hall.",)
    )

    merged = merge_episodes(old, draft, tuesday())

    assert [one.id for one in merged.decisions] == ["d001", "d002"]
    assert merged.summary == "Tom measured the hall."
    assert merged.next_steps == DRAFT.next_steps


@pytest.mark.parametrize(
    ("newer", "merged_outcome"), [("success", "success"), ("unknown", "ongoing")]
)
def test_the_newer_outcome_wins_unless_unknown(newer: str, merged_outcome: str) -> None:
    old = build_episode(DRAFT, occasion())
    draft = EpisodeDraft.model_validate({"summary": "More.", "topic": "floor", "outcome": newer})

    assert merge_episodes(old, draft, tuesday()).outcome == merged_outcome


def test_a_merge_without_approach_keeps_the_one_told_before() -> None:
    old = build_episode(DRAFT, occasion())

    merged = merge_episodes(old, EpisodeDraft(summary="More.", topic="floor"), tuesday())

    assert approach_of(merged) == "compared oak and tiles"


def test_names_are_united_and_bounded() -> None:
    old = build_episode(DRAFT, occasion())
    names = tuple(f"Guest{number}" for number in range(30))
    draft = EpisodeDraft(summary="A party.", topic="party", participants=("Tom", *names))

    participants = merge_episodes(old, draft, tuesday()).metadata.participants

    assert participants[0] == "Tom"
    assert len(participants) == len(set(participants)) == 12


def test_taking_in_the_same_exchange_twice_changes_nothing() -> None:
    old = build_episode(DRAFT, occasion())
    draft = EpisodeDraft(summary="Samples arrived.", topic="samples")

    once = merge_episodes(old, draft, tuesday())

    assert merge_episodes(once, draft, tuesday()) == once
    assert merge_episodes(old, DRAFT, occasion()) == old


def test_a_merge_remembers_the_messages_of_both() -> None:
    old = build_episode(
        DRAFT, replace(occasion(), source=Source(thread_id="t1", message_ids=("a",)))
    )
    later = replace(tuesday(), source=Source(message_ids=("b",)))

    merged = merge_episodes(old, EpisodeDraft(summary="More.", topic="floor"), later)

    assert merged.source == Source(thread_id="t1", message_ids=("a", "b"))


def test_a_merge_keeps_what_somebody_stated_pinned_or_wrote_into_its_note() -> None:
    old = an_episode(
        content="All that Tom said about the floor, in full.",
        summariser="stated/1",
        pinned=True,
        note={"Remarks": "ask Tom"},
        note_title="EPISODE-2026-11-16-session-42",
        metadata=EpisodeMetadata.model_validate(
            {"session_id": "2026-11-16-session-42", "ticket": "K-7"}
        ),
    )

    merged = merge_episodes(old, DRAFT, tuesday())

    for name in ("pinned", "note", "note_title", "summariser"):
        assert getattr(merged, name) == getattr(old, name)
    assert merged.metadata.session_id == "2026-11-16-session-42"
    assert merged.metadata.free == {"ticket": "K-7"}
    assert old.content in merged.content
    assert DRAFT.summary in merged.content
