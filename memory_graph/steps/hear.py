"""Which candidate facts are in what the user just said?"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from langchain_core.language_models import BaseChatModel

from memory_graph.llm.ask import Usage
from memory_graph.llm.facts import RULES, Extraction, extract_facts
from memory_graph.policy.gate import decide_gate
from memory_graph.policy.grounding import is_grounded
from memory_graph.policy.secrets import MASK
from memory_graph.records import FactCandidate, MemoryDecision


@dataclass(frozen=True)
class Heard:
    """Candidates, and what became of everything that is none."""

    candidates: tuple[FactCandidate, ...] = ()
    skipped: tuple[MemoryDecision, ...] = ()
    extractor: str = RULES
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Listener:
    """Whoever reads facts out of text: a model, or rules without one."""

    model: BaseChatModel | None
    timeout_s: float

    async def hear(self, texts: Sequence[str], today: date) -> Heard:
        """Read the facts out of the last of `texts`, if the gate thinks it may hold any.

        Raises:
            ModelUnavailableError: If the model does not answer.
        """
        sensitive = (skip("sensitive"),) if MASK in texts[-1] else ()
        gate = decide_gate(texts[-1])
        if not gate.passes:
            return Heard(skipped=sensitive or (skip(gate.reason),))
        found = await extract_facts(texts, self.model, today=today, timeout_s=self.timeout_s)
        clean = [each for each in found.candidates if MASK not in f"{each.statement}{each.value}"]
        by_rules = found.extractor == RULES
        grounded = tuple(each for each in clean if by_rules or is_grounded(each, texts))
        skipped = (*sensitive, *_explained(found, len(clean) - len(grounded)))
        if not grounded and not skipped:
            skipped = (skip("no_fact_stated"),)
        return Heard(grounded, skipped, found.extractor, found.usage)


def skip(reason: str, count: int | None = None) -> MemoryDecision:
    """Return the decision to keep nothing, for how many candidates if that is known."""
    scores = {"candidates": float(count)} if count else {}
    return MemoryDecision(kind="fact", action="skip", reason=reason, scores=scores)


def _explained(found: Extraction, not_said: int) -> list[MemoryDecision]:
    """Return why parts of a model's answer, or all of it, were not used."""
    told = [skip(found.failure)] if found.failure else []
    if found.unusable:
        told.append(skip("unusable_output", found.unusable))
    if not_said:
        told.append(skip("not_said", not_said))
    return told
