"""`memories`, `why`, `why-not`, `turns`, `patterns`, `learn`: read, change and explain memories."""

import asyncio
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

from memory_graph import clock
from memory_graph.cli import output
from memory_graph.cli.commands import APPLY, FAILED, LIMIT, USAGE, YES, Group, arg, day, flag
from memory_graph.cli.open import (
    EVERYBODY,
    PAUSE,
    context_of,
    open_memory,
    open_user,
    read_input,
    tell_of_everybody,
    zone_of,
)
from memory_graph.cli.output import Presenter, count
from memory_graph.curation.forget import BEYOND_REACH, Forgotten
from memory_graph.curation.lookup import short_name
from memory_graph.curation.undo import Origin, Undone
from memory_graph.errors import ConfigurationError
from memory_graph.memory import Memory, Why, new_change
from memory_graph.records import Episode, Fact, FactCategory, Pattern, PatternStatus
from memory_graph.store.changes import Memory as Remembered
from memory_graph.store.scope import UserMemory
from memory_graph.transfer.jsonl import as_json, export_lines, lines_of

COMMANDS = Group()
ID = arg("id", metavar="ID", help="memory id, or the beginning of one")
TEXT = arg("text", metavar="TEXT", help="a message, as the user would write it")
NAME = arg("name", metavar="NAME", help="name of the pattern")


@COMMANDS.command(
    "memories list",
    arg("--kind", choices=("fact", "episode"), help="only this kind"),
    arg("--category", choices=get_args(FactCategory), help="only facts of this category"),
    arg("--as-of", type=day, metavar="DAY", help="only facts, as at the end of this day"),
    example="--kind fact",
)
async def run_list(args: Namespace, show: Presenter) -> None:
    """List facts and episodes, or the facts as of the end of a day."""
    facts: list[Fact] = []
    episodes: list[Episode] = []
    async with open_memory(args) as memory:
        if args.kind != "episode":
            known = await memory.aas_of(args.as_of or clock.utc_now())
            facts = [fact for fact in known if args.category in {None, fact.category}]
        if args.kind != "fact" and not (args.category or args.as_of):
            found = await memory.aepisodes()
            episodes = sorted(found, key=lambda each: (each.started_at, each.id))
    if show.as_json:
        show.data([*map(as_json, facts), *map(as_json, episodes)])
        return
    if args.kind != "episode":
        output.show_facts(show, facts, zone_of(args))
    if args.kind != "fact":
        output.show_episodes(show, episodes)


@COMMANDS.command("memories show", ID, example="ep-3fa9c2d1")
async def run_show(args: Namespace, show: Presenter) -> None:
    """Show one memory in full."""
    async with open_memory(args) as memory:
        output.show_record(show, as_json(await memory.aget(args.id)))


@COMMANDS.command(
    "memories search",
    arg("query", metavar="QUERY", help="text to search for"),
    LIMIT,
    example='"cat"',
)
async def run_search(args: Namespace, show: Presenter) -> None:
    """Find memories, each with the parts of its score."""
    async with open_memory(args) as memory:
        found = await memory.asearch(args.query, limit=args.limit)
    value = [
        {**as_json(e.record), "score": e.score, "weak": output.is_weak(e), "parts": e.parts}
        for e in found
    ]
    show.answer(value, lambda: output.show_found(show, found))


@COMMANDS.command(
    "memories recall",
    TEXT,
    flag("--explain", "also show what was left out, and why"),
    example='"my cat?"',
)
async def run_recall(args: Namespace, show: Presenter) -> None:
    """Show what a model would be given for a message, and what was left out."""
    from memory_graph.recall.block import FATES  # noqa: PLC0415 — brings the search

    async with open_memory(args) as memory:
        recalled = await memory.arecall(args.text, explain=args.explain)
    if show.as_json:
        show.data({"block": recalled.block, **recalled.trace.model_dump(mode="json")})
        return
    verdict = recalled.recalled.verdict
    show.line(recalled.block or "(nothing)")
    show.line(f"{verdict.found}: {verdict.best:.2f} of {verdict.threshold:.2f}", "dim")
    if args.explain:
        rows = [(c.memory_id, f"{c.fit:.2f}", c.fate, FATES[c.fate]) for c in recalled.left_out]
        show.table("Left out", ("id", "fit", "fate", "why"), rows)


@COMMANDS.command(
    "memories history",
    arg("id", nargs="?", metavar="ID", help="one fact (default: all that changed)"),
)
async def run_history(args: Namespace, show: Presenter) -> None:
    """Show the values of a fact over time, or of all facts that changed."""
    async with open_memory(args) as memory:
        if args.id:
            facts = [await memory.afact(args.id)]
        else:
            every = sorted(await memory.afacts(ended=True), key=lambda fact: fact.id)
            facts = [fact for fact in every if fact.history or fact.valid_to] or every
    shown = partial(output.show_history, show, facts, zone_of(args))
    show.answer([as_json(each) for each in facts], shown if facts else "No facts yet.")


@COMMANDS.command(
    "memories add",
    arg("text", metavar="TEXT", help="what the user says; `-` reads stdin, one message per line"),
    example='"My cat is 3."',
    creates=True,
)
async def run_add(args: Namespace, show: Presenter) -> None:
    """Remember something the user says, and show each decision."""
    text = args.text if args.text != "-" else (await asyncio.to_thread(read_input, "-")).decode()
    said = [line.strip(" -*\t\r") for line in text.splitlines()]
    if not any(said):
        raise ConfigurationError("There is no text to remember.")
    async with open_memory(args) as memory:
        added = [await memory.aadd(line) for line in said if line]
    decisions = [decision for each in added for decision in each.decisions]
    show.answer(decisions, "\n".join(map(output.decision_line, decisions)))


@COMMANDS.command(
    "memories correct",
    ID,
    arg("statement", nargs="?", metavar="STATEMENT", help="what is true now, in a sentence"),
    arg("--value", metavar="VALUE", help="only the new value, if the fact has one"),
    example='profile:city "I moved."',
)
async def run_correct(args: Namespace, show: Presenter) -> None:
    """Give a fact a new statement; the old one stays in its history."""
    async with open_memory(args) as memory:
        fact = await memory.acorrect(args.id, args.statement, value=args.value)
    show.answer(as_json(fact), lambda: output.show_history(show, [fact], zone_of(args)))


@COMMANDS.command("memories pin", ID, example="profile:name")
async def run_pin(args: Namespace, show: Presenter) -> None:
    """Pin a fact or an episode: it is never deleted, and counts as relevant."""
    await _set_pinned(args, show, pinned=True)


@COMMANDS.command("memories unpin", ID, example="profile:name")
async def run_unpin(args: Namespace, show: Presenter) -> None:
    """Undo `pin`."""
    await _set_pinned(args, show, pinned=False)


async def _set_pinned(args: Namespace, show: Presenter, *, pinned: bool) -> None:
    async with open_memory(args) as memory:
        record = await memory.aget(args.id)
        if isinstance(record, Pattern):
            raise ConfigurationError("Only facts and episodes can be pinned.")
        changed = await memory.apin(record.id, pinned=pinned)
    state = f"{'pinned' if pinned else 'not pinned'}{'' if changed else ' already'}"
    value = {"id": record.id, "pinned": pinned, "changed": changed}
    show.answer(value, f"{record.id} is {state}.")


@COMMANDS.command(
    "memories forget",
    arg("id", nargs="?", metavar="ID", help="a fact or an episode"),
    flag("--all", "everything about this user"),
    YES,
    example="profile:name --yes",
)
async def run_forget(args: Namespace, show: Presenter) -> int:
    """Delete one memory, or everything about a user, for good."""
    if args.all == bool(args.id):
        raise ConfigurationError("Say what to forget: an ID, or --all.")
    async with open_memory(args) as memory:
        if args.all:
            return await _forget_all(memory, args, show)
        record = await memory.aget(args.id)
        if not _confirmed(args, show, f"{record.id}: {_text(record)}"):
            return USAGE
        forgotten = await memory.aforget(record.id)
    value = {
        "forgotten": record.id,
        "ledger_entries": forgotten.ledger_entries,
        "also_in": forgotten.told_in,
        "beyond_reach": BEYOND_REACH,
    }
    return show.answer(value, lambda: show_forgotten(show, forgotten))


async def _forget_all(memory: Memory, args: Namespace, show: Presenter) -> int:
    if not _confirmed(args, show, f"everything about {args.user}"):
        return USAGE
    erased = await memory.aforget_everything()
    held = ", ".join(f"{name} {number}" for name, number in sorted(erased.forgotten.items()))
    text = f"Forgot everything about {args.user}: {held or 'nothing was stored'}."
    show.answer(erased, text)
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


def _confirmed(args: Namespace, show: Presenter, what: str) -> bool:
    if args.yes:
        return True
    if not show.is_interactive or show.as_json:
        raise ConfigurationError("Forgetting cannot be undone. Confirm with --yes.")
    return show.confirm(f"Forget {what}?")


def _text(record: Remembered) -> str:
    if isinstance(record, Pattern):
        from memory_graph.patterns.search import render_pattern  # noqa: PLC0415

        return render_pattern(record).removeprefix("- ")
    return record.statement if isinstance(record, Fact) else record.human_line


@COMMANDS.command(
    "memories undo",
    arg("entry", metavar="ENTRY[#N]", help="ledger entry, as shown by `why`"),
    example="3fa9c2d1-pin#1",
)
async def run_undo(args: Namespace, show: Presenter) -> None:
    """Restore what a decision replaced."""
    name, _, number = args.entry.partition("#")
    if number and not number.isdecimal():
        form = "ENTRY or ENTRY#N, as shown by `memory-graph why`"
        raise ConfigurationError(f"{args.entry!r} is not {form}.")
    async with open_memory(args) as memory:
        undone = await memory.aundo(name, int(number) if number else None)
    show.answer(undone, lambda: _show_undone(show, undone))


def _show_undone(show: Presenter, undone: Sequence[Undone]) -> None:
    for each in undone:
        if each.restored is not None:
            show.line(f"Restored {each.restored.id}: {_text(each.restored)}")
        elif each.was is not None:
            show.line(f"Removed {each.was.id}.")


@COMMANDS.command(
    "memories rollback",
    arg("--thread", metavar="ID", help="what was said in this thread"),
    arg("--run", dest="run_id", metavar="ID", help="what this run wrote"),
    arg("--tool", metavar="NAME", help="what this tool, node or command wrote"),
    APPLY,
    example="--thread t1",
)
async def run_rollback(args: Namespace, show: Presenter) -> None:
    """Undo everything that came from one thread, run or tool."""
    origin = Origin(thread_id=args.thread, run_id=args.run_id, by=args.tool)
    async with open_memory(args) as memory:
        back = await memory.aroll_back(origin, apply=args.apply)
    if show.as_json:
        numbers = {"entries": back.entries, "words": back.words, "left": back.left}
        show.data({**numbers, "undone": back.undone, "applied": args.apply})
        return
    _show_undone(show, back.undone)
    for each in back.left:
        show.problem(f"Kept: {each}. It also comes from elsewhere; see `memory-graph why`.")
    changed = count(len(back.undone), "memory", "memories")
    text = f"{changed} and the words of {count(back.words, 'message')}"
    show.line(f"{text} taken back." if args.apply else f"{text} would be taken back with --apply.")


@COMMANDS.command(
    "memories export",
    arg("file", nargs="?", metavar="FILE", help="default: stdout"),
    EVERYBODY,
    PAUSE,
    example="ana.jsonl",
)
async def run_export(args: Namespace, show: Presenter) -> None:
    """Write all memories as JSON Lines."""
    if args.all_users:
        value = await tell_of_everybody(args, show, _exported)
        show.answer(
            value, "Wrote the memories of {written} of {users} users to {folder}.".format_map(value)
        )
        return
    async with open_user(args) as memory:
        lines = await _exported(memory)
    if args.file is None:
        show.piece(lines)
        return
    await asyncio.to_thread(Path(args.file).write_text, lines, encoding="utf-8")
    number = lines.count("\n")
    text = f"Wrote {count(number, 'memory', 'memories')} to {args.file}."
    show.answer({"file": args.file, "memories": number}, text)


async def _exported(memory: UserMemory) -> str:
    return "".join(f"{line}\n" for line in await export_lines(memory))


@COMMANDS.command(
    "memories import",
    arg("file", metavar="FILE", help="`-` reads stdin"),
    example="ana.jsonl",
    creates=True,
)
async def run_import(args: Namespace, show: Presenter) -> int:
    """Read memories from JSON Lines; invalid lines are reported, the others saved."""
    content = await asyncio.to_thread(read_input, args.file)
    async with open_memory(args) as memory:
        imported = await memory.aimport_(lines_of(content))
    bad = [{"line": each.number, "reason": each.reason} for each in imported.bad]
    value = {"lines": imported.fates, "bad": bad}
    counts = ", ".join(f"{number} {fate}" for fate, number in imported.fates.items())
    show.answer(value, f"Imported: {counts or 'nothing'}.")
    for each in imported.bad if not show.as_json else ():
        show.problem(f"line {each.number}: {each.reason}")
    return FAILED if bad else 0


@COMMANDS.command("why", ID)
async def run_why(args: Namespace, show: Presenter) -> None:
    """Print when and why a memory was created and changed, and by which node."""
    async with open_memory(args) as memory:
        why = await memory.awhy(args.id)
    show.answer(why.entries, lambda: show_why(show, why, zone_of(args)))


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


@COMMANDS.command("why-not", TEXT, ID)
async def run_why_not(args: Namespace, show: Presenter) -> None:
    """Print whether recall shows a memory for a message, and why."""
    from memory_graph.recall.block import FATES  # noqa: PLC0415 — brings the search

    async with open_memory(args) as memory:
        fate = await memory.awhy_not(args.text, args.id)
    if show.as_json:
        show.data({**fate.model_dump(mode="json"), "why": FATES[fate.fate]})
        return
    show.line(f"{fate.memory_id}: {FATES[fate.fate]} ({fate.fate})", "bold")
    place = f", place {fate.place} of its kind" if fate.place else ""
    show.line(f"fit {fate.fit:.2f}: words {fate.words:.2f}, meaning {fate.meaning:.2f}{place}")
    if fate.parts:
        parts = ", ".join(f"{name} {added:.2f}" for name, added in fate.parts.items())
        show.line(f"score among its kind: {parts}", "dim")


@COMMANDS.command("turns", LIMIT)
async def run_turns(args: Namespace, show: Presenter) -> None:
    """Print the latest turns: what was said, and what memory did with it."""
    async with open_memory(args) as memory:
        reports = await memory.aturns(limit=args.limit)
    zone = zone_of(args)
    rows = [
        (
            f"{each.at.astimezone(zone):%Y-%m-%d %H:%M}",
            each.said.text if each.said else "–",
            ", ".join(f"{d.kind} {d.action}: {d.reason}" for d in each.decisions),
            each.recall.found if each.recall else "–",
        )
        for each in reports
    ]
    columns = ("when", "said", "decided", "recall")
    show.answer(reports, lambda: show.table("Turns", columns, rows))


@COMMANDS.command(
    "patterns list",
    arg("--status", choices=get_args(PatternStatus), help="only this status"),
    example="--status proposed",
)
async def run_patterns(args: Namespace, show: Presenter) -> None:
    """List what tends to work and what does not."""
    async with open_memory(args) as memory:
        _show_patterns(show, await memory.apatterns(status=args.status))


@COMMANDS.command("patterns confirm", NAME, example="retry")
async def run_confirm(args: Namespace, show: Presenter) -> None:
    """Accept a proposed pattern."""
    async with open_memory(args) as memory:
        _show_patterns(show, [await memory.aconfirm_pattern(args.name)])


@COMMANDS.command("patterns reject", NAME, example="retry")
async def run_reject(args: Namespace, show: Presenter) -> None:
    """Never propose a pattern again."""
    async with open_memory(args) as memory:
        _show_patterns(show, [await memory.areject_pattern(args.name)])


@COMMANDS.command("learn", flag("--dry-run", "only show the proposals"))
async def run_learn(args: Namespace, show: Presenter) -> None:
    """Propose patterns; each takes effect when it is confirmed."""
    from memory_graph.patterns.learning import learn  # noqa: PLC0415 — brings the words

    policy, change = context_of(args).policies.learning, new_change("learn")
    async with open_user(args) as memory:
        learned = await learn(memory, policy, change, apply=not args.dry_run)
    _show_patterns(show, learned.patterns)
    if learned.decisions and not show.as_json:
        show.line("Decide with `memory-graph patterns confirm NAME` or `reject NAME`.")


def _show_patterns(show: Presenter, patterns: Sequence[Pattern]) -> None:
    from memory_graph.patterns.search import render_record  # noqa: PLC0415

    columns = ("id", "kind", "record", "when", "do")
    rows = [
        (
            each.name,
            each.kind if each.status == "confirmed" else f"{each.status} {each.kind}",
            render_record(each),
            each.trigger,
            each.action,
        )
        for each in patterns
    ]
    show.answer(patterns, lambda: show.table("Patterns", columns, rows))
