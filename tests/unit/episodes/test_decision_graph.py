from datetime import timedelta

from memory_graph.episodes.rendering import (
    LinkProblem,
    causal_links,
    decision_sequence,
    find_link_problems,
)
from memory_graph.records import Decision, Event
from tests.examples import NOON, an_episode


def decided(decision_id, hours=None, effects=()):
    at = NOON + timedelta(hours=hours) if hours is not None else None
    return Decision(id=decision_id, timestamp=at, chosen=f"choose {decision_id}", effects=effects)


def test_decisions_come_in_the_order_of_time_with_their_links():
    episode = an_episode(
        decisions=(decided("d002", 2), decided("d001", 1, effects=("d002",)), decided("d003", 3))
    )

    sequence = decision_sequence(episode)

    assert [each.id for each in sequence] == ["d001", "d002", "d003"]
    assert sequence[0].effects == ("d002",)


def test_an_undated_decision_stays_behind_the_one_it_was_told_after():
    episode = an_episode(decisions=(decided("d003", 3), decided("d004"), decided("d001", 1)))

    assert [each.id for each in decision_sequence(episode)] == ["d001", "d003", "d004"]


def test_links_to_unknown_ids_are_reported_and_kept():
    episode = an_episode(
        decisions=(decided("d001", effects=("e001", "d009", "d001")),),
        events=(Event(id="e001", content="it broke", caused_by=("d001",), leads_to=("e007",)),),
    )

    assert find_link_problems(episode) == (
        LinkProblem("d001", "effects", "d009", "unknown_id"),
        LinkProblem("d001", "effects", "d001", "itself"),
        LinkProblem("e001", "leads_to", "e007", "unknown_id"),
    )
    assert decision_sequence(episode)[0].effects == ("e001", "d009", "d001")


def test_a_link_stated_by_both_ends_is_one_link():
    episode = an_episode(
        decisions=(decided("d001", effects=("e001",)),),
        events=(Event(id="e001", content="it broke", caused_by=("d001",)),),
    )

    assert causal_links(episode) == (("d001", "e001"),)
