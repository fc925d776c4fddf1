"""Which clauses of a message state something the user vouches for?"""

import re

from memory_graph.policy.own_words import own_words

_CONTRACTIONS: tuple[tuple[str, str], ...] = (
    (r"\b(?:I'm|im|Im)\b", "I am"),
    (r"\b(I|we|they|you)'ve\b", r"\1 have"),
    (r"\bive\b", "I have"),
    (r"\b(we|they|you)'re\b", r"\1 are"),
    (r"\b(my|her|his|their|\w+'s) name's\b", r"\1 name is"),
    (r"\bname's\b", "my name is"),
    (r"\b(she|he|it|that|here|there|who)'s\b", r"\1 is"),
    (r"\b(\w+)'s (?=\d|my\b|an? |called\b|named\b)", r"\1 is "),
    (r"\b(\w+)'d\b", r"\1 would"),
    (r"\b(\w+)'ll\b", r"\1 will"),
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"\b(do|does|did|is|are|was|were|have|has|would|could|should)n'?t\b", r"\1 not"),
    (r"\banymore\b", "any more"),
    (r"\bwe are\b", "I am"),
    (r"\bwanna\b", "want to"),
    (r"\bfav\b", "favourite"),
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[^a-z]|i\b|my\b)|\n+")
_OPENER = re.compile(
    r"^(?:(?:if (?:it|that|this) (?:helps|matters)|in case (?:it|that) (?:helps|matters)|"
    r"hi|hello|hey|oh|ah|well|so|ok|okay|yes|yeah|no|nope|sorry|thanks|thank you|"
    r"actually|also|and|but|plus|now|please|btw|by the way|fyi|correction|in fact|"
    r"just so you know|for the record|just|I am (?:pretty|quite) sure(?: that)?|at work|"
    r"turns out|quick intro|do not forget(?: that)?|scratch that|note(?: that)?|"
    r"remember(?: that)?|keep in mind(?: that)?|(?:that|it) turns out(?: that)?|since|because|"
    r"given that|as you know|that is wrong|you should know(?: that)?|I told you(?: that)?|"
    r"(?:as )?I said(?: that)?|did I mention(?: that)?|unfortunately|sadly|luckily|recently|"
    r"currently|nowadays|there|guess what|in fact)\b[\s,.:!–—-]*)+",
    re.IGNORECASE,
)
_SUBJECT = r"(?:I|my|our|we|she|he|her|his|the kids)"
_CLAUSE_END = re.compile(
    r"[,;]?\s+(?:and|but|so|because|since|plus|while|although|though|as(?= I\b))\s+"
    rf"(?=(?:now\s+|also\s+|then\s+|actually\s+)*{_SUBJECT}\b)|"
    rf"[,;:]\s+(?=(?:now\s+|also\s+|and\s+|but\s+)*{_SUBJECT}\b)|"
    r",?\s+so\s+(?!much\b|many\b|far\b|that\b|on\b)|;\s+|\s+[–—-]\s+|\s*\(|\)\s*",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:what|how|where|when|why|who|whom|whose|which|do(?! not)|does|did|is|are|am|was|were|"
    r"can|could|should|would|will|has|have (?:I|you|we)|may|shall)\b",
    re.IGNORECASE,
)
_CONFIRMATION = re.compile(
    r"^(?:right|correct|yes|no|or not|isn't it|is not it)\W*$", re.IGNORECASE
)
_SUPPOSED = re.compile(
    r"\b(?:if|imagine|pretend|suppose|supposing|assuming|assume|hypothetically|theoretically|"
    r"in theory|for the sake of argument|let's (?:say|pretend|imagine)|I wish|wish|unless|as if|"
    r"(?:in|for) (?:the|my|this|our|a) (?:story|novel|book|game|film|movie|play|scenario|"
    r"campaign)|my character|I dream(?:t|ed)|in my dream|when I was|act as|role-?play)\b.*|"
    r"^say\b.*|^you (?:be|play|are (?:an?|the|my))\b.*|^when I (?:get|have|am)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_REPORTED = re.compile(
    r"\b(?:she|he|they|it|(?:my|the|his|her|our|a) [\w' -]{1,30}|[A-Z]\w+) (?:just |once |"
    r"always )?(?:said|says|told|tells|claims|claimed|wrote|writes|asked|thinks|thought|believes|"
    r"mentioned)\b"
)
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|not sure|I think|I guess|might|no idea|I doubt|"
    r"thinking (?:of|about)|considering|almost|pretending|I hope|I feel like|supposed to)\b",
    re.IGNORECASE,
)
_GREETED = re.compile(
    r"^(?P<before>(?:(?:hi|hello|hey|yo)\b|quick intro).{0,25}?\bI am )(?P<name>[a-z]+)(?=, \d|"
    r" from | here\b)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+", re.MULTILINE)
_FORM_LINE = re.compile(
    r"^(name|age|birthday|city|job|profession|employer|company|diet|pronouns|time ?zone|"
    r"hobbies): (?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_AS_A = re.compile(r"^as (?P<role>an? [\w -]+?(?: at [A-Z]\w+)?),? I ", re.IGNORECASE)
_TAIL = ".!?…,;: "

LONGEST_SENTENCE = 400
"""Characters; longer ones have no grammar that rules could follow."""

MOST_CLAUSES = 60
"""Bounds the time one message may take."""


def split_clauses(message: str) -> tuple[str, ...]:
    """Return the message's plain statements, contractions expanded, openers taken off."""
    text = _expand(own_words(message).text)
    clauses: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        clauses.extend(_statements(sentence.strip()))
    return tuple(clauses[:MOST_CLAUSES])


def _statements(sentence: str) -> list[str]:
    if len(sentence) > LONGEST_SENTENCE or _REPORTED.search(sentence):
        return []
    asks = sentence.endswith("?")
    sentence = _SUPPOSED.sub("", _OPENER.sub("", sentence))
    sentence = _AS_A.sub(r"I am \g<role>, I ", sentence)
    parts = _before_question(sentence) if asks else _CLAUSE_END.split(sentence)
    openings = (_OPENER.sub("", part.strip()).strip(_TAIL) for part in parts)
    return [part for part in openings if part and _vouched_for(part)]


def _before_question(sentence: str) -> list[str]:
    """Keep what was stated on the way to a question; a request to confirm states nothing."""
    fragments = [_OPENER.sub("", part) for part in re.split(r"[,;]\s+", sentence)]
    if _CONFIRMATION.match(fragments[-1].strip(_TAIL)):
        return []
    kept: list[str] = []
    for fragment in fragments[:-1]:
        if _QUESTION.match(fragment):
            break
        kept.extend(_CLAUSE_END.split(fragment))
    return kept


def _vouched_for(clause: str) -> bool:
    return not (_QUESTION.match(clause) or _UNSURE.search(clause))


def _expand(text: str) -> str:
    for pattern, replacement in _CONTRACTIONS:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    text = re.sub(r"[ \t]+", " ", _FORM_LINE.sub(r"my \1: ", _BULLET.sub("", text)))
    return _GREETED.sub(lambda match: match["before"] + match["name"].title(), text)
