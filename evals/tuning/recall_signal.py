"""The risk–coverage curve of `found | weak | none` on questions by many hands.

Run `python -m evals.tuning.recall_signal --people FILE --longmemeval FILE --locomo FILE`, each as
often as wanted. A question is answered right when memory holds an answer and the lines shown as
bearing on it have it. Risk is the share of wrong ones among those called found; coverage is the
share of the answerable that are called found. Every person is also asked at the end for what they
never told (`evals/cases/never_told.jsonl`): those questions count by themselves, as `never told`.
"""

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
from langgraph.store.memory import InMemoryStore

from benchmarks import locomo, longmemeval
from benchmarks.longmemeval_retrieval import fill
from evals.harness.runner import CASES
from evals.suites.people import play, read_people
from evals.suites.people_scoring import Ask, Person, Turn, has_answer
from evals.suites.questions import ask_all
from memory_graph.context import Context
from memory_graph.policies import RecallPolicy, VerbatimPolicy
from memory_graph.recall.lines import text_of
from memory_graph.recall.search import Recalled, recall
from memory_graph.recall.verdict import COUNTS, Signs
from memory_graph.records import Handling, Said, TurnRecord
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from memory_graph.turns.keeping import begun, keep_turns
from memory_graph.turns.messages import Turn as Told

PACE = timedelta(seconds=30)
BARS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.83, 0.86, 0.9, 0.95)
NEVER_TOLD = CASES / "never_told.jsonl"
NEVER = "never told"
NEVER_COUNTS = 0.3
"""What these questions count in the fit, beside those of one hand."""

EVERY = 4
"""Of LoCoMo's many questions, one in so many is asked."""


@dataclass(frozen=True)
class Case:
    """One question: whether memory holds an answer, whether it was shown, and the signs."""

    source: str
    text: str
    is_answerable: bool
    is_shown: bool
    signs: Signs
    is_told: bool = False
    """Judged by its time or by a key, not by signs."""

    @property
    def is_right(self) -> bool:
        """Whether `found` would be right."""
        return self.is_answerable and self.is_shown


async def _ask(memory: UserMemory, text: str, now: datetime, zone: str = "UTC") -> Recalled:
    return await recall(memory, text, Context(time_zone=zone), now)


async def people(path: Path) -> AsyncIterator[Case]:
    """Yield the questions of conversations with people, each asked where it comes."""
    cases: list[Case] = []

    async def ask(person: Person, turn: Turn, memory: UserMemory) -> None:
        assert turn.ask is not None
        now = turn.at.replace(tzinfo=ZoneInfo(person.zone))
        for text in _never_told(person) if turn.say == _LAST else [turn.say]:
            recalled = await _ask(memory, text, now, person.zone)
            has = has_answer(turn.ask, [text_of(line.record) for line in recalled.bearing])
            source = NEVER if turn.say == _LAST else path.stem
            cases.append(_case(source, text, recalled, not turn.ask.never_told, has))

    for person in read_people(path):
        at = person.turns[-1].at + timedelta(hours=1)
        last = Turn(at=at, say=_LAST, ask=Ask(expect=(), never_told=True))
        await play(person.model_copy(update={"turns": (*person.turns, last)}), ask)
    for case in cases:
        yield case


_LAST = "?"
"""What stands at the end of a conversation for all that was never told."""


def _never_told(person: Person) -> list[str]:
    """Return the questions in the person's language about what nothing they said speaks of."""
    said = " ".join(turn.say for turn in person.turns)
    asked = [json.loads(line) for line in NEVER_TOLD.read_text(encoding="utf-8").splitlines()]
    own = (each for each in asked if each["lang"] == person.language)
    return [each["ask"] for each in own if not re.search(each["unless"], said, re.IGNORECASE)]


async def questions() -> AsyncIterator[Case]:
    """Yield the labelled questions over labelled facts; a quarter cannot be answered."""
    for answer in await ask_all():
        wanted = answer.question.want
        shown = any(line.record.id in wanted for line in answer.recalled.bearing)
        yield _case("questions", answer.question.ask, answer.recalled, bool(wanted), shown)


def _case(source: str, text: str, recalled: Recalled, is_answerable: bool, is_shown: bool) -> Case:
    verdict = recalled.verdict
    is_told = verdict.reason == "time" or verdict.best == 1
    return Case(source, text, is_answerable, is_shown, recalled.signs, is_told)


async def longmemeval_cases(path: Path) -> AsyncIterator[Case]:
    """Yield the questions of LongMemEval; those ending in `_abs` cannot be answered."""
    for question in longmemeval.load(path):
        memory = await fill(question, InMemoryStore())
        recalled = await _ask(memory, question.text, question.asked_at)
        shown = {t.session for t in _turns(recalled)}
        has = bool(shown & question.evidence_sessions)
        yield _case("longmemeval", question.text, recalled, question.is_answerable, has)


async def locomo_cases(path: Path) -> AsyncIterator[Case]:
    """Yield questions of LoCoMo, also those that ask one speaker of what the other said."""
    for conversation in locomo.load(path):
        memory = memory_of(Owner(conversation.name), InMemoryStore())
        puts = []
        for turn in conversation.turns:
            said = [Said(role="user", text=turn.text, name=turn.speaker)]
            told = Told(turn.session, None, turn.turn_id, turn.text, tuple(said))
            at, policy = turn.said_at + turn.position * PACE, VerbatimPolicy()
            position = int(at.timestamp() * 1000)
            record = begun(told, Handling(), policy, at=at, position=position)
            puts += await keep_turns(memory, [(record, said)], policy, at, ZoneInfo("UTC"))
        await memory.commit(puts)
        now = max(turn.said_at for turn in conversation.turns)
        for question in conversation.questions[::EVERY]:
            recalled = await _ask(memory, question.text, now)
            shown = {t.source.message_ids[0] for t in _turns(recalled)}
            has = bool(shown & question.evidence)
            yield _case("locomo", question.text, recalled, True, has)
        for text in conversation.unanswerable[::EVERY]:
            recalled = await _ask(memory, text, now)
            yield _case("locomo", text, recalled, False, False)


def _turns(recalled: Recalled) -> Iterable[TurnRecord]:
    return (each.record for each in recalled.bearing if isinstance(each.record, TurnRecord))


def curve(cases: Sequence[Case]) -> list[str]:
    """Return a line per bar: what would be called found, how much of it wrongly."""
    answerable = sum(case.is_answerable for case in cases)
    lines = [f"{'bar':>6}{'called found':>14}{'right, %':>10}{'coverage, %':>13}"]
    for bar in BARS:
        called = [case for case in cases if case.is_told or case.signs.confidence >= bar]
        right = sum(case.is_right for case in called)
        covered = sum(case.is_answerable for case in called)
        share = 100 * right / len(called) if called else 100.0
        coverage = 100 * covered / max(answerable, 1)
        lines.append(f"{bar:6.2f}{len(called):14}{share:10.1f}{coverage:13.1f}")
    return lines


async def collect(options: argparse.Namespace) -> list[Case]:
    """Ask every question of every file."""
    sources = [
        *(people(path) for path in options.people),
        *(longmemeval_cases(path) for path in options.longmemeval),
        *(locomo_cases(path) for path in options.locomo),
        *([questions()] if options.questions else []),
    ]
    return [case for source in sources for case in [each async for each in source]]


def fit(cases: Sequence[Case], ridge: float = 1.0) -> dict[str, float]:
    """Return the weights of the signs: logistic regression, every source counting the same."""
    cases = [case for case in cases if not case.is_told and not case.signs.is_elsewhere]
    per_source = Counter(case.source for case in cases)
    hands = len(per_source.keys() - {NEVER})
    per_source[NEVER] = round(per_source[NEVER] / (NEVER_COUNTS * hands))
    costs = np.array([100 / per_source[case.source] for case in cases])
    signs = [[1.0, *(float(getattr(case.signs, name)) for name in COUNTS)] for case in cases]
    rows, right = np.array(signs), np.array([case.is_right for case in cases], dtype=float)
    penalty = ridge * np.eye(rows.shape[1])
    penalty[0, 0] = 1e-3
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        odds = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (costs * (right - odds)) - penalty @ weights
        bend = (rows * (costs * odds * (1 - odds) + 1e-6)[:, None]).T @ rows + penalty
        weights += np.linalg.solve(bend, slope)
    return dict(zip(("bias", *COUNTS), weights.round(2).tolist(), strict=True))


async def section(files: Sequence[Path]) -> str:
    """Return the curve on the open cases as a section of the report."""
    cases = [case for path in files async for case in people(path)]
    cases += [case async for case in questions()]
    policy = RecallPolicy()
    return "\n".join(
        (
            "## found, weak, none: risk and coverage",
            "",
            f"{len(cases)} questions, {sum(not case.is_answerable for case in cases)} of which "
            "memory cannot answer. Right: the answer is among the lines shown. Coverage: the share "
            f"of the answerable called found. In force: found from {policy.found_min}, "
            f"weak from {policy.weak_min}.",
            "",
            "```",
            *curve(cases),
            "```",
            "",
        )
    )


def report(cases: Sequence[Case]) -> None:
    """Print the curve of all cases and of each source, and what the defaults say."""
    policy = RecallPolicy()
    for source in (None, *dict.fromkeys(case.source for case in cases)):
        part = [case for case in cases if source in (None, case.source)]
        unanswerable = sum(not case.is_answerable for case in part)
        print(f"\n{source or 'all'}: {len(part)} questions, {unanswerable} cannot be answered")
        print("\n".join(curve(part)))
    print(f"\nin force: found from {policy.found_min}, weak from {policy.weak_min}")


def main() -> None:
    """Read the arguments, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("people", "longmemeval", "locomo"):
        parser.add_argument(f"--{name}", type=Path, action="append", default=[])
    parser.add_argument("--questions", action="store_true", help="ask those of the suites too")
    parser.add_argument("--fit", action="store_true", help="print what each sign should count")
    options = parser.parse_args()
    cases = asyncio.run(collect(options))
    report(cases)
    if options.fit:
        print(json.dumps(fit(cases)))


if __name__ == "__main__":
    main()
