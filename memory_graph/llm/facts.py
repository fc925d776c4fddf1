"""Ask for the facts in what a user said, and whether two statements are one fact."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Self

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field, ModelWrapValidatorHandler, PrivateAttr, model_validator

from memory_graph import prompts
from memory_graph.errors import ExtractionError
from memory_graph.llm.ask import Usage, ask
from memory_graph.llm.candidates import read_candidates
from memory_graph.llm.fencing import fence, one_line
from memory_graph.llm.offline.same_fact import is_same_fact
from memory_graph.records import FactCandidate

RULES = "rules/1"
PROMPT = "extract_facts/2"
_LONGEST_TURN = 2000
_LONGEST_STATEMENT = 500


class ExtractedFacts(BaseModel):
    """The facts a message states; mostly none."""

    facts: list[FactCandidate] = Field(default_factory=list)
    _unusable: int = PrivateAttr(default=0)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_what_is_usable(cls, value: object, build: ModelWrapValidatorHandler[Self]) -> Self:
        """Drop single facts that do not fit, instead of the whole answer."""
        usable, unusable = read_candidates(_offered(value))
        built = build({"facts": usable})
        built._unusable = unusable
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
    """How many facts of a model's answer had to be dropped."""

    failure: str | None = None
    """Why the rules had to read instead of the model."""

    usage: Usage = field(default_factory=Usage)


async def extract_facts(
    texts: Sequence[str], model: BaseChatModel | None, *, today: date, timeout_s: float
) -> Extraction:
    """Return the facts in the last of the user's `texts`, oldest first.

    Where the model's answer cannot be used, the rules read the text instead.

    Raises:
        ModelUnavailableError: If the model does not answer.
    """
    if model is None:
        return Extraction(_by_rules(texts, today))
    turns = fence("user-turns", (f"- {one_line(text, _LONGEST_TURN)}" for text in texts))
    prompt = prompts.render("extract_facts", today=today.isoformat(), turns=turns)
    try:
        answer = await ask(model, prompt, ExtractedFacts, timeout_s=timeout_s)
    except ExtractionError as error:
        unknown = Usage(1, None, None)
        return Extraction(_by_rules(texts, today), failure=error.reason, usage=unknown)
    return Extraction(tuple(answer.reply.facts), PROMPT, answer.reply.unusable, usage=answer.usage)


async def are_same_facts(
    pairs: Sequence[tuple[str, str]], model: BaseChatModel | None, *, timeout_s: float
) -> tuple[list[bool], Usage]:
    """Say for each (old, new) pair whether the new statement replaces the old: one call for all.

    Where the model's answer cannot be used, the rules judge instead.

    Raises:
        ModelUnavailableError: If the model does not answer.
    """
    by_rules = [is_same_fact(old, new) for old, new in pairs]
    if model is None:
        return by_rules, Usage()
    try:
        return await ask_same_facts(pairs, model, timeout_s=timeout_s)
    except ExtractionError:
        return by_rules, Usage(1, None, None)


async def ask_same_facts(
    pairs: Sequence[tuple[str, str]], model: BaseChatModel, *, timeout_s: float
) -> tuple[list[bool], Usage]:
    """Ask a model about each (old, new) pair; what it does not mention is not the same.

    Raises:
        ExtractionError: If the answer does not fit.
        ModelUnavailableError: If it does not come.
    """
    lines = (
        f"{n}. old: {one_line(old, _LONGEST_STATEMENT)} | new: {one_line(new, _LONGEST_STATEMENT)}"
        for n, (old, new) in enumerate(pairs, 1)
    )
    prompt = prompts.render("same_fact", pairs=fence("pairs", lines))
    answer = await ask(model, prompt, SameFacts, timeout_s=timeout_s)
    told = answer.reply.same[: len(pairs)]
    return [*told, *([False] * (len(pairs) - len(told)))], answer.usage


def _by_rules(texts: Sequence[str], today: date) -> tuple[FactCandidate, ...]:
    from memory_graph.llm.offline import facts as rules  # noqa: PLC0415 — a large grammar

    return rules.extract_facts(texts, today=today)


def _offered(answer: object) -> Sequence[object]:
    """Return the list of facts in an answer, also where its envelope was left out.

    Raises:
        ValueError: If there is none.
    """
    if isinstance(answer, dict):
        answer = [answer] if "statement" in answer else answer.get("facts", [] if not answer else 0)
    if not isinstance(answer, list):
        raise ValueError("no list of facts")
    return answer
