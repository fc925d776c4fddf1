"""A chat model that follows a script, to compare what memory costs and decides.

Both systems of a comparison ask it through the same door, tool calls; what it answers is the
label of the case, so that what is compared is the machinery around it.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import ToolCall, tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr
from typing_extensions import override

from memory_graph.records import FactCandidate

Care = Literal["careful", "hasty"]
"""A careful model replaces the old memory if it is shown it; a hasty one only ever adds."""

_CHARACTERS = 4
"""Per token, roughly, in English; the same estimate for everybody."""

_INSTANCE = re.compile(r"<instance id=(\w+) [^>]*>\n(.*?)\n</instance>", re.DOTALL)


@dataclass
class Script:
    """What the model knows about the turn at hand."""

    care: Care = "careful"
    facts: Sequence[FactCandidate] = ()
    """What the message states."""

    text: str = ""
    old: str = ""
    """The statement that this turn replaces or ends; empty: none."""

    ends: bool = False


@dataclass
class Spent:
    """What was asked of the model."""

    calls: int = 0
    tokens: int = 0


@dataclass
class _Prompt:
    text: str
    tools: dict[str, object] = field(default_factory=dict)


class ScriptedModel(BaseChatModel):
    """Answers every request with what its script says."""

    _script: Script = PrivateAttr(default_factory=Script)
    _spent: Spent = PrivateAttr(default_factory=Spent)

    @property
    def spent(self) -> Spent:
        """What was asked so far."""
        return self._spent

    def follow(self, script: Script) -> None:
        """Take up the script of another turn."""
        self._script = script

    @property
    @override
    def _llm_type(self) -> str:
        return "scripted"

    @override
    def bind_tools(
        self,
        tools: Sequence[dict[str, object] | type | Callable[..., object] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: object,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        offered = kwargs.get("tools")
        tools = {t["function"]["name"]: t for t in offered} if isinstance(offered, list) else {}
        prompt = _Prompt("\n".join(str(message.content) for message in messages), tools)
        self._spent.calls += 1
        self._spent.tokens += (len(prompt.text) + len(json.dumps(tools))) // _CHARACTERS
        reply = AIMessage("", tool_calls=_answer(self._script, prompt))
        return ChatResult(generations=[ChatGeneration(message=reply)])


def _answer(script: Script, prompt: _Prompt) -> list[ToolCall]:
    if "ExtractedFacts" in prompt.tools:
        facts = [fact.model_dump(mode="json") for fact in script.facts]
        return [_call("ExtractedFacts", {"facts": facts})]
    if "SameFacts" in prompt.tools:
        pairs = prompt.text.count(". old: ")
        same = bool(script.old) and script.care == "careful"
        return [_call("SameFacts", {"same": [same] * pairs})]
    return _manage(script, prompt)


def _manage(script: Script, prompt: _Prompt) -> list[ToolCall]:
    """Answer as an agent that manages its memories by tools: patch, remove or insert."""
    known = {text: doc_id for doc_id, text in _INSTANCE.findall(prompt.text)}
    doc_id = next((i for text, i in known.items() if script.old and script.old in text), None)
    if doc_id is None or script.care == "hasty":
        return [_call("Memory", {"content": script.text})] if script.facts else []
    if script.ends and "RemoveDoc" in prompt.tools:
        return [_call("RemoveDoc", {"json_doc_id": doc_id})]
    patch = {"op": "replace", "path": "/content", "value": script.text}
    edits = {"json_doc_id": doc_id, "planned_edits": "replace the content", "patches": [patch]}
    return [_call("PatchDoc", edits)]


def _call(name: str, arguments: dict[str, object]) -> ToolCall:
    return tool_call(name=name, args=arguments, id=f"call-{name}")
