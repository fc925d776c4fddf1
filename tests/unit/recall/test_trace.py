"""What recall keeps of the memories that it looked at."""

from zoneinfo import ZoneInfo

from memory_graph.policies import RecallPolicy
from memory_graph.recall.block import consider
from memory_graph.recall.lines import Signs, judge_recall
from memory_graph.recall.questions import Asked
from memory_graph.recall.rendering import Rendered, Telling
from memory_graph.recall.search import Recalled
from memory_graph.store.collection import Found
from tests.examples import NOON, a_fact


def test_what_is_past_keeps_the_order_in_which_it_was_found():
    past = [a_fact(f"fact-{number}", valid_to=NOON) for number in range(12)]
    recalled = Recalled(
        asked=Asked(text="Where do I live?", grade="implicit"),
        verdict=judge_recall(0.0, RecallPolicy()),
        answers=[],
        telling=Telling("en", ZoneInfo("UTC"), NOON),
        signs=Signs(),
        is_partial=False,
        found=[Found(fact, 0.1, {}) for fact in past],
        lines=[],
    )

    traced = consider(recalled, Rendered())

    assert [each.memory_id for each in traced] == [fact.id for fact in past]
    assert {each.fate for each in traced} == {"superseded"}
