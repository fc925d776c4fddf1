"""How are lists of words and phrases written as patterns?"""

import re
from collections.abc import Iterable


def one_of(phrases: str) -> str:
    """Return a pattern for any of the comma-separated `phrases`, which may be patterns."""
    return f"(?:{'|'.join(phrase.strip() for phrase in phrases.split(','))})"


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Compile `patterns` into one that is found where any of them is."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
