"""Find numbers of cards, bank accounts and identity documents by their shape and check digits."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

from memory_graph.records import SecretKind
from memory_graph.safety import secrets_table

Span = tuple[int, int]
_NUMBER = re.compile(r"\d(?:[ ./-]{0,2}\d){6}|[A-Za-z]{2}\d\d[ \w]|[A-Za-z]{4}\d")
"""Whatever is read as a number holds this."""
_CARD = re.compile(
    r"(?<![A-Za-z0-9_.,-])(?:(?:\d{4}[ -]?){3}\d{1,7}|\d{4}[ -]?\d{6}[ -]?\d{4,5}|\d{13,19})"
    r"(?![A-Za-z0-9_-])"
)
_CARD_BEGINS = re.compile(r"4|5[1-5]|2[2-7]|3[4-9]|30|6")
_IBAN = re.compile(
    r"(?i)(?<![\w-])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?(?!\w)"
)
_ACCOUNT = re.compile(r"(?i)[A-Z]{2}\d{2}[A-Z0-9]{10,30}")


def numbers_in(text: str) -> Iterator[tuple[SecretKind, Span]]:
    """Yield the kind and the place of each number that is known by itself."""
    if not _NUMBER.search(text):
        return
    for match in _CARD.finditer(text):
        if is_card(match[0]):
            yield "card", match.span()
    for match in _IBAN.finditer(text):
        if end := _end_of_iban(match[0]):
            yield "bank_account", (match.start(), match.start() + end)
    for span in _identities(text):
        yield "identity", span


def _identities(text: str) -> Iterator[Span]:
    for shape, check in _shapes():
        for match in shape.finditer(text):
            if check is None or _passes(check, match[0]):
                yield match.span()


def is_card(digits: str) -> bool:
    """Say whether digits begin and end as the number of a card does."""
    plain = re.sub(r"\D", "", digits)
    if len(set(plain)) == 1 or not _CARD_BEGINS.match(plain):
        return False
    if len(plain) == 13 and plain[0] != "4":
        return False
    return _passes("luhn", plain)


def _end_of_iban(text: str) -> int:
    """Return how much of a text is an account number with a right check: words may follow it."""
    ends = [place.start() for place in re.finditer(r"[ -]", text)] + [len(text)]
    for end in reversed(ends):
        plain = re.sub("[ -]", "", text[:end])
        if _ACCOUNT.fullmatch(plain) and _passes("iso7064.mod_97_10", plain[4:] + plain[:4]):
            return end
    return 0


def _passes(check: str, number: str) -> bool:
    is_valid = _check(check)
    return is_valid(number)


@cache
def _check(name: str) -> Callable[[str], bool]:
    module = import_module(f"stdnum.{name}")
    is_valid: Callable[[str], bool] = module.is_valid
    return is_valid


@cache
def _shapes() -> tuple[tuple[re.Pattern[str], str | None], ...]:
    return tuple(
        (
            re.compile(rf"(?i)(?<![A-Za-z0-9_.,/+-])(?:{row['shape']})(?![A-Za-z0-9_-])"),
            row.get("check"),
        )
        for row in secrets_table()["number"]
    )
