import pytest

from memory_graph.llm.offline.topic import find_topic


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        pytest.param("We decided to book Lumen for 12 May.", "book Lumen for 12 May", id="a month"),
        pytest.param("Can you help me with the tax return?", "tax return", id="a request"),
        pytest.param("ok", "small talk", id="nothing to name"),
    ],
)
def test_a_topic_names_what_is_talked_about(text, topic):
    assert find_topic([text]) == topic
