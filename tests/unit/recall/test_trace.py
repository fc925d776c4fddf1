"""What recall keeps of the memories that it looked at."""

from memory_graph.policies import RecallPolicy
from memory_graph.recall.lines import Line
from memory_graph.recall.questions import Asked, Sought
from memory_graph.recall.rendering import Rendered
from memory_graph.recall.search import Part, Recalled
from memory_graph.recall.trace import consider
from memory_graph.recall.verdict import judge_recall
from memory_graph.store.collection import Found
from tests.examples import NOON, a_fact, a_turn


def recalled(**given) -> Recalled:
    part = Part(Sought(), (), judge_recall(0.0, RecallPolicy()))
    asked = Asked(text="Where do I live?", grade="implicit")
    known = {"asked": asked, "now": NOON, "parts": [part], "bearing": [], "lines": [], "found": []}
    return Recalled(**{**known, **given})


def test_what_is_past_keeps_the_order_in_which_it_was_found():
    past = [a_fact(f"fact-{number}", valid_to=NOON) for number in range(12)]

    traced = consider(recalled(found=[Found(fact, 0.1, {}) for fact in past]), Rendered())

    assert [each.memory_id for each in traced] == [fact.id for fact in past]
    assert {each.fate for each in traced} == {"superseded"}


def test_every_memory_has_a_fate():
    best, far = (
        Line(record=a_turn(name, id=name), relevance=relevance, at=NOON)
        for name, relevance in (("best", 0.6), ("far", 0.1))
    )
    said = a_turn("said again", id="again")
    found = [Found(line.record, 0.5, {}) for line in (best, far)] + [Found(said, 0.5, {})]

    traced = consider(
        recalled(found=found, lines=[best, far], bearing=[best]), Rendered(lines=(best,))
    )

    assert {each.memory_id: each.fate for each in traced} == {
        "best": "shown",
        "far": "below_floor",
        "again": "told_already",
    }
