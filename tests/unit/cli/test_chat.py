import json
import os
import re
import subprocess
import sys

import pytest

LUNA = "Hi, I am Ana. My cat Luna is 3.\nLuna turned 4 yesterday!\nHow old is Luna?\n"
COMMAND = [sys.executable, "-c", "import sys; from memory_graph.cli import main; sys.exit(main())"]


def replies(text):
    return re.findall(r"^assistant> (.*)$", text, re.MULTILINE)


def chat(user, said, cwd):
    """Talk in a process of its own, on the store that the settings name."""
    done = subprocess.run(
        [*COMMAND, "chat", "--user", user],
        input=said,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(cwd)},
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return replies(done.stdout)


@pytest.mark.server
def test_memory_outlives_the_process_and_belongs_to_one_user(run, pytestconfig):
    first = chat("ana", LUNA, pytestconfig.rootpath)
    second = chat("ana", "How old is Luna?\n", pytestconfig.rootpath)
    other = replies(run("chat", "--user", "ben", stdin="How old is Luna?\n").out)
    history = run("memories", "history", "--user", "ana").out
    episodes = run("memories", "list", "--kind", "episode", "--user", "ana", "--json").json

    assert len(first) == 3
    assert "4" in first[-1]
    assert "3" not in first[-1]
    assert "4" in second[-1]
    assert not re.search(r"Luna|4", other[-1])
    assert "profile:pet:luna:age: 3 → 4" in history
    assert re.search(r"\d{4}-\d\d-\d\d – \d{4}-\d\d-\d\d .* 3 years", history)
    assert episodes == []


def test_every_turn_shows_what_memory_decided_and_why(run):
    ran = run("chat", "--user", "ana", stdin=LUNA)

    assert ran.code == 0
    assert "  · created profile:pet:luna:age (new_fact)" in ran.out
    assert "  · updated profile:pet:luna:age (key_match" in ran.out
    assert "  · episode skipped: pure_fact_update" in ran.out
    assert re.search(
        r"  · recalled \d facts?, 0 episodes: found 0\.\d\d ≥ 0\.\d\d in \d+ ms", ran.out
    )


def test_json_is_one_line_a_turn(run):
    lines = run("chat", "--json", stdin=LUNA).out.splitlines()

    turns = [json.loads(line) for line in lines]
    assert len(turns) == 3
    assert "4" in turns[-1]["reply"]
    assert turns[-1]["error"] is None
    assert {event["event"] for event in turns[1]["events"]} >= {"memory.update", "memory.search"}


def test_two_users_with_the_same_thread_name_share_no_conversation(run):
    run("chat", "--user", "ana", "--thread", "t", stdin="My cat Luna is 3.\n")

    ran = run("chat", "--user", "ben", "--thread", "t", stdin="How old is my cat?\n")

    assert "Luna" not in ran.out


def test_slash_commands_show_and_change_memory(run):
    ran = run(
        "chat",
        stdin="My cat Luna is 3.\n/memories\n/why profile:pet:luna:age\n"
        "/forget profile:pet:luna:age\n/memories\n/quit\nMy dog Rex is 5.\n",
    )

    assert "Facts (1)" in ran.out
    assert re.search(r"-memory_hotpath#1 +create +new_fact", ran.out)
    assert "Forgot profile:pet:luna:age" in ran.out
    assert "Facts (0)" in ran.out
    assert "Rex" not in ran.out


def test_an_unknown_slash_command_or_id_is_answered_and_the_chat_goes_on(run):
    ran = run("chat", stdin="/nope\n/forget nothing\n/forget\n/why\nHi, I am Ana.\n")

    assert "Unknown command /nope. Available commands:" in ran.out
    assert "/memories" in ran.out
    assert "No memory with id 'nothing'." in ran.out
    assert "no decisions yet" in ran.out
    assert "Noted." in replies(ran.out)[-1]


def test_a_failing_model_costs_one_line_and_the_chat_goes_on(run, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    ran = run("chat", "--model", "gpt-none", stdin="What is new?\n/help\n")

    assert ran.code == 0
    assert len(re.findall(r"^! no reply: ", ran.out, re.MULTILINE)) == 1
    assert "/quit" in ran.out
    assert "Traceback" not in ran.out + ran.err


def test_an_unknown_zone_is_wrong_usage(run):
    ran = run("chat", "--zone", "Mars/Base")

    assert ran.code == 2
    assert "unknown time zone 'Mars/Base'" in ran.err
