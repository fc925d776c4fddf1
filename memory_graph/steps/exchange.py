"""Which part of a conversation is judged, and what is it compared and told by?"""

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from memory_graph.llm.offline.names import entities_in
from memory_graph.llm.offline.reply import is_from_memory_alone
from memory_graph.policy.exchange import Said
from memory_graph.policy.themes import Theme, theme_of
from memory_graph.records import Source
from memory_graph.storage.labels import stable_id

_LONGEST_MESSAGE = 600
_LONGEST_TEXT = 3000


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """The part of a conversation that no earlier capture has looked at."""

    said: tuple[Said, ...]
    """What is judged: the new messages, and notable ones that came too soon before."""

    earlier: tuple[Said, ...]
    """What was said before that and judged already, for reference."""

    window: tuple[Said, ...]
    """What an episode is written from: everything since the last one, within bounds."""

    facts_changed: bool
    """Facts of this turn were already kept before the reply."""

    source: Source
    now: datetime
    zone: ZoneInfo
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

    @property
    def theme(self) -> Theme:
        """What it is about."""
        return theme_of(self._spoken, entities_in(self._spoken))

    @property
    def today(self) -> date:
        """The user's local day."""
        return self.now.astimezone(self.zone).date()

    @property
    def _spoken(self) -> list[str]:
        spoken = (each for each in self.said if each.role == "user" or _tells_something(each))
        return [each.text[:_LONGEST_MESSAGE] for each in spoken if each.text]


def _tells_something(said: Said) -> bool:
    return said.role == "assistant" and not is_from_memory_alone(said.text)
