"""The chat model of offline mode: the same interface, with a reply that memory gives."""

import re
from collections.abc import Iterator

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from typing_extensions import override

from memory_graph.state import OFFLINE_PROVIDER

_MARK = {"model_provider": OFFLINE_PROVIDER}
"""Equal in all pieces of a streamed reply, so that joining them keeps it as it is."""


class OfflineChat(BaseChatModel):
    """Says what memory has to say, word by word where the reply is streamed."""

    reply: str = ""

    @property
    @override
    def _llm_type(self) -> str:
        return OFFLINE_PROVIDER

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        reply = AIMessage(self.reply, response_metadata=dict(_MARK))
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
        for piece in re.findall(r"\S+\s*", self.reply):
            chunk = ChatGenerationChunk(
                message=AIMessageChunk(content=piece, response_metadata=dict(_MARK))
            )
            if run_manager:
                run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk
