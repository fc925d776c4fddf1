"""What would one write down about an exchange, using only sentences it contains?"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from memory_graph.llm.offline.names import entities_in, people_in
from memory_graph.llm.offline.reply import is_from_memory_alone
from memory_graph.llm.offline.topic import find_topic
from memory_graph.policy.cue_phrases import Cue
from memory_graph.policy.cues import cues_in
from memory_graph.policy.exchange import Role, Said
from memory_graph.policy.routine import is_small_talk
from memory_graph.policy.sentences import content_words, plain, shorten, split_sentences
from memory_graph.policy.signals import outcome_of, read_signals
from memory_graph.records import EpisodeDraft

_SENTENCE_LIMIT = 180
_SUMMARY_LIMIT = 600
_TELLING_WORDS = 3
_USERS_WORD = 0.5
_TOPIC_LIMIT = 120
_APPROACH_LIMIT = 200
_MOST_STATEMENTS = 5
_MOST_NAMES = 12
_FEWEST_TAGS = 3
_MOST_TAGS = 5

_SAYS: dict[Role, str] = {"user": "The user said", "assistant": "The assistant answered"}

_BOILERPLATE = re.compile(
    r"^(?:sure|of course|certainly|absolutely|great question|no problem|happy to help|"
    r"i would be happy|glad (?:i|that|to)|i am sorry to hear|you are welcome|any time|"
    r"let me (?:know|look|check|see|search|verify|track)|one moment|looking|checking|searching|"
    r"i hope this helps|feel free|is there anything else|as an ai)\b"
)
_ADVICE = re.compile(
    r"^(?:try|use|check|set|start|add|put|keep|take|make|go|stay|install|run|switch|follow|prepare|"
    r"log|weigh|note|ask|get|look)\b|\b(?:i would|you could|you can|you should|i suggest|"
    r"i recommend|how about|the fix is|instead)\b"
)

# How telling a sentence is for someone who reads about the exchange a month later.
_WEIGHTS: dict[Cue, float] = {
    "user_declared": 3.0,
    "decision": 3.0,
    "milestone": 3.0,
    "life_event": 3.0,
    "solved": 2.5,
    "setback": 2.0,
    "commitment": 2.0,
    "lesson": 1.5,
    "next_step": 1.0,
}


@dataclass(frozen=True)
class _Sentence:
    """One sentence, who said it, in which message, and what it speaks of."""

    text: str
    role: Role
    message: int
    cues: frozenset[Cue]

    @property
    def weight(self) -> float:
        """How much the sentence tells of the outcome; the user's word counts a little more."""
        told = sum(_WEIGHTS.get(cue, 0.0) for cue in self.cues)
        return told + _USERS_WORD if told and self.role == "user" else told

    @property
    def is_telling(self) -> bool:
        """Return whether the sentence can be understood without the one before it."""
        return len(content_words(self.text)) >= _TELLING_WORDS


def summarise(said: Sequence[Said], *, new: Sequence[Said] = ()) -> EpisodeDraft:
    """Return a draft made of the exchange's own sentences; the same exchange, the same draft.

    Args:
        said: The exchange, with what led to it.
        new: The part of it that no episode tells yet: it names the topic and opens the summary,
            unless it only points back ("remember this conversation").
    """
    signals = read_signals(said)
    sentences = _sentences(said)
    leading = [one for one in _sentences(new) if "user_declared" not in one.cues] or sentences
    texts = [one.text for one in sentences]
    users_first = sorted(leading, key=lambda one: one.role != "user")
    topic = shorten(find_topic([one.text for one in users_first]), _TOPIC_LIMIT)
    tools = _unique(name for one in said for name in (*one.tool_calls, one.tool or "") if name)
    return EpisodeDraft(
        summary=_summary(leading),
        topic=topic,
        approach=_approach(sentences, tools),
        outcome=outcome_of(signals),
        decisions=() if signals.undecided else _statements(sentences, "decision"),
        lessons=_statements(sentences, "lesson"),
        next_steps=_statements(sentences, "commitment", "next_step"),
        participants=people_in(texts)[:_MOST_NAMES],
        tools_used=tools[:_MOST_NAMES],
        entities=entities_in(texts)[:_MOST_NAMES],
        tags=_tags(sentences, topic),
    )


def _sentences(said: Sequence[Said]) -> tuple[_Sentence, ...]:
    """Return what the two said, without tool calls and output, code and courtesies."""
    return tuple(
        _Sentence(text, one.role, message, cues_in(text, one.role))
        for message, one in enumerate(said)
        if one.role != "tool" and not one.tool_calls
        if one.role == "user" or not is_from_memory_alone(one.text)
        for text in split_sentences(one.text)
        if not is_small_talk(text) and not _BOILERPLATE.match(plain(text))
    )


def _summary(sentences: Sequence[_Sentence]) -> str:
    """Return what it was about and how it ended, each told by who said it."""
    if not sentences:
        return "A short exchange of courtesies."
    opening = next((one for one in sentences if one.role == "user"), sentences[0])
    rest = [one for one in sentences if one is not opening]
    parts = [opening, *_ending(rest)]
    told = ((role, [one.text for one in group]) for role, group in groupby(parts, _speaker))
    return shorten(
        " ".join(f"{_SAYS[role]}: {' '.join(map(_closed, texts))}" for role, texts in told),
        _SUMMARY_LIMIT,
    )


def _ending(sentences: Sequence[_Sentence]) -> tuple[_Sentence, ...]:
    """Return the sentence that tells the outcome, with the one before it if it needs that."""
    if not sentences:
        return ()
    # `max` keeps the first of equals, so reversing prefers what was said last.
    last = max(reversed(sentences), key=lambda one: one.weight)
    if not last.weight:
        answers = (one for one in reversed(sentences) if one.role == "assistant" and one.is_telling)
        return tuple(islice(answers, 1))
    before = sentences[: sentences.index(last)][-1:]
    is_same_message = bool(before) and before[0].message == last.message
    return (*before, last) if is_same_message and not last.is_telling else (last,)


def _speaker(sentence: _Sentence) -> Role:
    return sentence.role


def _closed(text: str) -> str:
    short = shorten(text, _SENTENCE_LIMIT)
    return short if short[-1] in ".!?…" else f"{short}."


def _approach(sentences: Sequence[_Sentence], tools: Sequence[str]) -> str:
    advice = (
        one.text
        for one in sentences
        if one.role == "assistant"
        and not one.text.endswith("?")
        and _ADVICE.search(plain(one.text))
    )
    used = f"used {', '.join(tools)}" if tools else ""
    return shorten(next(advice, used).rstrip(".!"), _APPROACH_LIMIT)


def _statements(sentences: Iterable[_Sentence], *cues: Cue) -> tuple[str, ...]:
    """Return the sentences that give one of `cues`, each once."""
    told = (shorten(one.text, _SENTENCE_LIMIT) for one in sentences if one.cues & set(cues))
    return _unique(told)[:_MOST_STATEMENTS]


def _tags(sentences: Sequence[_Sentence], topic: str) -> tuple[str, ...]:
    """Return the words used most, then those of the topic; the kind of exchange fills up."""
    counted = Counter(word for one in sentences for word in content_words(one.text))
    telling = [*(word for word, _ in counted.most_common(_FEWEST_TAGS)), *content_words(topic)]
    kinds = [cue for cue in _WEIGHTS if any(cue in one.cues for one in sentences)]
    tags = _unique(word for word in telling if not word[0].isdigit())[:_MOST_TAGS]
    missing = max(_FEWEST_TAGS - len(tags), 0)
    return _unique([*tags, *[*kinds, "conversation", "chat", "talk"][:missing]])


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
