"""Which words can be part of a time phrase, and what does each stand for?"""

from memory_graph.policy.time_phrases.calendar import Unit


def words(listed: str) -> list[str]:
    """Split a word list, which reads better than a column of strings."""
    return listed.split()


MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
UNMISTAKABLE_MONTHS = frozenset(
    words("january february feb july september sept october oct november nov december")
)
"""The others are also names or verbs, and need a word before them: `in May`, `since March`."""

WEEKDAYS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "monday mon",
            "tuesday tue tues",
            "wednesday wed weds",
            "thursday thu thur thurs",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
MISTAKABLE_WEEKDAYS = frozenset({"mon", "wed", "sat", "sun"})

UNITS: dict[str, Unit] = {
    "seconds": "second",
    "sec": "second",
    "secs": "second",
    "minute": "minute",
    "minutes": "minute",
    "min": "minute",
    "mins": "minute",
    "hour": "hour",
    "hours": "hour",
    "hr": "hour",
    "hrs": "hour",
    "day": "day",
    "days": "day",
    "night": "day",
    "nights": "day",
    "morning": "day",
    "mornings": "day",
    "evenings": "day",
    "week": "week",
    "weeks": "week",
    "wk": "week",
    "wks": "week",
    "weekend": "weekend",
    "weekends": "weekend",
    "wkend": "weekend",
    "wknd": "weekend",
    "fortnight": "fortnight",
    "fortnights": "fortnight",
    "month": "month",
    "months": "month",
    "mth": "month",
    "mths": "month",
    "quarter": "quarter",
    "quarters": "quarter",
    "qtr": "quarter",
    "qtrs": "quarter",
    "year": "year",
    "years": "year",
    "yr": "year",
    "yrs": "year",
    "decade": "decade",
    "decades": "decade",
    "century": "century",
    "centuries": "century",
}
SEASONS = {
    "spring": "spring",
    "summer": "summer",
    "summertime": "summer",
    "autumn": "autumn",
    "fall": "autumn",
    "winter": "winter",
    "wintertime": "winter",
}
SHORT_UNITS: dict[str, Unit] = {
    "s": "second",
    "m": "minute",
    "h": "hour",
    "d": "day",
    "w": "week",
    "mo": "month",
    "y": "year",
}
DAY_PARTS = frozenset(words("morning afternoon evening night noon midday midnight lunchtime"))

DIGITS = {
    word: number
    for number, word in enumerate(words("one two three four five six seven eight nine"), start=1)
}
TEENS = {
    word: number
    for number, word in enumerate(
        words("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"),
        start=10,
    )
}
TENS = {
    word: number * 10
    for number, word in enumerate(
        words("twenty thirty forty fifty sixty seventy eighty ninety"), start=2
    )
}
ORDINALS = {
    word: number
    for number, word in enumerate(
        words(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
            "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
            "twentieth"
        ),
        start=1,
    )
} | {"thirtieth": 30}
DECADES = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
    "noughties": 0,
}

ALIASES = {
    "nite": "night",
    "tonite": "tonight",
    "untill": "until",
    "yday": "yesterday",
    "tmrw": "tomorrow",
    "tmr": "tomorrow",
}
"""Spellings of chat messages."""


def _kinds() -> dict[str, dict[str, int | str]]:
    """Return for every known word its kinds, each with what it stands for."""
    kinds: dict[str, dict[str, int | str]] = {}
    tables: dict[str, dict[str, int] | dict[str, str] | dict[str, Unit]] = {
        "MONTH": MONTHS,
        "MONTHS": {f"{name}s": number for name, number in MONTHS.items() if len(name) > 4},
        "WEEKDAY": WEEKDAYS,
        "WEEKDAYS": {f"{name}s": n for name, n in WEEKDAYS.items() if name.endswith("day")},
        "UNIT": UNITS,
        "SHORTUNIT": SHORT_UNITS,
        "SEASON": SEASONS,
        "SEASONS": {f"{name}s": season for name, season in SEASONS.items()},
        "DAYPART": {part: part for part in DAY_PARTS},
        "DIGIT": DIGITS,
        "TEEN": TEENS,
        "TENS": TENS,
        "ORDINAL": ORDINALS,
        "DECADE": DECADES,
    }
    for kind, table in tables.items():
        for word, value in table.items():
            kinds.setdefault(word, {})[kind] = value
    return kinds


KINDS = _kinds()
