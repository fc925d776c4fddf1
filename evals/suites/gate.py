"""The gate passes what states something and saves calls on small talk and plain requests."""

from collections.abc import Sequence
from itertools import chain

import yaml

from evals.harness.runner import CASES, Bar, CaseSuite, Figure, Score, Setup, Split
from evals.suites.fact_cases import MESSAGES, read_messages
from evals.suites.people import DEV, SEALED, read_people
from evals.tuning.heads.cases import HANDS, Case, load_cases
from memory_graph.facts.reading import decide_gate
from memory_graph.reading import read_message
from memory_graph.safety.own_voice import own_voice

LANGUAGES = ("en", "de", "es", "fr", "zh")
OTHER = "other languages"
OTHER_HAND = "gate_other_hand.yaml"
_TOLD, _DROPPED = 0.98, 0.6


async def score(setup: Setup) -> list[Score]:
    """Ask the gate about the messages it was not fitted on, language by language.

    What people tell in whole conversations, and messages by another hand, are counted too. Older
    English messages, which the heads saw, are the part that may be looked at.
    """
    told = [each.text for each in read_messages() if each.gate == "pass"]
    older = await _score("older messages", told, [], [], "tune")
    if not setup.held_back:
        return [older]
    sealed = [case for case in load_cases() if case.split == "sealed"]
    groups = {name: [c for c in sealed if _group(c) == name] for name in (*LANGUAGES, OTHER)}
    return [
        older,
        *[
            await _score(name, *_joined(_parts(cases), _written(name)), "check")
            for name, cases in groups.items()
        ],
    ]


def _group(case: Case) -> str:
    return case.lang if case.lang in LANGUAGES else OTHER


def _parts(cases: Sequence[Case]) -> "Parts":
    """Return the messages that tell something, and those that only chat or request."""
    telling = [case for case in cases if case.labels["durable"] or case.labels["corrects"]]
    nothing = [case for case in cases if case not in telling]
    small = [case.text for case in nothing if case.labels["small"]]
    return [c.text for c in telling], small, [c.text for c in nothing if c.labels["request"]]


Parts = tuple[list[str], list[str], list[str]]


def _written(language: str) -> Parts:
    """Return what was written for the gate alone, with what people tell in conversations."""
    people = chain.from_iterable(read_people(CASES / name) for name in (*DEV, *SEALED))
    told = [
        turn.say
        for person in people
        if person.language == language
        for turn in person.turns
        if turn.fact
    ]
    other = yaml.safe_load((CASES / OTHER_HAND).read_text(encoding="utf-8")).get(language, {})
    return told + other.get("told", []), other.get("small", []), other.get("requests", [])


def _joined(one: Parts, other: Parts) -> Parts:
    told, small, requests = (a + b for a, b in zip(one, other, strict=True))
    return told, small, requests


async def _score(
    name: str, told: Sequence[str], small: Sequence[str], requests: Sequence[str], part: Split
) -> Score:
    figures = {
        "told, passed": Figure(await _passed(told), len(told), _TOLD),
        "small talk dropped": Figure(len(small) - await _passed(small), len(small), _DROPPED),
        "requests dropped": Figure(
            len(requests) - await _passed(requests), len(requests), _DROPPED
        ),
    }
    short = [f"{label} {figure}" for label, figure in figures.items() if not figure.holds]
    return Score(
        case_id=name,
        passed=not short,
        value=figures["told, passed"].share,
        why=", ".join(short) or "as promised",
        tier="should",
        part=part,
        figures=figures,
    )


async def _passed(texts: Sequence[str]) -> int:
    readings = [await read_message(own_voice(text)) for text in texts]
    return sum(decide_gate(reading) == "may_hold_fact" for reading in readings)


SUITE = CaseSuite(
    name="gate",
    promise="What states a fact is read, in any language; small talk and requests cost nothing.",
    files=(*(f"heads/{name}.jsonl" for name in HANDS), MESSAGES, OTHER_HAND, *DEV, *SEALED),
    bar=Bar(tuned="the heads: evals/tuning/heads/README.md"),
    score=score,
)
