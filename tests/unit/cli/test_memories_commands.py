import json

import pytest

AGE = "profile:pet:luna:age"
USER = ("--user", "ana")


def test_list_shows_facts_and_episodes(run, ana):
    ran = run("memories", "list", *USER)

    assert "Facts (2)" in ran.out
    assert "Luna (cat)  4 years old" in ran.out
    assert "“Luna turned 4 yesterday!”" in ran.out
    assert "Episodes (0)" in ran.out


def test_list_as_json_is_one_value_with_the_kind_of_each(run, ana):
    listed = run("memories", "list", *USER, "--json").json

    assert {(each["kind"], each["id"]) for each in listed} == {
        ("fact", "profile:name"),
        ("fact", AGE),
    }


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(("--kind", "episode"), 0, id="only episodes"),
        pytest.param(("--category", "work"), 0, id="no such facts"),
        pytest.param(("--category", "profile"), 2, id="such facts"),
        pytest.param(("--as-of", "2020-01-01"), 0, id="before"),
        pytest.param(("--as-of", "2099-01-01"), 2, id="after"),
    ],
)
def test_list_is_narrowed_by_options(run, ana, options, expected):
    assert len(run("memories", "list", *USER, "--json", *options).json) == expected


def test_show_takes_the_beginning_of_an_id(run, ana):
    assert run("memories", "show", "profile:pet", *USER, "--json").json["id"] == AGE


def test_search_explains_each_score_by_its_parts(run, ana):
    [best, *_] = run("memories", "search", "how old is the cat", *USER, "--json").json

    assert best["id"] == AGE
    assert best["score"] == pytest.approx(sum(best["parts"].values()))


def test_history_shows_the_values_with_their_days(run, ana):
    ran = run("memories", "history", AGE, *USER)

    assert f"{AGE}: 3 → 4" in ran.out
    assert "– now" in ran.out


def test_pinning_can_be_undone_exactly(run, ana):
    before = run("memories", "show", AGE, *USER, "--json").json
    run("memories", "pin", AGE, *USER)
    pinned = run("memories", "show", AGE, *USER, "--json").json
    [*_, entry] = run("why", AGE, *USER, "--json").json

    undone = run("memories", "undo", f"{entry['id']}#1", *USER)

    assert pinned["pinned"]
    assert undone.code == 0
    assert run("memories", "show", AGE, *USER, "--json").json == before


def test_forgetting_in_a_pipe_needs_a_yes(run, ana):
    ran = run("memories", "forget", AGE, *USER)

    assert ran.code == 2
    assert "--yes" in ran.err
    assert run("memories", "show", AGE, *USER).code == 0


def test_export_to_a_pipe_is_json_lines_without_vectors(run, ana):
    lines = run("memories", "export", *USER).out.splitlines()

    records = [json.loads(line) for line in lines]
    assert [each["id"] for each in records if each["kind"] == "fact"] == ["profile:name", AGE]
    assert [each["role"] for each in records if each["kind"] == "turn"] == ["user", "assistant"] * 2
    assert not any("embedding" in line for line in lines)


def test_import_names_each_bad_line_and_keeps_the_rest(run, ana):
    good = run("memories", "export", *USER).out

    ran = run("memories", "import", "-", "--user", "zoe", stdin=f'oops\n{good}{{"kind":"cat"}}\n')

    assert ran.code == 1
    assert "Imported: 6 created." in ran.out
    assert "line 1: not JSON" in ran.err
    assert "line 8: `kind` must be one of fact, episode" in ran.err


def test_why_lists_the_decisions_about_a_memory(run, ana):
    *_, created, updated, read = run("why", AGE, *USER).out.splitlines()

    assert created.split()[3:] == ["create", "new_fact"]
    assert updated.split()[3:] == ["update", "key_match"]
    assert read.startswith("Read by rules/3 from")


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        pytest.param(("memories", "show", "zzz"), 1, "No memory with id 'zzz'", id="unknown id"),
        pytest.param(("why", "zzz"), 1, "No memory with id 'zzz'", id="why of nothing"),
        pytest.param(("memories", "undo", "zzz"), 1, "No ledger entry", id="unknown entry"),
        pytest.param(("memories", "undo", "a#b"), 2, "ENTRY#N", id="not an entry"),
        pytest.param(("memories", "forget"), 2, "--all", id="forget what?"),
        pytest.param(("memories", "import", "none.jsonl"), 1, "none.jsonl", id="no such file"),
        pytest.param(("nonsense",), 2, "No such command", id="unknown command"),
        pytest.param(("memories",), 2, "COMMAND", id="no action"),
        pytest.param(
            ("memories", "list", "--as-of", "soon"), 2, "does not match the format", id="not a day"
        ),
        pytest.param(("why", "x", "--store", "mongodb:"), 2, "unknown store", id="unknown store"),
    ],
)
def test_mistakes_get_one_line_and_an_exit_code(run, argv, code, message):
    ran = run(*argv)

    assert ran.code == code
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_everybody_is_exported_and_a_run_that_broke_off_is_taken_up(run, ana, tmp_path):
    run("memories", "add", "I live in Lisbon.", "--user", "ben")
    folder = tmp_path / "all"
    whole = run("memories", "export", "--all-users", str(folder), "--json").json
    assert {file.name for file in folder.iterdir()} == {"ana.jsonl", "ben.jsonl"}
    assert (folder / "ana.jsonl").read_text() == run("memories", "export", *USER).out
    (folder / "ben.jsonl").rename(folder / "ben.part")

    again = run("memories", "export", "--all-users", str(folder), "--json").json

    assert (whole["written"], again["written"], again["users"]) == (2, 1, 2)
    assert (folder / "ben.jsonl").read_text() == run("memories", "export", "--user", "ben").out


def test_recall_shows_the_profile_that_every_message_is_sent_with(run, ana):
    said = "From now on answer me in short sentences."
    run("chat", *USER, stdin=f"{said}\n")

    shown = run("memories", "recall", "What rules did I give you?", *USER).out
    data = run("memories", "recall", "What rules did I give you?", *USER, "--json").json

    assert said in shown
    assert said in data["profile"]


def test_the_usage_of_diff_names_its_moments(run):
    usage = " ".join(run("memories", "diff", "--help").out.split())

    assert "diff [OPTIONS] SINCE [UNTIL]" in usage
    assert "%Y" not in usage
    assert "2026-11-16T09:30" in usage


def test_why_takes_the_beginning_of_the_id_of_what_is_gone(run):
    run("chat", *USER, stdin="We've agreed to sell the car before Christmas.\n")
    [episode] = run("memories", "list", "--kind", "episode", *USER, "--json").json
    run("chat", *USER, stdin="forget about the car\n")

    told = run("why", episode["id"][:11], *USER).out

    assert "told_what_to_forget" in told
