"""Split a message into sentences and clauses, and classify what each one asks."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from memory_graph.language.words import DEFAULT, STOP_WORDS, folded, words_of


@dataclass(frozen=True)
class Openers:
    """The words of one language; there may be none."""

    openers: tuple[str, ...]
    """Longest first: `good news`, `ok`."""

    before_people: frozenset[str]
    after_people: frozenset[str]


@cache
def openers_of(language: str) -> Openers:
    """Return the words of a language."""
    listed = _openers_listed().get(language, {})
    return Openers(
        tuple(sorted(listed.get("openers", ()), key=len, reverse=True)),
        frozenset(listed.get("before_people", ())),
        frozenset(listed.get("after_people", ())),
    )


@cache
def _openers_listed() -> dict[str, dict[str, list[str]]]:
    data = resources.files("memory_graph.language").joinpath("data/openers.json")
    listed: dict[str, dict[str, list[str]]] = json.loads(data.read_text(encoding="utf-8"))
    return listed


MAX_SENTENCES = 60
"""Of one message; the first two thirds and the last third of a longer one are read."""

MAX_CHARACTERS = 12_000
"""Of one message; as many of its beginning and end are read, half each."""

_CODE = re.compile(r"```(?:(?!```).)*(?:```|\Z)", re.DOTALL)
_END = re.compile(
    # A full stop ends a sentence only before a space, and not after a title or a single letter.
    r"(?<=[.!?…؟])(?<!\b[^\W\d_]\.)(?<!\b(?:Dr|Mr|Ms|St|Hr|Fr|Sr|vs|Nr)\.)"
    r"(?<!\b(?:Mrs|Sra|Dra|Mme|e\.g|i\.e|z\.B)\.)(?<!\bProf\.)(?<!\d\.)\s+"
    r"|(?<=[。！？])|\n+"
)
_WORD_CHARACTER = re.compile(r"\w")
_FIRST_WORDS = re.compile(r"[^\s,;:]+")
_MOST_TOGETHER = 4
_LOOK_AHEAD = 120
"""Characters in which the verb of a statement is looked for."""


@dataclass(frozen=True)
class Markers:
    """The words by which statements of one language hang together."""

    joiners: re.Pattern[str] | None
    """Between two statements: `and`, `but`; only before one of `starters`."""

    starters: tuple[str, ...]
    verbs: frozenset[str]
    refers: tuple[str, ...]
    """What a statement starts with that needs the one before it: `they`, `it`."""

    remember: tuple[str, ...]
    forget: tuple[str, ...]
    supposes: tuple[str, ...]


def readable(text: str) -> str:
    """Return as much of a message as is read: all of it, or its beginning and its end."""
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    return f"{text[:half]}\n{text[-half:]}"


def split_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of `text` with their closing marks, without code."""
    plain = _CODE.sub("\n", readable(text))
    parts = [" ".join(part.split()) for part in _END.split(plain)]
    sentences = [part for part in parts if _WORD_CHARACTER.search(part)]
    if len(sentences) <= MAX_SENTENCES:
        return tuple(sentences)
    last = MAX_SENTENCES // 3
    return (*sentences[: MAX_SENTENCES - last], *sentences[-last:])


def split_clauses(sentence: str, language: str = DEFAULT) -> list[str]:
    """Split a sentence where a new statement with its own subject and verb begins.

    `Becky is vegan and his dad is allergic to nuts` makes two statements, `Priya, Jo and my
    cousin Ellie` makes none.
    """
    markers = markers_of(language)
    if markers.joiners is None or sentence.endswith("?"):
        return [sentence]
    clauses: list[str] = []
    start = 0
    for seam in markers.joiners.finditer(sentence):
        left, right = sentence[start : seam.start()], sentence[seam.end() :][:_LOOK_AHEAD]
        if _has_verb(left, markers) and _has_verb(right, markers):
            clauses.append(left)
            start = seam.end()
    return [clause.strip(" ,;") for clause in (*clauses, sentence[start:])]


def has_subject(clause: str, language: str = DEFAULT) -> bool:
    """Say whether a clause starts with a subject and has a verb: `his dad is allergic`."""
    markers = markers_of(language)
    if _starts_with(clause, markers.starters, language):
        return _has_verb(clause, markers)
    _, *after = _FIRST_WORDS.findall(clause.casefold())[:2]
    return any(word in markers.verbs for word in after)  # `Delivery comes`, `Mark is`


def starts_with_verb(clause: str, language: str = DEFAULT) -> bool:
    """Say whether a clause starts with a verb, and so lacks its subject: `has two girls`."""
    return _starts_with(clause, tuple(markers_of(language).verbs), language)


def refers_back(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether a sentence needs the one before it, as `They hold 80 people` does."""
    return _starts_with(sentence, markers_of(language).refers, language)


def asks_to_remember(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether the user wants this very sentence kept, as in `remember that …`."""
    opened = without_opener(sentence)
    return _starts_with(opened, markers_of(language).remember, language)


def asks_to_forget(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether the user wants something no longer kept: `forget my address`."""
    return _starts_with(without_opener(sentence), markers_of(language).forget, language)


def supposes(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether a sentence only imagines: `if I lived in Rome`."""
    return _starts_with(without_opener(sentence), markers_of(language).supposes, language)


@cache
def markers_of(language: str) -> Markers:
    """Return the markers of a language; none that is not listed has any."""
    listed = _listed().get(language, {})
    joiners, starters = listed.get("joiners", []), listed.get("starters", [])
    seam = None
    if joiners:
        words, begins = "|".join(map(re.escape, joiners)), "|".join(map(re.escape, starters))
        seam = re.compile(
            rf"(?:[,;] (?:(?:{words}) )?| (?:{words}) )(?=(?:{begins})\b)", re.IGNORECASE
        )
    return Markers(
        joiners=seam,
        starters=tuple(starters),
        verbs=frozenset(listed.get("verbs", [])),
        refers=tuple(listed.get("refers", [])),
        remember=tuple(listed.get("remember", [])),
        forget=tuple(listed.get("forget", [])),
        supposes=tuple(listed.get("supposes", [])),
    )


@cache
def _listed() -> dict[str, dict[str, list[str]]]:
    data = resources.files("memory_graph.language").joinpath("data/clauses.json")
    listed: dict[str, dict[str, list[str]]] = json.loads(data.read_text(encoding="utf-8"))
    return listed


def _has_verb(clause: str, markers: Markers) -> bool:
    head = clause[:_LOOK_AHEAD].casefold().replace("’", "'")
    words = _FIRST_WORDS.findall(head)
    return any(word.strip(".!") in markers.verbs or word.endswith("ed") for word in words[:8])


def _starts_with(sentence: str, phrases: tuple[str, ...], language: str) -> bool:
    plain = sentence[:_LOOK_AHEAD].casefold().replace("’", "'").lstrip(" \"“'(-–—")
    return plain.startswith(_beginnings(phrases, is_spaced=language not in {"zh", "ja", "ko"}))


@cache
def _beginnings(phrases: tuple[str, ...], *, is_spaced: bool) -> tuple[str, ...]:
    folded = (each.casefold() for each in phrases)
    return tuple(f"{each} " if is_spaced and not each.endswith("'") else each for each in folded)


_OPENERS = frozenset(
    "and but so well ok okay oh hey hi hello yo please also pls btw anyway und aber bitte hallo"
    " moin y pero por favor hola et mais salut bonjour e mas ciao oi olá nog hoi"
    " 请 請 对了 你好".split()
)


def without_opener(sentence: str) -> str:
    """Return a sentence without the greeting or filler it opens with."""
    words = sentence.split()
    while len(words) > 1 and words[0].casefold().strip(",.!:;-–") in _OPENERS:
        words = words[1:]
    return " ".join(words).removeprefix("请").removeprefix("請")


def grouped(
    sentences: tuple[str, ...], language: str, goes_on: Callable[[str], bool]
) -> Iterator[tuple[int, ...]]:
    """Yield the places of sentences that belong together: one, and what refers back to it.

    What `goes_on` takes the next sentence with it: `Rui left. New contact is Sílvia.`
    """
    group: tuple[int, ...] = ()
    for place, sentence in enumerate(sentences):
        is_more = group and len(group) < _MOST_TOGETHER
        if is_more and (refers_back(sentence, language) or goes_on(sentences[place - 1])):
            group = (*group, place)
            continue
        if group:
            yield group
        group = (place,)
    if group:
        yield group


_ANSWER_BEFORE = re.compile(
    r"\b(?:did you|you (?:\w+ )?(?:advised|explained|gave|listed|mentioned|proposed|recommended"
    r"|said|shared|suggested|told|wrote))\b",
    re.IGNORECASE,
)


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def without_names(text: str, names: Iterable[str]) -> str:
    """Return a query without the names of those who speak.

    A name says whose words are wanted, not what they are about: in an embedding it pulls
    towards greetings. A query made of nothing else comes back as it is.
    """
    parts = {part for name in names for part in name.casefold().split()}
    if not parts:
        return text
    kept = _WORD.sub(lambda word: "" if _owner(word[0]) in parts else word[0], text)
    return " ".join(kept.split()) if _WORD.search(kept) else text


@dataclass(frozen=True, kw_only=True)
class Voices:
    """Who speaks in a namespace, by the names their words are stored under."""

    participants: tuple[str, ...] = ()
    asker: str | None = None
    """Whom `I` means in a query."""

    answerer: str | None = None
    """Whom `you` means."""


def speaker_asked(text: str, voices: Voices) -> str | None:
    """Return whose words a query asks for, or nothing when it does not say.

    A name counts before a pronoun; with two names, nobody's words come first. Without
    either, the asker's own come first: what they told, not what was answered.
    """
    said = {_owner(word) for word in _WORD.findall(text)}
    named = [name for name in voices.participants if said.intersection(name.casefold().split())]
    if named:
        return named[0] if len(named) == 1 else None
    if _ANSWER_BEFORE.search(text):
        return voices.answerer
    return voices.asker


def _owner(word: str) -> str:
    return word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")


_ASKING = (
    r"(?:who|whom|whose|what|when|where|which|why|how|do|does|did|is|are|was|were|have|has|had"
    r"|can|could|will|would)\b"
)


_SEAM = re.compile(
    rf"(?<=\?)\s+|(?:,|(?<![\s,]))\s+(?:and|but|or)\s+(?:also\s+)?(?={_ASKING})", re.IGNORECASE
)


_STANDS_ALONE = re.compile(
    rf"{_ASKING}(?!.*\b(?:he|she|it|they|him|her|them|this|that|these|those)\b)", re.IGNORECASE
)


_PARTS = 3


_ABOUT_TALK = frozenset(
    # What people call a conversation and what is done in one: no topic by itself.
    """
    agree agreed anything arrange arranged ask asked chat chatted conversation
    conversations cover covered decide decided decision decisions discuss discussed discussion
    everything exactly forget forgot forgotten happen happened kind last list mention mentioned mind
    plan planned promise promised recall recap remember remind said say session
    settle settled something sort
    speak spoke stuff suggest suggested summarise summarize summary talk talked talking tell thing
    things time told topic topics
    """.split()
)


_COUNTS = {"couple of": 2, "few": 3} | {
    word: number
    for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)
}


_LAST_TIMES = re.compile(
    rf"\b(?:the |my |our )?(?:last|past|previous|latest|most recent) (?:(?P<count>\d{{1,3}}|"
    rf"{'|'.join(_COUNTS)}) )?(?P<unit>times?|occasions?|episodes?|sessions?)\b(?: (?:that|when))?",
    re.IGNORECASE,
)


def last_times(text: str) -> tuple[int, str] | None:
    """Return how many of the last occasions are asked for, and the words that say so."""
    found = _LAST_TIMES.search(text)
    if found is None or (found["count"] is None and found["unit"].endswith("s")):
        return None
    count = (found["count"] or "one").casefold()
    return max(1, _COUNTS.get(count) or int(count)), found[0]


def split_question(text: str) -> list[str]:
    """Return the questions in a message that asks several, else the message as it is."""
    parts = [part.strip() for part in _SEAM.split(text) if part.strip()]
    if len(parts) <= 1 or not all(_STANDS_ALONE.match(part) for part in parts):
        return [text]
    return parts[:_PARTS]


def topic_of(text: str, time_phrase: str | None = None) -> str:
    """Return the words that say what a question is about, in their order.

    Nothing is left of one that asks for whatever was said at a time: `What did we
    decide yesterday?`.
    """
    asked = text.replace(time_phrase, " ") if time_phrase else text
    words = _WORD.findall(asked)
    kept = [word for word in words if _bare(word) not in STOP_WORDS | _ABOUT_TALK]
    return " ".join(kept)


def _bare(word: str) -> str:
    return word.casefold().replace("’", "").replace("'", "")


_DAYS = frozenset({"date", "month", "day", "year", "time"})
_AMOUNTS = frozenset({"number", "money", "percent"})
_BEFORE_ASKING = 3
"""Words that may come before what a question asks for: `and when`, `remind me when`."""


def wanted_values(question: str) -> frozenset[str]:
    """Return the kinds of value of which an answer needs one: a day for `when`; none for most."""
    asked = folded(question)
    if _asks_for("time").search(asked):
        return _DAYS
    if _asks_for("name", edge="").search(asked):
        return frozenset({"name"})
    wants = _asks_for("amount").search(asked) or _listed_words("amount_of").search(asked)
    return _AMOUNTS if wants else frozenset()


def without_naming(question: str) -> str:
    """Return a question without the words that ask for a name: no answer has to hold them."""
    return _listed_words("called").sub(" ", folded(question))


_OWNED = re.compile(
    r"\b(?!(?:what|who|when|where|how|it|that|here|there|he|she|let|\w*day|week|month|year|night)\b)"
    r"(\w+)['’]s (\w+)"
)


def owner_asked(question: str) -> tuple[str, str] | None:
    """Return whose and what a question asks for, unless that is a name: `dentist`, `deadline`."""
    found = _OWNED.search(without_naming(question))
    return (found[1], found[2]) if found else None


def asks_for_former(question: str) -> bool:
    """Say whether a question is about what was so before: `Where did I live before?`."""
    return _listed_words("former").search(folded(question)) is not None


def asks_further(question: str, language: str) -> bool:
    """Say whether a question only asks what the one before it was about: `And before that?`."""
    rest = _listed_words("former").sub(" ", folded(question))
    return asks_for_former(question) and not words_of(rest, language)


_I = re.compile(r"\b(?:i|me|ich|mir|mich|yo|me|je|moi|io|eu|ik)\b|\bj'|我|私|나는", re.IGNORECASE)


def asks_of_user(question: str) -> bool:
    """Say whether a question is about the one who asks it."""
    return _I.search(question) is not None


_PLAIN_WORD = re.compile(r"(?<![\w-])[^\W_]+(?!-(?:in-)?law)")
"""Without its possessive: `my brother's name` is about a brother; a `belle-mère` is no `mère`."""


_CLAUSE = re.compile(r"[,;.!:]\s+")
_MINE = re.compile(r"\b(?:my|mine|mein\w*|mi|mis|mon|ma|mes|meu|minha|mio|mia|mijn)\b")


def asks_first(text: str) -> bool:
    """Say whether a text begins with a word that asks, after a greeting or filler at most."""
    return _asking_words().search(text) is not None


@cache
def _asking_words() -> re.Pattern[str]:
    opener = r"^\W*(?:(?:and|so|ok|hey|hi|und|y|et|e|en)\W+)?"
    return re.compile(rf"{opener}(?:{_questions()['asks']})\b", re.IGNORECASE)


def _asked_of(question: str) -> str:
    """Return the clause that asks of something of the user's own, if others lead up to it.

    `My aunt is cooking, what must she know about my diet?` asks of a diet, not of an aunt.
    """
    *before, last = _CLAUSE.split(question)
    is_led_up_to = before and not any(map(asks_first, before))
    return last if is_led_up_to and _MINE.search(last) else question


def relatives_asked(question: str) -> tuple[frozenset[str], ...]:
    """Return, for each relative or pet that a question names, the words that may stand for it."""
    said = set(_PLAIN_WORD.findall(_asked_of(folded(question))))
    return tuple(words for words in _kin() if said & words and not said & _ALMOST_ANYBODY & words)


def tells_of(text: str, relative: frozenset[str]) -> bool:
    """Say whether a text names a relative by one of these words."""
    return not relative.isdisjoint(_PLAIN_WORD.findall(folded(text)))


_CALLED = re.compile(
    r"[ ,]{1,3}(?:(?:is |ist |est |es )?(?:called |named ))?([A-ZÀ-Þ][\w-]+)(?!\w)"
)


def name_of_relative(text: str, relative: frozenset[str]) -> str | None:
    """Return the name that stands right after a relative: `my brother Callum`."""
    for word in _PLAIN_WORD.finditer(text):
        if folded(word[0]) in relative and (name := _CALLED.match(text, word.end())):
            return name[1]
    return None


_OUR = r"(?:\b(?:my|our|mein\w*|unser\w*|mi|mis|nuestr\w*|mon|ma|mes|notre|nos) )?"


def put_name(question: str, relative: frozenset[str], name: str) -> str:
    """Return a question that calls a relative by name: `where does Callum work?`."""
    words = [word[0] for word in _PLAIN_WORD.finditer(question) if folded(word[0]) in relative]
    if not words:
        return question
    each = "|".join(map(re.escape, words))
    return re.sub(rf"{_OUR}\b(?:{each})\b", name, question, flags=re.IGNORECASE)


_BESIDE = 3
"""Words within which a relative and the name that they have stand together."""

_ENDS = re.compile(r"[.!?;]\s")


def names_relative(text: str, relative: frozenset[str], owners: frozenset[str]) -> bool:
    """Say whether a text names a relative of the owners, or of the user where there are none.

    The name comes right after (`her husband Mark`), or before a comma or a verb (`Mark is her
    husband`). Where nothing has a capital, a name cannot be told from another word.
    """
    words = [(each[0], each.start(), each.end()) for each in _PLAIN_WORD.finditer(text)]
    if text == text.lower():
        return any(folded(word) in relative for word, _, _ in words)
    for place, (word, start, _) in enumerate(words):
        if folded(word) not in relative:
            continue
        near = {folded(each) for each, _, _ in words[: place + _BESIDE + 1]}
        after = words[place + 1 : place + _BESIDE + 1]
        if owners <= near and (_is_named(text[start:], after, start) or _is_told_of(text[:start])):
            return True
    return False


def _is_named(rest: str, after: Sequence[tuple[str, int, int]], start: int) -> bool:
    stop = _ENDS.search(rest)
    end = start + (stop.start() if stop else len(rest))
    return any(word[0].isupper() and at < end for word, at, _ in after)


_NAME_BEFORE = re.compile(r"[A-ZÀ-Þ]\w+(?:,| is| ist| es| est|'s)(?: \w+){0,2} $")


def _is_told_of(before: str) -> bool:
    """Say whether a name stands right before its relation: `Mark, her`, `Mark is my`."""
    return _NAME_BEFORE.search(before[-60:]) is not None


def asks_for_name(question: str) -> bool:
    """Say whether a question wants the name of somebody."""
    return _listed_words("called").search(folded(question)) is not None


_ALMOST_ANYBODY = frozenset(
    "man mann frau femme baby boy girl junge kind chat prima pais pet pets animal haustier"
    " haustiere mascota mascotas animaux married marriage".split()
)
"""Words that name no one relative: `frau` is any woman, `chat` a talk, a pet may be a parrot."""


@cache
def _kin() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(folded(group).split()) for group in _questions()["kin"])


@cache
def _questions() -> dict[str, Any]:
    data = resources.files("memory_graph.language").joinpath("data/questions.json")
    listed: dict[str, Any] = json.loads(data.read_text(encoding="utf-8"))
    return listed


@cache
def _asks_for(kind: str, edge: str = r"\b") -> re.Pattern[str]:
    words = rf"\b(?:{_questions()[kind]}){edge}"
    return re.compile(rf"\A(?:\W*\w+){{0,{_BEFORE_ASKING}}}?\W*{words}")


@cache
def _listed_words(kind: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_questions()[kind]})\b")
