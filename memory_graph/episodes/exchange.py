"""One topic of a conversation, with everything that capture judges it by."""

from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from memory_graph.episodes.chaining import Draft, Theme, theme_of
from memory_graph.episodes.signals import Outcomes, Signals
from memory_graph.keys import stable_id
from memory_graph.language import language_for
from memory_graph.language.mentions import entities_in, telling_words
from memory_graph.records import Said, Source

_LONGEST_MESSAGE = 600
_LONGEST_TEXT = 3000
_TELLING = 2


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """The turns on one topic that no episode tells yet."""

    said: tuple[Said, ...]
    """What is judged; an assistant's words that memory cannot vouch for are not among it."""

    outcomes: Outcomes
    """The evidence in it."""

    signals: Signals
    context: tuple[Said, ...] = ()
    """What led to it on the same topic and was not worth an episode by itself."""

    is_kept_as_facts: bool = False
    """Facts with keys already hold all that the user stated."""

    source: Source
    now: datetime
    """When it is judged."""

    said_at: datetime
    """When the last of it was said; what came too soon is judged later."""

    zone: ZoneInfo
    project: str | None = None
    joins: str | None = None
    """The episode that has taken in what was said just before on the same topic."""

    told_from_memory: bool = False
    """The reply came out of memory: the user looked back, and it was found."""

    @property
    def episode_id(self) -> str:
        """The same for the same messages, so that a retry overwrites instead of repeating."""
        return f"ep-{stable_id(self.source.thread_id or '', *self.source.message_ids[:1])}"

    @property
    def text(self) -> str:
        """What is compared with earlier episodes: the words, without tool traces."""
        return "\n".join(self._spoken)[-_LONGEST_TEXT:]

    @cached_property
    def theme(self) -> Theme:
        """What it is about."""
        return theme_of(self._spoken, entities_in(self._spoken))

    @property
    def today(self) -> date:
        """The user's local day on which it was said."""
        return self.said_at.astimezone(self.zone).date()

    @property
    def draft(self) -> Draft:
        """Its place among episodes, before it is written."""
        language = language_for(self.text)
        return Draft(
            episode_id=self.episode_id,
            now=self.said_at,
            event_dates=language.event_dates(self.text, now=self.said_at, zone=self.zone),
            day=self.today,
            project=self.project,
            joins=self.joins,
        )

    @cached_property
    def _spoken(self) -> list[str]:
        """The user's words; those of a reply where the user said too little to know by."""
        user = [each.text for each in self.said if each.role == "user"]
        if len(telling_words(" ".join(user))) < _TELLING:
            user += (each.text for each in self.said if each.role == "assistant")
        return [text[:_LONGEST_MESSAGE] for text in user if text]
