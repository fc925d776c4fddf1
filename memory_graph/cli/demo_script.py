"""What is said in the demo, by whom and when? Nothing here says how memory answers."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Europe/Lisbon")


@dataclass(frozen=True)
class Line:
    """Something one user says at one moment."""

    at: datetime
    text: str
    user: str = "ana"


@dataclass(frozen=True)
class Scene:
    """A few lines, and what to watch for in them."""

    title: str
    lines: tuple[Line, ...]


def _at(day: int, clock_time: str) -> datetime:
    hour, minute = map(int, clock_time.split(":"))
    return datetime(2026, 11, day, hour, minute, tzinfo=ZONE)


SCENES = (
    Scene(
        "Facts are kept as they are said, several from one message",
        (
            Line(_at(16, "09:00"), "Hi, I am Ana. My cat Luna is 3 and I live in Porto."),
            Line(_at(16, "09:01"), "Thanks!"),
        ),
    ),
    Scene(
        "A correction updates the fact and keeps the old value; it is no episode",
        (Line(_at(16, "09:05"), "Luna turned 4 yesterday!"),),
    ),
    Scene(
        "A decision becomes an episode; right after it, memory waits before the next",
        (
            Line(
                _at(16, "10:00"),
                "We decided to move the photo archive to Postgres, because SQLite kept locking.",
            ),
            Line(_at(16, "10:02"), "We also decided to name the new server Atlas."),
        ),
    ),
    Scene(
        "The same theme later that day joins the episode instead of making another",
        (
            Line(
                _at(16, "15:00"),
                "We moved the photo archive to Postgres, and SQLite no longer locks: it works now.",
            ),
        ),
    ),
    Scene(
        "The next day: what happened yesterday is found by the day it happened",
        (Line(_at(17, "09:30"), "What did we decide yesterday?"),),
    ),
    Scene(
        "Over days, an arc grows: each episode names the one it continues",
        (
            Line(
                _at(17, "16:30"),
                "We fixed the slow searches in the photo archive on Postgres: "
                "an index was missing, it works now.",
            ),
            Line(
                _at(18, "17:00"),
                "We shipped the photo archive on Postgres today, and searches are fast.",
            ),
        ),
    ),
    Scene(
        "Everything is still known; another user knows nothing of it",
        (
            Line(_at(18, "18:00"), "How old is Luna, and where do I live?"),
            Line(_at(18, "18:01"), "How old is Luna?", user="ben"),
        ),
    ),
)
