"""Which pattern does a name mean?"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

NameMatch = Literal["exact", "partial", "several", "none"]

_TITLE = re.compile(r"^(?:ANTI)?PATTERN-")
_SEPARATORS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Resolution:
    """The one name meant, or the names it could be."""

    reason: NameMatch
    name: str | None = None
    choices: tuple[str, ...] = ()


def normalise_name(name: str) -> str:
    """Return a name in kebab-case, without the title a note gives it.

    `Retry on timeout`, `retry_on_timeout` and `PATTERN-retry-on-timeout` are one name.
    Nothing is left of a name without letters and digits.
    """
    plain = _folded(_folded(_TITLE.sub("", name.strip())))
    return _SEPARATORS.sub("-", plain).strip("-")


def resolve_name(asked: str, names: Iterable[str]) -> Resolution:
    """Return the name that `asked` means: itself, or the only one it is a part of."""
    wanted = normalise_name(asked)
    known = set(names)
    if wanted in known:
        return Resolution("exact", wanted)
    partial = sorted(name for name in known if wanted and wanted in name)
    if len(partial) == 1:
        return Resolution("partial", partial[0])
    return Resolution("several" if partial else "none", choices=tuple(partial))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text.casefold())
