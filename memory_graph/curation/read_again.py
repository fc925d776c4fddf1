"""Read with a model what only rules have read, oldest first: what it would cost, and doing it."""

from collections.abc import Sequence
from typing import NamedTuple

from langchain_core.language_models import BaseChatModel

from memory_graph.context import Context
from memory_graph.facts.keeping import keep
from memory_graph.facts.model_reader import SIZE
from memory_graph.facts.reading import Message, decide_gate, read
from memory_graph.language.words import language_of
from memory_graph.llm.ask import tariff_of
from memory_graph.llm.models import patience_with
from memory_graph.reading import read_message
from memory_graph.records import Handling, MemoryDecision, TurnRecord, Usage
from memory_graph.safety.own_voice import own_voice
from memory_graph.settings import get_settings
from memory_graph.store.locks import facts_lock
from memory_graph.store.scope import UserMemory

BY = "read-again"
_CHARACTERS_PER_TOKEN = 4
_ANSWER_TOKENS = 150


class Cost(NamedTuple):
    """What reading some messages takes, as far as it can be said before."""

    messages: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    """Nothing where nobody said what the model costs."""


async def find_read_by_rules(memory: UserMemory) -> list[TurnRecord]:
    """Return the user's messages that may hold facts and that no model has read, oldest first."""
    turns = [
        turn
        for turn in await memory.turns.told()
        if turn.role == "user" and turn.read.by.partition("/")[0] in {"", "rules"}
    ]
    turns.sort(key=lambda turn: (turn.said_at, turn.position))
    gates = [decide_gate(await read_message(own_voice(turn.text))) for turn in turns]
    return [turn for turn, gate in zip(turns, gates, strict=True) if gate == "may_hold_fact"]


def cost_of(turns: Sequence[TurnRecord], model: BaseChatModel) -> Cost:
    """Return what it would cost to read messages with a model."""
    given = sum(SIZE + len(turn.text) // _CHARACTERS_PER_TOKEN for turn in turns)
    usage = Usage(len(turns), given, _ANSWER_TOKENS * len(turns))
    usd = tariff_of(model, get_settings()).cost(usage)
    return Cost(len(turns), given, _ANSWER_TOKENS * len(turns), usd)


async def read_again(
    memory: UserMemory, turn: TurnRecord, model: BaseChatModel, context: Context
) -> tuple[MemoryDecision, ...]:
    """Read one message with a model, as of the day it was said; it replaces nothing said since.

    Raises:
        ModelUnavailableError: If the model does not answer.
    """
    message = Message(
        text=turn.text,
        message_id=turn.source.message_ids[-1] if turn.source.message_ids else turn.id,
        at=turn.said_at,
        zone=context.zone,
        language=language_of(turn.text),
        is_late=True,
    )
    policy = context.policies.admission
    patience = patience_with(model).episode_s
    result = await read(message, memory, model, patience, context)
    async with facts_lock(memory.scope):
        kept = await keep(memory, result, message, turn.source, policy)
        done = turn.model_copy(update={"read": Handling(by=result.by, at=turn.said_at)})
        puts = [*kept.puts, *await memory.turns.puts([done], turn.said_at)]
        await memory.apply(BY, [*result.skipped, *kept.decisions], puts, at=turn.said_at)
    return kept.decisions
