"""Draft an episode without a model, from sentences of the exchange, in any language."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory_graph.episodes.signals import Outcomes, Sentence, outcome_of
from memory_graph.language.headlines import headline
from memory_graph.language.mentions import entities_in, keywords, people_in, telling_words
from memory_graph.language.sentences import refers_back
from memory_graph.language.words import shorten
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
_UNDERSTOOD = 3
"""Telling words by which a reader who was not there knows what a title is about."""

_NAMED = 2
"""Telling words by which it names what the next sentence points back to."""

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
    def points_back(self) -> bool:
        """Whether it speaks of what the sentence before it names."""
        return refers_back(self.sentence.text, self.sentence.language)

    def stands_alone(self, least: int = _UNDERSTOOD) -> bool:
        """Say whether it can be understood without the sentence before it."""
        return len(telling_words(self.sentence.text)) >= least and not self.points_back


def summarise(outcomes: Outcomes) -> EpisodeDraft:
    """Return a draft made of the exchange's own sentences; the same exchange, the same draft.

    Its messages alone give its names and tags. What the assistant said counts where tools did
    something, and where the user told nothing.
    """
    every = [
        (number, one, sentence)
        for number, one in enumerate(outcomes.messages)
        for sentence in one.sentences
        if one.role == "user" or one.follows_action or not outcomes.statements
    ]
    telling = [each for each in every if each[2].is_statement] or every
    lines = [
        _line(place, sentence, number, acted=one.follows_action)
        for place, (number, one, sentence) in enumerate(telling)
    ]
    before = [each for one in outcomes.context if one.role == "user" for each in one.sentences]
    led_to = [each for each in before if each.is_statement]
    known = [_line(place - len(led_to), each, -1) for place, each in enumerate(led_to)] + lines
    texts = [line.sentence.text for line in known]
    told = [line.sentence for line in lines]
    title, summary = _title_and_summary(lines, known)
    return EpisodeDraft(
        summary=summary,
        topic=title,
        approach=_approach(outcomes),
        outcome=outcome_of(outcomes),
        decisions=_statements(told, "decision"),
        lessons=_statements(told, "lesson"),
        next_steps=_statements(told, "plan"),
        participants=people_in(texts)[:_MOST_NAMES],
        tools_used=outcomes.tools_used[:_MOST_NAMES],
        entities=entities_in(texts)[:_MOST_NAMES],
        tags=keywords(texts, _MOST_TAGS),
    )


def by_day(told: Mapping[str, str]) -> str:
    """Return what was told on several days, each day with its date; the first and the last stay."""
    parts = [f"{day}: {text}" for day, text in sorted(told.items())] if len(told) > 1 else []
    while len(parts) > 1 and sum(map(len, parts)) + len(parts) > _SUMMARY_LIMIT:
        parts.pop(len(parts) // 2)
    return shorten(" ".join(parts), _SUMMARY_LIMIT) if parts else "".join(told.values())


def _line(place: int, sentence: Sentence, message: int, *, acted: bool = False) -> _Line:
    """Return a sentence with how much it tells of the outcome, 0 to about 2."""
    understood = min(len(telling_words(sentence.text)), _UNDERSTOOD) / _UNDERSTOOD
    base = 0.2 + sentence.heads.outcome + 0.3 * sentence.eventful + 0.5 * acted
    weight = base * (0.25 + 0.75 * understood) * (1 - 0.8 * sentence.heads.small)
    return _Line(place, sentence, message, weight)


def _title_and_summary(lines: Sequence[_Line], known: Sequence[_Line]) -> tuple[str, str]:
    """Return what was decided or done, and the sentences that tell most, in their order.

    Both say what it is about, by the sentence before, where the best one does not say so itself.
    """
    if not lines:
        return "…", "…"
    best = max(lines, key=lambda line: (line.weight, line.place))
    alone = [line for line in known if line is not best and line.stands_alone()]
    before = [line for line in alone if line.place < best.place]
    least = _NAMED if best.points_back else _UNDERSTOOD
    opening = [line for line in lines[: best.place] if line.message == best.message]
    same = [line for line in opening if line.stands_alone(least)]
    about = next(reversed(same or before), alone[0] if alone else None)
    needed = [best, about] if about else [best]
    ranked = sorted(lines, key=lambda line: line.weight, reverse=True)
    chosen = {line.place: line for line in [*needed, *ranked][:_SUMMARY_SENTENCES]}
    told = (shorten(line.sentence.text, _SENTENCE_LIMIT) for _, line in sorted(chosen.items()))
    closed = (text if text[-1] in ".!?…。！？" else f"{text}." for text in told)
    return _title(best, _beside(best, about, lines)), shorten(" ".join(closed), _SUMMARY_LIMIT)


def _beside(best: _Line, about: _Line | None, lines: Sequence[_Line]) -> _Line | None:
    """Return the sentence without which a title would not be understood, if there is one.

    People open with whom and what they speak of; what is said in few words, they explain next.
    What came of it may be said in too few words to be chosen itself: "Postmortem done."
    """
    if not best.stands_alone():
        return about
    same = [line for line in lines if line.message == best.message and line.stands_alone()]
    if same[0] is not best:
        return same[0]
    reported = [
        line
        for line in lines[: best.place]
        if line.message == best.message
        and line.sentence.heads.outcome > best.sentence.heads.outcome
        and telling_words(line.sentence.text)
        and not line.points_back
    ]
    if reported:
        return reported[-1]
    is_plain = len(telling_words(best.sentence.text)) >= _PLAIN
    return same[1] if len(same) > 1 and not is_plain else None


def _title(best: _Line, beside: _Line | None) -> str:
    """Return what was decided or done, with what it is about where that is said elsewhere."""
    parts = sorted([best, beside] if beside else [best], key=lambda line: line.place)
    *opening, last = (line.sentence for line in parts)
    title = shorten(headline(last.text, last.language), _TITLE_LIMIT)
    for each in opening:
        about = headline(each.text, each.language, longest=_CONTEXT_LIMIT)
        title = f"{about}{';' if ':' in about + title else ':'} {title}"
    return shorten(title, _TITLE_LIMIT)


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
