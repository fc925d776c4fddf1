"""How surely do two episodes tell one story?"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from memory_graph.policy.sentences import content_words, word_set
from memory_graph.records import Episode, EpisodeDraft

_ANCHORS = ((0.0, 0.0), (0.26, 0.25), (0.45, 0.6), (0.54, 0.85), (1.0, 1.0))
"""Where the evidence reads as unrelated, as a shared topic and as one story.

The readings are those of calibrated similarity; `evals/episode_pairs.py` measures the evidence.
"""

_MEANING, _WORDS, _NAMES = 0.35, 0.5, 0.15
_ENOUGH_SHARED = 3.0
"""Shared words, by weight, from which on more of them prove nothing further."""

_COMMON_WEIGHT = 0.15
# Words of any story: that something began, broke, was decided, done or works.
_COMMON = word_set("""
    add added agreed annual answered april arrived ask asked assistant august begin book booked
    bought broke broken bug build built call called came cause caused change changed chat check
    come conversation cost crash day deadline december decide decided decision deploy deployed
    discuss discussed done draft early end error evening explain fail failed fails february file
    final finally find fine finish finished first fix fixed follow found friday give good great
    half hard help hour idea install issue january job join july june last late leave list long
    look lost march meet meeting miss missing monday month monthly morning move moved next night
    nightly november number october old open order part pass passed pick picked plan planned
    problem ready release remember remove removed replace replaced report review run saturday
    second send sent september service set ship shipped show shows slow split start started stop
    stopped sunday switch system talk talked task team test tests thursday time today tomorrow
    tonight tried try tuesday turn turned two update updated user version visit wait want wednesday
    week weekend work worked working works write wrote year years yesterday
""")
_SUFFIX = re.compile(r"(?:'s|ations?|ions?|ings?|ments?|ers?|ies|ied|ed|es|s|y|e)$")
_SHORTEST_STEM = 3


@dataclass(frozen=True, kw_only=True)
class Theme:
    """What an episode or an exchange is about, as far as words tell it."""

    words: frozenset[str]
    """Stems of the words that carry meaning."""

    names: frozenset[str] = frozenset()
    """Stems of the words in the names of people, places and things."""


@dataclass(frozen=True, kw_only=True)
class ThemeMatch:
    """How alike two themes are, 0–1 on the scale of calibrated similarity, and why."""

    similarity: float
    parts: dict[str, float]


def theme_of(texts: Iterable[str], names: Iterable[str] = ()) -> Theme:
    """Return the theme of a few texts that name people, places and things."""
    stems = frozenset(_stem(word) for text in texts for word in content_words(text))
    named = frozenset(_stem(word) for name in names for word in content_words(name))
    return Theme(words=stems | named, names=named)


def theme_of_episode(episode: Episode | EpisodeDraft) -> Theme:
    """Return the theme of an episode, or of one that is not yet kept."""
    if isinstance(episode, EpisodeDraft):
        return theme_of(
            (episode.topic, episode.summary, *episode.decisions, *episode.tags),
            (*episode.entities, *episode.participants),
        )
    known = episode.metadata
    return theme_of(
        (episode.title, episode.summary, episode.content, *known.tags),
        (*known.entities, *known.participants),
    )


def match_themes(one: Theme, other: Theme, meaning: float) -> ThemeMatch:
    """Return how surely two themes are one story.

    Two days of a story seldom read alike: what they share is a few telling words and names,
    in texts that are close in meaning (`meaning`, calibrated 0–1). A shared name alone is not
    a shared story, so its words are not counted again among the words.
    """
    parts = {
        "meaning": _MEANING * meaning,
        "words": _WORDS * _overlap(one.words - other.names, other.words - one.names),
        "names": _NAMES * _shared_names(one, other),
    }
    rounded = {part: round(value, 4) for part, value in parts.items()}
    return ThemeMatch(similarity=round(_calibrated(sum(parts.values())), 4), parts=rounded)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return how much telling the shared words are: as many, and as large a part."""
    shared = _weight(one & other)
    smaller = min(_weight(one), _weight(other))
    if not smaller:
        return 0.0
    return float((min(shared / _ENOUGH_SHARED, 1.0) * shared / smaller) ** 0.5)


def _shared_names(one: Theme, other: Theme) -> float:
    """Return 1 for a shared name; themes without names say nothing either way."""
    if (one.names & other.words) or (other.names & one.words):
        return 1.0
    return 0.0 if one.names and other.names else 0.5


def _weight(words: Iterable[str]) -> float:
    return sum(_COMMON_WEIGHT if word in _COMMON_STEMS else 1.0 for word in words)


def _calibrated(evidence: float) -> float:
    for (low, reads_low), (high, reads_high) in pairwise(_ANCHORS):
        if evidence <= high:
            return reads_low + (evidence - low) / (high - low) * (reads_high - reads_low)
    return 1.0


def _stem(word: str) -> str:
    """Return a word without its ending, so that `leaking` and `leaks` are one."""
    stem = word.lower()
    for _ in range(2):
        shorter = _SUFFIX.sub("", stem)
        stem = shorter if len(shorter) >= _SHORTEST_STEM else stem
    return stem[:-1] if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] else stem


_COMMON_STEMS = frozenset(map(_stem, _COMMON))
