"""What is never kept or shown: secrets, orders to the agent, words that are not the user's."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

_TABLE = tomllib.loads((files(__name__) / "patterns.toml").read_text(encoding="utf-8"))


@cache
def secrets_table() -> dict[str, Any]:
    """Return `secrets.toml`: names of secrets by language, numbers and forms."""
    return tomllib.loads((files(__name__) / "secrets.toml").read_text(encoding="utf-8"))


def words_of(name: str) -> list[str]:
    """Return a word list of `patterns.toml`."""
    words: str = _TABLE["words"][name]
    return words.split()


def patterns_of(section: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of a section of `patterns.toml`, each with its parts written out."""

    def written(text: str) -> str:
        parts = re.sub("@([A-Z]+)", lambda part: written(_TABLE["parts"][part[1]]), text)
        return parts.replace("\n", "")

    return {name: re.compile(written(text)) for name, text in _TABLE[section].items()}
