"""`memories` and `why`: read, change and explain memories."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

import click

from memory_graph import clock
from memory_graph.cli import output
from memory_graph.cli.everybody import everybody_option, write_of_everybody
from memory_graph.cli.output import Presenter, count, escape_json
from memory_graph.cli.session import (
    FAILED,
    USAGE,
    Session,
    apply_option,
    for_user,
    limit_option,
    pause_option,
    read_input,
)
from memory_graph.curation.forget import BEYOND_REACH, Forgotten
from memory_graph.curation.lookup import short_name
from memory_graph.curation.page import Notes
from memory_graph.curation.undo import Origin, Undone
from memory_graph.errors import ConfigurationError
from memory_graph.language.words import shorten
from memory_graph.memory import Memory, Why
from memory_graph.patterns.search import render_pattern
from memory_graph.recall.trace import FATES
from memory_graph.records import Episode, Fact, FactCategory, Instruction, Pattern
from memory_graph.store.changes import Memory as Remembered
from memory_graph.store.scope import UserMemory
from memory_graph.transfer.files import write_file
from memory_graph.transfer.jsonl import as_json, export_lines, lines_of

_MOMENTS = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]
id_argument = click.argument("memory_id", metavar="ID")
yes_option = click.option("--yes", is_flag=True, help="do not ask for confirmation")


@click.group()
def memories() -> None:
    """Search, correct and delete memories."""


@memories.command("list", epilog="example: memory-graph memories list --kind fact")
@click.option("--kind", type=click.Choice(["fact", "episode"]), help="only this kind")
@click.option(
    "--category", type=click.Choice(get_args(FactCategory)), help="only facts of this category"
)
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DAY",
    help="only facts, as at the end of this day",
)
@for_user
async def list_memories(
    session: Session, kind: str | None, category: str | None, as_of: datetime | None
) -> None:
    """List facts by whom they are about, and episodes; or facts as of the end of a day."""
    show = session.show
    facts: list[Fact] = []
    page: list[Notes] = []
    episodes: list[Episode] = []
    async with session.open_memory() as memory:
        if kind != "episode":
            known = await memory.aas_of(as_of.date() if as_of else clock.utc_now())
            facts = [fact for fact in known if category in {None, fact.category}]
            page = await memory.apage(facts)
        if kind != "fact" and not (category or as_of):
            found = await memory.aepisodes()
            episodes = sorted(found, key=lambda each: (each.started_at, each.id))
    if show.as_json:
        show.data([*map(as_json, facts), *map(as_json, episodes)])
        return
    if kind != "episode":
        output.show_page(show, page, session.zone)
    if kind != "fact":
        output.show_episodes(show, episodes)


@memories.command("show", epilog="example: memory-graph memories show ep-3fa9c2d1")
@id_argument
@for_user
async def show_memory(session: Session, memory_id: str) -> None:
    """Show one memory in full."""
    async with session.open_memory() as memory:
        output.show_record(session.show, as_json(await memory.aget(memory_id)))


@memories.command(epilog='example: memory-graph memories search "cat"')
@click.argument("query")
@limit_option
@for_user
async def search(session: Session, query: str, limit: int) -> None:
    """Find memories, each with the parts of its score."""
    async with session.open_memory() as memory:
        found = await memory.asearch(query, limit=limit)
    value = [
        {**as_json(e.record), "score": e.score, "weak": output.is_weak(e), "parts": e.parts}
        for e in found
    ]
    session.show.answer(value, lambda: output.show_found(session.show, found))


@memories.command(epilog='example: memory-graph memories recall "my cat?" --explain')
@click.argument("text")
@click.option("--explain", is_flag=True, help="also show what was left out, and why")
@for_user
async def recall(session: Session, text: str, explain: bool) -> None:
    """Show what a model would be given for a message, and what was left out."""
    show = session.show
    async with session.open_memory() as memory:
        recalled = await memory.arecall(text, explain=explain)
    if show.as_json:
        told = {"profile": recalled.profile, "block": recalled.block}
        show.data({**told, **recalled.trace.model_dump(mode="json")})
        return
    verdict = recalled.recalled.verdict
    show.line("\n\n".join(filter(None, (recalled.profile, recalled.block))) or "(nothing)")
    show.line(f"{verdict.found}: {verdict.best:.2f} of {verdict.threshold:.2f}", "dim")
    if explain:
        rows = [(c.memory_id, f"{c.fit:.2f}", c.fate, FATES[c.fate]) for c in recalled.left_out]
        show.table("Left out", ("id", "fit", "fate", "why"), rows)


@memories.command(epilog="example: memory-graph memories history profile:city")
@click.argument("memory_id", metavar="[ID]", required=False)
@for_user
async def history(session: Session, memory_id: str | None) -> None:
    """Show the values of a fact over time, or of all facts that changed."""
    async with session.open_memory() as memory:
        if memory_id:
            facts = [await memory.afact(memory_id)]
        else:
            every = sorted(await memory.afacts(ended=True), key=lambda fact: fact.id)
            facts = [fact for fact in every if fact.history or fact.valid_to] or every
    shown = partial(output.show_history, session.show, facts, session.zone)
    session.show.answer([as_json(each) for each in facts], shown if facts else "No facts yet.")


@memories.command(epilog='example: memory-graph memories add "My cat is 3."')
@click.argument("text")
@for_user
async def add(session: Session, text: str) -> None:
    """Remember something the user says; `-` reads stdin, one message per line."""
    text = text if text != "-" else (await asyncio.to_thread(read_input, "-")).decode()
    said = [line.strip(" -*\t\r") for line in text.splitlines()]
    if not any(said):
        raise ConfigurationError("There is no text to remember.")
    async with session.open_memory(creates=True) as memory:
        added = [await memory.aadd(line) for line in said if line]
    decisions = [decision for each in added for decision in each.decisions]
    session.show.answer(decisions, "\n".join(map(output.decision_line, decisions)))


@memories.command(epilog='example: memory-graph memories correct profile:city "I moved."')
@id_argument
@click.argument("statement", required=False)
@click.option("--value", metavar="VALUE", help="only the new value, if the fact has one")
@for_user
async def correct(
    session: Session, memory_id: str, statement: str | None, value: str | None
) -> None:
    """Give a fact a new statement; the old one stays in its history."""
    async with session.open_memory() as memory:
        fact = await memory.acorrect(memory_id, statement, value=value)
    session.show.answer(
        as_json(fact), lambda: output.show_history(session.show, [fact], session.zone)
    )


@memories.command(epilog="example: memory-graph memories pin profile:name")
@id_argument
@for_user
async def pin(session: Session, memory_id: str) -> None:
    """Pin a fact or an episode: it is never deleted, and counts as relevant."""
    await _set_pinned(session, memory_id, pinned=True)


@memories.command(epilog="example: memory-graph memories unpin profile:name")
@id_argument
@for_user
async def unpin(session: Session, memory_id: str) -> None:
    """Undo `pin`."""
    await _set_pinned(session, memory_id, pinned=False)


async def _set_pinned(session: Session, memory_id: str, *, pinned: bool) -> None:
    async with session.open_memory() as memory:
        record = await memory.aget(memory_id)
        if isinstance(record, Pattern):
            raise ConfigurationError("Only facts and episodes can be pinned.")
        changed = await memory.apin(record.id, pinned=pinned)
    state = f"{'pinned' if pinned else 'not pinned'}{'' if changed else ' already'}"
    value = {"id": record.id, "pinned": pinned, "changed": changed}
    session.show.answer(value, f"{record.id} is {state}.")


@memories.command(epilog="example: memory-graph memories forget profile:name --yes")
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="everything about this user")
@yes_option
@for_user
async def forget(session: Session, memory_id: str | None, everything: bool, yes: bool) -> int:
    """Delete one memory, or everything about a user, for good."""
    if everything == bool(memory_id):
        raise ConfigurationError("Say what to forget: an ID, or --all.")
    async with session.open_memory() as memory:
        if not memory_id:
            return await _forget_all(session, memory, yes=yes)
        record = await memory.aget(memory_id)
        if not _confirmed(session.show, f"{record.id}: {_text(record)}", yes=yes):
            return USAGE
        forgotten = await memory.aforget(record.id)
    value = {
        "forgotten": record.id,
        "ledger_entries": forgotten.ledger_entries,
        "also_in": forgotten.told_in,
        "beyond_reach": BEYOND_REACH,
    }
    return session.show.answer(value, lambda: show_forgotten(session.show, forgotten))


async def _forget_all(session: Session, memory: Memory, *, yes: bool) -> int:
    show, whose = session.show, f"everything about {session.user}"
    if not _confirmed(show, whose, yes=yes):
        return USAGE
    erased = await memory.aforget_everything()
    held = ", ".join(f"{name} {number}" for name, number in sorted(erased.forgotten.items()))
    show.answer(erased, f"Forgot {whose}: {held or 'nothing was stored'}.")
    if erased.left:
        show.problem(f"Written in the meantime: {erased.left}. Run the command again.")
    if not show.as_json:
        _show_beyond_reach(show)
    return FAILED if erased.left else 0


def show_forgotten(show: Presenter, forgotten: Forgotten) -> None:
    """Print what was deleted, and where its text may still exist."""
    cleaned = count(forgotten.ledger_entries, "ledger entry", "ledger entries")
    show.line(f"Forgot {forgotten.record.id}, also in {cleaned}.")
    if episodes := ", ".join(forgotten.told_in):
        show.line(f"Not deleted, but from the same messages: {episodes}.", "warning")
    _show_beyond_reach(show)


def _show_beyond_reach(show: Presenter) -> None:
    show.line(f"Cannot be deleted from here: {'; '.join(BEYOND_REACH)}.", "dim")


def _confirmed(show: Presenter, what: str, *, yes: bool) -> bool:
    if yes:
        return True
    if not show.is_interactive or show.as_json:
        raise ConfigurationError("Forgetting cannot be undone. Confirm with --yes.")
    return click.confirm(f"Forget {what}?")


def _text(record: Remembered) -> str:
    if isinstance(record, Pattern):
        return render_pattern(record).removeprefix("- ")
    if isinstance(record, Instruction):
        return record.wish
    return record.statement if isinstance(record, Fact) else record.human_line


@memories.command(epilog="example: memory-graph memories undo 3fa9c2d1-pin#1")
@click.argument("entry", metavar="ENTRY[#N]")
@for_user
async def undo(session: Session, entry: str) -> None:
    """Restore what a decision replaced: a ledger entry, as shown by `why`."""
    name, _, number = entry.partition("#")
    if number and not number.isdecimal():
        form = "ENTRY or ENTRY#N, as shown by `memory-graph why`"
        raise ConfigurationError(f"{entry!r} is not {form}.")
    async with session.open_memory() as memory:
        undone = await memory.aundo(name, int(number) if number else None)
    session.show.answer(undone, lambda: _show_undone(session.show, undone))


def _show_undone(show: Presenter, undone: Sequence[Undone]) -> None:
    for each in undone:
        if each.restored is not None:
            show.line(f"Restored {each.restored.id}: {_text(each.restored)}")
        elif each.was is not None:
            show.line(f"Removed {each.was.id}.")


@memories.command(epilog="example: memory-graph memories rollback --thread t1")
@click.option("--thread", metavar="ID", help="what was said in this thread")
@click.option("--run", "run_id", metavar="ID", help="what this run wrote")
@click.option("--message", metavar="ID", help="what was said in this message, as `show` names it")
@click.option("--tool", metavar="NAME", help="what this tool, node or command wrote")
@apply_option
@for_user
async def rollback(session: Session, *, apply: bool, **of: str | None) -> None:
    """Undo everything that came from one thread, run, message or tool."""
    show = session.show
    origin = Origin(
        thread_id=of["thread"], run_id=of["run_id"], message_id=of["message"], by=of["tool"]
    )
    async with session.open_memory() as memory:
        back = await memory.aroll_back(origin, apply=apply)
    if show.as_json:
        numbers = {"entries": back.entries, "words": back.words, "left": back.left}
        show.data({**numbers, "undone": back.undone, "applied": apply})
        return
    _show_undone(show, back.undone)
    for each in back.left:
        show.problem(f"Kept: {each}. It also comes from elsewhere; see `memory-graph why`.")
    changed = count(len(back.undone), "memory", "memories")
    text = f"{changed} and the words of {count(back.words, 'message')}"
    show.line(f"{text} taken back." if apply else f"{text} would be taken back with --apply.")


@memories.command(epilog="example: memory-graph memories instructions")
@for_user
async def instructions(session: Session) -> None:
    """List how the user wants the agent to work."""
    async with session.open_memory() as memory:
        known = await memory.ainstructions()
    rows = [(each.id[:8], each.wish, each.when, str(each.until or "")) for each in known]
    columns = ("id", "wish", "when", "until")
    session.show.answer(
        [*map(as_json, known)], lambda: session.show.table("Instructions", columns, rows)
    )


@memories.command("end", epilog="example: memory-graph memories end 3fa9c2d1")
@id_argument
@for_user
async def end_instruction(session: Session, memory_id: str) -> None:
    """Let an instruction be over from now on; `undo` brings it back."""
    async with session.open_memory() as memory:
        ended = await memory.aend_instruction((await memory.aget(memory_id)).id)
    session.show.answer(as_json(ended), f"No longer in force: {ended.wish}")


@memories.command(epilog="example: memory-graph memories diff 2026-11-16T09:30")
@click.argument("since", metavar="SINCE", type=click.DateTime(_MOMENTS))
@click.argument("until", metavar="[UNTIL]", type=click.DateTime(_MOMENTS), required=False)
@click.option("--thread", metavar="ID", help="only what this conversation changed")
@for_user
async def diff(
    session: Session, since: datetime, until: datetime | None, thread: str | None
) -> None:
    """Say what changed in memory after a moment, up to another or up to now."""
    async with session.open_memory() as memory:
        found = await memory.adiff(since, until, thread_id=thread)
    more = (
        ["Older decisions are no longer kept, so this may not be all."] if found.is_partial else []
    )
    session.show.answer(
        {"changes": found.changes, "is_partial": found.is_partial},
        "\n".join([*found.lines, *more]) or "Nothing changed.",
    )


@memories.command(epilog="example: memory-graph memories export ana.jsonl")
@click.argument("file", required=False)
@everybody_option
@pause_option
@for_user
async def export(session: Session, file: str | None, all_users: str | None, pause: float) -> None:
    """Write all memories as JSON Lines, to a file or to stdout."""
    show = session.show
    if all_users:
        value = await write_of_everybody(session, Path(all_users), pause, _exported)
        text = "Wrote the memories of {written} of {users} users to {folder}."
        show.answer(value, text.format_map(value))
        return
    async with session.open_user() as memory:
        lines = await _exported(memory)
    if file is None:
        show.piece(lines)
        return
    await asyncio.to_thread(write_file, Path(file), lines)
    number = lines.count("\n")
    text = f"Wrote {count(number, 'memory', 'memories')} to {file}."
    show.answer({"file": file, "memories": number}, text)


async def _exported(memory: UserMemory) -> str:
    return "".join(f"{escape_json(line)}\n" for line in await export_lines(memory))


@memories.command("import", epilog="example: memory-graph memories import ana.jsonl")
@click.argument("file")
@for_user
async def import_memories(session: Session, file: str) -> int:
    """Read memories from JSON Lines; invalid lines are reported, the others saved."""
    show = session.show
    content = await asyncio.to_thread(read_input, file)
    async with session.open_memory(creates=True) as memory:
        imported = await memory.aimport_(lines_of(content))
    bad = [{"line": each.number, "reason": each.reason} for each in imported.bad]
    counts = ", ".join(f"{number} {fate}" for fate, number in imported.fates.items())
    show.answer({"lines": imported.fates, "bad": bad}, f"Imported: {counts or 'nothing'}.")
    for each in imported.bad if not show.as_json else ():
        show.problem(f"line {each.number}: {each.reason}")
    return FAILED if bad else 0


@click.command(epilog="example: memory-graph why profile:pet:luna:age")
@id_argument
@for_user
async def why(session: Session, memory_id: str) -> None:
    """Show every decision about a memory.

    When and why it was created and changed, and by which node.
    """
    async with session.open_memory() as memory:
        found = await memory.awhy(memory_id)
    session.show.answer(found.entries, lambda: show_why(session.show, found, session.zone))


def show_why(show: Presenter, why: Why, zone: ZoneInfo) -> None:
    """Print the decisions about a memory, oldest first, with the names that `undo` accepts."""
    rows = [
        (
            f"{entry.at.astimezone(zone):%Y-%m-%d %H:%M}",
            f"{short_name(entry.id)}#{number}",
            decision.action,
            decision.reason,
            output.score_text(decision),
        )
        for entry in why.entries
        for number, decision in enumerate(entry.decisions, start=1)
        if decision.memory_id == why.memory_id
    ]
    columns = ("when", "entry", "action", "reason", "scores")
    show.table(f"Decisions about {why.memory_id}", columns, rows)
    if why.read_by:
        words = "; ".join(
            f"“{shorten(each.text, 120)}”" for each in why.said if each.role == "user"
        )
        show.line(f"Read by {why.read_by} from {words or 'words that are no longer kept'}.")
