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


def extract(said: Sequence[Said], *, new: Sequence[Said]) -> Answer[EpisodeDraft]:
    """Return an exchange as an episode's draft, made of its own sentences."""
    return Answer(summarise_by_extraction(said, new=new), Usage())


def summary_prompt(said: Sequence[Said], today: date) -> str:
    """Return what a model is asked to make an exchange an episode's draft."""
    return prompts.render("summarise_episode", today=today.isoformat(), exchange=_quoted(said))


def merge_prompt(known: Episode, said: Sequence[Said], today: date) -> str:
    """Return what a model is asked to tell a known episode and what followed as one."""
    return prompts.render(
        "merge_episode",
        today=today.isoformat(),
        known=fence("known-episode", [one_line(f"{known.title}: {known.summary}", 1000)]),
        exchange=_quoted(said),
    )


async def summarise(prompt: str, model: BaseChatModel, *, timeout_s: float) -> Answer[EpisodeDraft]:
    """Return the draft a model answers with.

    Raises:
        ExtractionError: If the answer cannot be used, or does not come in time.
    """
    return await ask(model, prompt, EpisodeDraft, timeout_s=timeout_s)


def _quoted(said: Sequence[Said]) -> str:
    """Quote the conversation: user and assistant only, tool traces left out."""
    spoken = (each for each in said if each.role != "tool" and each.text)
    return fence(
        "exchange", (f"{each.role}: {one_line(each.text, _LONGEST_MESSAGE)}" for each in spoken)
    )
