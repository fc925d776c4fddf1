"""Let the agent retrace which decisions led to which outcome."""

from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel, Field

from memory_graph.policy.decision_graph import draw_mermaid
from memory_graph.policy.decision_rendering import render_decisions
from memory_graph.storage.scope import open_memory
from memory_graph.tools.calls import Runtime, answers_in_words


class DecisionSequenceArgs(BaseModel):
    """Arguments of `get_decision_sequence`."""

    episode_id: str = Field(min_length=1, description="Id of the episode, from a search.")
    diagram: bool = Field(default=False, description="Add causes and effects as a Mermaid chart.")


@tool(args_schema=DecisionSequenceArgs)
@answers_in_words
async def get_decision_sequence(episode_id: str, runtime: Runtime, diagram: bool = False) -> str:
    """Retrace the decisions of one episode in order, each with its outcome and effects."""
    episode = await open_memory(runtime, runtime.config).episodes.get(episode_id)
    told = render_decisions(episode)
    return f"{told}\n{draw_mermaid(episode)}" if diagram and episode.decisions else told


DECISION_TOOLS: tuple[BaseTool, ...] = (get_decision_sequence,)
