"""Draft an episode without a model, from sentences of the exchange, in any language."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_graph.episodes.signals import Outcomes, Sentence, Signals, outcome_of
from memory_graph.language.headlines import headline, shorten
from memory_graph.language.mentions import entities_in, keywords, people_in, telling_words
from memory_graph.language.sentences import refers_back
from memory_graph.records import EpisodeDraft

_SENTENCE_LIMIT = 220
_SUMMARY_LIMIT = 600
_SUMMARY_SENTENCES = 5
_TITLE_LIMIT = 118
_CONTEXT_LIMIT = 56
_APPROACH_LIMIT = 200
_MOST_STATEMENTS = 5
_MOST_NAMES = 12
_MOST_TAGS = 5
_SURE = 0.5
_UNDERSTOOD = 3
"""Telling words by which a reader who was not there knows what a title is about."""

_PLAIN = 4
"""Telling words of a title that needs no other sentence beside it."""


@dataclass(frozen=True)
class _Line:
    """One sentence, where it stands, and how much it tells of the outcome."""

    place: int
    sentence: Sentence
    message: int
    weight: float

    @property
    def stands_alone(self) -> bool:
        """Whether it can be understood without the sentence before it."""
        text, language = self.sentence.text, self.sentence.language
        return len(telling_words(text)) >= _UNDERSTOOD and not refers_back(text, language)


def summarise(outcomes: Outcomes, signals: Signals) -> EpisodeDraft:
    """Return a draft made of the exchange's own sentences; the same exchange, the same draft.

    Its messages alone give its names and tags. What the assistant said counts where tools did
    something, and where the user told nothing.
    """
    lines = _lines(outcomes)
    led_to = _led_to(outcomes)
    texts = [line.sentence.text for line in (*led_to, *lines)]
    best = max(lines, key=lambda line: (line.weight, line.place), default=None)
    about = _context(best, [*led_to, *lines]) if best else None
    told = [line.sentence for line in lines]
    return EpisodeDraft(
        summary=_summary(best, about, lines) or "…",
        topic=_title(best, _beside(best, about, lines)) if best else "…",
        approach=_approach(outcomes),
        outcome=outcome_of(signals),
        decisions=() if signals.undecided else _statements(told, "decision"),
        lessons=_statements(told, "lesson"),
        next_steps=_statements(told, "plan"),
        participants=people_in(texts)[:_MOST_NAMES],
        tools_used=outcomes.tools_used[:_MOST_NAMES],
        entities=entities_in(texts)[:_MOST_NAMES],
        tags=keywords(texts, _MOST_TAGS),
    )


def _lines(outcomes: Outcomes) -> list[_Line]:
    """Return the sentences that tell something, or all there are where none does."""
    every = [
        (number, one, sentence)
        for number, one in enumerate(outcomes.messages)
        for sentence in one.sentences
        if one.role == "user" or one.follows_action or not outcomes.statements
    ]
    telling = [each for each in every if each[2].is_statement] or every
    return [
        _Line(place, sentence, number, _weight(sentence, acted=one.follows_action))
        for place, (number, one, sentence) in enumerate(telling)
    ]


def _led_to(outcomes: Outcomes) -> list[_Line]:
    """Return what the user told before on the same topic; it comes before all else."""
    told = [
        sentence
        for one in outcomes.context
        if one.role == "user"
        for sentence in one.sentences
        if sentence.is_statement
    ]
    return [
        _Line(place - len(told), sentence, -1, _weight(sentence, acted=False))
        for place, sentence in enumerate(told)
    ]


def _weight(sentence: Sentence, *, acted: bool) -> float:
    """Return how much a sentence tells of the outcome, 0 to about 2."""
    eventful = 1 - sentence.kinds["none"] - 0.5 * sentence.kinds["keep"]
    understood = min(len(telling_words(sentence.text)), _UNDERSTOOD) / _UNDERSTOOD
    base = 0.2 + sentence.heads.outcome + 0.3 * eventful + 0.5 * acted
    return base * (0.25 + 0.75 * understood) * (1 - 0.8 * sentence.heads.small)


def _context(best: _Line, lines: Sequence[_Line]) -> _Line | None:
    """Return the sentence that says what the best one is about, if that needs one."""
    alone = [line for line in lines if line is not best and line.stands_alone]
    before = [line for line in alone if line.place < best.place]
    same = [line for line in before if line.message == best.message]
    return next(reversed(same or before), alone[0] if alone else None)


def _beside(best: _Line, about: _Line | None, lines: Sequence[_Line]) -> _Line | None:
    """Return the sentence without which a title would not be understood, if there is one.

    People open with whom and what they speak of; what is said in few words, they explain next.
    """
    if not best.stands_alone:
        return about
    same = [line for line in lines if line.message == best.message and line.stands_alone]
    if same[0] is not best:
        return same[0]
    is_plain = len(telling_words(best.sentence.text)) >= _PLAIN
    return same[1] if len(same) > 1 and not is_plain else None


def _title(best: _Line, beside: _Line | None) -> str:
    """Return what was decided or done, with what it is about where that is said elsewhere."""
    if beside is None:
        return _headline(best, _TITLE_LIMIT)
    opening, rest = sorted((beside, best), key=lambda line: line.place)
    short = headline(opening.sentence.text, opening.sentence.language, longest=_CONTEXT_LIMIT)
    return shorten(f"{short}: {_headline(rest, _TITLE_LIMIT)}", _TITLE_LIMIT)


def _headline(line: _Line, limit: int) -> str:
    return shorten(headline(line.sentence.text, line.sentence.language), limit)


def _summary(best: _Line | None, about: _Line | None, lines: Sequence[_Line]) -> str:
    """Return the sentences that tell most, in their order, with what they are about."""
    if best is None:
        return ""
    needed = [line for line in (best, about) if line]
    rest = sorted(lines, key=lambda line: line.weight, reverse=True)
    chosen = {line.place: line for line in [*needed, *rest][:_SUMMARY_SENTENCES]}
    told = (_closed(line.sentence.text) for _, line in sorted(chosen.items()))
    return shorten(" ".join(told), _SUMMARY_LIMIT)


def _closed(text: str) -> str:
    short = shorten(text, _SENTENCE_LIMIT)
    return short if short[-1] in ".!?…。！？" else f"{short}."


def _approach(outcomes: Outcomes) -> str:
    """Return the tools used, or the advice that the user came back to."""
    if outcomes.tools_used:
        return shorten(f"used {', '.join(outcomes.tools_used)}", _APPROACH_LIMIT)
    told = telling_words(" ".join(each.text for each in outcomes.statements))
    advice = [
        (len(telling_words(each.text) & told), each.text)
        for one in outcomes.earlier
        if one.role == "assistant"
        for each in one.sentences
        if each.is_statement
    ]
    shared, text = max(advice, default=(0, ""))
    return shorten(text.rstrip(".!"), _APPROACH_LIMIT) if shared >= 2 else ""


def _statements(told: Iterable[Sentence], kind: str) -> tuple[str, ...]:
    """Return the sentences of one kind that report an outcome, each once."""
    chosen = (
        shorten(each.text, _SENTENCE_LIMIT)
        for each in told
        if each.kind == kind and each.heads.outcome >= 0.3 and each.is_statement
    )
    return tuple(dict.fromkeys(chosen))[:_MOST_STATEMENTS]
