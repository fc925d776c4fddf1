"""How surely two texts tell one story, and which turns are on one topic."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from math import exp
from operator import mul
from typing import Literal, NamedTuple

from memory_graph.embedding import load_embedder
from memory_graph.episodes.signals import Message
from memory_graph.episodes.store import walk_chain
from memory_graph.language.mentions import (
    common_stems,
    entities_in,
    identifiers_in,
    qualifiers,
    story_words,
    telling_words,
)
from memory_graph.language.words import language_of
from memory_graph.reading import EMBEDDER
from memory_graph.records import Episode, EpisodeDraft

Age = Literal["old", "fresh", "at_hand"]

SITTING = timedelta(hours=4)
"""So long a conversation is one sitting; after that a turn starts anew."""

PRIOR = -2.75
_MEANING = 2.75
_WORDS = 4.25
_NAME, _WHOLE_NAME = 2.5, 1.0
_LONE_NAME, _FRESH_NAME, _LONE_MEANING = 1.0, 2.5, 1.5
_OTHER_NAMES, _OTHER_ONES = -2.0, -3.0
_AT_HAND = 1.5
_SAME_IDENTIFIERS, _OTHER_IDENTIFIERS = 3.0, -9.0
"""How much each sign speaks for one story, in log-odds: fitted by `python -m
evals.tuning.stories` on open stories, sittings and episode pairs, then rounded. By hand:
identifiers, which are rare there, and a lone name, which makes texts close in meaning by itself.
What is at hand is fitted for three that go on for two that begin something else: of 69 chapters
told another day it finds 63 instead of 59, and takes 15 instead of 4 of 342 beginnings of other
people's stories for one."""

_COMPANY = 0.5
"""With less than this weight of shared words, a shared name is alone."""

_EVEN = 1.735
"""As likely one story as not reads as a likeness of 0.85, as a policy expects it."""

_COMMON_WEIGHT = 0.1
_SHORT = 10.0
"""Telling words of a short text; in a longer one a shared word proves less."""


@dataclass(frozen=True, kw_only=True)
class Theme:
    """What an episode or an exchange is about, as far as words tell it."""

    words: frozenset[str]
    """Stems of the words that carry meaning."""

    names: frozenset[str] = frozenset()
    """Stems of the words in the names of people, places and things."""

    identifiers: frozenset[str] = frozenset()
    """What is named by letters and digits: hosts, versions, tickets."""

    tells_apart: bool = False
    """Whether its names would differ from those of another story."""

    apart: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What tells its things apart from others of their kind: `nurse`, by `dialysis`."""


class ThemeMatch(NamedTuple):
    """How alike two themes are, 0–1 on the scale of calibrated similarity, and why."""

    similarity: float
    parts: dict[str, float]


def theme_of(texts: Iterable[str], names: Iterable[str] = ()) -> Theme:
    """Return the theme of a few texts that name people, places and things.

    German writes every noun with a capital: there, what looks like a name is one word more.
    """
    texts, names = list(texts), list(names)
    named = _all_of(map(story_words, names))
    are_names = language_of(" ".join(texts)) != "de"
    proper = (name for name in names if not name.isupper() and not any(map(str.isdigit, name)))
    return Theme(
        words=_all_of(map(story_words, texts)) | named,
        names=named if are_names else frozenset(),
        identifiers=_all_of(map(identifiers_in, texts)),
        tells_apart=are_names and any(proper),
        apart=_joined(map(qualifiers, texts)),
    )


def pooled(themes: Sequence[Theme]) -> Theme:
    """Return what several texts of one story are about together."""
    return Theme(
        words=_all_of(each.words for each in themes),
        names=_all_of(each.names for each in themes),
        identifiers=_all_of(each.identifiers for each in themes),
        tells_apart=any(each.tells_apart for each in themes),
        apart=_joined(each.apart for each in themes),
    )


def _all_of(parts: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset(chain.from_iterable(parts))


def _joined(apart: Iterable[Mapping[str, frozenset[str]]]) -> dict[str, frozenset[str]]:
    joined: dict[str, frozenset[str]] = {}
    for each in apart:
        joined |= {thing: joined.get(thing, frozenset()) | by for thing, by in each.items()}
    return joined


def theme_of_episode(episode: Episode | EpisodeDraft) -> Theme:
    """Return the theme of an episode, or of one that is not yet kept."""
    if isinstance(episode, EpisodeDraft):
        return theme_of(
            (episode.topic, episode.summary, *episode.decisions, *episode.tags),
            (*episode.entities, *episode.participants),
        )
    known = episode.metadata
    own_words = () if episode.content.startswith(episode.title) else (episode.content,)
    chosen = (each.chosen for each in episode.decisions)
    return theme_of(
        (
            *(episode.title, episode.summary, *own_words),
            *(*chosen, *episode.lessons, *episode.next_steps, *known.tags),
        ),
        (*known.entities, *known.participants),
    )


_ALONE: Mapping[str, int] = {}


def match_themes(
    one: Theme,
    other: Theme,
    meaning: float,
    stories: Mapping[str, int] = _ALONE,
    *,
    age: Age = "old",
) -> ThemeMatch:
    """Return how surely two themes are one story.

    Two days of a story seldom read alike: what they share is a few telling words and names,
    in texts that are close in meaning (`meaning`, calibrated 0–1). A shared name alone is not
    a shared story, and its words are not counted again among the words. Two machines, tickets
    or versions that both are named and differ are two stories, and likely so are two things of
    one kind, each with another place or owner. A word or name of several
    `stories` (how many hold it) tells as much less which of them is meant. While a story is
    fresh, its name alone tells more; where it is the only one at hand, less is needed of all:
    it is what people are at.
    """
    shared = (one.names & other.words) | (other.names & one.words)
    others = _other_ones(one, other)
    named = sum(1 / stories.get(word, 1) for word in shared)
    words = _shared_words(one, other, stories, others)
    is_lone = 0 < named <= 1 and words < _COMPANY
    lone_name = _LONE_NAME if age == "old" else _FRESH_NAME
    several = _NAME * min(named, 1.0) + _WHOLE_NAME * min(max(named - 1, 0.0), 1.0)
    are_named = one.tells_apart and other.tells_apart
    are_identified = bool(one.identifiers and other.identifiers)
    is_same = not one.identifiers.isdisjoint(other.identifiers)
    parts = {
        "meaning": (_LONE_MEANING if is_lone else _MEANING) * meaning,
        "words": _WORDS * (1 - 0.5**words),
        "names": lone_name * named if is_lone else several,
        "other_names": _OTHER_NAMES * (are_named and not shared),
        "other_ones": _OTHER_ONES * bool(others),
        "identifiers": are_identified * (_SAME_IDENTIFIERS if is_same else _OTHER_IDENTIFIERS),
        "at_hand": _AT_HAND * (age == "at_hand"),
    }
    log_odds = PRIOR + sum(parts.values())
    rounded = {part: round(value, 4) for part, value in parts.items() if value}
    return ThemeMatch(similarity=round(1 / (1 + exp(-log_odds - _EVEN)), 4), parts=rounded)


_FRESH = timedelta(days=7)
"""So long after its last chapter a story is fresh."""

LATE = timedelta(days=3)
"""So long it is at hand, if no other one is."""

NIGHT = timedelta(hours=12)
"""Before, what belongs to it is a matter of the day, where people do many things."""


def match_stories(theme: Theme, told: Sequence[tuple[Episode, float]], at: datetime) -> list[float]:
    """Return how surely each episode belongs to the story of `theme`, 0–1.

    An episode is compared together with those that it continues and that continue it: a story
    is known by all that was told of it, and not only by its last day.

    Args:
        theme: What the exchange at hand is about.
        told: Episodes, each with how close it is in meaning.
        at: When the exchange took place.
    """
    parents = {episode.id: episode.parent_episode_id for episode, _ in told}
    begins = {episode_id: walk_chain(episode_id, parents)[0] for episode_id in parents}
    stories: dict[str, list[tuple[Episode, float]]] = {}
    for episode, meaning in told:
        stories.setdefault(begins[episode.id], []).append((episode, meaning))
    themes = {
        first: pooled([theme_of_episode(episode) for episode, _ in chapters])
        for first, chapters in stories.items()
    }
    held = Counter(word for each in themes.values() for word in each.words)
    ago = {name: at - max(e.ended_at for e, _ in chapters) for name, chapters in stories.items()}
    late = [first for first, waited in ago.items() if waited <= LATE]
    likeness: dict[str, float] = {}
    for first, chapters in stories.items():
        age: Age = "fresh" if ago[first] <= _FRESH else "old"
        if late == [first] and ago[first] >= NIGHT:
            age = "at_hand"
        meaning = max(meaning for _, meaning in chapters)
        likeness[first] = match_themes(theme, themes[first], meaning, held, age=age).similarity
    return [likeness[begins[episode.id]] for episode, _ in told]


def _other_ones(one: Theme, other: Theme) -> frozenset[str]:
    """Return the things that both tell of, each of another one: two posts, of two wards."""
    return frozenset(
        thing
        for thing in one.apart.keys() & other.apart.keys()
        if one.apart[thing].isdisjoint(other.apart[thing])
        and one.apart[thing] - other.words
        and other.apart[thing] - one.words
    )


def _shared_words(
    one: Theme, other: Theme, stories: Mapping[str, int], others: frozenset[str]
) -> float:
    """Return the weight of the words that both share, other than by sharing a name or a kind."""
    ours, theirs = one.words - other.names - others, other.words - one.names - others
    smaller = min(_weight(ours, _ALONE), _weight(theirs, _ALONE))
    inside = min(_weight(each, stories) for each in _inside(ours - theirs, theirs - ours))
    shared = _weight(ours & theirs, stories) + inside
    return shared * min(1.0, _SHORT / smaller) if smaller else 0.0


_PART = 5
"""Letters from which on a word is known again inside another: `Umzug`, `Umzugskarton`."""


def _inside(ours: frozenset[str], theirs: frozenset[str]) -> tuple[set[str], set[str]]:
    """Return the words of each side that begin or end a word of the other, or the reverse."""
    long = [other for other in theirs if len(other) >= _PART]
    pairs = [
        (one, other)
        for one in ours
        if len(one) >= _PART
        for other in long
        if one.startswith(other)
        or one.endswith(other)
        or other.startswith(one)
        or other.endswith(one)
    ]
    return {one for one, _ in pairs}, {other for _, other in pairs}


def _weight(words: Iterable[str], stories: Mapping[str, int]) -> float:
    common = common_stems()
    return sum((_COMMON_WEIGHT if word in common else 1.0) / stories.get(word, 1) for word in words)


_SAME = 0.6
"""From this likeness of themes on two turns are about one thing (`evals/sittings.yaml`)."""

_TELLING = 2
"""A turn of fewer telling words goes on with the turn before it: `yes please`."""

_CLOSES = 0.5


@dataclass(frozen=True)
class TopicTurn:
    """One turn, as far as it matters to its topic."""

    theme: Theme
    vector: tuple[float, ...]
    at: datetime
    tells: bool
    """Whether it says by itself what it is about."""

    thread: str
    closes: bool
    """It greets, thanks or reacts: a topic ends there, and none begins."""


def topic_turn(messages: Sequence[Message], at: datetime, thread: str = "") -> TopicTurn:
    """Return what tells the topic of a turn: the user's words, and a reply only if they are few."""
    user = [one for one in messages if one.role == "user"]
    told = " ".join(one.text for one in user)
    tells = len(telling_words(told)) >= _TELLING
    texts = [one.text for one in (user if tells else messages)]
    return TopicTurn(
        theme=theme_of(texts, entities_in(texts)),
        vector=user[0].vector if user else (),
        at=at,
        tells=tells,
        thread=thread,
        closes=not any(one.follows_action for one in messages)
        and all(one.whole.small >= _CLOSES for one in user),
    )


def group_by_topic(turns: Sequence[TopicTurn]) -> list[list[int]]:
    """Return the places of turns that belong together, in the order in which topics began.

    Two topics may be told by turns: a turn joins the latest group that it is about.
    """
    groups: list[list[int]] = []
    for place, turn in enumerate(turns):
        if turn.tells:
            homes = (g for g in groups[::-1] if any(is_same_topic(turn, turns[n]) for n in g))
        else:
            homes = (g for g in groups if g[-1] == place - 1 and _may_join(turn, turns[g[-1]]))
        home = next(homes, None)
        if home is None:
            groups.append([place])
        else:
            home.append(place)
    return groups


def is_same_topic(one: TopicTurn, other: TopicTurn) -> bool:
    """Say whether two turns are about one thing, in one sitting of one conversation."""
    if not _may_join(one, other):
        return False
    cosine = sum(map(mul, one.vector, other.vector))
    meaning = load_embedder(EMBEDDER).scale.similarity(cosine)
    return match_themes(one.theme, other.theme, meaning).similarity >= _SAME


def _may_join(one: TopicTurn, other: TopicTurn) -> bool:
    is_one_sitting = one.thread == other.thread and abs(one.at - other.at) <= SITTING
    return is_one_sitting and not (one.closes or other.closes)
