"""Which parts of a text are secrets that must not be kept?"""

import re
from collections.abc import Collection, Iterator
from typing import Literal, get_args

SecretKind = Literal["card", "password", "token", "private_key", "identity", "bank_account"]
SECRET_KINDS: tuple[SecretKind, ...] = get_args(SecretKind)
MASK = "[secret]"
"""What stands where a secret was."""

_TOLD = r"\s*(?:\b(?:is|was|are|reads?|called|to|as|remains)\b|[:=]|->)\s*"
_WHOSE = r"(?:\s+(?:of|for|to|at|on|in|from|with|I|we|that|here|number)\b[^.:=\n]{0,40}?)?"
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_DIGITS = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){12,18}(?![\w-])")
_TOKENS = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{12,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{12,}"
    r"|\bxox[abeprs]-[A-Za-z0-9-]{8,}|\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bAIza[\w-]{20,}"
    r"|\bhf_[A-Za-z0-9]{16,}|\bnpm_[A-Za-z0-9]{16,}|\bpypi-[\w-]{16,}|\bSG\.[\w-]{8,}\.[\w-]{8,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?|\bya29\.[\w-]{12,}|\bdop_v1_[0-9a-f]{16,}"
    r"|(?i:\bBearer\s+)[\w.~+/-]{16,}=*|(?<=://)[^\s:/@]+:[^\s:/@]+(?=@)"
)
_TOKEN_TOLD = re.compile(
    r"\b(?:(?:api|access|secret|auth|private|encryption|licen[cs]e|signing|session|refresh|bearer|"
    r"client|webhook|deploy|recovery|backup)[ _-]?(?:key|token|secret|code|phrase|id)s?|"
    r"(?:auth )?token|seed phrase|secret|mnemonic)\b" + _WHOSE + _TOLD + r"(?P<secret>\S.*)",
    re.IGNORECASE,
)
_PASSWORD_TOLD = re.compile(
    r"\b(?:pass ?(?:word|code|phrase|key)s?|pwd|passwd|(?:door|gate|alarm|safe|lock|garage|"
    r"security|access|entry|unlock) ?(?:code|combination|pin)|combination (?:of|to|for) [\w' ]+?|"
    r"pin(?:[ -]?(?:code|number))?|cvv2?|cvc2?|security number|login)\b"
    + _WHOSE
    + _TOLD
    + r"(?P<secret>\S.*)",
    re.IGNORECASE,
)
_LOGS_IN_WITH = re.compile(
    r"\b(?:logs? in|logging in|sign(?:s|ing)? in|unlocks?|open)\b[^.\n]{0,40}"
    r"\b(?:with|using)\b(?: the)?(?: (?:password|passcode|pin|code))? (?P<secret>\S+)",
    re.IGNORECASE,
)
_IDENTITY_TOLD = re.compile(
    r"\b(?:ssn|social security(?: number)?|national insurance number|passport(?: number| no\.?)|"
    r"driver'?s? licen[cs]e(?: number| no\.?)|tax id|tin|nif|identity card number)\b"
    r"[^.:=\n]{0,20}?(?:" + _TOLD + r")?(?P<secret>[A-Z]{0,3}[\d -]{5,}\d[A-Z]?)",
    re.IGNORECASE,
)
_SSN = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_ACCOUNT_TOLD = re.compile(
    r"\b(?:account|routing|sort) (?:number|code|no\.?)\b[^.:=\n]{0,20}?"
    + _TOLD
    + r"(?P<secret>[\d -]{6,}\d)",
    re.IGNORECASE,
)
_LOOKS_SECRET = re.compile(r"(?=\S*[\d!@#$%^&*_~+=/\\|-])(?=\S*\w)\S{3,}|\S*[a-z][A-Z]\S*")
_PHRASE_END = re.compile(r"[.,;!?]?(?:\s+(?:and|but|so|which|please)\b|\s*\n)")
_QUOTES = "\"'`“”‘’"
_LIST_OF_WORDS = frozenset({1, 12, 24})
"""A single word, or as many as recovery phrases have."""

_ABOUT_IT = frozenset(
    "a an the not no too very weak strong stored saved kept in on at by changed expired wrong "
    "forgotten lost invalid required missing what how why when where that reset managed my your "
    "broken rotated hard easy safe secure long short different same empty blank annoying for "
    "good bad great important never always being still really so fine ok okay due gone old new "
    "working all just".split()
)


def mask_secrets(text: str, kinds: Collection[SecretKind] = SECRET_KINDS) -> str:
    """Return a text with a mark in the place of each secret of these kinds."""
    spans = sorted(_spans(text, kinds))
    masked, end = "", 0
    for start, stop in spans:
        if start >= end:
            masked += text[end:start] + MASK
        end = max(end, stop)
    return masked + text[end:] if spans else text


def holds_secret(text: str, kinds: Collection[SecretKind] = SECRET_KINDS) -> bool:
    """Say whether a text holds, or held, a secret of these kinds."""
    return MASK in text or any(True for _ in _spans(text, kinds))


def _spans(text: str, kinds: Collection[SecretKind]) -> Iterator[tuple[int, int]]:
    """Yield where the secrets are, each kind by its own signs."""
    if "private_key" in kinds:
        yield from (match.span() for match in _PRIVATE_KEY.finditer(text))
    if "card" in kinds:
        yield from (match.span() for match in _DIGITS.finditer(text) if _is_card(match[0]))
    if "token" in kinds:
        yield from (match.span() for match in _TOKENS.finditer(text))
        yield from _told(_TOKEN_TOLD, text)
    if "password" in kinds:
        yield from _told(_PASSWORD_TOLD, text)
        yield from _told(_LOGS_IN_WITH, text)
    if "identity" in kinds:
        yield from (match.span() for match in _SSN.finditer(text))
        yield from (match.span("secret") for match in _IDENTITY_TOLD.finditer(text))
    if "bank_account" in kinds:
        yield from (match.span() for match in _IBAN.finditer(text) if _is_iban(match[0]))
        yield from (match.span("secret") for match in _ACCOUNT_TOLD.finditer(text))


def _told(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield the words after `my password is`, unless they are said about the password."""
    for match in pattern.finditer(text):
        phrase = _PHRASE_END.split(match["secret"], maxsplit=1)[0].rstrip(".!?,;")
        if phrase and _is_secret(phrase):
            start = match.start("secret")
            yield start, start + len(phrase)


def _is_secret(phrase: str) -> bool:
    first, *rest = (word.strip(_QUOTES) for word in phrase.split())
    if phrase[0] in _QUOTES:
        return True
    if first.casefold() in _ABOUT_IT:
        return any(_LOOKS_SECRET.fullmatch(word) for word in rest[:2])
    return bool(_LOOKS_SECRET.fullmatch(first)) or len(rest) + 1 in _LIST_OF_WORDS


def _is_card(digits: str) -> bool:
    """Say whether digits pass Luhn's check, as those of every card do."""
    numbers = [int(digit) for digit in digits if digit.isdigit()]
    doubled = [sum(divmod(number * 2, 10)) for number in numbers[-2::-2]]
    return len(set(numbers)) > 1 and (sum(numbers[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    """Say whether an account number passes its own check."""
    plain = text.replace(" ", "")
    return int("".join(str(int(each, 36)) for each in plain[4:] + plain[:4])) % 97 == 1
