"""Sentence frames for replies without a model, in the reader's language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache

from memory_graph.language.words import table

_VERBS = table("english/verbs")
_THIRD_PERSON = re.compile(r"\bThe user (?P<verb>[a-z']+)", re.IGNORECASE)


def second_person(statement: str) -> str:
    """Return a statement about the user as it is said to them (`You live in Porto.`)."""
    said = _THIRD_PERSON.sub(lambda match: f"You {_plain_verb(match['verb'])}", statement)
    said = re.sub(r"\bthe user's\b", "your", said, flags=re.IGNORECASE)
    said = re.sub(r"\bthe user\b", "you", said, flags=re.IGNORECASE)
    return said[:1].upper() + said[1:]


_PRESENT = re.compile(rf"\b(?:{'|'.join(_VERBS['past'])})\b")


def in_past(sentence: str) -> str:
    """Return a short statement as one about the past (`You lived in Porto.`)."""
    past: dict[str, str] = _VERBS["past"]
    return _PRESENT.sub(lambda verb: past[verb[0]], sentence, count=1)


def _plain_verb(verb: str) -> str:
    irregular: dict[str, str] = _VERBS["second_person"]
    if known := irregular.get(verb) or irregular.get(verb.lower()):
        return known
    if verb.endswith(("ches", "shes", "sses", "xes")):
        return verb[:-2]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


_SLOT = re.compile(r"\{\w+\}")
_SINGLE = (
    "noted",
    "forgotten",
    "nothing_to_forget",
    "forget_all",
    "unknown",
    "rest",
    "start",
    "profile",
    "rules",
)
"""Frames that are a whole sentence."""
_OPENING = ("unsure", "told", "said", "earlier", "named")
"""Frames that begin a sentence."""


@dataclass(frozen=True)
class Frames:
    """The sentences of one language."""

    by_name: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        """Return a sentence that has no slots."""
        return self.by_name[name]

    def fill(self, name: str, **slots: str) -> str:
        """Return a sentence with its slots filled."""
        return self.by_name[name].format_map(slots)

    def unsure(self, told: str) -> str:
        """Return something told as what may or may not be meant."""
        is_one_sentence = ":" not in self["unsure"]
        return self.fill("unsure", rest=told[:1].lower() + told[1:] if is_one_sentence else told)

    def aside(self, text: str) -> str:
        """Return what is said to small talk: a greeting back, a welcome, a goodbye."""
        said = text.casefold()
        polite = [name for name in ("thanks", "bye") if self._says(name, said)]
        if not polite and self._says("hello", said):
            polite = ["hello"]
        return " ".join(self[name] for name in polite or ["fine"])

    def _says(self, name: str, said: str) -> bool:
        words = self[f"says_{name}"]
        edge = r"\b" if words.isascii() or words[0].isascii() else ""
        return re.search(rf"{edge}(?:{words}){edge}", said) is not None

    def day(self, day: date, today: date) -> str:
        """Return a day as people say it on another: `today`, `on Monday, 2 November`."""
        if day == today:
            return self["today"]
        if (today - day).days == 1:
            return self["yesterday"]
        name = "on" if 0 <= (today - day).days < 300 else "on_year"
        return self.dated(name, day).strip()

    def dated(self, name: str, day: date, words: str = "") -> str:
        """Return a sentence about a day: `Until 2 March 2026: “I live in Rome”`."""
        return self.fill(
            name,
            words=words,
            weekday=self["weekdays"].split()[day.weekday()],
            month=self["months"].split()[day.month - 1],
            day=str(day.day),
            year=str(day.year),
        )


@cache
def _languages() -> Mapping[str, Frames]:
    return {code: Frames(frames) for code, frames in table("frames").items()}


def frames_for(language: str) -> Frames:
    """Return the sentences of a language; English ones where it has none."""
    return _languages().get(language) or _languages()["en"]


@cache
def _own_openings() -> re.Pattern[str]:
    """Return what our replies begin with, up to the words they quote."""
    openings = {
        re.split(r"\{(?:words|rest)\}", frames[name])[0].strip()
        for frames in _languages().values()
        for name in (*_SINGLE, *_OPENING)
    }
    return re.compile("|".join(".{1,40}?".join(map(re.escape, _SLOT.split(o))) for o in openings))


def is_from_memory_alone(text: str) -> bool:
    """Return whether a reply is one of ours: it only echoes memory, and tells of nothing new."""
    return _own_openings().match(text.strip()) is not None


_BARE_NOUN = re.compile(
    r"(?P<noun>name|age|job|birthday|favou?rite [a-z ]+?|hometown|partner|wife|husband|email)"
    r"(?P<rest>'s| is| are)\b",
    re.IGNORECASE,
)
_BARE_VERB = re.compile(r"(?P<verb>[A-Z][a-z]+(?:n't)?)\b(?P<rest>.*)", re.DOTALL)
_NO_VERBS = frozenset("this his its as yes plus".split())
_NAMED = re.compile(
    r"\b(?:the )?user(?P<owns>['’]s)?\b(?: (?P<adverb>no longer |also |still )?(?P<verb>[a-z']+))?",
    re.IGNORECASE,
)


def first_person(statement: str) -> str:
    """Return a statement about the user as they would say it (`I live in Porto`).

    `User lives in Porto`, `Lives in Porto` and `The user lives in Porto` are how other programs
    note it down.
    """
    if _NAMED.search(statement):
        said = _NAMED.sub(_as_i, statement)
        return said[:1].upper() + said[1:]
    if _BARE_NOUN.match(statement):
        return f"My {statement[:1].lower()}{statement[1:]}"
    bare = _BARE_VERB.match(statement)
    verb = bare["verb"].lower() if bare else ""
    if not bare or not verb.endswith("s") or verb.endswith("ss") or verb in _NO_VERBS:
        return statement
    return f"I {_VERBS['first_person'].get(verb) or _plain_verb(verb)}{bare['rest']}"


def _as_i(match: re.Match[str]) -> str:
    verb = match["verb"]
    if match["owns"]:
        return f"my {match['adverb'] or ''}{verb}" if verb else "my"
    if not verb:
        return "I"
    plain = _VERBS["first_person"].get(verb.lower()) or _plain_verb(verb)
    return f"I {match['adverb'] or ''}{plain}"
