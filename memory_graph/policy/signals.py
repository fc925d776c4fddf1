"""What happened in one stretch of conversation, and how notable is it?"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import exp

from memory_graph.policy.cue_phrases import Cue
from memory_graph.policy.cues import cues_in
from memory_graph.policy.exchange import Said
from memory_graph.policy.fields import Weights
from memory_graph.policy.routine import is_chore, is_question, is_small_talk, states_only_facts
from memory_graph.policy.sentences import split_sentences, words
from memory_graph.policy.substance import read_substance
from memory_graph.policy.tool_use import read_tool_use
from memory_graph.records import Outcome

_RECAP_WORDS = 8
"""A shorter reply to "what did we say about …" answers with a fact, not with an episode."""


@dataclass(frozen=True, kw_only=True)
class Signals:
    """Signs that an exchange had an outcome, and signs that it was routine."""

    tool_successes: int = 0
    tool_actions: int = 0
    """Successes of tools that changed something, rather than looked something up."""

    tool_errors: int = 0
    recovered: bool = False
    decision: bool = False
    undecided: bool = False
    """The user weighed a choice and left it open."""

    commitment: bool = False
    """A next step with a time: `I'll call the bank tomorrow`."""

    next_step: bool = False
    milestone: bool = False
    problem_solved: bool = False
    setback: bool = False
    agreement: bool = False
    """The user took up what the assistant proposed."""

    report: bool = False
    """The user told what they did or what happened to them."""

    reaction: bool = False
    """The assistant took it as news: it congratulated, approved or sympathised."""

    lesson: bool = False
    life_event: bool = False
    user_declared: bool = False
    """The user asked to keep this conversation, not just a fact."""

    recall_recap: bool = False
    """The user asked to look back, and got an answer."""

    opens_with_statement: bool = False
    follows_up: bool = False
    """The user came back to a reply with something to tell."""

    takes_up: bool = False
    """It repeats words of that reply: advice or an option at work."""

    names_time: bool = False
    names_number: bool = False
    routine: bool = False
    pure_fact_update: bool = False
    question_only: bool = False


class NotabilityWeights(Weights):
    """How much each sign speaks for an episode, in log-odds; named like the sign in `Signals`.

    An outcome outweighs `prior` alone, hints do so only together. Chosen on the tuning split of
    `evals/cases/exchanges.jsonl`; `python -m evals.capture` measures them.
    Kept by `memory-graph tune --what signs`: `evals/tuning/signs.md`.
    """

    prior: float = -2.75
    """Where an exchange without any sign starts: almost certainly routine."""

    user_declared: float = 6.0
    decision: float = 3.25
    milestone: float = 3.25
    problem_solved: float = 3.25
    life_event: float = 3.25
    tool_actions: float = 3.25
    recall_recap: float = 3.25
    """From here up, one sign is enough."""

    takes_up: float = 1.5
    reaction: float = 1.5
    follows_up: float = 1.25
    commitment: float = 1.0
    next_step: float = 0.75
    names_time: float = 0.75
    names_number: float = 0.75
    recovered: float = 0.75
    setback: float = 0.75
    lesson: float = 0.75
    agreement: float = 0.5
    opens_with_statement: float = 0.25
    report: float = 0.25
    routine: float = -1.0
    undecided: float = -1.5
    pure_fact_update: float = -1.5


DEFAULT_WEIGHTS = NotabilityWeights()


def read_signals(said: Sequence[Said], *, earlier: Sequence[Said] = ()) -> Signals:
    """Return what one stretch of conversation shows, from its words and its tool results.

    Outcomes are read from `said` alone; what came `earlier` tells whether the user came back to
    a reply, so that a conversation can be read turn by turn.
    """
    tools = read_tool_use(said)
    substance = read_substance(said, earlier)
    cues = [cues_in(each, one.role) for one in _told(said) for each in _sentences(one)]
    found = frozenset[Cue]().union(*cues)
    is_open = _is_left_open(cues)
    return Signals(
        tool_successes=tools.successes,
        tool_actions=tools.actions,
        tool_errors=tools.errors,
        recovered=tools.recovered,
        decision="decision" in found and not is_open,
        undecided=is_open,
        commitment="commitment" in found and not is_open,
        next_step="next_step" in found,
        milestone="milestone" in found,
        problem_solved="solved" in found,
        setback="setback" in found,
        agreement="agreement" in found,
        report="report" in found,
        reaction="reaction" in found,
        lesson="lesson" in found,
        life_event="life_event" in found,
        user_declared="user_declared" in found,
        recall_recap=_has_recap(said),
        opens_with_statement=substance.opens_with_statement,
        follows_up=substance.follows_up,
        takes_up=substance.takes_up,
        names_time=substance.names_time,
        names_number=substance.names_number,
        routine=_is_routine(said),
        pure_fact_update=states_only_facts(said),
        question_only=_asks_only(said),
    )


def notability(signals: Signals, weights: NotabilityWeights = DEFAULT_WEIGHTS) -> float:
    """Return how notable an exchange is: 0–1, where 0.5 is as likely worth an episode as not."""
    present = asdict(signals)
    log_odds = weights.prior + sum(
        weight for sign, weight in weights.model_dump(exclude={"prior"}).items() if present[sign]
    )
    return round(1 / (1 + exp(-log_odds)), 4)


def outcome_of(signals: Signals) -> Outcome:
    """Return how the exchange ended, as far as its signs tell."""
    went_well = signals.problem_solved or signals.milestone or signals.tool_actions > 0
    went_badly = signals.setback or (signals.tool_errors > 0 and not signals.recovered)
    if went_well or signals.recovered:
        return "partial" if went_badly else "success"
    if went_badly:
        return "failure"
    if signals.commitment or signals.next_step or signals.undecided:
        return "ongoing"
    return "success" if signals.decision else "unknown"


def _sentences(one: Said) -> tuple[str, ...]:
    return split_sentences(one.text)


def _told(said: Sequence[Said]) -> tuple[Said, ...]:
    """Return what people said themselves: no tool output, no text to work on, no result of it."""
    told: list[Said] = []
    in_chore = False
    for one in said:
        if one.role == "user":
            in_chore = is_chore(one.text)
        if one.role != "tool" and not in_chore:
            told.append(one)
    return tuple(told)


def _is_left_open(cues: Sequence[frozenset[Cue]]) -> bool:
    """Return whether the last word on a choice was that there is none."""
    last = next((found for found in reversed(cues) if found & {"decision", "undecided"}), None)
    return last is not None and "undecided" in last and "decision" not in last


def _has_recap(said: Sequence[Said]) -> bool:
    spoken = [one for one in said if one.role != "tool" and not one.tool_calls]
    return any(_asks_back(ask) and _answers(reply) for ask, reply in pairwise(spoken))


def _asks_back(one: Said) -> bool:
    return any("recall_request" in cues_in(each, one.role) for each in _sentences(one))


def _answers(one: Said) -> bool:
    missed = any("recall_miss" in cues_in(each, one.role) for each in _sentences(one))
    return one.role == "assistant" and not missed and len(words(one.text)) >= _RECAP_WORDS


def _is_routine(said: Sequence[Said]) -> bool:
    return all(is_small_talk(text) or is_chore(text) for text in _user_texts(said))


def _asks_only(said: Sequence[Said]) -> bool:
    asked = [text for text in _user_texts(said) if not is_small_talk(text)]
    return bool(asked) and all(map(is_question, asked))


def _user_texts(said: Sequence[Said]) -> tuple[str, ...]:
    return tuple(one.text for one in said if one.role == "user")
