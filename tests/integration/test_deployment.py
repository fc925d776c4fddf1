import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import dockerfile
import pytest
import yaml
from docker.utils import exclude_paths

from tests.integration.conftest import ROOT, copy_project


def langgraph(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).with_name("langgraph")
    return subprocess.run(
        [command, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_configuration_is_valid(tmp_path: Path) -> None:
    copy_project(tmp_path)

    done = langgraph(tmp_path, "validate")

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def dockerfile_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("image")
    copy_project(folder)
    shutil.copy(ROOT / ".dockerignore", folder)
    done = langgraph(folder, "dockerfile", "Dockerfile")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "Dockerfile"


def test_dockers_own_parser_reads_the_dockerfile(dockerfile_path: Path) -> None:
    commands = dockerfile.parse_file(str(dockerfile_path))

    variables = dict(each.value[:2] for each in commands if each.cmd == "ENV")
    graphs = json.loads(variables["LANGSERVE_GRAPHS"].strip("'"))
    assert graphs.keys() == {"memory_graph", "memory_maintenance"}
    assert graphs["memory_graph"]["path"].endswith("memory_graph/graph.py:graph")
    assert "memory_graph/server/app.py:app" in variables["LANGGRAPH_HTTP"]
    assert [each.value for each in commands if each.cmd == "ADD"]


def test_no_text_of_the_configuration_breaks_the_dockerfile() -> None:
    """The command quotes values in `'`, and does not escape one in them."""
    assert "'" not in (ROOT / "langgraph.json").read_text(encoding="utf-8")


def test_tracing_is_left_to_whoever_deploys() -> None:
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))

    assert "env" not in config


def in_the_image() -> set[str]:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    return {path.replace("\\", "/") for path in exclude_paths(str(ROOT), patterns)}


def test_the_image_has_what_the_package_needs(tmp_path: Path) -> None:
    """The files that are sent to docker are enough to import the graph and load its parts."""
    there = in_the_image()
    assert {"pyproject.toml", "README.md", "LICENSE", "langgraph.json"} <= there
    for name in there:
        if (ROOT / name).is_file() and name.startswith(("memory_graph/", "prompts/")):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    used = (
        "from memory_graph import prompts, graph, maintenance\n"
        "from memory_graph.server import app\n"
        "from memory_graph.language import heads\n"
        "from langgraph.store.memory import InMemoryStore\n"
        "prompts.render('supervisor')\n"
        "g = graph.build_graph(store=InMemoryStore())\n"
        "c = {'configurable': {'user_id': 'ana'}}\n"
        "for text in ('My cat Luna is 3.', 'How old is Luna?'):\n"
        "    r = g.invoke({'messages': [('user', text)]}, c)\n"
        "print(heads.__file__, r['messages'][-1].text)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", used],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert str(tmp_path) in done.stdout
    assert "3" in done.stdout.rpartition(".py")[2]


def test_no_secret_no_memory_and_no_test_goes_into_the_image(tmp_path: Path) -> None:
    (tmp_path / "memory_graph").mkdir()
    secret = [".env", ".env.local", "m.sqlite", "memory_graph/m.sqlite-wal", "memory_graph/.env"]
    for name in [*secret, "memory_graph/graph.py", ".env.example"]:
        (tmp_path / name).write_text("x", encoding="utf-8")
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = exclude_paths(str(tmp_path), [line for line in lines if line and line[0] != "#"])

    assert {"memory_graph/graph.py", ".env.example"} <= sent
    assert sorted({*secret} & sent) == []
    assert not any(name.startswith(("tests/", "evals/")) for name in in_the_image())


def docker_answers() -> bool:
    docker = shutil.which("docker")
    return docker is not None and subprocess.run(
        [docker, "info"], capture_output=True, check=False, timeout=60
    ).returncode == 0  # fmt: skip


@pytest.mark.slow
def test_the_image_builds(dockerfile_path: Path) -> None:
    if not docker_answers():
        pytest.skip("needs a docker daemon")
    done = subprocess.run(
        ["docker", "build", "-q", "."],
        cwd=dockerfile_path.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )

    assert done.returncode == 0, done.stderr[-3000:]


def test_the_compose_file_names_what_the_server_needs() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]

    assert services.keys() == {"redis", "postgres", "server"}
    assert all("healthcheck" in each for each in services.values())
    assert {"DATABASE_URI", "REDIS_URI"} <= services["server"]["environment"].keys()
    assert services["server"]["depends_on"].keys() == {"redis", "postgres"}
    assert "pgvector" in services["postgres"]["image"]


def test_every_file_the_configuration_names_exists() -> None:
    config = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    named = re.findall(r"\./([\w/.]+\.py):", json.dumps(config))

    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []
