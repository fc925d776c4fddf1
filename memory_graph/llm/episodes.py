"""Ask for the story of an exchange, or of one that went on."""

from collections.abc import Sequence
from datetime import date

from langchain_core.language_models import BaseChatModel

from memory_graph import prompts
from memory_graph.llm.ask import Answer, Usage, ask
from memory_graph.llm.fencing import fence, one_line
from memory_graph.llm.offline.summary import summarise as summarise_by_extraction
from memory_graph.policy.exchange import Said
from memory_graph.records import Episode, EpisodeDraft

EXTRACTIVE = "extractive/1"
PROMPT = "summarise_episode/1"
_LONGEST_MESSAGE = 1500


async def summarise(
    said: Sequence[Said], model: BaseChatModel | None, *, today: date, timeout_s: float
) -> Answer[EpisodeDraft]:
    """Return an exchange as an episode's draft.

    Raises:
        ExtractionError: If the model's answer cannot be used.
    """
    if model is None:
        return Answer(summarise_by_extraction(said), Usage())
    prompt = prompts.render("summarise_episode", today=today.isoformat(), exchange=_quoted(said))
    return await ask(model, prompt, EpisodeDraft, timeout_s=timeout_s)


async def resummarise(
    known: Episode, said: Sequence[Said], model: BaseChatModel, *, today: date, timeout_s: float
) -> Answer[EpisodeDraft]:
    """Return a known episode and what followed as one draft, contradictions resolved.

    Raises:
        ExtractionError: If the model's answer cannot be used.
    """
    prompt = prompts.render(
        "merge_episode",
        today=today.isoformat(),
        known=fence("known-episode", [one_line(f"{known.title}: {known.summary}", 1000)]),
        exchange=_quoted(said),
    )
    return await ask(model, prompt, EpisodeDraft, timeout_s=timeout_s)


def _quoted(said: Sequence[Said]) -> str:
    """Quote the conversation: user and assistant only, tool traces left out."""
    spoken = (each for each in said if each.role != "tool" and each.text)
    return fence(
        "exchange", (f"{each.role}: {one_line(each.text, _LONGEST_MESSAGE)}" for each in spoken)
    )
