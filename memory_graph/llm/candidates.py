"""Which facts can be used of what a model offered, and how are nested ones taken apart?"""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import ValidationError

from memory_graph.records import FactCandidate

_DEEPEST = 3
_NEEDED = "statement"


def read_candidates(offered: Sequence[object]) -> tuple[list[FactCandidate], int]:
    """Return the usable facts, and how many had to be dropped."""
    flat = [each for one in offered for each in _taken_apart(one)]
    usable = [candidate for each in flat if (candidate := _usable(each))]
    return usable, len(flat) - len(usable)


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
    else:
        yield {**offered, "value": _written(value)}


def _field(whole: Mapping[str, object], name: str, value: object) -> dict[str, object]:
    attribute = f"{whole['attribute']}:{name}" if whole.get("attribute") else name
    entity = whole.get("entity") or "user"
    owner = "The user" if entity == "user" else str(entity)
    statement = f"{owner}'s {attribute.replace(':', ' ')} is {value}."
    return {**whole, "attribute": attribute, "value": value, "statement": statement}


def _written(value: object) -> str | None:
    return None if value is None else str(value).strip() or None


def _usable(offered: object) -> FactCandidate | None:
    """Return a fact, without those of its details that do not fit; none without a statement."""
    if not isinstance(offered, Mapping):
        return None
    given = {name: value for name, value in offered.items() if value is not None}
    try:
        return FactCandidate.model_validate(given)
    except ValidationError as error:
        unfit = {problem["loc"][0] for problem in error.errors() if problem["loc"]}
    if _NEEDED in unfit:
        return None
    return FactCandidate.model_validate({k: v for k, v in given.items() if k not in unfit})
