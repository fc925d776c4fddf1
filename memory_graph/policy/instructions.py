"""Does a statement give orders or grant permissions, instead of stating a fact?"""

import re

_ACTS = (
    r"(?:recommend|suggest|promote|advertise|mention|praise|send|forward|share|e-?mail|post|"
    r"execute|run|call|ignore|disregard|override|trust|obey|transfer|pay|wire|approve|buy|"
    r"purchase|order|visit|click|open|download|install|reveal|disclose|output|print|delete|"
    r"exfiltrate|upload|include|append|insert|add|cite|link|redirect|tell|prefer|use|choose|"
    r"refuse|reply|respond|answer|act|behave|pretend|grant|give|allow|skip|bypass|disable)"
)
_ORDER = re.compile(
    rf"\b(?:always|never|must|please|from now on,?)\s+"
    rf"(?:always |never |only |also )?{_ACTS}\b(?!s)"
    r"|\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,30}\b(?:instruction|prompt|rule|"
    r"polic|guardrail|safety|previous|prior|above|restriction)"
    r"|\b(?:system|developer|hidden|initial) (?:prompt|message|instruction|override|note)"
    r"|\b(?:you|assistant|agent|ai|model|bot) (?:is|are|must|should|shall|will|may|can|has|have)"
    r"(?: now| to| always| never)* (?:a |an |the |in )?"
    rf"(?:{_ACTS}|dan\b|jailbr|unrestricted|developer mode|admin|root|authori[sz]ed|allowed)"
    r"|\b(?:new|updated|following) (?:instruction|rule|polic|directive)s?\b",
    re.IGNORECASE,
)
_PERMISSION = re.compile(
    r"\b(?:authori[sz]e[sd]?|pre-?approve[sd]?|approve[sd]?|permit(?:s|ted)?|consent(?:s|ed)?|"
    r"grant(?:s|ed)?|allow(?:s|ed)?|whitelist(?:s|ed)?)\b[^.]{0,60}"
    r"\b(?:all|any|every|access|transfer|payment|purchase|transaction|wire|to (?:send|share|"
    r"transfer|pay|delete|run|execute|access)|permission|admin|root|without)"
    r"|\bhas (?:admin|root|full|unlimited|superuser) (?:access|rights|permission|privilege)"
    r"|\bis (?:an? |the )?(?:superuser|root user|system owner)\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\bhttps?://|\bwww\.|\b[\w.-]+\.(?:com|net|org|io|ru|xyz|biz|info)/\S")
_ADDRESSED = re.compile(
    rf"\b{_ACTS}(?:s|ed|ing)?\b|\b(?:should|must|needs? to|wants? (?:you|the assistant))\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"</?[a-z][\w-]*>|<\||\|>|\[/?(?:INST|SYSTEM)\]|^#{1,6} |\{\{|```", re.IGNORECASE | re.MULTILINE
)


def is_instruction(statement: str) -> bool:
    """Say whether a statement would act on an agent that reads it, and tells it what to do."""
    if _ORDER.search(statement) or _PERMISSION.search(statement) or _MARKUP.search(statement):
        return True
    return bool(_ADDRESS.search(statement) and _ADDRESSED.search(statement))
