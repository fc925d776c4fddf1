"""Play, ask, read and judge: resumable, in parallel, with a card that says how."""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from langchain_core.language_models import BaseChatModel

from evals.answering.cases import Case, Conversation
from evals.answering.contexts import SYSTEMS, Given, Plain, Remembered
from evals.answering.grading import hashes, judge, read
from evals.answering.holding import answer_line
from memory_graph.embedding import load_embedder
from memory_graph.llm.models import load_model
from memory_graph.settings import get_settings

Row = dict[str, object]
_ANSWER_TOKENS = 60
_RESAMPLES = 1000


@dataclass(frozen=True)
class Options:
    """What is run, and with whom."""

    data: Path
    output: Path
    systems: tuple[str, ...]
    model: str | None
    reader: str | None
    judge: str | None
    tokens: int | None
    limit: int | None
    parallel: int
    seed: int
    yes: bool


def options_of(program: str, about: str, argv: Sequence[str] | None = None) -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog=program, description=about)
    add = parser.add_argument
    add("--data", type=Path, required=True, help="the public file, as published")
    add("--output", type=Path, required=True, help="JSONL of all rows; a run goes on where it was")
    add("--systems", default=",".join(SYSTEMS[:3]), help=f"of {', '.join(SYSTEMS)}")
    add("--model", help="model that reads facts and episodes; default: rules")
    add("--reader", help="model that answers, such as openai:gpt-5-mini; default: none")
    add("--judge", help="model that judges answers; default: the reader")
    add("--tokens", type=int, help="tokens of the plain searches; default: as many as memory's")
    add("--limit", type=int, help="only so many conversations")
    add("--parallel", type=int, default=4, help="calls of models at a time")
    add("--seed", type=int, default=0, help="which conversations a limit chooses")
    add("--yes", action="store_true", help="do not ask before calls that cost")
    given = vars(parser.parse_args(argv))
    systems = tuple(each.strip() for each in given.pop("systems").split(","))
    if unknown := set(systems) - set(SYSTEMS):
        parser.error(f"unknown systems: {', '.join(sorted(unknown))}")
    return Options(systems=systems, **{**given, "judge": given["judge"] or given["reader"]})


def run(options: Options, load: Callable[[Path], Iterator[Conversation]]) -> None:
    """Run what is not in the output yet, then print the table."""
    talks = list(load(options.data))
    if options.limit:
        talks = random.Random(options.seed).sample(talks, min(options.limit, len(talks)))
    card = _card(options)
    print(json.dumps(card))
    if options.reader and not _agreed(talks, options):
        sys.exit("Nothing was run.")
    rows = asyncio.run(_rows(talks, options))
    report(rows)
    options.output.with_suffix(".card.json").write_text(json.dumps(card, indent=1) + "\n")


def _card(options: Options) -> Row:
    said = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    return {
        "commit": said.stdout.strip(),
        "embedder": get_settings().embedder,
        "model": options.model or "rules",
        "reader": options.reader,
        "judge": options.judge,
        "prompts": hashes(),
        "seed": options.seed,
        "data": options.data.name,
    }


def _agreed(talks: Sequence[Conversation], options: Options) -> bool:
    """Say what reading and judging will cost at most, and ask."""
    cases = sum(len(talk.cases) for talk in talks)
    size = 1200 if "full" not in options.systems else 60_000
    tokens = cases * len(options.systems) * (size + 2 * _ANSWER_TOKENS)
    price = get_settings().prices.get(options.reader or "")
    cost = f"about ${tokens * price.input / 1e6:.2f}" if price else "price unknown"
    print(f"{cases} questions, {len(options.systems)} systems: up to {tokens:,} tokens, {cost}.")
    return options.yes or input("Go on? [y/N] ").strip().casefold() == "y"


async def _rows(talks: Sequence[Conversation], options: Options) -> list[Row]:
    known: dict[tuple[str, str], Row] = {}
    if options.output.exists():
        for line in options.output.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            known[row["case"], row["system"]] = row
    places = asyncio.Semaphore(options.parallel)
    reader = load_model(options.reader) if options.reader else None
    judging = load_model(options.judge) if options.judge else None
    rows = [*known.values()]
    with options.output.open("a", encoding="utf-8") as file:
        for number, talk in enumerate(talks, start=1):
            fresh = await _talk(talk, options, known, (reader, judging, places))
            for row in fresh:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            rows += fresh
            print(f"\r{number}/{len(talks)} conversations", end="", file=sys.stderr)
    print(file=sys.stderr)
    return rows


async def _talk(
    talk: Conversation,
    options: Options,
    known: Mapping[tuple[str, str], Row],
    models: tuple[BaseChatModel | None, BaseChatModel | None, asyncio.Semaphore],
) -> list[Row]:
    """Return the rows of one conversation that are not known yet."""
    open_ = [c for c in talk.cases if any((c.case_id, s) not in known for s in options.systems)]
    if not open_:
        return []
    memory = Remembered(talk, options.model)
    started = time.perf_counter()
    if "memory" in options.systems or options.tokens is None:
        await memory.fill()
    seconds = time.perf_counter() - started
    plain = Plain(talk, load_embedder(get_settings().embedder))
    texts = {each.message_id: each.text for each in talk.messages}
    jobs = []
    for case in open_:
        givens = await _givens(case, memory, plain, options)
        evidence = [texts[each] for each in case.evidence if each in texts]
        for system, given in givens.items():
            if (case.case_id, system) not in known:
                jobs.append(_row(case, system, given, evidence, models))
    rows = await asyncio.gather(*jobs)
    for row in rows:
        row["fill_seconds"] = round(seconds, 2)
    return list(rows)


async def _givens(
    case: Case, memory: Remembered, plain: Plain, options: Options
) -> dict[str, Given]:
    ours = await memory.ask(case) if options.tokens is None or "memory" in options.systems else None
    tokens = options.tokens or (ours.tokens if ours else 0)
    found: dict[str, Given] = {"memory": ours} if ours and "memory" in options.systems else {}
    if "bm25" in options.systems:
        found["bm25"] = plain.bm25(case, tokens)
    if "vectors" in options.systems:
        found["vectors"] = await plain.vectors(case, tokens)
    if "grep" in options.systems:
        found["grep"] = plain.grep(case, tokens)
    if "full" in options.systems:
        found["full"] = plain.full()
    return found


async def _row(
    case: Case,
    system: str,
    given: Given,
    evidence: Sequence[str],
    models: tuple[BaseChatModel | None, BaseChatModel | None, asyncio.Semaphore],
) -> Row:
    reader, judging, places = models
    row: Row = {
        "case": case.case_id,
        "kind": case.kind,
        "system": system,
        "question": case.question,
        "answer": case.answer,
        "answerable": case.is_answerable,
        "context": given.text,
        "tokens": given.tokens,
        "verdict": given.verdict,
        "line": answer_line(case, given.lines, evidence) if case.is_answerable else None,
    }
    if reader is not None:
        async with places:
            said = await read(reader, case, given)
        row |= {"response": said.text, "tokens_in": said.tokens_in, "tokens_out": said.tokens_out}
        if judging is not None:
            async with places:
                row["right"], _ = await judge(judging, case, said.text)
    return row


def report(rows: Sequence[Row]) -> None:
    """Print a table by system and by kind, with intervals of 95 %."""
    by_system = _grouped(rows, "system")
    for system, all_rows in by_system.items():
        print(f"\n{system}")
        print(f"  {'kind':26}{'n':>5}{'in block':>18}{'line':>6}{'tokens':>8}{'right':>18}")
        for kind, some in [*_grouped(all_rows, "kind").items(), ("all answerable", all_rows)]:
            told = [row for row in some if row["answerable"]]
            if kind != "abstention":
                held = [row["line"] is not None for row in told]
                lines = [int(str(row["line"])) for row in told if row["line"]]
                line = f"{median(lines):.0f}" if lines else "-"
                shown = told
            else:
                held, line, shown = [], "-", list(some)
            tokens = median(int(str(row["tokens"])) for row in shown) if shown else 0
            right = [bool(row["right"]) for row in shown if "right" in row]
            print(
                f"  {kind:26}{len(shown):>5}{interval(held):>18}{line:>6}"
                f"{tokens:>8.0f}{interval(right):>18}"
            )
        _print_verdicts(all_rows)


def _print_verdicts(rows: Sequence[Row]) -> None:
    """Print how far `found` can be trusted."""
    judged = [row for row in rows if row["verdict"]]
    if not judged:
        return
    said = [row for row in judged if row["verdict"] == "found"]
    right = [row["line"] is not None for row in said]
    never = [row["verdict"] == "found" for row in judged if not row["answerable"]]
    told = [row["verdict"] == "found" for row in judged if row["answerable"]]
    print(
        f"  found is right {interval(right)}; said for {interval(told)} of the answerable and "
        f"{interval(never)} of the unanswerable"
    )


def interval(values: Iterable[bool]) -> str:
    """Return a share in per cent with the interval of 95 % that resampling gives."""
    known = list(values)
    if not known:
        return "-"
    chance = random.Random(0)
    means = sorted(fmean(chance.choices(known, k=len(known))) for _ in range(_RESAMPLES))
    low, high = means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES)]
    return f"{100 * fmean(known):.1f} ({100 * low:.0f}–{100 * high:.0f})"


def _grouped(rows: Iterable[Row], name: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[str(row[name])].append(row)
    return dict(sorted(groups.items()))
