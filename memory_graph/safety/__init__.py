"""What is never kept or shown: secrets, orders to the agent, words that are not the user's."""

import re
import tomllib
from importlib.resources import files


def patterns_of(section: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of a section of `patterns.toml`, each with its parts written out."""
    table = tomllib.loads((files(__name__) / "patterns.toml").read_text(encoding="utf-8"))

    def written(text: str) -> str:
        return re.sub("@([A-Z]+)", lambda part: written(table["parts"][part[1]]), text).replace(
            "\n", ""
        )

    return {name: re.compile(written(text)) for name, text in table[section].items()}
