"""What does a predicate say once tense, adverbs and negation are taken off it?"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_ADVERBS = re.compile(
    r"(?:,\s*)?\b(?:now|just|actually|really|currently|also|still|recently|officially|finally|absolutely|"
    r"totally|definitely|nowadays|these days|at the moment|too|as well|again|honestly|by the way|"
    r"btw|mostly|mainly|usually|always|primarily|generally|very much|already|even|simply)\b(?:,(?=\s))?"
)
_ENDED = re.compile(
    r"\b(?:no longer|never again)\b|\b(?:not )?any more\b|\bafter all\b", re.IGNORECASE
)
_QUIT = re.compile(r"^(?:have |has )?(?:stopped|quit|gave up|given up|finished)\s+(?=\w+ing\b)")
_USED_TO = re.compile(r"^used to\s+")
_BUT_NOT = re.compile(r",? but (?:not|I do not)\s*$")
_STARTED = re.compile(r"^(?:have |has )?(?:started|begun|began)\s+(?=\w+ing\b)")
_NOT = re.compile(r"^(?:(?:do|does|did)\s+not\s+|never\s+)|(?<=^be )not\s+|(?<=^have )not\s+")
_STATE_FORMS = re.compile(
    r"^(?:be|have been)\s+(?=(?:living|working|studying|learning|training|saving|trying)\b)"
)
_UNREAL = re.compile(
    r"^(?:would(?! rather)|could|might|may|should|will|shall|was going to|be going to|"
    r"be about to|want to be|hope|plan to be)\b"
)
_BE = frozenset({"am", "is", "are"})
_BASE_FORMS: Mapping[str, str] = {
    "has": "have",
    "does": "do",
    "goes": "go",
    "teaches": "teach",
    "studies": "study",
    "has been": "have been",
}
_GERUNDS: Mapping[str, str] = {
    "living": "live",
    "using": "use",
    "liking": "like",
    "loving": "love",
    "taking": "take",
    "driving": "drive",
    "smoking": "smoke",
    "having": "have",
    "saving": "save",
    "programming": "program",
}
_THIRD_PERSON = frozenset(
    """
    lives works loves likes hates speaks prefers drives uses plays enjoys owns runs codes programs
    takes eats drinks smokes adores dislikes studies weighs turns needs wants moves
    """.split()
)
_FINITE = (
    "am|is|are|have|has|had|live|lives|work|works|love|loves|like|likes|hate|hates|speak|speaks|use|uses|"
    "play|plays|study|studies|drive|drives|enjoy|prefer|run|eat|drink|moved|can|do not|does not|weigh"
)
_VERBLESS = r"living in|working (?:at|for|as)|based in|studying|\d{1,3}(?=,|$)|an? (?=[a-z])|married|single|retired"
_NEXT_VERB = re.compile(
    rf"(?:,\s*(?:and\s+|but\s+)?|\s+(?:and|but)\s+)(?:now\s+|also\s+|then\s+)*(?=(?:{_FINITE})\b)"
    rf"|,\s+(?:and\s+)?(?=(?:{_VERBLESS}))|\s+(?=(?:living in|working (?:at|for|as)|based in)\b)"
)


@dataclass(frozen=True)
class Predicate:
    """A predicate in its plain form, and whether it is denied."""

    text: str
    negated: bool = False


def split_predicates(rest: str) -> tuple[str, ...]:
    """Split `live in Ghent, work as a translator and have a dog` at its verbs."""
    first, *others = _NEXT_VERB.split(rest)
    return (first, *(_with_verb(part) for part in others if part))


def plain_predicate(text: str) -> Predicate | None:
    """Reduce `no longer works at Acme now` to `work at Acme`, negated; None when unreal."""
    text = _tidy(_ADVERBS.sub(" ", text))
    ended = bool(_ENDED.search(text))
    text = _tidy(_ENDED.sub(" ", text))
    negated = ended and "after all" not in text
    for pattern in (_QUIT, _USED_TO, _BUT_NOT):
        text, count = pattern.subn("", text)
        negated = negated or bool(count)
    text = _base_form(_base_form(_STARTED.sub("", text)))
    text, denials = _NOT.subn("", text)
    text = _base_form(_STATE_FORMS.sub("", _base_form(text)))
    if _UNREAL.match(text):
        return None
    return Predicate(_tidy(text), negated or bool(denials))


def _with_verb(part: str) -> str:
    """Give an apposition its verb: `29` → `am 29`, `based in Oslo` → `am based in Oslo`."""
    return f"am {part}" if re.match(_VERBLESS, part) else part


def _base_form(text: str) -> str:
    first, _, rest = text.partition(" ")
    if first in _BE:
        first = "be"
    elif first in _BASE_FORMS:
        first = _BASE_FORMS[first]
    elif first in _THIRD_PERSON:
        first = first[:-1]
    elif first.endswith("ing"):
        first = _GERUNDS.get(first, first[:-3])
    return f"{first} {rest}".strip()


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" ,.!?;:")
