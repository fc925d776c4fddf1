"""How well are facts found, kept apart and updated? Offline, or with any configured model.

Run `python -m evals.facts [--failures] [--model NAME]`.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Iterable, Sequence

from langchain_core.language_models import BaseChatModel

from evals.fact_cases import (
    TODAY,
    Judgement,
    LabelledFact,
    Message,
    Pair,
    Score,
    load,
    only,
)
from evals.fact_updates import TIMEOUT_S, Outcome, run_pair, score_updates, wrongful_retirement
from memory_graph.context import Context
from memory_graph.llm.facts import are_same_facts
from memory_graph.llm.models import models_for
from memory_graph.policy.gate import decide_gate
from memory_graph.policy.keys import canonical, normalise
from memory_graph.records import FactCandidate
from memory_graph.steps.hear import Listener

Label = tuple[str, str, str, bool]


def score_gate(messages: Sequence[Message]) -> Score:
    """Count messages the gate let through."""
    passed = [message for message in messages if decide_gate(message.text).passes]
    return Score(
        right=sum(message.gate == "pass" for message in passed),
        proposed=len(passed),
        wanted=sum(message.gate == "pass" for message in messages),
    )


def score_extraction(messages: Sequence[Message], found: Sequence[set[Label]]) -> Score:
    """Count facts found behind the gate."""
    wanted = [labelled(message) for message in messages]
    right = sum(len(f & w) for f, w in zip(found, wanted, strict=True))
    return Score(right, sum(map(len, found)), sum(map(len, wanted)))


async def score_judge(cases: Sequence[Judgement], model: BaseChatModel | None) -> Score:
    """Count statements taken for the same fact."""
    pairs = [(case.old, case.new) for case in cases]
    same, _ = await are_same_facts(pairs, model, timeout_s=TIMEOUT_S)
    right = sum(told and case.same for told, case in zip(same, cases, strict=True))
    return Score(right, sum(same), sum(case.same for case in cases))


async def extract(message: Message, model: BaseChatModel | None) -> tuple[set[Label], float]:
    """Return a message's facts as labels, and the milliseconds that took."""
    start = time.perf_counter()
    heard = await Listener(model, TIMEOUT_S).hear((*message.history, message.text), TODAY)
    spent = (time.perf_counter() - start) * 1000
    return labels_of(heard.candidates), spent


def labels_of(candidates: Iterable[FactCandidate]) -> set[Label]:
    """Return candidates as they are compared with labels."""
    return {_label(canonical(each)) for each in candidates}


def labelled(message: Message) -> set[Label]:
    """Return a message's own labels."""
    return {_label(fact) for fact in message.facts}


def _label(fact: LabelledFact | FactCandidate) -> Label:
    attribute, value = normalise(fact.attribute or ""), normalise(fact.value or "")
    return normalise(fact.entity), attribute, value, fact.retracts


async def _report(split: str, cases: "Cases", model: BaseChatModel | None) -> None:
    extracted = [await extract(message, model) for message in cases.messages]
    outcomes = [await run_pair(pair, model) for pair in cases.pairs]
    gate, judged = score_gate(cases.messages), await score_judge(cases.judgements, model)
    facts = score_extraction(cases.messages, [found for found, _ in extracted])
    updates, (wrong, of) = score_updates(outcomes), wrongful_retirement(outcomes)
    p95 = statistics.quantiles([spent for _, spent in extracted], n=20)[-1]
    print(f"{split}: {len(cases.messages)} messages, {len(cases.pairs)} pairs")
    print(f"  gate        precision {gate.precision:.3f}  recall {gate.recall:.3f}")
    print(f"  extraction  {_told(facts)}  p95 {p95:.2f} ms")
    print(f"  updates     {_told(updates)}  wrongful retirement {wrong:.3f} of {of}")
    print(f"  same fact   {_told(judged)}  of {len(cases.judgements)}")
    if cases.list_failures:
        _list_failures(cases.messages, [found for found, _ in extracted], outcomes)


def _told(score: Score) -> str:
    return f"precision {score.precision:.3f}  recall {score.recall:.3f}  F1 {score.f1:.3f}"


def _list_failures(
    messages: Sequence[Message], found: Sequence[set[Label]], outcomes: Sequence[Outcome]
) -> None:
    for message, facts in zip(messages, found, strict=True):
        wanted = labelled(message)
        if facts != wanted:
            print(f"{message.id} {message.text!r}")
            print(f"  missing {wanted - facts}  extra {facts - wanted}")
        if decide_gate(message.text).passes != (message.gate == "pass"):
            print(f"{message.id} {decide_gate(message.text)} {message.text!r}")
    for each in outcomes:
        if not each.is_right:
            pair = each.pair
            print(f"{pair.id} {pair.relation}: {pair.old!r} -> {pair.new!r} {each.retired}")


class Cases:
    """The cases of one split."""

    def __init__(self, split: str, *, list_failures: bool) -> None:
        self.list_failures = list_failures and split == "tune"
        name = "tune" if split == "tune" else "check"
        self.messages = only(name, load("messages.jsonl", Message.model_validate_json))
        self.pairs = only(name, load("fact_pairs.jsonl", Pair.model_validate_json))
        self.judgements = only(name, load("same_fact.jsonl", Judgement.model_validate_json))


async def main() -> None:
    """Print the numbers of both splits; `--failures` lists those of the tune split."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--failures", action="store_true", help="list what the tune split gets")
    parser.add_argument("--model", help="name of a model on the configured endpoint")
    args = parser.parse_args()
    model = models_for(Context(user_id="eval", model=args.model)).extraction if args.model else None
    for split in ("tune", "check"):
        await _report(split, Cases(split, list_failures=args.failures), model)


if __name__ == "__main__":
    asyncio.run(main())
