"""English function words and irregular forms."""

import json
from pathlib import Path

_LISTS: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "data/words.json").read_text(encoding="utf-8")
)

STOP_WORDS = frozenset(" ".join(_LISTS["stop_words"]).split())
"""Function words, contractions without their apostrophe, and the words questions are made of."""

FILLER_WORDS = frozenset(" ".join(_LISTS["filler_words"]).split())
"""Words that say little: no two statements are alike by them."""

BASE_FORMS = {
    form: base for base, *forms in map(str.split, _LISTS["irregular_forms"]) for form in forms
}
"""The base of each irregular form, but for forms that are words of their own (`lives`, `left`)."""
