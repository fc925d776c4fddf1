"""A second message changes a fact, or outdates a quotation, exactly when it corrects or ends it."""

import re
from datetime import timedelta

from langgraph.store.memory import InMemoryStore

from evals.harness.runner import Bar, CaseSuite, Score, Setup, scored
from evals.harness.scorers import same_label
from evals.suites.fact_cases import MAY_CHANGE, MUST_CHANGE, TODAY, Pair, load
from evals.suites.fact_extraction import NoAnswerError, extract
from memory_graph.errors import ModelUnavailableError
from memory_graph.facts.keeping import keep
from memory_graph.keys import turn_record_id
from memory_graph.records import MemoryDecision, Source, TurnRecord
from memory_graph.settings import get_settings
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

FILE = "fact_pairs.jsonl"
_CHANGES = frozenset({"update", "retract"})


def read_pairs() -> list[Pair]:
    """Return the labelled pairs whose relation says what must happen."""
    pairs = load(FILE, Pair.model_validate_json)
    return [pair for pair in pairs if pair.relation not in MAY_CHANGE]


async def score(setup: Setup) -> list[Score]:
    """Give each pair to a fresh memory, one message after the other."""
    pairs = setup.some(read_pairs(), lambda pair: pair.id)
    return [await judge_one(pair, setup) for pair in pairs]


async def judge_one(pair: Pair, setup: Setup) -> Score:
    """Tell a fresh memory both messages, and say what it holds then."""
    wanted = "change" if pair.relation in MUST_CHANGE else "leave"
    try:
        got = await _outcome(pair, setup)
    except (NoAnswerError, ModelUnavailableError):
        got = "no answer"
    return scored(pair.id, same_label(wanted, got, positive="change"), wanted=wanted, got=got)


async def _outcome(pair: Pair, setup: Setup) -> str:
    memory = memory_of(Owner(f"eval-{pair.id}"), InMemoryStore())
    await remember(memory, (pair.old,), setup)
    decisions = await remember(memory, (pair.old, pair.new), setup)
    if any(turn.outdated_at for turn in await memory.turns.all()):
        return "change"
    if not any(each.action in _CHANGES for each in decisions):
        return "leave"
    current = await memory.facts.current()
    told = " ".join(f"{each.statement} {each.value or ''}" for each in current)
    return "change" if ends_right(pair, told) else "a change to something else"


_NUMBERS = {word: str(n) for n, word in enumerate("zero one two three four five six".split())}


def ends_right(pair: Pair, told: str) -> bool:
    """Say whether memory ends with the new names and numbers, and without those they replace.

    Only of a correction, and only where both messages name some: `no` is no name of a value.
    """
    new, old = _telling(pair.new) - _telling(pair.old), _telling(pair.old) - _telling(pair.new)
    if pair.relation != "correct" or not new or not old:
        return True
    return bool(new & _telling(told)) and not old <= _telling(told)


def _telling(text: str) -> set[str]:
    """Return the names and numbers of a text; a sentence's first word is no name by itself."""
    words = re.findall(r"(?<![.!?] )(?<!^)\b[A-Z]\w+|\b\d+|\b[a-z]+", text)
    return {
        _NUMBERS.get(word.casefold(), word.casefold())
        for word in words
        if word[0].isupper() or word[0].isdigit() or word in _NUMBERS
    }


async def remember(
    memory: UserMemory, texts: tuple[str, ...], setup: Setup
) -> tuple[MemoryDecision, ...]:
    """Process the last of the user's messages, as the hot path does.

    Raises:
        NoAnswerError: If the run has a model, and it fails.
    """
    policy = get_settings().admission
    message, result = await extract(texts, TODAY + timedelta(days=len(texts)), setup, memory)
    source = Source(thread_id="eval", message_ids=(message.message_id,))
    kept = await keep(memory, result, message, source, policy)
    said = TurnRecord(
        id=turn_record_id(source, "user"),
        text=message.text,
        speaker="user",
        session="eval",
        position=len(texts),
        said_at=message.at,
        source=source,
    )
    await memory.commit([*kept.puts, *await memory.turns.puts([said], message.at)])
    return kept.decisions


SUITE = CaseSuite(
    name="updates",
    promise="A correction replaces the old value; nothing else ever does.",
    files=(FILE,),
    bar=Bar(floor=0.8, tuned="keys and the offline grammar, by hand"),
    score=score,
)
