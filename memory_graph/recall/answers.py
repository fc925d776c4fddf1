"""Answer from memory without a model: the best line or the profile, in a short sentence."""

from collections.abc import Mapping, Sequence

from memory_graph.keys import ATTRIBUTES, PEOPLE, PETS, normalise
from memory_graph.language.frames import in_past, second_person
from memory_graph.language.profile import said_to_user
from memory_graph.language.sentences import owner_asked, relatives_asked
from memory_graph.language.words import words_of
from memory_graph.recall.lines import ANYTHING, Line, Sought, in_order, said_at, text_of
from memory_graph.recall.rendering import Telling, passage
from memory_graph.records import Episode, Fact, TurnRecord
from memory_graph.store.scope import UserMemory

_ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "name": frozenset({"name", "nickname", "surname"}),
    "city": frozenset({"city", "address"}),
    "job": frozenset({"job", "study"}),
    "employer": frozenset({"employer", "school"}),
    "age": frozenset({"age", "birthday"}),
    "birthday": frozenset({"birthday"}),
    "diet": frozenset({"diet", "eat"}),
    "allergy": frozenset({"allergy", "intolerance"}),
}


KINDS: Mapping[str, frozenset[str]] = {"family": PEOPLE, "pet": PETS}


_KNOWN_FIT = 1.0


_WORTH_TELLING = 0.5
"""How notable a turn must be to tell something of the user: more likely than not."""


_EVERYBODY = frozenset(
    "family familie familia famille famiglia família relative pet haustier mascota animal".split()
)
"""What asks for all of a kind, instead of one brother or one cat."""


def profile_lines(attribute: str, sought: Sought, lines: Sequence[Line]) -> list[Line]:
    """Return the lines with the facts that hold an attribute of the user's first."""
    held = [line for line in lines if holds(line, attribute, sought)]
    first = in_order(held, is_former=sought.is_former)
    return [*first, *(line for line in lines if line not in held)]


def holds(line: Line, attribute: str, sought: Sought) -> bool:
    """Return whether a line is a fact about an attribute of the user's that is as asked for.

    Of relatives and pets only those whom the question names: a mother is no brother.
    """
    fact = line.record
    if not isinstance(fact, Fact) or not is_of_the_time(line, sought):
        return False
    if attribute in KINDS:
        kind, asked = normalise(fact.entity_kind or ""), set(normalise(sought.text).split("-"))
        asked -= {*(owner_asked(sought.text) or ())[:1]}  # `my brother's wife` is no brother
        return kind in KINDS[attribute] and (kind in asked or _asks_for_all(sought))
    if relatives_asked(sought.text):  # `my brother's name` is not the user's
        return False
    head = (fact.attribute or "").partition(":")[0]
    return fact.entity == "user" and head in _ATTRIBUTES.get(attribute, ())


def tell_held(lines: Sequence[Line], attribute: str, telling: Telling, sought: Sought) -> list[str]:
    """Return what is known of an attribute: the best of it, or all of a family asked for."""
    held = [line for line in lines if holds(line, attribute, sought)]
    if attribute in KINDS and _asks_for_all(sought):
        return [tell(line, telling) for line in held]
    return tell_best(held, telling, sought, most=1)


def _asks_for_all(sought: Sought) -> bool:
    return not _EVERYBODY.isdisjoint(normalise(sought.text).split("-"))


def keys_of(attribute: str) -> list[str]:
    """Return the keys under which an attribute of the user's is filed, whatever is searched."""
    rules = {name: ATTRIBUTES[name] for name in _ATTRIBUTES.get(attribute, ())}
    return [f"{rule.category}:{name}" for name, rule in rules.items() if rule.arity == "single"]


def is_of_the_time(line: Line, sought: Sought) -> bool:
    """Say whether a line tells what is so or, where that is asked for, what was so before."""
    return line.is_past if sought.is_former else line.over_since is None


async def everything_known(memory: UserMemory) -> list[Line]:
    """Return who the user is: the facts that matter most, then what else they told."""
    current = await memory.facts.current()
    facts = [_line(fact) for fact in sorted(current, key=_introduces)]
    told = {each for line in facts if isinstance(line.record, Fact) for each in _ids(line.record)}
    turns = sorted(await memory.turns.all(), key=lambda turn: (-turn.notable, turn.said_at))
    own = (turn for turn in turns if turn.role == "user" and not turn.echoes)
    rest = [
        _line(turn)
        for turn in own
        if turn.notable >= _WORTH_TELLING and not told.intersection(_ids(turn))
    ]
    return [*facts, *rest]


def more(count: int, telling: Telling) -> list[str]:
    """Return the sentence that says how much was left out, if anything was."""
    return [telling.frames.fill("more", count=str(count))] if count > 0 else []


def _introduces(fact: Fact) -> int:
    """Return how late somebody is told of, when a user is: who they are first."""
    attribute = (fact.attribute or "").partition(":")[0]
    if fact.entity != "user" or not attribute:
        return len(_FIRST) + (fact.importance < _REMEMBERED)
    return _FIRST.index(attribute) if attribute in _FIRST else len(_FIRST)


_FIRST = ("name", "age", "birthday", "city", "job", "employer")
_REMEMBERED = 4


def _ids(record: Fact | TurnRecord) -> tuple[str, ...]:
    return record.source.message_ids


def _line(record: Fact | TurnRecord) -> Line:
    return Line(record=record, fit=_KNOWN_FIT, relevance=_KNOWN_FIT, at=said_at(record))


_QUOTED = 280


_EPISODE = 0.7
"""How much an episode tells, where a turn tells as much as it is notable."""


_AS_GOOD = 0.7
"""Share of the best line's relevance from which a second one is told too."""


def tell_all(lines: Sequence[Line], telling: Telling, most: int = 4) -> list[str]:
    """Return what tells most of the time asked about, in the order it was said."""
    told = sorted(lines, key=_tells_most)[:most]
    sentences = [tell(line, telling) for line in sorted(told, key=lambda line: line.at)]
    left_out = sum(_tells_most(line) <= -_WORTH_TELLING for line in lines if line not in told)
    return [*sentences, *more(left_out, telling)]


def _tells_most(line: Line) -> float:
    if not isinstance(line.record, TurnRecord):
        return -_EPISODE
    return -line.record.notable if line.record.role == "user" else 0.0


def tell_best(
    lines: Sequence[Line], telling: Telling, sought: Sought = ANYTHING, most: int = 2
) -> list[str]:
    """Return the best line, and those nearly as good."""
    if not lines:
        return []
    enough = _AS_GOOD * lines[0].relevance
    chosen = [lines[0], *(line for line in lines[1:most] if line.relevance >= enough)]
    apt = [line for line in chosen if is_of_the_time(line, sought)] or chosen[:1]
    apt = [line for n, line in enumerate(apt) if not any(_repeats(line, b) for b in apt[:n])]
    if sought.is_former:
        return _told_as_former(apt[0], telling)
    return [tell(line, telling, earlier=line.at < apt[0].at) for line in apt]


def _repeats(line: Line, other: Line) -> bool:
    """Say whether a line says nothing that another does not."""
    said = line.record.summary if isinstance(line.record, Episode) else text_of(line)
    return set(words_of(said)) <= set(words_of(text_of(other)))


_FORMER = 2
"""Earlier statements of one fact that are told where somebody asks what was so before."""


def _told_as_former(line: Line, telling: Telling) -> list[str]:
    """Return what a fact said before it changed, the latest first; anything else as it is."""
    fact = line.record
    if not isinstance(fact, Fact) or not fact.history or fact.valid_to:
        return [tell(line, telling)]
    told = []
    for version in fact.history[: -_FORMER - 1 : -1]:
        said = version.statement
        words = f"“{said}”" if fact.own_words else in_past(second_person(said))
        until = telling.local(version.valid_to or fact.valid_from)
        told.append(telling.frames.dated("until", until, words))
    return told


def tell(line: Line, telling: Telling, *, earlier: bool = False) -> str:
    """Return a memory as a sentence said to the user."""
    record, frames = line.record, telling.frames
    if isinstance(record, Fact) and record.attribute is not None and not record.own_words:
        return _over(_known(record, telling.language), line, telling)
    when = telling.when(line.at)
    if isinstance(record, Episode):
        return frames.fill("happened", When=when[:1].upper() + when[1:], words=record.summary)
    if isinstance(record, Fact):
        name = "earlier" if earlier else "told"
        words = passage(text_of(line), telling.words, _QUOTED)
        return _over(frames.fill(name, when=when, words=words), line, telling)
    own = "earlier" if earlier else "told"
    name = {"user": own, "assistant": "said"}.get(record.speaker, "named")
    words = passage(record.text, telling.words, _QUOTED)
    quoted = frames.fill(name, when=when, words=words, who=record.speaker)
    return _over(quoted + _meant(record, telling), line, telling)


def _known(fact: Fact, language: str) -> str:
    """Return a fact with a key as it is said to the user."""
    attribute = fact.attribute if fact.entity == "user" else None
    said = said_to_user(attribute, fact.value, language) if attribute and fact.value else None
    return said or second_person(fact.statement)


def _meant(turn: TurnRecord, telling: Telling) -> str:
    """Return the past day a turn speaks of, where it is another than the day it was said on."""
    day = telling.spoken_of(turn)
    if day is None or day > telling.local(turn.said_at):
        return ""
    return telling.frames.fill("meant", when=telling.frames.day(day, telling.local(telling.now)))


def _over(told: str, line: Line, telling: Telling) -> str:
    if line.over_since is None:
        return told
    return telling.frames.dated("over", telling.local(line.over_since), told)
