"""Does the user say that something they once knew or told has slipped their mind?

Each pattern stands beside a phrase it is meant for.
"""

from memory_graph.policy.recall_intent.own_signs import KIN
from memory_graph.policy.recall_intent.phrasing import any_of, one_of

_US = r"\b(?:i|i've|i'm|i'd|we|we've|me|my|our|us|you)\b"
_FORGET = (
    r"(?:^|\bi(?:'ve| have|'m| am)? )(?:(?:just|totally|completely|already|honestly|actually) )?"
    r"(?:forgot|forget|forgotten|forgetting|can't (?:[\w']+ ){0,6}?(?:remember|recall|think of)|"
    r"(?:don't|do not) (?:quite |really |even )?(?:remember|recall)|"
    r"(?:trying|struggling) to (?:remember|recall)|lost track of|drawing a blank on)"
)
_ASKED = one_of(
    "what, what's, which, who, who's, whom, whose, where, when, whether, if, "
    "how (?:many|much|long|often|old|far|i|we)"
)
_TALE = r"(?!.*(?:,|\band|\bso|\bbut) (?:she|he|they|it|now|then|had)\b)"
"""A lapse that is only told has consequences: `... and she was upset`."""

_TOLD = one_of("told, mentioned, said, discussed, talked, gave, given, agreed, decided, shared")

LAPSE_PATTERNS: dict[str, str] = {
    "i forgot which hotel i booked": rf"{_FORGET} (?:exactly )?{_ASKED}\b{_TALE}"
    rf".*(?:{_US}|\b{KIN}\b)",
    "i can't recall the name of my old street": rf"{_FORGET} "
    rf"(?:the|that) (?:\w+ )?(?:name|title|date|number|address|day|place|word) {_TALE}.*"
    r"\b(?:we|my|our|you)\b",
    "help me remember where i put it": rf"\bhelp me (?:to )?(?:remember|recall) {_ASKED}\b.*{_US}",
    "the name of the street you told me escapes me": r"\b(?:i|we|my|our|you)\b.*\b(?:escapes me|"
    r"(?:has |have )?slipped my mind|(?:has |have )gone (?:completely )?out of my (?:head|mind))\b",
    "it is on the tip of my tongue, the place we stayed": r"\btip of my tongue\b.*"
    r"\b(?:we|our|you)\b",
    "i know i told you the date": r"^i(?:'m| am)? (?:know|think|thought|believe|swear|"
    r"(?:pretty |quite |fairly |almost )?(?:sure|certain)) (?:that )?(?:i|we|you)"
    rf"(?:'d|'ve| have| had| must have)? (?:already |once )?{_TOLD} (?:you |me |us )?"
    r"(?:about )?(?:the|what|which|who|where|when|my|our)\b(?!.*\bbut\b)",
}
LAPSE = any_of(LAPSE_PATTERNS.values())
"""Says what has slipped the user's mind, which asks for it."""

LOST = any_of(
    (
        r"\bi(?:'ve| have| seem to have| must have)? (?:lost|misplaced|mislaid|deleted|"
        r"forgot|forgotten|can't (?:find|remember|recall)|don't (?:remember|recall)) "
        r"(?:it|that|them|those|the|which|what|who|where|when|how)\b",
    )
)
"""Has lost something; a recall only where the message points at earlier talk."""
