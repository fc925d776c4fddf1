"""A chat model that gives the replies a test wrote for it."""

import json
from collections.abc import Mapping, Sequence

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import BaseModel, Field, PrivateAttr
from typing_extensions import override


class ScriptedChat(BaseChatModel):
    """Gives its replies in order, and structured answers by the name of their schema.

    `prompts` holds what it was shown, `asked` the names of the structured answers it gave.
    """

    replies: Sequence[str | AIMessage] = ()
    """One per turn of the agent; an `AIMessage` may call tools."""

    otherwise: str | None = None
    """The reply after the script has ended. By default, another call fails the test."""

    answers: Mapping[str, Mapping[str, object]] = Field(default_factory=dict)
    """Structured answers, such as `{"MessageRead": {"facts": []}}`."""

    _prompts: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _asked: list[str] = PrivateAttr(default_factory=list)

    @property
    def prompts(self) -> list[list[BaseMessage]]:
        """What the model was shown, call by call."""
        return self._prompts

    @property
    def asked(self) -> list[str]:
        """Which structured answers it was asked for."""
        return self._asked

    @property
    def calls(self) -> int:
        """How often it was called, structured or not."""
        return len(self._prompts) + len(self._asked)

    @property
    @override
    def _llm_type(self) -> str:
        return "memory-graph-scripted"

    @override
    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        self._prompts.append(list(messages))
        return ChatResult(generations=[ChatGeneration(message=self._reply())])

    @override
    def bind_tools(
        self, tools: Sequence[object], **kwargs: object
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Return itself: the script decides which tools are called."""
        return self

    @override
    def with_structured_output(
        self, schema: dict[str, object] | type, *, include_raw: bool = False, **kwargs: object
    ) -> Runnable[LanguageModelInput, dict[str, object] | BaseModel]:
        """Return a model that answers from `answers`."""

        def answer(_: LanguageModelInput) -> dict[str, object] | BaseModel:
            name = str(schema["title"]) if isinstance(schema, dict) else schema.__name__
            self._asked.append(name)
            if name not in self.answers:
                raise AssertionError(f"The script has no answer for {name!r}.")
            given = dict(self.answers[name])
            is_model = isinstance(schema, type) and issubclass(schema, BaseModel)
            parsed = schema.model_validate(given) if is_model else given  # type: ignore[union-attr]
            raw = AIMessage(json.dumps(given))
            return {"raw": raw, "parsed": parsed, "parsing_error": None} if include_raw else parsed

        return RunnableLambda(answer)

    def _reply(self) -> AIMessage:
        said = len(self._prompts) - 1
        if said < len(self.replies):
            reply = self.replies[said]
        elif self.otherwise is not None:
            reply = self.otherwise
        else:
            raise AssertionError(f"The script has {len(self.replies)} replies and needs another.")
        return AIMessage(reply) if isinstance(reply, str) else reply.model_copy()
