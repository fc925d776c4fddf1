"""Ask for the facts in what a user said, and whether two statements are one fact."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Self

from langchain_core.language_models import BaseChatModel
from pydantic import (
    BaseModel,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)

from memory_graph import prompts
from memory_graph.llm.ask import Usage, ask
from memory_graph.llm.fencing import fence, one_line
from memory_graph.llm.offline.same_fact import is_same_fact
from memory_graph.records import FactCandidate

RULES = "rules/1"
PROMPT = "extract_facts/1"
_LONGEST_TURN = 2000


class ExtractedFacts(BaseModel):
    """The facts a message states; mostly none."""

    facts: list[FactCandidate] = Field(default_factory=list, max_length=20)
    _unusable: int = PrivateAttr(default=0)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_what_is_usable(cls, value: object, build: ModelWrapValidatorHandler[Self]) -> Self:
        """Drop single facts that do not fit, instead of the whole answer."""
        offered = value.get("facts", []) if isinstance(value, dict) else []
        usable = [fact for each in offered if (fact := _usable(each))]
        built = build({"facts": usable[:20]})
        built._unusable = len(offered) - len(usable)
        return built

    @property
    def unusable(self) -> int:
        """How many facts of the answer had to be dropped."""
        return self._unusable


class SameFacts(BaseModel):
    """One answer per pair, in order."""

    same: list[bool]


@dataclass(frozen=True)
class Extraction:
    """Candidates, who proposed them and at what price."""

    candidates: tuple[FactCandidate, ...]
    extractor: str = RULES
    unusable: int = 0
    usage: Usage = field(default_factory=Usage)


async def extract_facts(
    texts: Sequence[str], model: BaseChatModel | None, *, today: date, timeout_s: float
) -> Extraction:
    """Return the facts in the last of the user's `texts`, oldest first.

    Raises:
        ExtractionError: If the model's answer cannot be used.
    """
    if model is None:
        from memory_graph.llm.offline import facts as rules  # noqa: PLC0415 — a large grammar

        return Extraction(rules.extract_facts(texts, today=today))
    turns = fence("user-turns", (f"- {one_line(text, _LONGEST_TURN)}" for text in texts))
    prompt = prompts.render("extract_facts", today=today.isoformat(), turns=turns)
    answer = await ask(model, prompt, ExtractedFacts, timeout_s=timeout_s)
    return Extraction(tuple(answer.reply.facts), PROMPT, answer.reply.unusable, answer.usage)


async def are_same_facts(
    pairs: Sequence[tuple[str, str]], model: BaseChatModel | None, *, timeout_s: float
) -> tuple[list[bool], Usage]:
    """Say for each (old, new) pair whether the new statement replaces the old: one call for all.

    Raises:
        ExtractionError: If the model's answer cannot be used.
    """
    if model is None:
        return [is_same_fact(old, new) for old, new in pairs], Usage()
    lines = (f"{n}. old: {old} | new: {new}" for n, (old, new) in enumerate(pairs, 1))
    prompt = prompts.render("same_fact", pairs=fence("pairs", lines))
    answer = await ask(model, prompt, SameFacts, timeout_s=timeout_s)
    told = answer.reply.same[: len(pairs)]
    return [*told, *([False] * (len(pairs) - len(told)))], answer.usage


def _usable(offered: object) -> FactCandidate | None:
    try:
        return FactCandidate.model_validate(offered)
    except ValidationError:
        return None
