"""Make text safe to read, keep and show: mask secrets, cut long texts, escape delimiters."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import TypeVar

from memory_graph.records import SECRET_KINDS, Fact, FactCandidate, Record, SecretKind
from memory_graph.safety.numbers import numbers_in
from memory_graph.safety.tokens import tokens_in
from memory_graph.safety.told import told_secrets
from memory_graph.safety.unseen import visible

_GAP = "\n[…]\n"
"""Marks where a message was cut."""
_MARGIN = 500
"""Characters read beyond a cut, so that a secret across it is recognised."""
_END_SHARE = 4
"""The end gets one of this many parts: most messages say first what they are about."""


@dataclass(frozen=True)
class Reading:
    """The part of a message that is read."""

    text: str
    left_out: int = 0
    """Characters left out between its beginning and its end."""


def read_within(text: str, limit: int, sensitive: Collection[SecretKind] = SECRET_KINDS) -> Reading:
    """Return a text with secrets masked, cut in the middle if it is longer than `limit`."""
    if len(text) <= limit:
        return Reading(mask_secrets(visible(text), sensitive))
    end = limit // _END_SHARE
    start = limit - end
    first = mask_secrets(visible(text[: start + _MARGIN]), sensitive)[:start]
    rest = visible(_without_open_key(text, len(text) - end - _MARGIN))
    last = mask_secrets(rest, sensitive)[-end:]
    return Reading(
        f"{_whole_words(first)}{_GAP}{_whole_words(last, from_end=True)}", len(text) - limit
    )


def _without_open_key(text: str, start: int) -> str:
    """Return the text from `start` on, without the rest of a key that began before."""
    start = max(start, 0)
    opened = text.rfind("-----BEGIN ", 0, start)
    if opened == -1 or text.find("-----END ", opened, start) != -1:
        return text[start:]
    closed = text.find("-----END ", start)
    if closed == -1:
        return MASK
    _, _, after = text[closed:].partition("\n")
    return f"{MASK} {after}"


def _whole_words(part: str, *, from_end: bool = False) -> str:
    """Return a part without the word that was cut, if it has several words."""
    if from_end:
        rest = part[:_MARGIN].split(maxsplit=1)
        return part[part.index(rest[1]) :] if len(rest) > 1 else part
    rest = part[-_MARGIN:].rsplit(maxsplit=1)
    return part[: len(part) - len(rest[1])].rstrip() if len(rest) > 1 else part


_UNSAFE = re.compile("[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_LONGEST = 400


def escape_for_prompt(text: str) -> str:
    """Return text that can neither close the memory block nor look like a heading in it."""
    flat = escape_line(text)
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1].rstrip()}…"


def escape_in_full(text: str) -> str:
    """Return all of a text, line by line and indented, as harmless as `escape_for_prompt`'s."""
    return "\n".join(f"    {flat}" for line in text.splitlines() if (flat := escape_line(line)))


def escape_line(text: str) -> str:
    """Return text on one line, as harmless as `escape_for_prompt`'s and not cut."""
    flat = " ".join(_UNSAFE.sub(" ", visible(text)).split()).replace("<", "‹").replace(">", "›")
    return flat.lstrip("#-*› ")


OPENING, CLOSING = "<memory>", "</memory>"


def fence(label: str, lines: Iterable[str]) -> str:
    """Return `lines` between marks that no line can contain.

    The mark is a hash of what it encloses, so a text that holds its own mark would have
    to contain its own hash.
    """
    body = "\n".join(lines)
    mark = f"{label}-{sha256(body.encode('utf-8', 'replace')).hexdigest()[:12]}"
    return f"<{mark}>\n{body}\n</{mark}>"


def one_line(text: str, limit: int) -> str:
    """Return text on one line, without control characters, cut at `limit` characters."""
    flat = " ".join(_UNSAFE.sub(" ", visible(text)).split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


MASK = "[secret]"
"""Replaces a secret."""


def mask_secrets(text: str, kinds: Collection[SecretKind] = SECRET_KINDS) -> str:
    """Return a text with a mark in place of each secret of these kinds."""
    spans = sorted(_spans(text, kinds))
    masked: list[str] = []
    end = 0
    for start, stop in spans:
        if start > end or not masked:  # what touches is one secret
            masked += [text[end:start], MASK]
        end = max(end, stop)
    return "".join([*masked, text[end:]]) if spans else text


def holds_secret(text: str, kinds: Collection[SecretKind] = SECRET_KINDS) -> bool:
    """Say whether a text holds, or held, a secret of these kinds."""
    return MASK in text or any(True for _ in _spans(text, kinds))


def _spans(text: str, kinds: Collection[SecretKind]) -> Iterator[tuple[int, int]]:
    """Yield where the secrets of these kinds are."""
    for kind, span in chain(tokens_in(text), numbers_in(text), told_secrets(text)):
        if kind in kinds and MASK[:-1] not in text[slice(*span)]:
            yield span


def stated(fact: Fact | FactCandidate) -> str:
    """Return all that a fact says, its attribute beside its value: `password: …`."""
    value = f"{fact.attribute or 'value'}: {fact.value}" if fact.value else ""
    return f"{fact.statement}\n{value}"


R = TypeVar("R", bound=Record)
_NO_TEXT = re.compile(r"(?:^|_)(?:ids?|at|iso|source|kind)$|^(?:key|session)$")
"""Names of fields that hold no text by people."""


def without_secrets(record: R, sensitive: Collection[SecretKind] = SECRET_KINDS) -> R:
    """Return a record with a mark in place of each secret in its texts."""
    told = record.model_dump(mode="json")
    masked = _masked(told, sensitive)
    return record if masked == told else type(record).model_validate(masked)


def _masked(value: object, sensitive: Collection[SecretKind]) -> object:
    if isinstance(value, str):
        return mask_secrets(visible(value), sensitive)
    if isinstance(value, Mapping):
        return {name: _masked_field(str(name), each, sensitive) for name, each in value.items()}
    if isinstance(value, list):
        return [_masked(inner, sensitive) for inner in value]
    return value


def _masked_field(name: str, value: object, sensitive: Collection[SecretKind]) -> object:
    """Return a field's value with its secrets masked, also one that its name gives away."""
    if _NO_TEXT.search(name):
        return value
    if isinstance(value, str) and holds_secret(f"{name}: {value}", sensitive):
        masked = _masked(value, sensitive)
        return MASK if masked == value else masked
    return _masked(value, sensitive)
