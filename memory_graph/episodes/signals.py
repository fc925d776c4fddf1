"""Score the outcome of an exchange, from heads and tool results, and how notable it is."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import log
from typing import TYPE_CHECKING

from memory_graph.language.likeness import is_negated
from memory_graph.language.mentions import telling_words
from memory_graph.language.points import points
from memory_graph.language.requests import asks_to_remember
from memory_graph.language.sentences import supposes
from memory_graph.language.words import folded, table
from memory_graph.reading import read_message
from memory_graph.records import Outcome, Role, Said
from memory_graph.safety.own_voice import is_instruction, is_takeover, own_voice

if TYPE_CHECKING:
    from memory_graph.language.heads import Heads, OutcomeKind

_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_MEMORY = frozenset(
    "memory memories remember recall episode episodes fact facts pattern patterns".split()
)
_LOOKUP = frozenset(
    """
    browse calc calculate calculator check clock convert current describe fetch find forecast get
    inspect list lookup news price query quote read retrieve search show status time today track
    translate view weather wikipedia
    """.split()
)
_ACTING = frozenset(
    """
    add apply approve assign book build buy call cancel change close commit create delete deploy
    edit execute file fix import insert install log make merge migrate modify move open order pay
    post publish push put record refund register release remove renew reply reset restart run save
    schedule send set sign start stop submit transfer update upload verify write
    """.split()
)
_SURE, _OPEN = 0.5, 0.8
_REPORTS = points()["reports"]
"""From here on the head `outcome` rather holds than not."""

_SENTENCES = 40
"""Of one message: a longer one is a paste."""

_REPLY_CHARACTERS = 1200
"""Of a reply: what came of things stands at its beginning. A limit: bounds what a turn costs."""


def is_acting_tool(name: str) -> bool:
    """Return whether a tool of this name changes something in the world.

    The first telling word decides (`read_file` looks up, `file_claim` acts). A name that tells
    nothing counts as acting: tools that only look things up tend to say so.
    """
    telling = next((token for token in _tokens(name) if token in _LOOKUP | _ACTING), None)
    return bool(name) and telling not in _LOOKUP and _MEMORY.isdisjoint(_tokens(name))


def _tokens(name: str) -> list[str]:
    return [token.lower() for token in _TOKEN.findall(name)]


def _resolves(sentence: str, language: str) -> bool:
    """Say whether a sentence tells that some trouble is over: the trouble is not its outcome."""
    pattern = _resolving(language)
    return bool(pattern and pattern.search(folded(sentence)) and not is_negated(sentence))


@cache
def _resolving(language: str) -> re.Pattern[str] | None:
    listed = table("resolved").get(language)
    if listed is None:
        return None
    words = "|".join(re.escape(folded(each)).replace(r"\*", r"\w*") for each in listed.split("|"))
    return re.compile(words if language in {"zh", "ja"} else rf"\b(?:{words})\b")


@dataclass(frozen=True)
class Sentence:
    """One sentence and what it does, as the heads read it."""

    text: str
    heads: "Heads"
    kinds: "Mapping[OutcomeKind, float]"
    language: str

    @property
    def eventful(self) -> float:
        """How likely it tells of an event: a decision, a result, a plan, a setback, a loss."""
        return 1 - self.kinds["none"] - self.kinds["recall"] - self.kinds["keep"]

    @property
    def sure_end(self) -> "OutcomeKind | None":
        """How it says that something stands, if it surely does: done, set back, still open."""
        kinds = self.kinds
        if self.heads.outcome >= _REPORTS and _resolves(self.text, self.language):
            return "done"
        chances: dict[OutcomeKind, float] = {
            "done": kinds["done"],
            "setback": kinds["setback"],
            "plan": kinds["plan"] + kinds["undecided"] + kinds["decision"],
        }
        best = max(chances, key=lambda kind: chances[kind])
        return best if chances[best] >= _SURE_END else None

    @property
    def is_statement(self) -> bool:
        """Whether it tells something: no question, supposition, request, greeting or reaction."""
        asks = self.text.rstrip(' )"”»').endswith(("?", "？", "؟"))
        heads = self.heads
        if self.kinds["none"] >= _OPEN and max(heads.durable, heads.outcome) < _REPORTS:
            return False
        against = max(heads.question, heads.small, heads.request, heads.asks)
        if asks or self.kinds["recall"] >= _SURE or supposes(self.text, self.language):
            return False
        return against < max(_SURE, heads.outcome)

    @property
    def kind(self) -> "OutcomeKind":
        """What came of something, if anything did; a reported outcome leaves nothing open."""
        is_closed = self.heads.outcome >= _REPORTS and self.kinds["undecided"] < _OPEN
        kinds = [kind for kind in self.kinds if not (is_closed and kind == "undecided")]
        return max(kinds, key=lambda kind: self.kinds[kind])


@dataclass(frozen=True)
class Message:
    """What the user or the assistant said, sentence by sentence."""

    role: Role
    text: str
    sentences: tuple[Sentence, ...]
    whole: "Heads"
    vector: tuple[float, ...]
    """The mean of its sentences' vectors, of length 1; empty for no words."""

    follows_action: bool = False
    """For the assistant: tools did something in this turn, and this tells what."""

    @property
    def told(self) -> str:
        """What its statements say."""
        return " ".join(each.text for each in self.sentences if each.is_statement)


@dataclass(frozen=True)
class Outcomes:
    """What one stretch of conversation shows, before any of it is weighed."""

    messages: tuple[Message, ...]
    results: tuple[Said, ...] = ()
    """What tools returned, other than those that only keep or read memory."""

    tools_used: tuple[str, ...] = ()
    earlier: tuple[Message, ...] = ()
    """The last messages before it, for what was come back to."""

    context: tuple[Message, ...] = ()
    """What led to it on the same topic."""

    @property
    def user(self) -> tuple[Message, ...]:
        """The user's messages."""
        return tuple(each for each in self.messages if each.role == "user")

    @property
    def statements(self) -> tuple[Sentence, ...]:
        """What the user tells."""
        return tuple(each for one in self.user for each in one.sentences if each.is_statement)


async def read_outcomes(
    said: Sequence[Said], *, earlier: Sequence[Said] = (), context: Sequence[Said] = ()
) -> Outcomes:
    """Read the sentences of a stretch of conversation, in any language, and its tool results."""
    before = [one for one in earlier if one.role != "tool" and one.text.strip()][-2:]
    names = (name for one in said for name in (*one.tool_calls, one.tool or "") if name)
    results = [one for one in said if one.role == "tool"]
    return Outcomes(
        messages=await _messages(said),
        results=tuple(one for one in results if _MEMORY.isdisjoint(_tokens(one.tool or ""))),
        tools_used=tuple(dict.fromkeys(names)),
        earlier=await _messages(before),
        context=await _messages(context),
    )


async def _messages(said: Sequence[Said]) -> tuple[Message, ...]:
    messages: list[Message] = []
    acted = False
    for one in said:
        is_user = one.role == "user"
        if one.role == "tool":
            acted = acted or (not one.is_error and is_acting_tool(one.tool or ""))
            continue
        acted = acted and not is_user
        if not one.text.strip():
            continue
        own = own_voice(one.text) if is_user else one.text[:_REPLY_CHARACTERS]
        reading = await read_message(own)
        parts = zip(reading.sentences, reading.heads, reading.kinds, strict=True)
        sentences = tuple(
            Sentence(text, heads, kinds, reading.language)
            for text, heads, kinds in islice(parts, _SENTENCES)
            if not (is_instruction(text) if is_user else is_takeover(text))
        )
        follows, whole = acted and not is_user, reading.whole
        messages.append(Message(one.role, reading.text, sentences, whole, reading.mean, follows))
    return tuple(messages)


def _asks_to_keep(sentence: Sentence) -> bool:
    """Say whether the user wants the conversation kept, and not just a fact it states."""
    if sentence.kinds["keep"] < _SURE:
        return False
    states_fact = sentence.heads.durable >= _SURE
    return not (states_fact and asks_to_remember(sentence.text, sentence.language))


_TELLING_WORDS = 3
"""Fewer words of meaning are a nod ("makes sense"), not a statement."""

_CLEAR = 4.0
"""Log-odds from which on a head cannot be surer."""


@dataclass(frozen=True, kw_only=True)
class Signals:
    """Signs that something came of an exchange, and how it ended."""

    outcome: float = -1.0
    """How surely the user reports a decision, a result, a plan or a setback: -1 to 1."""

    eventful: float = -1.0
    """How surely what is told is a decision, a result, a plan or a setback: -1 to 1."""

    tool_actions: int = 0
    """Successes of tools that changed something, rather than looked something up."""

    decision: bool = False
    plan: bool = False
    """A next step: `I'll call the bank tomorrow`."""

    done: bool = False
    """Something was finished, solved or reached."""

    setback: bool = False
    user_declared: bool = False
    """The user asked to keep this conversation, not just a fact."""

    follows_up: bool = False
    """The user came back to a reply with something to tell."""

    goes_on: bool = False
    """It goes on with a story that an episode tells; only memory knows."""

    looks_back: bool = False
    """The user asks for what was said or happened before, and tells nothing."""

    pure_fact_update: bool = False
    question_only: bool = False
    ended: Outcome = "unknown"
    """How what is told ended, as far as its words surely say."""


def read_signals(outcomes: Outcomes) -> Signals:
    """Return the signs that the evidence holds."""
    user, told = outcomes.user, outcomes.statements
    kinds = {each.kind for each in told if each.heads.outcome >= points()["outcome"]}
    choices = [each.kind for each in told if each.kind in {"decision", "undecided"}]
    is_open = choices[-1:] == ["undecided"]
    is_underway = any(one.role == "assistant" for one in outcomes.earlier)
    later = user if is_underway else user[1:]
    telling = (each for one in later for each in one.sentences if each.eventful >= _SURE)
    news = " ".join(each.text for each in telling if each.is_statement)
    return Signals(
        outcome=_strength(each.heads.outcome for each in told),
        eventful=_strength(each.eventful for each in told),
        tool_actions=sum(
            not one.is_error and is_acting_tool(one.tool or "") for one in outcomes.results
        ),
        decision="decision" in kinds and not is_open,
        plan="plan" in kinds,
        done="done" in kinds,
        setback="setback" in kinds,
        user_declared=any(_asks_to_keep(each) for one in user for each in one.sentences),
        follows_up=len(telling_words(news)) >= _TELLING_WORDS,
        looks_back=not told and any(_looks_back(each) for one in user for each in one.sentences),
        pure_fact_update=bool(told)
        and all(each.heads.durable >= _SURE and each.heads.outcome < _REPORTS for each in told),
        question_only=not told and bool(user),
        ended=outcome_of(outcomes),
    )


def _looks_back(sentence: Sentence) -> bool:
    return sentence.kinds["recall"] >= _SURE or sentence.heads.asks >= points()["asks"]


def _strength(chances: Iterable[float]) -> float:
    """Return the log-odds of the highest chance, cut and scaled to -1 to 1."""
    chance = min(max(max(chances, default=0.0), 1e-6), 1 - 1e-6)
    return round(max(-1.0, min(log(chance / (1 - chance)) / _CLEAR, 1.0)), 4)


_SURE_END = 0.65
"""From here on a sentence surely says how something ended: below it, it is not known."""

_LOSS = 0.5
"""From here on a bereavement or a parting is spoken of: it ends nothing, well or badly."""


def outcome_of(outcomes: Outcomes) -> Outcome:
    """Return how what is told ended, where words or tools surely say so; else `unknown`.

    The end is that of the thing told: what was stopped or is over may be a success. Of a loss
    there is none.
    """
    told = [
        each
        for one in outcomes.messages
        for each in one.sentences
        if each.is_statement and (one.role == "user" or one.follows_action)
    ]
    if any(each.kinds["loss"] >= _LOSS for each in told):
        return "unknown"
    sure = [kind for each in told if (kind := each.sure_end)]
    ends = [kind for kind in sure if kind in {"done", "setback"}]
    acted = [one for one in outcomes.results if one.is_error or is_acting_tool(one.tool or "")]
    if not ends and acted:
        ends = ["setback" if acted[-1].is_error else "done"]
    if not ends:
        return "ongoing" if sure else "unknown"
    if ends[-1] == "done":
        return "success"
    if "done" in ends:
        return "partial"
    return "failure" if not sure or sure[-1] == "setback" else "ongoing"
