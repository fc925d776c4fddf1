"""`notes`, `migrate` and `validate`, as somebody types them."""

import asyncio
import json

import pytest

from memory_graph.embedding import load_embedder
from memory_graph.settings import get_settings
from memory_graph.store.configured import open_configured_store
from tests.examples import a_pattern, an_episode
from tests.unit.transfer.test_ai_agents import EPISODE, GRAPH
from tests.unit.transfer.test_mem0 import ENTRY

ANA = ("--user", "ana")
EDGES = [{"source": "n1", "target": "n2", "type": "causes"}]


def sample(tmp_path, migration):
    """Write a sample as the other program would; return what is typed after `migrate`."""
    if migration == "mem0":
        file = tmp_path / "export.json"
        file.write_text(json.dumps({"results": [ENTRY, {**ENTRY, "id": "m-2", "memory": "x"}]}))
        return "mem0", str(file)
    if migration == "langmem":
        asyncio.run(_keep_langmem())
        return "langmem", "theirs/ana"
    folder = tmp_path / "sessions"
    (folder / "episodes").mkdir(parents=True)
    (folder / "episodes" / "one.json").write_text(json.dumps(EPISODE))
    (folder / "causal-graph.json").write_text(json.dumps({**GRAPH, "edges": EDGES}))
    return "ai-agents", str(folder)


async def _keep_langmem():
    async with open_configured_store(get_settings(), load_embedder("use")) as backend:
        value = {"kind": "Memory", "content": {"content": "Likes tea"}}
        await backend.store.aput(("theirs", "ana"), "k1", value)
        await backend.store.aput(("theirs", "ana", "deeper"), "k2", value)


@pytest.mark.parametrize(("migration", "records"), [("ai-agents", 3), ("langmem", 1), ("mem0", 2)])
def test_a_migration_is_previewed_repeatable_and_validates_clean(run, tmp_path, migration, records):
    command = ("migrate", *sample(tmp_path, migration), *ANA, "--json")

    preview = run(*command)
    first = run(*command, "--apply")
    again = run(*command, "--apply")

    nothing = {"update": 0, "deleted": 0, "unusable": []}
    assert (preview.code, first.code, again.code) == (0, 0, 0)
    assert preview.json == {"create": records, "keep": 0, **nothing, "dry_run": True}
    assert first.json == {"create": records, "keep": 0, **nothing, "dry_run": False}
    assert again.json == {"create": 0, "keep": records, **nothing, "dry_run": False}
    checked = run("validate", *ANA, "--json")
    assert (checked.code, checked.json["problems"]) == (0, [])
    assert sum(each["valid"] for each in checked.json["totals"].values()) == records


def test_a_mistyped_place_of_langmem_memories_is_no_empty_import(run, tmp_path):
    sample(tmp_path, "langmem")
    elsewhere = tmp_path / "none.sqlite"

    ran = run("migrate", "langmem", "their/ana", *ANA, "--apply")
    away = run("migrate", "langmem", "theirs/ana", *ANA, "--store", f"sqlite:{elsewhere}")

    assert (ran.code, away.code, elsewhere.exists()) == (2, 2, False)
    assert "Nothing is stored under their/ana; check --store." in ran.err


def test_what_cannot_be_migrated_is_named(run, tmp_path):
    file = tmp_path / "export.json"
    file.write_text(json.dumps([ENTRY, {**ENTRY, "id": "m-9", "user_id": "bo"}]))

    ran = run("migrate", "mem0", str(file), *ANA, "--apply")

    assert ran.code == 1
    assert "Imported: 1 new, 0 changed; 0 already known." in ran.out
    assert "m-9 belongs to another user" in ran.err


@pytest.mark.parametrize("migration", ["ai-agents", "mem0"])
def test_a_file_that_is_no_json_changes_nothing(run, tmp_path, migration):
    file = tmp_path / "x.json"
    file.write_text("{")

    assert run("migrate", migration, str(file), *ANA).code == 2
    assert run("migrate", migration, str(tmp_path / "missing.json"), *ANA).code == 2


def test_notes_come_back_as_they_left(run, tmp_path):
    records = [("episode", an_episode()), ("pattern", a_pattern(successes=1, occurrences=2))]
    lines = "\n".join(
        json.dumps({"kind": kind, **each.model_dump(mode="json")}) for kind, each in records
    )
    run("memories", "import", "-", *ANA, stdin=lines)
    folder = str(tmp_path / "notes")
    assert "Wrote 2 notes" in run("notes", "export", folder, *ANA).out

    imported = run("notes", "import", folder, "--user", "zoe", "--json").json

    assert (imported["create"], imported["unusable"]) == (2, [])
    assert run("notes", "import", folder, "--user", "zoe", "--json").json["keep"] == 2
    theirs = run("memories", "export", "--user", "zoe").out
    assert theirs == run("memories", "export", *ANA).out


def test_an_edited_note_counts_and_a_dry_run_only_says_so(run, tmp_path):
    run("tools", "call", "add_pattern", "name=retry", "trigger=a call fails", "action=wait", *ANA)
    run("notes", "export", str(tmp_path / "notes"), *ANA)
    [note] = (tmp_path / "notes").rglob("*.md")
    note.write_text(note.read_text().replace("\nwait\n", "\nretry at once\n"))

    command = ("notes", "import", str(tmp_path / "notes"), *ANA)
    assert "Would import: 0 new, 1 changed" in run(*command, "--dry-run").out
    assert run("memories", "show", "retry", *ANA, "--json").json["action"] == "wait"
    run(*command)

    changed = run("memories", "show", "retry", *ANA, "--json").json
    assert (changed["action"], changed["occurrences"]) == ("retry at once", 1)


def test_a_folder_that_is_none_is_wrong_usage(run, tmp_path):
    assert run("notes", "import", str(tmp_path / "nowhere"), *ANA).code == 2


def test_validate_fails_on_what_is_broken(run):
    parent = an_episode(parent_episode_id="ep-0").model_dump(mode="json")
    run("memories", "import", "-", *ANA, stdin=json.dumps({"kind": "episode", **parent}))
    related = 'relations=[{"type": "causes", "target": "b"}]'
    run("tools", "call", "add_pattern", "name=a", "trigger=x", "action=y", related, *ANA)

    ran = run("validate", *ANA, "--json")

    assert ran.code == 1
    assert [each["reason"] for each in ran.json["problems"]] == ["orphan_parent", "broken_relation"]
    assert ran.json["totals"]["episode"] == {"total": 1, "valid": 1}
    assert "Problems found; 1 relation checked." in run("validate", *ANA).out


def test_validate_checks_everybody(run):
    parent = an_episode(parent_episode_id="ep-0").model_dump(mode="json")
    run("memories", "add", "I live in Lisbon.", "--user", "ben")
    sound = run("validate", "--all-users")
    run("memories", "import", "-", *ANA, stdin=json.dumps({"kind": "episode", **parent}))

    ran = run("validate", "--all-users", "--json")

    assert (sound.code, ran.code) == (0, 1)
    assert "No problems" in sound.out
    assert "of 1 user checked." in sound.out
    assert ran.json["users"] == 2
    [problem] = ran.json["problems"]
    assert (problem["user"], problem["reason"]) == ("ana", "orphan_parent")
    assert "of 2 users checked." in run("validate", "--all-users").out


def test_an_edited_note_is_not_written_over_unless_asked(run, tmp_path):
    run("tools", "call", "add_pattern", "name=retry", "trigger=a call fails", "action=wait", *ANA)
    folder = tmp_path / "notes"
    run("notes", "export", str(folder), *ANA)
    [note] = folder.rglob("*.md")
    note.write_text(note.read_text().replace("\nwait\n", "\nretry at once\n"))

    kept = run("notes", "export", str(folder), *ANA)
    assert (kept.code, "was edited and is kept" in kept.err) == (1, True)
    assert "retry at once" in note.read_text()
    assert run("notes", "export", str(folder), *ANA, "--overwrite").code == 0
    assert "retry at once" not in note.read_text()


def test_one_unreadable_file_costs_itself_and_not_the_run(run, tmp_path):
    _, folder = sample(tmp_path, "ai-agents")
    (tmp_path / "sessions" / "broken.json").write_text("{")

    ran = run("migrate", "ai-agents", folder, *ANA, "--json", "--apply")

    assert (ran.code, ran.json["create"]) == (1, 3)
    assert [each["where"] for each in ran.json["unusable"]] == ["broken.json"]


def test_a_migrated_session_is_found_by_its_number(run, tmp_path):
    run("migrate", *sample(tmp_path, "ai-agents"), *ANA, "--apply")
    session = EPISODE["session"]

    named = f"episode_id=episode-{session}"
    assert run("tools", "call", "get_decision_sequence", named, *ANA).code == 0
    assert run("tools", "call", "get_episode", f"episode_id={session}", *ANA).code == 0
