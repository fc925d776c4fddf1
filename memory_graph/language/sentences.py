"""Split a message into sentences and clauses, and classify what each one asks."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from memory_graph.language.words import DEFAULT, STOP_WORDS, folded, table, words_of

_WORDS, _QUESTIONS = table("question_words"), table("questions")
_ASKING: str = _WORDS["asking"]
_COUNTS: dict[str, int] = _WORDS["counts"]
AND: dict[str, str] = _WORDS["and"]
"""The word for `and` by language."""
_FILLERS, _ALMOST_ANYBODY = (
    frozenset(_WORDS[name].split()) for name in ("fillers", "almost_anybody")
)
"""What a sentence may open with; and what names no one relative: `frau` is any woman, `chat` a
talk, a pet may be a parrot.
"""
_OWNED = rf"\b(?!(?:{_WORDS['not_owners']})\b)(\w+)['’]s (\w+)"
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
_UNSPACED = frozenset({"zh", "ja", "ko"})
_MOST_TOGETHER = 4
_LOOK_AHEAD = 120
"""Characters in which the verb of a statement is looked for."""


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
    seams = _seams(language)
    if seams is None or sentence.endswith("?"):
        return [sentence]
    clauses: list[str] = []
    start = 0
    for seam in seams.finditer(sentence):
        left, right = sentence[start : seam.start()], sentence[seam.end() :][:_LOOK_AHEAD]
        if _has_verb(left, language) and _has_verb(right, language):
            clauses.append(left)
            start = seam.end()
    return [clause.strip(" ,;") for clause in (*clauses, sentence[start:])]


def has_subject(clause: str, language: str = DEFAULT) -> bool:
    """Say whether a clause starts with a subject and has a verb: `his dad is allergic`."""
    if _starts_with(clause, "starters", language):
        return _has_verb(clause, language)
    second = _FIRST_WORDS.findall(clause.casefold())[1:2]
    return not _verbs(language).isdisjoint(second)  # `Delivery comes`, `Mark is`


def starts_with_verb(clause: str, language: str = DEFAULT) -> bool:
    """Say whether a clause starts with a verb, and so lacks its subject: `has two girls`."""
    return _starts_with(clause, "verbs", language)


def refers_back(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether a sentence needs the one before it, as `They hold 80 people` does."""
    return _starts_with(sentence, "refers", language)


def asks_to_remember(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether the user wants this very sentence kept, as in `remember that …`."""
    is_asked = wants_to_look_back(sentence)  # `remember what we talked about?`
    return not is_asked and _starts_with(without_opener(sentence), "remember", language)


def to_forget(sentence: str) -> str | None:
    """Return what the user wants no longer kept, if they ask for that: `forget my address`.

    In any language, since `Vergiss Jules` is too short to tell which it is. To delete is a request
    to memory only where it names what was told: `delete the test file` is for the agent.
    """
    said = without_opener(sentence).lstrip(" \"“'(-–—¿¡").replace("’", "'")
    if asked := _requests("forget").match(said):
        return said[asked.end() :]
    asked = _requests("delete").match(said)
    is_of_memory = asked is not None and _speaks_of_telling().search(said, asked.end())
    return said[asked.end() :] if asked and is_of_memory else None


@cache
def _requests(name: str) -> re.Pattern[str]:
    spaced = [lists for code, lists in table("clauses").items() if code not in _UNSPACED]
    joined = [table("clauses")[code] for code in _UNSPACED]
    polite, verbs = _any_of(spaced, "asking"), _any_of(spaced, name)
    return re.compile(
        rf"(?i)(?:(?:(?:{polite}),?\s+)*(?:{verbs})[,:]?\s+|(?:{_any_of(joined, name)}))"
    )


@cache
def _speaks_of_telling() -> re.Pattern[str]:
    spaced = [lists for code, lists in table("clauses").items() if code not in _UNSPACED]
    joined = [table("clauses")[code] for code in _UNSPACED]
    return re.compile(rf"(?i)\b(?:{_any_of(spaced, 'told')})\b|{_any_of(joined, 'told')}")


def _any_of(listed: Iterable[dict[str, list[str]]], name: str) -> str:
    forms = {form for lists in listed for form in lists.get(name, ())}
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


def without_requests(text: str) -> str:
    """Return a text without the sentences that ask to forget something."""
    sentences = split_sentences(text)
    kept = [each for each in sentences if to_forget(each) is None]
    return text if len(kept) == len(sentences) else " ".join(kept)


def means_everything(asked: str) -> bool:
    """Say whether somebody wants all of it forgotten: `everything you know about me`."""
    said = {*_FIRST_WORDS.findall(asked.casefold())}
    return any(not said.isdisjoint(e.get("everything", ())) for e in table("clauses").values())


@cache
def words_about_forgetting() -> frozenset[str]:
    """Return the stems in a request to forget that do not say what: `everything you know about`."""
    lists = table("clauses").items()
    words = ((" ".join(each.get("forgotten", ())), code) for code, each in lists)
    return frozenset(stem for text, code in words for stem in words_of(text, code))


def supposes(sentence: str, language: str = DEFAULT) -> bool:
    """Say whether a sentence only imagines: `if I lived in Rome`."""
    return _starts_with(without_opener(sentence), "supposes", language)


@cache
def _seams(language: str) -> re.Pattern[str] | None:
    """Return what joins two statements: `and`, `but` before what may start one."""
    listed = table("clauses").get(language, {})
    if not listed.get("joiners"):
        return None
    words, begins = ("|".join(map(re.escape, listed[kind])) for kind in ("joiners", "starters"))
    return re.compile(rf"(?:[,;] (?:(?:{words}) )?| (?:{words}) )(?=(?:{begins})\b)", re.IGNORECASE)


@cache
def _verbs(language: str) -> frozenset[str]:
    return frozenset(table("clauses").get(language, {}).get("verbs", ()))


def _has_verb(clause: str, language: str) -> bool:
    words = _FIRST_WORDS.findall(clause[:_LOOK_AHEAD].casefold().replace("’", "'"))
    verbs = _verbs(language)
    return any(word.strip(".!") in verbs or word.endswith("ed") for word in words[:8])


def _starts_with(sentence: str, kind: str, language: str) -> bool:
    plain = sentence[:_LOOK_AHEAD].casefold().replace("’", "'").lstrip(" \"“'(-–—¿¡")
    return plain.startswith(_beginnings(kind, language))


@cache
def _beginnings(kind: str, language: str) -> tuple[str, ...]:
    is_spaced = language not in _UNSPACED
    listed = (each.casefold() for each in table("clauses").get(language, {}).get(kind, ()))
    return tuple(f"{each} " if is_spaced and not each.endswith("'") else each for each in listed)


def without_opener(sentence: str) -> str:
    """Return a sentence without the greeting or filler it opens with."""
    words = sentence.split()
    while len(words) > 1 and words[0].casefold().strip(",.!:;-–") in _FILLERS:
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
    if re.search(_WORDS["answer_before"], text, re.IGNORECASE):
        return voices.answerer
    return voices.asker


def _owner(word: str) -> str:
    return word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")


_SEAM = re.compile(
    rf"(?<=\?)\s+|(?:,|(?<![\s,]))\s+(?:and|but|or)\s+(?:also\s+)?(?={_ASKING})",
    re.IGNORECASE,
)
_STANDS_ALONE = re.compile(
    rf"{_ASKING}(?!.*\b(?:he|she|it|they|him|her|them|this|that|these|those)\b)",
    re.IGNORECASE,
)
_NO_TOPIC = STOP_WORDS | frozenset(_WORDS["about_talk"].split())
"""What people call a conversation, and what is done in one, is no topic either."""
_PARTS = 3
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
    bare = ((word, re.sub("['’]", "", word.casefold())) for word in _WORD.findall(asked))
    return " ".join(word for word, plain in bare if plain not in _NO_TOPIC)


_DAYS = frozenset({"date", "month", "day", "year", "time"})
_AMOUNTS = frozenset({"number", "money", "percent"})
_OPENING = r"\A\W*(?:\w++\W++){0,3}?"
"""A few words may come before what a question asks for: `and when`, `remind me when`."""
_TIME_ASKED, _NAME_ASKED, _AMOUNT_ASKED, _CALLED, _FORMER, _WORDING, _LIST = map(
    re.compile,
    (
        rf"{_OPENING}(?:{_QUESTIONS['time']})\b",
        rf"{_OPENING}(?:{_QUESTIONS['name']})",
        rf"{_OPENING}(?:{_QUESTIONS['amount']})\b|\b(?:{_QUESTIONS['amount_of']})\b",
        rf"\b(?:{_QUESTIONS['called']})\b",
        rf"\b(?:{_QUESTIONS['former']})\b",
        rf"\b(?:{_QUESTIONS['wording']})\b",
        rf"\b(?:{_QUESTIONS['list']})\b",
    ),
)


def wanted_values(question: str) -> frozenset[str]:
    """Return the kinds of value of which an answer needs one: a day for `when`; none for most."""
    asked = folded(question)
    if _TIME_ASKED.search(asked):
        return _DAYS
    if _NAME_ASKED.search(asked):
        return frozenset({"name"})
    return _AMOUNTS if _AMOUNT_ASKED.search(asked) else frozenset()


def without_naming(question: str) -> str:
    """Return a question without the words that ask for a name: no answer has to hold them."""
    return _CALLED.sub(" ", folded(question))


def owner_asked(question: str) -> tuple[str, str] | None:
    """Return whose and what a question asks for, unless that is a name: `dentist`, `deadline`."""
    found = re.search(_OWNED, without_naming(question))
    return (found[1], found[2]) if found else None


def asks_for_former(question: str) -> bool:
    """Say whether a question is about what was so before: `Where did I live before?`."""
    return _FORMER.search(folded(question)) is not None


def asks_for_wording(question: str) -> bool:
    """Say whether a question wants the very words: `What exactly did I say?`."""
    return _WORDING.search(folded(question)) is not None


def asks_for_list(question: str) -> bool:
    """Say whether a question wants several things: `List my allergies`."""
    return _LIST.search(folded(question)) is not None


def asks_further(question: str, language: str) -> bool:
    """Say whether a question only asks what the one before it was about: `And before that?`."""
    rest = _FORMER.sub(" ", folded(question))
    return asks_for_former(question) and not words_of(rest, language)


def asks_of_user(question: str) -> bool:
    """Say whether a question is about the one who asks it."""
    return re.search(_WORDS["me"], question, re.IGNORECASE) is not None


_PLAIN_WORD = re.compile(r"(?<![\w-])[^\W_]+(?!-(?:in-)?law)")
"""Without its possessive: `my brother's name` is about a brother; a `belle-mère` is no `mère`."""
_CLAUSE = re.compile(r"[,;.!:]\s+")


_ASKS_FIRST = re.compile(
    rf"^\W*(?:(?:and|so|ok|hey|hi|und|y|et|e|en)\W+)?(?:{_QUESTIONS['asks']})\b", re.IGNORECASE
)
_MINE = re.compile(rf"\b(?:{_WORDS['mine']})\b")
_KIN = tuple(frozenset(folded(group).split()) for group in _QUESTIONS["kin"])


def asks_first(text: str) -> bool:
    """Say whether a text begins with a word that asks, after a greeting or filler at most."""
    return _ASKS_FIRST.search(text) is not None


_FORMS = {kind: re.compile("|".join(ways)) for kind, ways in table("asking").items()}
"""How a question begins that has no question mark, and how what was said is asked for."""


def asks_yes_or_no(text: str) -> bool:
    """Say whether a text has the order of words of a question: `is the oven fixed`."""
    return _FORMS["yes_no"].match(_as_begun(text)) is not None


def wants_to_look_back(text: str) -> bool:
    """Say whether a text asks for what was said before: `summarise the decisions so far`."""
    return _FORMS["looks_back"].match(_as_begun(text).lower()) is not None


def _as_begun(text: str) -> str:
    """Return the beginning of a text with its first word in small letters, without a greeting."""
    begun = without_opener(text)[:_LOOK_AHEAD].lstrip(" \"“'(-–—¿¡").replace("’", "'")
    return begun[:1].lower() + begun[1:]


def relatives_asked(question: str) -> tuple[frozenset[str], ...]:
    """Return, for each relative or pet that a question names, the words that may stand for it.

    `My aunt is cooking, what must she know about my diet?` asks of a diet, not of an aunt: where
    clauses lead up to one about something of the user's own, that one counts.
    """
    asked = folded(question)
    *before, last = _CLAUSE.split(asked)
    is_led_up_to = before and not any(map(asks_first, before)) and _MINE.search(last)
    said = set(_PLAIN_WORD.findall(last if is_led_up_to else asked))
    return tuple(words for words in _KIN if said & words and not said & _ALMOST_ANYBODY & words)


def tells_of(text: str, relative: frozenset[str]) -> bool:
    """Say whether a text names a relative by one of these words."""
    return not relative.isdisjoint(_PLAIN_WORD.findall(folded(text)))


_NAME_AFTER = re.compile(
    r"[ ,]{1,3}(?:(?:is |ist |est |es )?(?:called |named ))?([A-ZÀ-Þ][\w-]+)(?!\w)"
)
_NAME_BEFORE = re.compile(r"[A-ZÀ-Þ]\w+(?:,| is| ist| es| est|'s)(?: \w+){0,2} $")


def name_of_relative(text: str, relative: frozenset[str]) -> str | None:
    """Return the name that stands right after a relative: `my brother Callum`."""
    for word in _PLAIN_WORD.finditer(text):
        if folded(word[0]) in relative and (name := _NAME_AFTER.match(text, word.end())):
            return name[1]
    return None


def put_name(question: str, relative: frozenset[str], name: str) -> str:
    """Return a question that calls a relative by name: `where does Callum work?`."""
    words = [word[0] for word in _PLAIN_WORD.finditer(question) if folded(word[0]) in relative]
    if not words:
        return question
    each = "|".join(map(re.escape, words))
    return re.sub(
        rf"(?:\b(?:{_WORDS['our']}) )?\b(?:{each})\b", name, question, flags=re.IGNORECASE
    )


_BESIDE = 3
"""Words within which a relative and the name that they have stand together."""
_ENDS = re.compile(r"[.!?;]\s")


def names_relative(text: str, relative: frozenset[str], owners: frozenset[str]) -> bool:
    """Say whether a text names a relative of the owners, or of the user where there are none.

    The name comes right after (`her husband Mark`), or before a comma or a verb (`Mark is her
    husband`). Where nothing has a capital, a name cannot be told from another word.
    """
    words = [(each[0], each.start()) for each in _PLAIN_WORD.finditer(text)]
    if text == text.lower():
        return any(folded(word) in relative for word, _ in words)
    for place, (word, start) in enumerate(words):
        if folded(word) not in relative:
            continue
        near = {folded(each) for each, _ in words[: place + _BESIDE + 1]}
        if not owners <= near:
            continue
        stop = _ENDS.search(text, start)
        end = stop.start() if stop else len(text)
        after = words[place + 1 : place + _BESIDE + 1]
        if any(each[0].isupper() and at < end for each, at in after):
            return True
        if _NAME_BEFORE.search(text[max(0, start - 60) : start]):
            return True
    return False


def asks_for_name(question: str) -> bool:
    """Say whether a question wants the name of somebody."""
    return _CALLED.search(folded(question)) is not None
