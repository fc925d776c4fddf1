"""Ask which patterns repeat in past episodes."""

from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from memory_graph import prompts
from memory_graph.llm.ask import Answer, ask
from memory_graph.llm.fencing import fence, one_line
from memory_graph.records import Episode

PROMPT = "propose_patterns/1"
_LONGEST_EPISODE = 500


class PatternGuess(BaseModel):
    """Something that was done more than once in the same situation."""

    trigger: str = Field(min_length=3, max_length=300, description="When it applies.")
    action: str = Field(min_length=3, max_length=300, description="What was done then.")
    episodes: list[int] = Field(description="Numbers of the episodes in which it was done.")


class PatternGuesses(BaseModel):
    """What repeats; mostly nothing."""

    patterns: list[PatternGuess] = Field(default_factory=list, max_length=10)


async def guess_patterns(
    episodes: Sequence[Episode], model: BaseChatModel, *, timeout_s: float
) -> Answer[PatternGuesses]:
    """Return what was done repeatedly in `episodes`, which are numbered from 1.

    Raises:
        ExtractionError: If the model's answer cannot be used.
    """
    numbered = (f"{n}. {_told(each)}" for n, each in enumerate(episodes, 1))
    prompt = prompts.render("propose_patterns", episodes=fence("episodes", numbered))
    return await ask(model, prompt, PatternGuesses, timeout_s=timeout_s)


def _told(episode: Episode) -> str:
    decided = "; ".join(each.chosen for each in episode.decisions)
    told = f"{episode.title}: {episode.summary} Decided: {decided}" if decided else episode.summary
    return f"({episode.outcome}) {one_line(told, _LONGEST_EPISODE)}"
