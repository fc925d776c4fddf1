"""What each system gives a reader for a question: memory, two plain searches, everything, grep."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.store.memory import InMemoryStore

from evals.answering.cases import Case, Conversation, Message
from memory_graph import Context, Memory, clock
from memory_graph.embedding import Embedder
from memory_graph.embedding.encoders import count_tokens
from memory_graph.language.words import words_of
from memory_graph.llm.models import ModelLike
from memory_graph.records import RecallFound
from memory_graph.store.index import Context as IndexContext
from memory_graph.store.index import LexicalIndex

SYSTEMS = ("memory", "bm25", "vectors", "grep", "full")


@dataclass(frozen=True)
class Given:
    """What a reader is given for one question."""

    text: str
    verdict: RecallFound | None = None
    tokens: int = field(default=0)

    @property
    def lines(self) -> list[str]:
        """The lines that say something, without the envelope around them."""
        return [line for line in self.text.splitlines() if line.startswith("- ")]


class Remembered:
    """A conversation as memory keeps it, played through its nodes at the times it was said."""

    def __init__(self, conversation: Conversation, model: ModelLike | None) -> None:
        self._conversation = conversation
        context = Context(user_id=conversation.name)
        self._memory = Memory(InMemoryStore(), context=context, model=model)

    async def fill(self) -> None:
        """Let memory hear every exchange."""
        for session, said in groupby(self._conversation.messages, key=lambda each: each.session):
            for exchange in _exchanges([*said]):
                with clock.frozen(exchange[0].at):
                    await self._memory.aadd([*map(_spoken, exchange)], thread_id=session)

    async def ask(self, case: Case) -> Given:
        """Return what a model would be given."""
        with clock.frozen(case.asked_at):
            recalled = await self._memory.arecall(case.question)
        return Given(recalled.block, recalled.found, count_tokens(recalled.block))


def _exchanges(said: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield each message of the user's with the reply to it; what nobody asked for goes before."""
    exchange: list[Message] = []
    for message in said:
        if message.role == "user" and any(each.role == "user" for each in exchange):
            yield exchange
            exchange = []
        if message.text.strip():
            exchange.append(message)
    if any(each.role == "user" for each in exchange):
        yield exchange


def _spoken(message: Message) -> AnyMessage:
    if message.role == "user":
        return HumanMessage(message.text, id=message.message_id, name=message.name)
    return AIMessage(message.text, id=message.message_id)


class Plain:
    """The messages themselves, searched by words or by meaning."""

    def __init__(self, conversation: Conversation, embedder: Embedder) -> None:
        self._messages = conversation.messages
        self._lines = [_line(each) for each in conversation.messages]
        self._embedder = embedder
        self._words = LexicalIndex()
        self._words.put({row: words_of(text) for row, text in enumerate(self._lines)})
        self._vectors: np.typing.NDArray[np.float32] | None = None

    def bm25(self, case: Case, tokens: int) -> Given:
        """Return the best messages by stemmed words, up to so many tokens."""
        scores = self._words.scores(
            words_of(case.question), IndexContext.alone(len(self._messages))
        )
        return self._best(scores, tokens)

    async def vectors(self, case: Case, tokens: int) -> Given:
        """Return the best messages by the vectors of the embedder, up to so many tokens."""
        if self._vectors is None:
            self._vectors = np.asarray(await self._embedder.embed(self._lines))
        [asked] = await self._embedder.embed([case.question])
        return self._best(self._vectors @ np.asarray(asked), tokens)

    def grep(self, case: Case, tokens: int) -> Given:
        """Return the newest lines that hold any word of the question, as an agent greps files."""
        wanted = set(words_of(case.question))
        scores = np.asarray([bool(wanted & set(words_of(line))) for line in self._lines])
        return self._best(scores + np.arange(len(scores)) / (1e6 + len(scores)), tokens)

    def full(self) -> Given:
        """Return everything."""
        text = "\n".join(self._lines)
        return Given(text, None, count_tokens(text))

    def _best(self, scores: "np.typing.NDArray[np.floating]", tokens: int) -> Given:
        chosen: list[str] = []
        left = tokens
        for row in np.argsort(-scores, kind="stable"):
            if left <= 0 or not scores[row]:
                break
            line = self._lines[row]
            cost = count_tokens(line)
            chosen.append(line if cost <= left else line[: 4 * left])
            left -= cost
        text = "\n".join(chosen)
        return Given(text, None, count_tokens(text))


def _line(message: Message) -> str:
    who = message.name or message.role
    return f"- ({message.at:%Y-%m-%d}, {who} said) {' '.join(message.text.split())}"
