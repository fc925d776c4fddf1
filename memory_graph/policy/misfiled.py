"""Is an episode really a lasting fact, or a fact really something that happened?"""

import re

from memory_graph.policy.cue_phrases import Cue
from memory_graph.policy.cues import cues_in
from memory_graph.policy.sentences import split_sentences
from memory_graph.records import Episode, Fact

_HAPPENED: frozenset[Cue] = frozenset({"decision", "milestone", "solved", "setback"})
_SPEAKER = re.compile(
    r"^(?:the )?user (?:said|stated|mentioned|told us)(?: that)?:?\s+", re.IGNORECASE
)
_POSSESSIVE = re.compile(r"\b(?:the )?user['’]s\b", re.IGNORECASE)
_BEING = re.compile(r"\b(?:the )?user (?:is|was)\b", re.IGNORECASE)
_HAVING = re.compile(r"\b(?:the )?user has\b", re.IGNORECASE)
_NEGATED = re.compile(r"\b(?:the )?user (?:does not|doesn['’]t)\b", re.IGNORECASE)
_DOING = re.compile(r"\b(?:the )?user (no longer )?(\w+?)(?:(?<=[sxh])es|s)?\b", re.IGNORECASE)
_MOST_SENTENCES = 2


def in_first_person(text: str) -> str:
    """Return what is told of the user as the user would say it: `The user lives` is `I live`."""
    told = _SPEAKER.sub("", text.strip())
    told = _NEGATED.sub("I do not", told)
    told = _BEING.sub("I am", _HAVING.sub("I have", _POSSESSIVE.sub("my", told)))
    told = _DOING.sub(lambda match: f"I {match[1] or ''}{match[2]}", told)
    return told[:1].upper() + told[1:]


def may_be_fact(episode: Episode) -> bool:
    """Say whether an episode tells of nothing that was done, decided or learnt."""
    told = split_sentences(episode.summary)
    if len(told) > _MOST_SENTENCES or "The assistant answered" in episode.summary:
        return False
    outcome = (episode.decisions, episode.events, episode.lessons, episode.next_steps)
    if any(outcome) or episode.metadata.tools_used or episode.merged_from:
        return False
    return not any(_HAPPENED & cues_in(in_first_person(each), "user") for each in told)


def is_episode(fact: Fact) -> bool:
    """Say whether a fact without a key tells of something that was done once."""
    if fact.key is not None or fact.pinned or fact.valid_to is not None:
        return False
    return bool(_HAPPENED & cues_in(in_first_person(fact.statement), "user"))
