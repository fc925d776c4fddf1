"""The chat model of offline mode: same interface, answers from memory only."""

import re
from collections.abc import Iterator, Sequence

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from typing_extensions import override

from memory_graph.llm.offline.reply import NOTHING_ELSE, compose_reply
from memory_graph.policy.recall import RecallFound


class OfflineChat(BaseChatModel):
    """Says what was noted and what was recalled, and when nothing was."""

    noted: Sequence[str] = ()
    answers: Sequence[str] = ()
    asks: bool = False
    found: RecallFound = "none"
    is_partial: bool = False

    @property
    @override
    def _llm_type(self) -> str:
        return "memory-graph-offline"

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self._reply()))])

    @override
    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> Iterator[ChatGenerationChunk]:
        for piece in re.findall(r"\S+\s*", self._reply()):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager:
                run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk

    def _reply(self) -> str:
        reply = compose_reply(self.noted, self.answers, asks=self.asks, found=self.found)
        return f"{reply} {NOTHING_ELSE}" if self.is_partial else reply
