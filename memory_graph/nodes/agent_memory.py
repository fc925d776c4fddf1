"""What is an agent told from memory, in words for its prompt?"""

from collections.abc import Mapping

from memory_graph import prompts
from memory_graph.policy.recall import RecallFound
from memory_graph.state import RecallNote

_HONEST: dict[RecallFound, str] = {
    "found": "The user is asking about the past, and memory holds an answer.",
    "weak": "The user may be asking about the past; what is below fits only loosely. Say so.",
    "none": "The user is asking about something you have no memory of: say so, invent nothing.",
}


def recall_hint(recall: RecallNote | None) -> str:
    """Say how far memory answers a question about the past; nothing for other messages."""
    note = recall or RecallNote()
    asks = note.get("intent", "none") != "none"
    return _HONEST[note.get("found", "none")] if asks else ""


def agent_memory(state: Mapping[str, object]) -> str:
    """Return what any agent's prompt gets from memory; empty when there is nothing to say."""
    recall = state.get("memory_recall")
    memory, hint = str(state.get("memory_context") or ""), recall_hint(recall)  # type: ignore[arg-type]
    if not memory and not hint:
        return ""
    return prompts.render("agent_memory", memory=memory or "(nothing yet)", recall=hint)
