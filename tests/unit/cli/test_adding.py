"""`migrate session-log`, `memories add` and `tools`, as somebody types them."""

from tests.unit.transfer.test_session_log import LOG

ANA = ("--user", "ana")


def test_a_session_log_on_standard_input_becomes_an_episode(run):
    ran = run("migrate", "session-log", "-", "--project", "brain", *ANA, stdin=LOG)

    assert ran.code == 0
    assert "episodes/episode-2026-01-21-session-42" in ran.out
    [shown] = run("memories", "list", "--kind", "episode", *ANA, "--json").json
    assert (shown["outcome"], shown["project"]) == ("success", "brain")
    assert [each["chosen"] for each in shown["decisions"]] == [
        "Markdown files, one per episode",
        "Keep the old JSON for a month",
    ]
    session = "episode_id=episode-2026-01-21-session-42"
    told = run("tools", "call", "get_decision_sequence", session, *ANA).out
    assert "Markdown files" in told


def test_statements_are_remembered_as_if_they_were_said(run):
    ran = run("memories", "add", "-", *ANA, stdin="I live in Porto.\n- I live in Lisbon.\n")

    assert ran.code == 0
    [fact] = run("memories", "list", *ANA, "--kind", "fact", "--json").json
    assert (fact["key"], fact["value"]) == ("profile:city", "Lisbon")
    assert [each["value"] for each in fact["history"]] == ["Porto"]
    assert "profile:city" in ran.out


def test_a_secret_is_not_remembered(run):
    ran = run("memories", "add", "My password is hunter2hunter2", *ANA)

    assert "sensitive" in ran.out
    assert run("memories", "list", *ANA, "--kind", "fact", "--json").json == []


def test_arguments_are_typed_by_name(run):
    story = ("content=We moved a=b to Postgres.", 'metadata={"tags": ["db"], "outcome": "success"}')
    kept = run("tools", "call", "add_episode", *story, *ANA)
    found = run("tools", "call", "search_episodes", "query=Postgres", "limit=1", *ANA)

    assert "Outcome: success | Tags: db" in kept.out
    assert "We moved a=b to Postgres" in found.out


def test_a_call_that_cannot_be_made_says_why(run):
    assert run("tools", "call", "no_such", "{}", *ANA).code == 2
    assert run("tools", "call", "add_episode", "{", *ANA).code == 2
    assert run("tools", "call", "add_episode", "We met.", *ANA).code == 2
    wrong = run("tools", "call", "add_episode", '{"content": "x", "colour": 1}', *ANA)
    assert (wrong.code, "unknown argument colour" in wrong.out) == (1, True)


def test_a_tool_that_reads_makes_no_file_of_a_mistyped_store(run, tmp_path):
    there = tmp_path / "mistyped.sqlite"
    read = run("tools", "call", "get_antipatterns", "--store", f"sqlite:{there}")

    assert (read.code, there.exists()) == (2, False)
    assert "There is no store at" in read.err
    written = run(
        "tools", "call", "add_episode", '{"content": "We met."}', "--store", f"sqlite:{there}"
    )
    assert (written.code, there.exists()) == (0, True)
