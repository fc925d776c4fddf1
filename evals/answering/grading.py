"""A reader that answers from what it is given, and a judge with the benchmark's own prompt."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from string import Template

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from evals.answering.cases import Case
from evals.answering.contexts import Given

_FOLDER = Path(__file__).parent
_MORE: Mapping[str, str] = {
    "temporal-reasoning": " In addition, do not penalize off-by-one errors for the number of days.",
    "knowledge-update": " If the response contains some previous information along with an updated "
    "answer, the response should be considered as correct as long as the updated answer is the "
    "required answer.",
    "single-session-preference": " The correct answer is a rubric for a personalised response: the "
    "response need not reflect all points of it, as long as it recalls and uses the user's "
    "personal information correctly.",
}


@dataclass(frozen=True)
class Said:
    """What a model said, and what that cost in tokens."""

    text: str
    tokens_in: int
    tokens_out: int


def prompt(name: str) -> Template:
    """Return one of the prompts beside this module."""
    return Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def hashes() -> dict[str, str]:
    """Return a mark of each prompt, for the card of a run."""
    names = ("read", "judge", "judge_abstention")
    return {n: sha256(prompt(n).template.encode()).hexdigest()[:12] for n in names}


async def read(reader: BaseChatModel, case: Case, given: Given) -> Said:
    """Let a reader answer a question from what it is given."""
    text = prompt("read").substitute(
        today=case.asked_at.date(), notes=given.text or "(none)", question=case.question
    )
    return await _say(reader, text)


async def judge(model: BaseChatModel, case: Case, response: str) -> tuple[bool, Said]:
    """Let a judge say whether a response is right."""
    name = "judge" if case.is_answerable else "judge_abstention"
    slots = {"question": case.question, "answer": case.answer, "response": response}
    if case.is_answerable:
        slots["more"] = _MORE.get(case.kind, "")
    said = await _say(model, prompt(name).substitute(slots))
    return said.text.strip().casefold().startswith("yes"), said


async def _say(model: BaseChatModel, text: str) -> Said:
    answer = await model.ainvoke([HumanMessage(text)])
    usage = answer.usage_metadata or {"input_tokens": len(text) // 4, "output_tokens": 0}
    return Said(str(answer.text), usage["input_tokens"], usage["output_tokens"])
