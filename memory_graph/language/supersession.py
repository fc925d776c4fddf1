"""The judge of a new statement: does it replace, end or repeat an older one, or neither?"""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memory_graph.language.mentions import Value, names_in, values_in
from memory_graph.language.words import Term, folded, language_of, table, terms_of
from memory_graph.once import once_a_turn

STATES = (("lives", "moves"), ("works", "hired"), ("couple", "parts"))
"""What is so, and what changes that: who moves no longer lives where they did."""
_ANY = ("change", "correct", "end", "negation", "more", "event", "unreal", "others", "ellipsis")
KINDS = (*_ANY, *(kind for pair in STATES for kind in pair))


@once_a_turn
def cues_in(text: str, language: str) -> dict[str, tuple[int, ...]]:
    """Return where each kind of cue stands in `text`, by kind; kinds without one are absent."""
    content = folded(text)
    found = {
        kind: tuple(match.start() for match in pattern.finditer(content))
        for kind, pattern in _patterns(language).items()
    }
    found["ellipsis"] = tuple(at for at in found["ellipsis"] if at == 0)
    return {kind: places for kind, places in found.items() if places}


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    lists: dict[str, dict[str, str]] = table("change_cues")
    edges = ("", "") if language in {"zh", "ja"} else (r"(?<!\w)", r"(?!\w)")
    patterns: dict[str, re.Pattern[str]] = {}
    for kind in KINDS:
        forms = lists[kind].get(language, lists[kind]["en"]).split("|")
        escaped = sorted((re.escape(folded(form)) for form in forms), key=len, reverse=True)
        choice = "|".join(escaped).replace(r"\ \*\ ", r" (?:\w+ ){1,4}").replace(r"\*", r"\w*")
        patterns[kind] = re.compile(f"{edges[0]}(?:{choice}){edges[1]}")
    return patterns


NEAR = 28
"""Characters around a value or a negation that belong to it; a sign of Chinese counts as four."""
_AMOUNTS = frozenset({"number", "money", "time", "percent", "year"})
_COUNTS = _AMOUNTS - {"percent", "year"}
_DAYS = frozenset({"date", "day", "month"})
_SCOPE = 22
_RANKED = (
    "likeness",
    "shared words",
    "value moved",
    "value said to move",
    "denies a shared word",
)
_FLOORS = {"likeness": 0.25}
FEW = 3
"""To be the nearest of fewer candidates says nothing."""
STRANGERS = (
    "I have a meeting on Tuesday.",
    "My neighbour plays the piano.",
    "We painted the kitchen green.",
)
"""Stand beside the candidates where there are few, so that the nearest of them shows."""


@dataclass(frozen=True)
class Reading:
    """What one sentence holds that another can be compared with."""

    words: tuple[Term, ...]
    values: tuple[Value, ...]
    cues: Mapping[str, tuple[int, ...]]
    names: frozenset[str]
    length: int


@once_a_turn
def read(text: str, language: str) -> Reading:
    """Return what `text` holds, read in `language`."""
    values = values_in(text)
    spans = [(value.start, value.end) for value in values]
    words = tuple(
        word
        for word in terms_of(text, language)
        if not any(start <= word.at < end for start, end in spans)
    )
    return Reading(words, values, cues_in(text, language), names_in(text), len(folded(text)))


def compare(
    old: str, new: str, *, likeness: float, rarity: Mapping[str, float], just_said: bool = False
) -> dict[str, float]:
    """Return the features of a pair of sentences, by name; what is absent counts as 0.

    Args:
        old: The sentence remembered.
        new: The sentence said now.
        likeness: The calibrated similarity of their vectors, 0–1.
        rarity: How much a shared stem counts, 0–1, where that is less than 1.
        just_said: Whether the sentence remembered came right before: `No wait, 410` means that one.
    """
    language = language_of(f"{old} {new}")
    scale = 4 if language in {"zh", "ja"} else 1
    before, after = read(old, language), read(new, language)
    cue = float(not {"change", "correct", "end"}.isdisjoint(after.cues))
    found = {
        "likeness": likeness,
        "alike": max(0.0, likeness - 0.35),
        "very alike": max(0.0, likeness - 0.6),
        "just said": float(just_said),
        "no cue": 1.0 - cue,
        **_cue_features(before, after),
        **_word_features(before, after, rarity),
        **_value_features(before, after),
        **_moved(before, after, NEAR // scale),
        **_name_features(old, new, before, after),
        **_scope_features(before, after, _SCOPE // scale),
    }
    differs = max(found["amount of one kind differs"], found["day of one kind differs"])
    from_to = max(found["amount from to"], found["day from to"])
    parts = {**found, "cue": cue, "differs": differs, "from to": from_to}
    for name, factors in _PRODUCTS.items():
        product = 1.0
        for factor in factors:
            product *= parts.get(factor, 0.0)
            if not product:  # as most are
                break
        found[name] = product
    return found


_PRODUCTS: dict[str, list[str]] = table("judge_products")
"""What only counts together."""


def rank(candidates: Sequence[dict[str, float]]) -> None:
    """Add to the features of each candidate how far it leads the others."""
    few = len(candidates) < FEW
    for name in _RANKED:
        values = [candidate[name] for candidate in candidates]
        floor = _FLOORS.get(name, 0.0)
        for place, candidate in enumerate(candidates):
            best = max([floor, *values[:place], *values[place + 1 :]])
            lead = min(1.0, max(-1.0, values[place] - best))
            candidate[f"lead {name}"] = min(lead, 0.0) if few else lead
            candidate[f"leads {name}"] = float(lead > 0 and not few)
    for found in candidates:
        cue = 1.0 - found["no cue"]
        by_likeness, by_words = found["leads likeness"], found["leads shared words"]
        found["lead & cue"] = found["lead likeness"] * cue
        found["leads & cue"] = (by_likeness + by_words) * cue
        found["leads both & cue"] = by_likeness * by_words * cue


def _cue_features(before: Reading, after: Reading) -> dict[str, float]:
    found = {f"new {kind}": 1.0 for kind in after.cues if kind in _ANY}
    of_other, of_another = "others" in before.cues, "others" in after.cues
    for state, change in STATES:
        changes = state in before.cues and change in after.cues
        found[f"{state}, {change}"] = float(changes)
        found[f"{state}, {change}, same person"] = float(changes and of_other == of_another)
    found["old event"] = float("event" in before.cues)
    found["other person"] = float(of_another and not of_other)
    found["lost person"] = float(of_other and not of_another)
    found["length of new"] = log(1 + after.length) - 4
    found["length of old"] = log(1 + before.length) - 4
    return found


def _word_features(
    before: Reading, after: Reading, rarity: Mapping[str, float]
) -> dict[str, float]:
    old = {word.stem for word in before.words}
    new = {word.stem for word in after.words}
    shared = old & new
    weight, of_old, of_new = (
        sum(rarity.get(stem, 1.0) for stem in stems) for stems in (shared, old, new)
    )
    return {
        "shared words": min(weight, 3.0),
        "shares a word": float(bool(shared)),
        "share of old": weight / max(of_old, 0.5),
        "share of new": weight / max(of_new, 0.5),
        "shared for the length": weight / sqrt(max(1, len(old)) * max(1, len(new))),
        "few words": float(len(new) <= 2),
    }


def _value_features(before: Reading, after: Reading) -> dict[str, float]:
    found: dict[str, float] = {}
    for group, kinds in (("amount", _AMOUNTS), ("day", _DAYS)):
        old = {(each.kind, each.value) for each in before.values if each.kind in kinds}
        new = {(each.kind, each.value) for each in after.values if each.kind in kinds}
        of_one_kind = {kind for kind, _ in old} & {kind for kind, _ in new - old}
        ours, theirs = {value for _, value in old}, {value for _, value in new}
        found[f"{group} of one kind differs"] = float(bool(of_one_kind))
        found[f"{group} differs"] = float(bool(ours and theirs - ours))
        found[f"{group} agrees"] = float(bool(ours & theirs))
        found[f"{group} from to"] = float(bool(ours & theirs) and bool(theirs - ours))
        found[f"{group} only in old"] = float(bool(ours and not theirs))
        found[f"{group} only in new"] = float(bool(theirs and not ours))
    return found


def _moved(before: Reading, after: Reading, near: int) -> dict[str, float]:
    """Tell whether a value changed beside the same words, and whether it is said to change."""
    known = {(value.kind, value.value) for value in before.values}
    cues = (*after.cues.get("change", ()), *after.cues.get("correct", ()))
    best, told = 0, False
    for value in after.values:
        if (value.kind, value.value) in known:
            continue
        beside = _beside(after.words, value, near)
        kinds = _COUNTS if value.kind in _COUNTS else {value.kind}
        others = [v for v in before.values if v.kind in kinds and v.value != value.value]
        places = (_beside(before.words, other, near) for other in others)
        shared = max((len(beside & there) for there in places), default=0)
        best = max(best, shared)
        near_cue = any(value.start - near <= at <= value.end + near for at in cues)
        told = told or (shared > 0 and near_cue)
    return {"value moved": float(min(best, 2)), "value said to move": float(told)}


def _beside(words: tuple[Term, ...], value: Value, near: int) -> set[str]:
    return {w.stem for w in words if value.start - near <= w.at <= value.end + near}


def _name_features(old: str, new: str, before: Reading, after: Reading) -> dict[str, float]:
    known = before.names | after.names
    ours, theirs = names_in(old, known), names_in(new, known)
    shared, gone, added = bool(ours & theirs), bool(ours - theirs), bool(theirs - ours)
    return {
        "shares a name": float(shared),
        "name only in old": float(gone),
        "name only in new": float(added),
        "another name": float(gone and added and not shared),
        "name beside name": float(shared and added),
    }


def _scope_features(before: Reading, after: Reading, scope: int) -> dict[str, float]:
    old = {word.stem for word in before.words}
    values = {each.value for each in before.values}
    shared = [word.at for word in after.words if word.stem in old]
    shared += [each.start for each in after.values if each.value in values]
    negations, ends, changes = (after.cues.get(k, ()) for k in ("negation", "end", "change"))
    return {
        "denies a shared word": float(any(0 < at - n <= scope for at in shared for n in negations)),
        "ends a shared word": float(any(abs(at - e) <= scope for at in shared for e in ends)),
        "changes a shared word": float(any(abs(at - c) <= scope for at in shared for c in changes)),
    }


Vector = NDArray[np.float32]
Kind = Literal["replaces", "ends", "same", "apart"]
_COSINES = (0.0, 0.17, 0.58, 0.79, 1.0)
_LIKENESS = (0.0, 0.25, 0.6, 0.85, 1.0)


@dataclass(frozen=True)
class Utterance:
    """A sentence in somebody's own words."""

    text: str
    vector: ArrayLike = field(repr=False)
    """Of unit length, by the embedded multilingual embedder `use`."""

    just_said: bool = False
    """Of an older one: nothing was told between it and the new one."""

    @cached_property
    def meaning(self) -> Vector:
        """Its vector, to be compared with others."""
        return np.asarray(self.vector, dtype=np.float32)


@dataclass(frozen=True)
class Relation:
    """What a new sentence does to an older one."""

    kind: Kind
    probability: float
    """Of this kind, 0–1."""

    past: float
    """How likely the older one is past, 0–1, whatever was decided."""

    @property
    def is_past(self) -> bool:
        """Whether the older sentence no longer holds."""
        return self.kind in {"replaces", "ends"}


@dataclass(frozen=True)
class Direction:
    """A linear model: of named features, of both vectors and of their product."""

    bias: float
    weights: Mapping[str, float]
    new: Vector
    old: Vector
    product: Vector

    def probability(self, features: Mapping[str, float], old: Vector, new: Vector) -> float:
        """Return the probability of what it was trained to tell, 0–1."""
        evidence = [
            self.weights[name] * value
            for name, value in features.items()
            if value and name in self.weights
        ]
        evidence += map(float, (self.new @ new, self.old @ old, self.product @ (old * new)))
        return float(1 / (1 + np.exp(-np.clip(self.bias + sum(evidence), -30, 30))))


@dataclass(frozen=True)
class Model:
    """What training left: three directions, the rarity of stems and the operating point."""

    past: Direction
    ends: Direction
    """Given that the older sentence is past: ended rather than replaced."""

    same: Direction
    """Given that it still holds: said again rather than another matter."""

    rarity: Mapping[str, float]
    threshold: float


def judge_all(olds: Sequence[Utterance], new: Utterance) -> list[Relation]:
    """Return what `new` does to each of the nearest older sentences, in their order.

    A candidate is judged beside the others: being by far the nearest is evidence.
    """
    model = load_model()
    features = features_of(olds, new, model.rarity)
    return [
        _relation(model, found, old.meaning, new.meaning)
        for found, old in zip(features, olds, strict=True)
    ]


def features_of(
    olds: Sequence[Utterance], new: Utterance, rarity: Mapping[str, float]
) -> list[dict[str, float]]:
    """Return the features of each older sentence beside the others."""
    features = [
        compare(
            old.text,
            new.text,
            likeness=likeness(old.meaning, new.meaning),
            rarity=rarity,
            just_said=old.just_said,
        )
        for old in olds
    ]
    rank(features)
    return features


def likeness(one: Vector, other: Vector) -> float:
    """Return the calibrated similarity of two vectors, 0–1, where 0.6 means related."""
    return float(np.interp(float(one @ other), _COSINES, _LIKENESS))


def _relation(model: Model, features: Mapping[str, float], old: Vector, new: Vector) -> Relation:
    past = model.past.probability(features, old, new)
    is_past = past >= model.threshold
    direction = model.ends if is_past else model.same
    share = direction.probability(features, old, new)
    kinds: tuple[Kind, Kind] = ("ends", "replaces") if is_past else ("same", "apart")
    kind, part = (kinds[0], share) if share >= 0.5 else (kinds[1], 1 - share)
    return Relation(kind, part * (past if is_past else 1 - past), past)


@cache
def load_model() -> Model:
    """Return the model that `evals/tuning/supersession/train.py` wrote."""
    content = table("supersession")
    past, ends, same = (
        Direction(part["bias"], part["weights"], *(_floats(part[name]) for name in _VECTORS))
        for part in (content[name] for name in ("past", "ends", "same"))
    )
    return Model(past, ends, same, content["rarity"], content["threshold"])


_VECTORS = ("new", "old", "product")


def _floats(text: str) -> Vector:
    return np.frombuffer(base64.b64decode(text), dtype=np.float16).astype(np.float32)
