"""At which instant does a local day begin?"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return the first existing instant of a local day."""
    start = datetime.combine(day, time.min, tzinfo=zone)
    as_instant = start.astimezone(UTC)
    if as_instant.astimezone(zone).replace(tzinfo=None) == start.replace(tzinfo=None):
        return start
    return _end_of_gap(start, zone)


def _end_of_gap(missing: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant the clocks jumped over `missing`, found by halving."""
    earliest = missing.replace(fold=1).astimezone(UTC)
    jumped = missing.astimezone(UTC)
    before = earliest.astimezone(zone).utcoffset()
    while jumped - earliest > timedelta(seconds=1):
        middle = earliest + (jumped - earliest) // 2
        if middle.astimezone(zone).utcoffset() == before:
            earliest = middle
        else:
            jumped = middle
    return jumped.replace(microsecond=0).astimezone(zone)
