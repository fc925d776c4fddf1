"""Tool use: which tools act, and which only look something up."""

import pytest

from memory_graph.episodes.signals import is_acting_tool


@pytest.mark.parametrize(
    "name",
    [
        "book_train",
        "sendEmail",
        "github.create_issue",
        "calendar-update",
        "file_claim",
        "frobnicate",
    ],
)
def test_tools_that_change_something_act(name: str) -> None:
    assert is_acting_tool(name)


@pytest.mark.parametrize(
    "name",
    ["get_order", "web_search", "read_file", "calculator", "listPosts", "save_memory", ""],
)
def test_lookups_and_memory_tools_do_not_act(name: str) -> None:
    assert not is_acting_tool(name)
