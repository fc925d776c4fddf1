"""Which commands bring memory in from elsewhere and check it, and what do they take?"""

from argparse import ArgumentParser

from memory_graph.cli.options import Commands, add_command, add_group, add_user


def add_notes(commands: Commands) -> None:
    """Add `notes` and its actions."""
    actions = add_group(
        commands,
        "notes",
        summary="episodes and patterns as Markdown notes",
        example="memory-graph notes export notes --user ana",
    )
    for name, summary in (
        ("export", "write every episode and pattern as a note"),
        ("import", "read notes, with what people edited in them"),
    ):
        example = f"memory-graph notes {name} notes"
        action = add_command(
            actions, name, run=f"notes:run_{name}", summary=summary, example=example
        )
        add_user(action)
        action.add_argument("folder", metavar="DIR", help="folder of the notes")
        if name == "import":
            _add_dry_run(action)


def add_migrate(commands: Commands) -> None:
    """Add `migrate` and what can be migrated; running one again changes nothing."""
    actions = add_group(
        commands,
        "migrate",
        summary="bring in memory that was kept elsewhere, or as the wrong kind",
        example="memory-graph migrate mem0 export.json --dry-run",
    )
    agents = _add_format(actions, "ai-agents", "episode and causal-graph files", "sessions")
    agents.add_argument("path", metavar="PATH", help="a JSON file, or a folder of them")
    langmem = _add_format(actions, "langmem", "memories of LangMem in this store", "memories/ana")
    langmem.add_argument("namespace", metavar="NAMESPACE", help="its labels, with / between them")
    mem0 = _add_format(actions, "mem0", "an export of mem0", "export.json")
    mem0.add_argument("file", metavar="FILE", help="the export, as JSON")
    misfiled = add_command(
        actions,
        "misfiled",
        run="misfiled:run",
        summary="move episodes that are facts, and facts that are episodes",
        example="memory-graph migrate misfiled --user ana --apply",
    )
    add_user(misfiled)
    misfiled.add_argument("--apply", action="store_true", help="move them (default: only show)")


def add_validate(commands: Commands) -> None:
    """Add `validate`."""
    validate = add_command(
        commands,
        "validate",
        run="validate:run",
        summary="check that every record can be read and every link leads somewhere",
        example="memory-graph validate --user ana --json",
    )
    add_user(validate)


def _add_format(actions: Commands, name: str, summary: str, rest: str) -> ArgumentParser:
    action = add_command(
        actions,
        name,
        run=f"migrate:migrate_{name.replace('-', '_')}",
        summary=f"bring in {summary}",
        example=f"memory-graph migrate {name} {rest} --dry-run",
    )
    add_user(action)
    _add_dry_run(action)
    return action


def _add_dry_run(action: ArgumentParser) -> None:
    action.add_argument("--dry-run", action="store_true", help="only say what would change")
