import pytest

from memory_graph.errors import ConfigurationError
from memory_graph.transfer.session_log import read_session_log

LOG = """\
# Session log 2026-01-21-session-42

- **Task**: Move the notes to Markdown
- **Outcome**: Success, all notes moved
Tool calls: 31

## Work Log
[2026-01-21T10:00:00Z] Agreed on the schema #milestone
[2026-01-21T10:15:00Z] The build failed
10:40 Committed the fix
- free remark

## Decisions
- Markdown files, one per episode
- Keep the old JSON for a month

## Lessons Learned
1. Agree on the schema first
"""


def test_a_log_is_read_as_the_episode_it_was():
    read = read_session_log(LOG)

    assert (read["session_id"], read["task"]) == (
        "2026-01-21-session-42",
        "Move the notes to Markdown",
    )
    assert (read["outcome"], read["metrics"]) == ("success", {"tool_calls": 31.0})
    assert [(each["type"], each["timestamp"][:16]) for each in read["events"]] == [
        ("milestone", "2026-01-21T10:00"),
        ("error", "2026-01-21T10:15"),
        ("commit", "2026-01-21T10:40"),
    ]
    assert [each["chosen"] for each in read["decisions"]] == [
        "Markdown files, one per episode",
        "Keep the old JSON for a month",
    ]
    assert read["lessons"] == ["Agree on the schema first"]
    assert read["content"] == LOG.strip()


def test_json_is_taken_as_it_is():
    assert read_session_log('{"task": "x", "session_id": "s"}') == {"task": "x", "session_id": "s"}


def test_plain_text_is_kept_as_the_content():
    read = read_session_log("We chose Postgres.\nIt went well.")

    assert (read["task"], read["outcome"]) == ("We chose Postgres.", "unknown")
    assert read["content"] == "We chose Postgres.\nIt went well."


@pytest.mark.parametrize("text", ["", "  \n", "{"])
def test_what_is_no_log_is_refused(text):
    with pytest.raises(ConfigurationError):
        read_session_log(text)


def test_decisions_written_as_in_notes_keep_all_they_say():
    told = LOG.replace(
        "- Markdown files, one per episode\n",
        "### d001: Where notes live\n- **Timestamp**: 2026-01-21T10:05:00Z\n- **Type**: design\n"
        "- **Options**: a table, Markdown files\n- **Chosen**: Markdown files\n"
        "- **Outcome**: partial\n- **Severity**: high\n- **Effects**: [[e001]]\n\n",
    ).replace("- **Outcome**: Success, all notes moved\n", "")

    read = read_session_log(told)

    [noted, listed] = read["decisions"]
    assert noted == {
        "id": "d001",
        "title": "Where notes live",
        "timestamp": "2026-01-21T10:05:00Z",
        "type": "design",
        "options": ["a table", "Markdown files"],
        "chosen": "Markdown files",
        "outcome": "partial",
        "effects": ["e001"],
    }
    assert listed == {"chosen": "Keep the old JSON for a month"}
    assert (read["outcome"], len(read["events"])) == ("unknown", 3)
