"""Print how the heads do on writers, languages and lines they were not fitted on, as Markdown.

Run `python -m evals.tuning.heads.report`; `--write` keeps it as `README.md` here, `--data FILE`
adds the head `asks` on lines with `text` and `asks_about_past` from elsewhere.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from evals.tuning.heads.cases import HANDS, Case, load_cases
from evals.tuning.heads.fitting import Vectors
from evals.tuning.heads.measure import (
    Judged,
    area,
    calibrate,
    count,
    judge,
    leave_out_blocks,
    leave_out_sources,
)
from evals.tuning.heads.points import measure_point
from evals.tuning.heads.train import COMMAND, vectors_of
from memory_graph.language.heads import HEADS, read
from memory_graph.language.points import POINTS, points

PAGE = Path(__file__).parent / "README.md"
EVEN = 0.5
"""Heads without an operating point are measured here."""

INTRODUCTION = f"""# Heads

Each head is a logistic regression that scores what one text does. There are seven. Their features
are the multilingual sentence vector, products of its 64 principal directions, hashed letter runs
and fifteen marks of form. `{COMMAND}` fits them on `evals/cases/heads/` (four
writers) and, at a fifth of the weight, on older English cases, and writes
`memory_graph/language/data/`. Probabilities reflect how frequent a label is in these cases: a label
that is rarer in practice is less likely than its probability says. This page is written by
`python -m evals.tuning.heads.report --write`.

- *writer left out*: fitted without any line of that writer; for `european` and `world` also
  without any line in those languages.
- *block left out*: fitted without that block of 25 lines; operating points are chosen here.
- *sealed*: every fifth block, on which nothing was fitted or chosen, read with the weights in the
  package.
"""


def read_cases(cases: Sequence[Case], vectors: Vectors) -> list[Judged]:
    """Return what the weights in the package say of messages."""
    judged = []
    for case in cases:
        texts = (case.text, *case.sentences)
        whole, *sentences = read(np.array([vectors[text] for text in texts]), texts)
        judged.append(Judged(case, whole, tuple(sentences)))
    return judged


def _cell(judged: Sequence[Judged], head: str) -> str:
    known = [each for each in judged if head in each.case.labels]
    chances = np.array([getattr(each.message, head) for each in known])
    labels = np.array([float(each.case.labels[head]) for each in known])
    if not labels.any():
        return "–"
    found = count(chances, labels, points().get(head, EVEN))
    return f"{found.precision:.2f} / {found.recall:.2f} / {area(chances, labels):.3f}"


def _table(title: str, groups: dict[str, list[Judged]]) -> Iterator[str]:
    yield f"\n## {title}\n\nPrecision / recall / AUC of messages, and how many.\n"
    yield f"| | n | {' | '.join(HEADS)} |"
    yield "|---" * (len(HEADS) + 2) + "|"
    for name, judged in groups.items():
        cells = " | ".join(_cell(judged, head) for head in HEADS)
        yield f"| {name} | {len(judged)} | {cells} |"


def _by_source(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    groups = {name: [e for e in judged if e.case.source == name] for name in HANDS}
    return {**groups, "all": list(judged)}


def _by_language(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    languages = dict.fromkeys(each.case.lang for each in judged)
    return {name: [e for e in judged if e.case.lang == name] for name in languages}


def _point_lines(measured: dict[str, list[Judged]]) -> Iterator[str]:
    yield "\n## Operating points\n"
    stored = json.loads(POINTS.read_text(encoding="utf-8"))["points"]
    for name, point in stored.items():
        yield f"- `{name}`: {point['on']} ≥ {point['at']}"
        for where, judged in measured.items():
            figures = measure_point(name, point["at"], judged)
            told = ", ".join(f"{key} {value:.3f}" for key, value in figures.items())
            yield f"    - {where}: {told}"


def _gate_lines(measured: dict[str, list[Judged]]) -> Iterator[str]:
    yield "\n## The gate by language\n\nRecall of what tells / dropped small talk / requests.\n"
    languages = list(_by_language([each for judged in measured.values() for each in judged]))
    yield f"| | {' | '.join(languages)} |"
    yield "|---" * (len(languages) + 1) + "|"
    for where, judged in measured.items():
        groups = _by_language(judged)
        cells = " | ".join(_gate_cell(groups.get(lang, [])) for lang in languages)
        yield f"| {where} | {cells} |"


def _gate_cell(judged: Sequence[Judged]) -> str:
    if not judged:
        return "–"
    figures = measure_point("gate_with_model", points()["gate_with_model"], judged)
    return " / ".join(f"{figures[key]:.2f}" for key in ("recall", "drops_small", "drops_request"))


def report(elsewhere: Path | None) -> Iterator[str]:
    """Yield the lines of the page."""
    cases = load_cases(elsewhere)
    vectors = vectors_of(cases)
    other = elsewhere.stem if elsewhere else ""
    fitted = [case for case in cases if case.split == "open" and case.source != other]
    blocks = leave_out_blocks(fitted, vectors)
    calibration = calibrate(blocks)
    inside = judge(blocks, calibration)
    outside = judge(leave_out_sources(fitted, vectors), calibration)
    sealed = read_cases([case for case in cases if case.split == "sealed"], vectors)
    measured = {"block left out": inside, "writer left out": outside, "sealed": sealed}
    yield INTRODUCTION.rstrip()
    yield from _point_lines(measured)
    yield from _gate_lines(measured)
    yield from _table("Writer left out", _by_source(outside))
    yield from _table("Writer left out, by language", _by_language(outside))
    yield from _table("Block left out, by language", _by_language(inside))
    yield from _table("Sealed", _by_source(sealed))
    if other:
        unseen = read_cases([case for case in cases if case.source == other], vectors)
        yield from _table("Elsewhere", {other: unseen})


def main() -> None:
    """Print the page, and keep it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the page beside this module")
    parser.add_argument("--data", type=Path, help="lines with `text` and `asks_about_past`")
    asked = parser.parse_args()
    page = "\n".join(report(asked.data)) + "\n"
    print(page)
    if asked.write:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
