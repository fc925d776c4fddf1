"""A folder of one's own overrides prompts, and what does not fit is refused at start."""

from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from memory_graph import ConfigurationError, Context, build_graph, prompts
from memory_graph.cli import main
from memory_graph.settings import get_settings
from memory_graph.testing import ScriptedChat


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert main(["prompts", "copy", str(tmp_path), "supervisor", "read_message"]) == 0
    monkeypatch.setenv("MEMORY_GRAPH_PROMPTS", str(tmp_path))
    get_settings.cache_clear()
    return tmp_path


async def test_a_changed_prompt_reaches_the_model(folder: Path) -> None:
    (folder / "supervisor.md").write_text("You are a pirate.", encoding="utf-8")
    model = ScriptedChat(otherwise="Arr.")
    graph = build_graph(store=InMemoryStore(), model=model)
    await graph.ainvoke({"messages": [HumanMessage("thanks!")]}, context=Context(user_id="ana"))
    assert "You are a pirate." in str(model.prompts[-1][0].content)


def test_a_prompt_with_other_slots_is_refused_at_start(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "read_message.md").write_text("Today is $today. $moood", encoding="utf-8")
    with pytest.raises(
        ConfigurationError, match=r"lacks \$said, \$shape and has an unknown \$moood"
    ):
        build_graph(store=InMemoryStore())
    capsys.readouterr()
    assert main(["prompts", "check", str(folder)]) != 0
    assert "$moood" in capsys.readouterr().out


def test_a_prompt_of_another_name_is_refused(folder: Path) -> None:
    (folder / "read_mesage.md").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="there is no prompt `read_mesage`"):
        build_graph(store=InMemoryStore())


def test_copying_keeps_what_was_changed(folder: Path) -> None:
    (folder / "supervisor.md").write_text("Mine.", encoding="utf-8")
    assert main(["prompts", "copy", str(folder)]) == 0
    assert (folder / "supervisor.md").read_text(encoding="utf-8") == "Mine."
    states = {each.name: each.state for each in prompts.compare(folder)}
    assert states["supervisor"] == "changed"
    assert states["read_message"] == "as packaged"


def test_a_file_of_shapes_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "shapes.yaml"
    file.write_text("shapes: {coach: {never: [religion]}, support: {kep: []}}", encoding="utf-8")
    assert main(["shape", "check", str(file)]) != 0
    printed = capsys.readouterr().out
    assert "coach: 0 attributes, 1 topics never kept" in printed
    assert "support.kep" in printed
