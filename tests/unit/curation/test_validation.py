from memory_graph.curation.validate import find_problems
from memory_graph.records import Decision, FactLink, Observation, Relation
from tests.examples import NOON, a_pattern, an_episode


def found(episodes=(), patterns=(), facts=()):
    problems = find_problems(episodes, patterns, frozenset(facts))
    return [(each.record_id, each.reason, each.detail) for each in problems]


def causing(name, *targets):
    return a_pattern(name, relations=tuple(Relation(type="causes", target=t) for t in targets))


def test_sound_memory_has_no_problems():
    episodes = [an_episode("a"), an_episode("b", parent_episode_id="a")]
    patterns = [causing("x", "y"), causing("y")]

    assert found(episodes, patterns) == []


def test_a_parent_that_is_gone_is_reported():
    episodes = [an_episode("b", parent_episode_id="a")]

    assert found(episodes) == [("b", "orphan_parent", "parent a")]


def test_parents_in_a_circle_are_reported_once():
    episodes = [
        an_episode("c", parent_episode_id="a"),
        an_episode("a", parent_episode_id="b"),
        an_episode("b", parent_episode_id="a"),
    ]

    assert found(episodes) == [("a", "parent_cycle", "a → b → a")]


def test_links_inside_an_episode_and_to_facts_are_followed():
    decision = Decision(id="d001", chosen="x", effects=("e009",))
    links = (FactLink(fact_id="f1"), FactLink(fact_id="f2"))
    episodes = [an_episode("a", decisions=(decision,), facts=links)]

    assert found(episodes, facts=["f1"]) == [
        ("a", "broken_link", "d001 effects e009"),
        ("a", "missing_fact", "fact f2"),
    ]


def test_relations_and_evidence_that_lead_nowhere_are_reported():
    seen = Observation(id="o1", success=True, at=NOON, episode_id="ep-9")
    pattern = causing("x", "gone").model_copy(update={"evidence": (seen,)})

    assert found(patterns=[pattern]) == [
        ("x", "broken_relation", "causes gone"),
        ("x", "missing_evidence", "episode ep-9"),
    ]


def test_a_loop_of_causes_is_told_in_the_order_of_causes():
    patterns = [causing("x", "y"), causing("y", "z"), causing("z", "x")]
    [(_, reason, detail)] = found(patterns=patterns)

    assert reason == "causal_loop"
    assert detail in {"x → y → z → x", "y → z → x → y", "z → x → y → z"}
