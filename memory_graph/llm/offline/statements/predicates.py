"""What does a predicate say once tense, adverbs and negation are taken off it?"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_ADVERBS = re.compile(
    r"(?:,\s*)?\b(?:right now|now|just|actually|really|currently|also|still|recently|officially|"
    r"finally|absolutely|totally|definitely|nowadays|these days|at the moment|too|as well|again|"
    r"honestly|by the way|btw|mostly|mainly|usually|always|originally|lately|primarily|generally|"
    r"very much|already|even|simply|fully|completely|strictly)\b(?:,(?=\s))?"
)
_ENDED = re.compile(r"\bno longer\b|(?:,? but (?:I do )?)?(?:\bnot )?\bany more\b", re.IGNORECASE)
_AFTER_ALL = re.compile(r",? after all\b", re.IGNORECASE)
_QUIT = re.compile(r"^(?:have |has )?(?:stopped|quit|gave up|given up|finished)\s+(?=\w+ing\b)")
_USED_TO = re.compile(r"^used to\s+")
_STARTED = re.compile(r"^(?:have |has )?(?:started|begun|began)\s+(?=\w+ing\b)")
_NOT = re.compile(
    r"^(?:(?:do|does|did)\s+not\s+|never\s+(?=eat|drink|smoke|use|take)\b)|(?<=^be )not\s+|"
    r"(?<=^have )not\s+"
)
_STATE_FORMS = re.compile(
    r"^(?:be|have been)\s+(?=(?:living|working|studying|learning|training|saving|trying|"
    r"preparing|planning|hoping)\b)|^have been\s+(?=(?:playing|using|doing|collecting|driving|"
    r"taking)\b)"
)
_PERFECT = re.compile(r"^have been ")
_HAVE_HAD = re.compile(r"^have had ")
_HAVE_GOT = re.compile(r"^have got (?=an?\b|[a-z]+(?:es|a)\b|two|three|\d)")
_UNREAL = re.compile(
    r"^(?:would(?! (?:rather|like to|love to))|could|might|may|should|will|shall|was going to|"
    r"be going to|be about to|want to be|plan to be|never)\b"
)
_BE = frozenset({"am", "is", "are"})
_BASE_FORMS: Mapping[str, str] = {
    "has": "have",
    "does": "do",
    "goes": "go",
    "teaches": "teach",
    "studies": "study",
    "were": "was",
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
    "preparing": "prepare",
    "planning": "plan",
    "hoping": "hope",
    "being": "be",
    "programming": "program",
}
_GERUND = re.compile(r"\w*[aeiouy]\w*ing")
_THIRD_PERSON = re.compile(
    r"(?:lives|works|loves|likes|hates|speaks|prefers|drives|uses|plays|enjoys|owns|runs|codes|"
    r"programs|takes|eats|drinks|smokes|adores|dislikes|weighs|turns|needs|wants|moves)"
)
_FINITE = (
    "am|is|are|have|has|had|live|lives|work|works|love|loves|hate|hates|speak|speaks|use|uses|"
    "play|plays|study|studies|drive|drives|enjoy|prefer|run|eat|drink|take|takes|moved|bought|"
    "got|can|do not|does not|weigh|smoke|smokes|code|program"
)
_VERBLESS = re.compile(
    r"living in|working (?:at|for|as)|based in|studying|\d{1,3}(?=,|$)|an? (?=[a-z])|"
    r"from [\w ]+(?=,|$)|(?:married|single|retired)$"
)
_NEXT_VERB = re.compile(
    r"(?:,\s*(?:and\s+|but\s+|or\s+)?|\s+(?:and|but|or)\s+)(?:now\s+|also\s+|then\s+)*"
    rf"(?=(?:{_FINITE})\b)|,?\s+(?:and|but)\s+(?=likes?\b)|,\s+(?:and\s+)?(?={_VERBLESS.pattern})"
)
_APPOSITION = re.compile(r"(?<=\w)\s+(?=(?:living in|working (?:at|for|as)|based in)\b)")
_TITLED = re.compile(r"^(?:am|is|are) (?:an?|the) (?!living|working|based)")


@dataclass(frozen=True)
class Predicate:
    """A predicate in its plain form, and whether it is denied."""

    text: str
    negated: bool = False
    lapsed: bool = False
    """It was so once (`used to`), which says less than a denial."""


def split_predicates(rest: str) -> tuple[str, ...]:
    """Split `live in Ghent, work as a translator and have a dog` at its verbs."""
    parts = [part for part in _NEXT_VERB.split(rest) if part]
    parts = [piece for part in parts for piece in _split_apposition(part)]
    first, *others = [_with_verb(part) for part in parts] or [""]
    denied = "do not " if first.startswith(("do not ", "does not ")) and " or " in rest else ""
    return (first, *(f"{denied}{part}" for part in others))


def plain_predicate(text: str) -> Predicate | None:
    """Reduce `no longer works at Acme now` to `work at Acme`, negated; None when unreal."""
    text = _tidy(_AFTER_ALL.sub("", _ADVERBS.sub(" ", text)))
    negated = False
    for pattern in (_ENDED, _QUIT):
        text, count = pattern.subn(" ", text)
        text = _tidy(text)
        negated = negated or bool(count)
    text, lapses = _USED_TO.subn("", text)
    text = _base_form(_base_form(_STARTED.sub("", text)))
    text, denials = _NOT.subn("", text)
    text = _base_form(_STATE_FORMS.sub("", _base_form(text)))
    text = _PERFECT.sub("be ", _HAVE_HAD.sub("have ", _HAVE_GOT.sub("have ", text)))
    if _UNREAL.match(text):
        return None
    return Predicate(_tidy(text), negated or bool(denials), lapsed=bool(lapses))


def _with_verb(part: str) -> str:
    """Give an apposition its verb: `29` → `am 29`, `based in Oslo` → `am based in Oslo`."""
    return f"am {part}" if _VERBLESS.match(part) else part


def _split_apposition(part: str) -> list[str]:
    """Split `am an engineer working at Bosch`; leave `stopped working at Bosch` whole."""
    return _APPOSITION.split(part) if _TITLED.match(part) else [part]


def _base_form(text: str) -> str:
    first, _, rest = text.partition(" ")
    if first in _BE:
        first = "be"
    elif first in _BASE_FORMS:
        first = _BASE_FORMS[first]
    elif _THIRD_PERSON.fullmatch(first):
        first = first[:-1]
    elif _GERUND.fullmatch(first):
        first = _GERUNDS.get(first, first[:-3])
    return f"{first} {rest}".strip()


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" ,.!?;:")
