"""`shape` and `prompts`: what a developer says about the memory of their product."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import click

from memory_graph import prompts as prompt_files
from memory_graph.cli.session import FAILED, Session, for_anybody
from memory_graph.errors import ConfigurationError
from memory_graph.shape import read_shapes

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group()
def shape() -> None:
    """Check what matters in memory, and what is never kept."""


@shape.command("check", epilog="example: memory-graph shape check shapes.yaml")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@for_anybody
async def check(session: Session, file: Path) -> int:
    """Say which shapes a file holds, and what is wrong in it."""
    shapes, problems = read_shapes(file)
    value = {
        "shapes": {name: sorted(each.fields) for name, each in shapes.items()},
        "problems": [{"where": each.where, "what": each.what} for each in problems],
    }
    lines = [
        f"{name}: {len(each.fields)} attributes, {len(each.never)} topics never kept"
        for name, each in shapes.items()
    ]
    lines += [f"{each.where}: {each.what}" for each in problems]
    show = session.show
    return show.answer(value, "\n".join(lines), FAILED if problems else 0)


@click.group("prompts")
def prompts() -> None:
    """Copy, compare and check the prompts."""


@prompts.command("copy", epilog="example: memory-graph prompts copy my-prompts read_message")
@click.argument("folder", metavar="DIR", type=_FOLDER)
@click.argument("names", metavar="[NAME]…", nargs=-1)
@for_anybody
async def copy(session: Session, folder: Path, names: tuple[str, ...]) -> int:
    """Copy prompts of the package, to change them; a file that is there stays."""
    known = prompt_files.packaged()
    if unknown := [each for each in names if each not in known]:
        raise ConfigurationError(f"No prompt {unknown[0]!r}; there are: {', '.join(known)}.")
    chosen = await asyncio.to_thread(_copy, folder, {each: known[each] for each in names or known})
    show = session.show
    return show.answer(
        {"copied": chosen},
        lambda: show.line(
            f"Copied {len(chosen)}. Set MEMORY_GRAPH_PROMPTS={folder} to use the folder."
        ),
    )


def _copy(folder: Path, texts: Mapping[str, str]) -> list[str]:
    """Write the prompts that a folder does not hold yet, and return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    fresh = [name for name in texts if not (folder / f"{name}.md").exists()]
    for name in fresh:
        (folder / f"{name}.md").write_text(texts[name], encoding="utf-8")
    return fresh


@prompts.command("check", epilog="example: memory-graph prompts check my-prompts")
@click.argument("folder", metavar="DIR", type=_FOLDER)
@for_anybody
async def compare(session: Session, folder: Path) -> int:
    """Say which prompts of a folder differ from the package's, and whether they can be used."""
    found = prompt_files.compare(folder)
    wrong = [each for each in found if not each.is_usable]
    rows = [
        (each.name, each.state if each.is_usable else prompt_files.problem_of(each))
        for each in found
    ]
    show = session.show
    return show.answer(
        [{"name": name, "state": state} for name, state in rows],
        lambda: show.table("Prompts", ("prompt", "state"), rows),
        FAILED if wrong else 0,
    )
