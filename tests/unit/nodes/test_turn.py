from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from memory_graph.turns.messages import read_turns

CONFIG = {"configurable": {"thread_id": "t1", "run_id": "r1"}}


def test_a_turn_is_the_users_message_and_what_followed() -> None:
    call = {"name": "deploy", "args": {}, "id": "c1", "type": "tool_call"}
    messages = [
        SystemMessage("be nice"),
        AIMessage("Hello!"),
        HumanMessage("deploy it", id="m1"),
        AIMessage("", tool_calls=[call], id="a1"),
        ToolMessage("boom", tool_call_id="c1", name="deploy", status="error"),
        AIMessage("It failed."),
        HumanMessage([{"type": "text", "text": "try again"}], id="m2"),
    ]

    first, second = read_turns(messages, CONFIG)

    assert [said.role for said in first.said] == ["user", "assistant", "tool", "assistant"]
    assert first.said[1].tool_calls == ("deploy",)
    assert first.said[2].is_error
    assert (second.text, second.message_id) == ("try again", "m2")
    assert second.source.model_dump() == {
        "thread_id": "t1",
        "run_id": "r1",
        "message_ids": ("m2",),
    }


def test_receipts_differ_by_thread_message_and_node_and_nothing_else() -> None:
    [one] = read_turns([HumanMessage("hi", id="m1")], CONFIG)
    [retried] = read_turns([HumanMessage("hi!", id="m1")], CONFIG)
    [elsewhere] = read_turns([HumanMessage("hi", id="m1")], {"configurable": {"thread_id": "t2"}})

    assert one.receipt_of("n") == retried.receipt_of("n")
    assert len({one.receipt_of("n"), one.receipt_of("k"), elsewhere.receipt_of("n")}) == 3


def test_messages_without_ids_are_told_apart_by_place_and_text() -> None:
    one, other = read_turns([HumanMessage("hi"), HumanMessage("hi")], None)

    assert one.message_id != other.message_id
