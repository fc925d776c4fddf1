"""Ask a model for facts, and keep the usable part of its answer."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, TypedDict

from langchain_core.language_models import BaseChatModel
from pydantic import (
    BaseModel,
    Field,
    ValidationError,
    create_model,
    model_validator,
)

from memory_graph import prompts
from memory_graph.errors import ExtractionError
from memory_graph.facts.timeline import in_full
from memory_graph.keys import (
    ALIASES,
    ATTRIBUTES,
    PEOPLE,
    PETS,
    TASTES,
    attribute_rule,
    fact_key,
    normalise,
)
from memory_graph.language.likeness import is_same_fact
from memory_graph.language.mentions import values_in
from memory_graph.language.words import words_of
from memory_graph.llm.ask import ask, tariff_of
from memory_graph.records import Fact, FactCandidate, Usage
from memory_graph.safety.secrets import fence, one_line
from memory_graph.settings import get_settings

PROMPT = "extract_facts/7"
_LONGEST_TURN = 2000
_LONGEST_STATEMENT = 500
_LONGEST_SHOWN = 100
_MOST_FACTS = 10
_Word = Annotated[str, Field(min_length=1, max_length=60)]


class StatedFact(BaseModel):
    """One fact as a model is asked for it: first where it was said, then what it says.

    Everything that makes the key is required. Category and importance follow from the
    attribute.
    """

    words: str
    replaces: int
    ended: bool
    entity: _Word
    entity_kind: str
    attribute: _Word
    value: str
    date: str
    statement: Annotated[str, Field(min_length=1, max_length=300)]


class StatedFacts(BaseModel):
    """What a model is asked for about a message."""

    facts: list[StatedFact] = Field(max_length=_MOST_FACTS)
    has_episode: bool
    episode: str


_DEEPEST = 3
_SELF = frozenset({"user", "i", "me", "my", "myself", "self", "speaker", "owner", "narrator"})
"""What models call the user, as an entity or as its kind."""

_RELATED = re.compile(r"(?i:the user['’]s) (?P<kind>[\w-]+),? ?(?P<name>[A-Z]\w+)?")
_POSSESSIVE = re.compile(r"(?i)^(?:the )?user['’]s |^my ")


class Usable(TypedDict):
    """What of an answer can be used, as `ExtractedFacts` names it."""

    facts: Sequence[FactCandidate]
    unowned: Sequence[FactCandidate]
    unusable: int
    valueless: int


def read_candidates(offered: Sequence[object]) -> Usable:
    """Return the usable facts, those without an owner, and how many had to be dropped."""
    flat = [each for one in offered for each in _taken_apart(one)]
    read = [
        (each, candidate)
        for each in flat
        if isinstance(each, Mapping) and (candidate := _usable(each))
    ]
    by_owner: dict[bool, list[FactCandidate]] = {True: [], False: []}
    for each, candidate in read:
        by_owner[bool(str(each.get("entity") or "").strip())].append(candidate)
    return {
        "facts": _unambiguous(by_owner[True]),
        "unowned": by_owner[False],
        "unusable": len(flat) - len(read),
        "valueless": sum(_is_no_value(each) for each, _ in read),
    }


def _unambiguous(facts: Sequence[FactCandidate]) -> tuple[FactCandidate, ...]:
    """Return facts without a key that several of them claim for one value at a time.

    A message states one job; where a small model finds three, each would replace the last.
    """
    claims = Counter(only_key(fact) for fact in facts if not fact.retracts)
    plain = {"attribute": None, "value": None}
    return tuple(
        fact.model_copy(update=plain) if only_key(fact) and claims[only_key(fact)] > 1 else fact
        for fact in facts
    )


def only_key(fact: FactCandidate) -> str | None:
    """Return the key of a fact that has one value at a time."""
    rule = attribute_rule(fact.attribute) if fact.attribute else None
    return fact_key(fact) if rule is not None and rule.arity == "single" else None


def _taken_apart(offered: object, depth: int = 0) -> Iterator[object]:
    """Yield one fact per field of a nested value, and per item of a list.

    So an address is kept as its street, its city and its code, and each changes alone.
    """
    value = offered.get("value") if isinstance(offered, Mapping) else None
    if not isinstance(offered, Mapping) or depth == _DEEPEST:
        yield offered
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _taken_apart(_field(offered, str(name), inner), depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _taken_apart({**offered, "value": item}, depth + 1)
    elif len(items := _items(offered)) > 1:
        yield from _taken_apart({**offered, "value": items}, depth + 1)
    else:
        yield {**offered, "value": _written(value)}


def _items(offered: Mapping[str, object]) -> list[str]:
    """Return the things that a value lists, where an attribute takes several."""
    rule = attribute_rule(str(offered.get("attribute") or ""))
    items = _LISTED.split(str(offered.get("value") or ""))
    is_list = rule is not None and rule.arity == "multi" and rule.category != "goal"
    return items if is_list and all(0 < len(each.split()) <= _FEW for each in items) else []


_LISTED = re.compile(r"(?:,|\band\b|&|,\s*and\b)\s*")
_FEW = 2
"""Words of one thing in a list of things: a limit, longer ones are clauses."""


def _field(whole: Mapping[str, object], name: str, value: object) -> dict[str, object]:
    attribute = f"{whole['attribute']}:{name}" if whole.get("attribute") else name
    entity = whole.get("entity") or "user"
    owner = "The user" if entity == "user" else str(entity)
    statement = f"{owner}'s {attribute.replace(':', ' ')} is {value}."
    return {**whole, "attribute": attribute, "value": value, "statement": statement}


def _written(value: object) -> str | None:
    return None if value is None else str(value).strip() or None


def _usable(offered: Mapping[str, object]) -> FactCandidate | None:
    """Return a fact, without those of its details that do not fit; none without a statement.

    Nor one that does not tell its value: a small model files any value under any word.
    """
    told = {*words_of(str(offered.get("value") or ""), "en")} - {*TASTES, *_ANSWERS}
    if told and told.isdisjoint(words_of(str(offered.get("statement") or ""), "en")):
        return None
    given = {name: value for name, value in _as_candidate(offered).items() if value is not None}
    try:
        return FactCandidate.model_validate(given)
    except ValidationError as error:
        unfit = {problem["loc"][0] for problem in error.errors() if problem["loc"]}
    if "statement" in unfit:
        return None
    return FactCandidate.model_validate({k: v for k, v in given.items() if k not in unfit})


_ANSWERS = frozenset({"yes", "no", "true", "false"})


def _as_candidate(offered: Mapping[str, object]) -> dict[str, object]:
    """Return what a model answered under the names of a candidate."""
    known = {name: offered[name] for name in FactCandidate.model_fields if name in offered}
    if "ended" in offered:
        known["retracts"] = offered["ended"]
    known["replaces"] = _written(offered.get("replaces"))
    return {**known, **_owner(offered), **_filed(offered), **_dated(offered)}


def _owner(offered: Mapping[str, object]) -> dict[str, object]:
    """Return whom a fact is about; whatever means the user is `user`.

    Where the statement itself speaks of the user's cat, the fact is the cat's: small models
    call it the user's all the same.
    """
    entity = _POSSESSIVE.sub("", str(offered.get("entity") or "").strip())
    kind = str(offered.get("entity_kind") or "").strip(" -") or None
    if not entity:
        return {"entity": None, "entity_kind": kind}
    means_user = normalise(entity) in _SELF or normalise(kind or "") in _SELF
    means_user = means_user or _is_users_own(offered, entity, kind)
    if not means_user and kind:
        return {"entity": entity, "entity_kind": kind}
    if related := _related_in(str(offered.get("statement") or "")):
        return related
    return {"entity": "user" if means_user else entity, "entity_kind": None if means_user else kind}


def _is_users_own(offered: Mapping[str, object], entity: str, kind: str | None) -> bool:
    """Say whether a fact of the user is called by its value: their employer `Maersk`."""
    if normalise(entity) != normalise(str(offered.get("value") or "")):
        return False
    if normalise(str(offered.get("attribute") or "")) == "name":
        return not kind
    return str(offered.get("statement") or "").startswith("The user ")


def _related_in(statement: str) -> dict[str, object] | None:
    """Return who in the user's life a statement is about, if it begins with them."""
    match = _RELATED.match(statement)
    if not match or normalise(match["kind"]) not in PETS | PEOPLE:
        return None
    kind = match["kind"].casefold()
    return {"entity": match["name"] or kind, "entity_kind": kind}


def _filed(offered: Mapping[str, object]) -> dict[str, object]:
    """Return the attribute as keys know it, with the category and importance it brings."""
    attribute, value = _written(offered.get("attribute")), _written(offered.get("value"))
    rule = attribute_rule(attribute) if attribute else None
    if attribute and value and _is_worked_for(attribute, value, offered):
        attribute, rule = "employer", attribute_rule("employer")
    filed: dict[str, object] = {"attribute": attribute}
    if _is_no_value(offered):
        return {"attribute": None, "value": None}
    if attribute and value and rule is not None and rule.arity == "path":
        filed |= _about_thing(attribute, value, str(offered.get("date") or ""))
    if rule is not None and "category" not in offered:
        filed |= {"category": rule.category, "importance": rule.importance}
    return filed


def _is_worked_for(attribute: str, value: str, offered: Mapping[str, object]) -> bool:
    """Say whether a model files under the job whom the user works for, as small ones do."""
    head, place = normalise(attribute), re.escape(value)
    told = re.search(rf"\b(?:at|for) (?:the )?{place}\b", str(offered.get("statement") or ""))
    return ALIASES.get(head, head) == "job" and told is not None


def _is_no_value(offered: Mapping[str, object]) -> bool:
    """Say whether an attribute cannot have the value that a model files under it.

    It is a word of the prompt, or `between` of a job; a clause, where no goal is told; a name
    written small; or an age that is no number, or that the statement does not tell as one.
    """
    attribute, value = (str(offered.get(name) or "").strip() for name in ("attribute", "value"))
    head = normalise(attribute.partition(":")[0])
    head, rule = ALIASES.get(head, head), attribute_rule(attribute)
    if head == "age" and value and not _is_age(value, str(offered.get("statement") or "")):
        return True
    longest = _LONGEST_NAME if head in _NAMED else _LONGEST_VALUE
    is_clause = rule is not None and rule.category != "goal" and len(value.split()) > longest
    is_taste = rule is not None and rule.arity != "path" and value in TASTES.values()
    is_small = value.islower() and value not in _ANSWERS
    return is_clause or is_taste or (is_small and (head in _NAMED or not words_of(value, "en")))


def _is_age(value: str, statement: str) -> bool:
    """Say whether a value is an age: of `a PhD since two years` small models make one."""
    is_told = _AGED.search(statement) or re.search(
        rf"\b(?:is|are)\b(?: \w+)? {re.escape(value)}\b", statement
    )
    is_english = statement.startswith("The user")
    return bool(values_in(value)) and (bool(is_told) or not is_english)


_AGED = re.compile(r"(?i)\b(?:old|aged?|turn(?:s|ed|ing)?|birthday)\b")
_NAMED = frozenset({"name", "city", "country", "hometown"})
_LONGEST_NAME, _LONGEST_VALUE = 5, 8
"""Words of a name, and of any value: a limit, longer ones are clauses."""


def _about_thing(attribute: str, value: str, day: str) -> dict[str, object]:
    """Return an attribute with the thing it is about, where a model left `THING` or nothing."""
    head, _, thing = attribute.partition(":")
    is_told = thing and thing != "THING"
    if is_told or head not in _OF_THINGS or value in TASTES.values():
        return {}
    told = {"event": day or None, "taste": "like"}.get(head, "yes")
    return {"attribute": f"{head}:{value}", "value": told}


_OF_THINGS = frozenset({"event", "taste", "has", "eat", "drink"})


def _dated(offered: Mapping[str, object]) -> dict[str, object]:
    """Return the day a model names: of an event when it is, of anything else since when."""
    try:
        day = date.fromisoformat(str(offered.get("date") or ""))
    except ValueError:
        return {}
    if normalise(str(offered.get("attribute") or "")).startswith("event"):
        return {"event_date": day}
    return {"since": datetime(day.year, day.month, day.day, tzinfo=UTC)}


class ExtractedFacts(BaseModel):
    """The facts a message states; mostly none."""

    facts: list[FactCandidate] = Field(default_factory=list)
    has_episode: bool | None = None
    """Whether something came of the exchange; nothing an unclear answer could set."""

    episode: str = ""
    """What came of it, in a sentence."""

    judged: frozenset[str] = frozenset()
    """The known facts of which the model said whether something new replaces them."""

    unrelated: int = 0
    """How many would change a known fact on which the message does not bear."""

    unowned: tuple[FactCandidate, ...] = ()
    """Facts that do not say whom they are about; not the user's for that."""

    unusable: int = 0
    """How many facts of the answer had to be dropped."""

    valueless: int = 0
    """How many have lost their key, because what they say is no value of it."""

    @model_validator(mode="before")
    @classmethod
    def _keep_what_is_usable(cls, value: object) -> dict[str, object]:
        """Drop single facts that do not fit, instead of the whole answer."""
        answer = value if isinstance(value, dict) else {}
        has_episode, told = answer.get("has_episode"), str(answer.get("episode") or "").strip()
        return {
            **read_candidates(_offered(value)),
            "has_episode": has_episode if isinstance(has_episode, bool) else None,
            "episode": told[:_LONGEST_STATEMENT] if has_episode is True else "",
        }


def _offered(answer: object) -> Sequence[object]:
    """Return the list of facts in an answer, also where its envelope was left out.

    Raises:
        ValueError: If there is none.
    """
    if isinstance(answer, dict):
        answer = [answer] if "statement" in answer else answer.get("facts", [] if not answer else 0)
    if not isinstance(answer, list):
        raise ValueError("no list of facts")
    return answer


class SameFacts(BaseModel):
    """One answer per pair, in order."""

    same: list[bool]


async def ask_same_facts(
    pairs: Sequence[tuple[str, str]], model: BaseChatModel, *, timeout_s: float
) -> tuple[list[bool], Usage]:
    """Ask a model about each (old, new) pair; what it does not mention, the rules judge.

    Raises:
        ExtractionError: If the answer does not fit.
        ModelUnavailableError: If it does not come.
    """
    lines = (
        f"{n}. old: {one_line(old, _LONGEST_STATEMENT)} | new: {one_line(new, _LONGEST_STATEMENT)}"
        for n, (old, new) in enumerate(pairs, 1)
    )
    prompt = prompts.render("same_fact", count=str(len(pairs)), pairs=fence("pairs", lines))
    exactly = Annotated[list[bool], Field(min_length=len(pairs), max_length=len(pairs))]
    asked = create_model("SameFacts", same=(exactly, ...))
    answer = await ask(model, prompt, SameFacts, timeout_s=timeout_s, asked=asked)
    told = answer.reply.same[: len(pairs)]
    untold = [is_same_fact(old, new) for old, new in pairs[len(told) :]]
    return [*told, *untold], answer.usage


async def ask_facts(
    texts: Sequence[str],
    model: BaseChatModel,
    *,
    today: date,
    timeout_s: float,
    known: Sequence[Fact] = (),
) -> tuple[ExtractedFacts, Usage]:
    """Ask a model for the facts in the last of the user's `texts`, oldest first.

    It is shown `known` facts by number, and says of each new one which of them it replaces. That
    a fact began today only says that it was told today.

    Raises:
        ExtractionError: If the answer does not fit.
        ModelUnavailableError: If it does not come.
    """
    *earlier, message = (one_line(text, _LONGEST_TURN) for text in texts)
    shown = (
        f"known {n}: {one_line(in_full(each), _LONGEST_SHOWN)}" for n, each in enumerate(known, 1)
    )
    said = [*shown, *(f"earlier: {text}" for text in earlier), f"NEW: {message}"]
    prompt = prompts.render(
        "extract_facts",
        attributes=_attributes(),
        today=f"{today:%A} {today.isoformat()}",
        turns=fence("said", said),
    )
    settings = get_settings()
    most = tariff_of(model, settings, settings.extraction_budget_usd).most_tokens(prompt)
    if not most:
        raise ExtractionError("The call would cost more than facts may.", "over_budget")
    answer = await ask(
        model, prompt, ExtractedFacts, timeout_s=timeout_s, asked=StatedFacts, most_tokens=most
    )
    reply = answer.reply
    if all(each.replaces is not None for each in reply.facts):
        reply.judged = frozenset(each.id for each in known)
    reply.facts = [
        each.model_copy(update={"since": None})
        if each.since is not None and each.since.date() == today
        else each
        for each in reply.facts
    ]
    return reply, answer.usage


_TOLD = (
    "name age birthday city relationship-status children car has tool employer job study "
    "diet allergy condition medication taste favourite hobby goal event"
).split()
"""Attributes that a model is told; others it names by itself, or takes for these when told."""

_HINTS = {"tool": "what they use", "employer": "for whom they work", "job": "nurse"}
"""What small models mix up."""


def _attributes() -> str:
    """Return the attributes that make a key, as a model is told them."""
    paths = {name for name, rule in ATTRIBUTES.items() if rule.arity == "path"}
    names = (f"{name}:THING" if name in paths else name for name in _TOLD)
    return ", ".join(f"{name} ({_HINTS[name]})" if name in _HINTS else name for name in names)
