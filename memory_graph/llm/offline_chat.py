"""The chat model of offline mode: the same interface, with answers from memory only."""

import re
from collections.abc import Iterator, Sequence

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from typing_extensions import override

from memory_graph.language.frames import Frames, frames_for
from memory_graph.records import RecallFound

PROVIDER = "memory-graph-offline"
_MARK = {"model_provider": PROVIDER}
"""Equal in all pieces of a streamed reply, so that joining them keeps it as it is."""


def is_from_memory(message: AIMessage) -> bool:
    """Say whether memory itself wrote a reply: it tells nothing that memory does not hold."""
    return message.response_metadata.get("model_provider") == PROVIDER


class OfflineChat(BaseChatModel):
    """Says that something was noted, what was recalled, and when nothing was."""

    answers: Sequence[str] = ()
    asks: bool = False
    found: RecallFound = "none"
    is_partial: bool = False
    language: str = "en"
    aside: str = ""
    """What to say to small talk, where nothing was told or asked."""

    off: str = ""
    """Why memory is off, if it is: then nothing is noted, and nothing known."""

    is_first: bool = False
    """The thread begins: say once what can be expected without a model."""

    @property
    @override
    def _llm_type(self) -> str:
        return PROVIDER

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        reply = AIMessage(self._reply(), response_metadata=dict(_MARK))
        return ChatResult(generations=[ChatGeneration(message=reply)])

    @override
    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        return self._generate(messages)

    @override
    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> Iterator[ChatGenerationChunk]:
        for piece in re.findall(r"\S+\s*", self._reply()):
            chunk = ChatGenerationChunk(
                message=AIMessageChunk(content=piece, response_metadata=dict(_MARK))
            )
            if run_manager:
                run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk

    def _reply(self) -> str:
        if self.off:
            return self.off
        frames = frames_for(self.language)
        told = self._answer(frames) if self.asks else self.aside or frames["noted"]
        return f"{frames['start']} {told}" if self.is_first else told

    def _answer(self, frames: Frames) -> str:
        if self.found == "none" or not self.answers:
            return frames["unknown"]
        told = " ".join(self.answers)
        if self.found == "weak":
            return frames.unsure(told)
        return f"{told} {frames['rest']}" if self.is_partial else told
