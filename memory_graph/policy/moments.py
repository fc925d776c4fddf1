"""Which moment does a timestamp from elsewhere mean?"""

from datetime import UTC, date, datetime


def read_moment(value: object) -> datetime | None:
    """Return a day or a time as a moment; without a zone it is taken as UTC.

    Nothing is returned for an empty value or one that is no time.
    """
    if isinstance(value, str):
        value = _parsed(value.strip())
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _parsed(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
