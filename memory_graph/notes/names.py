"""What is a note called?"""

from collections import defaultdict
from collections.abc import Iterable

from memory_graph.records import Episode, Pattern

_TITLES = {"pattern": "PATTERN", "antipattern": "ANTIPATTERN"}


def episode_titles(episodes: Iterable[Episode]) -> dict[str, str]:
    """Return `EPISODE-2026-11-16-session-01` by id; a day's episodes are numbered as they began."""
    days: defaultdict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        days[episode.date_iso].append(episode)
    return {
        episode.id: f"EPISODE-{day}-session-{number:02d}"
        for day, of_day in days.items()
        for number, episode in enumerate(sorted(of_day, key=lambda e: (e.started_at, e.id)), 1)
    }


def pattern_title(pattern: Pattern) -> str:
    """Return `PATTERN-retry-on-timeout`, or `ANTIPATTERN-…`."""
    return f"{_TITLES[pattern.kind]}-{pattern.name}"


def permalink(title: str) -> str:
    """Return where a note lives: `episodes/episode-2026-11-16-session-01`."""
    folder = "episodes" if title.startswith("EPISODE-") else "patterns"
    return f"{folder}/{title.lower()}"
