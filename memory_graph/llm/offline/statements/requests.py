"""Which requests to the assistant state or end a fact: `call me Ana`, `forget my address`?"""

import re

from memory_graph.llm.offline.statements.known_words import languages
from memory_graph.llm.offline.statements.names import own_name
from memory_graph.llm.offline.statements.pattern import Reading
from memory_graph.llm.offline.statements.possessions import attribute_named

_CALL_ME = re.compile(
    r"^(?:(?:you can|just|everyone can|people (?:usually )?) )?(?:call|"
    r"address) me (?:as )?(?P<v>.+)$",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"^(?:always )?(?:keep|make|give me|write|use)\b(?: your|"
    r" the)? ?(?P<before>[\w -]*?) ?\b(?:answers|replies|responses|"
    r"explanations) ?(?P<after>short|long|brief|concise|detailed|simple)?(?: from now on)?$",
    re.IGNORECASE,
)
_ANSWER_IN = re.compile(
    r"^(?i:always |only )?(?i:answer|reply|respond|write|talk|"
    r"speak)(?: to)?(?: me)? in (?P<v>[A-Z]\w+)\b.*$"
)
_ANSWER_WITH = re.compile(
    r"^always (?:answer|reply|respond|write) (?:in|with) (?P<v>[a-z][\w -]+)$", re.IGNORECASE
)
_UNITS = re.compile(
    r"^(?:always )?(?:use|keep it|stick to) (?P<v>metric|imperial|celsius|fahrenheit)\b.*$",
    re.IGNORECASE,
)
_DO_NOT_CALL_ME = re.compile(r"^do not call me (?P<v>[\w -]+?)(?: any more)?$", re.IGNORECASE)
_FORGET = re.compile(
    r"^(?:you can )?(?:forget|delete|erase|remove|"
    r"stop remembering)\s+(?:about\s+)?(?:what you know about\s+|"
    r"everything (?:you know )?about\s+|what I (?:said|told you) about\s+)?(?P<v>.+)$",
    re.IGNORECASE,
)
_THAT_I = re.compile(r"^(?:that\s+)(?P<clause>(?:I|my|we)\b.+)$", re.IGNORECASE)
_MY = re.compile(r"^my\s+(?P<noun>.+)$", re.IGNORECASE)

_CIRCUMSCRIBED = {
    "where i work": "employer",
    "where i live": "city",
    "where i am from": "hometown",
    "what i do": "job",
    "how old i am": "age",
    "when i was born": "birthday",
}


def read_request(clause: str) -> tuple[Reading, ...]:
    """Return what a request states or ends."""
    if match := _CALL_ME.match(clause):
        return tuple(Reading("nickname", name) for name in own_name(match["v"]))
    if match := _DO_NOT_CALL_ME.match(clause):
        return tuple(Reading("nickname", name, retracts=True) for name in own_name(match["v"]))
    return _manner(clause) or _forgotten_noun(clause)


def _manner(clause: str) -> tuple[Reading, ...]:
    """Read how the assistant should answer from now on."""
    if match := _ANSWERS.match(clause):
        style = (match["after"] or match["before"] or "").strip()
        return (Reading("answer_style", style),) if style else ()
    if match := _ANSWER_IN.match(clause):
        return tuple(Reading("answer_language", found) for found in languages(match["v"]))
    if match := _ANSWER_WITH.match(clause):
        return (Reading("answer_style", match["v"]),)
    match = _UNITS.match(clause)
    return (Reading("units", match["v"]),) if match else ()


def forgotten_clause(clause: str) -> str | None:
    """Return the statement to forget in `forget that I like olives`."""
    match = _FORGET.match(clause)
    told = _THAT_I.match(match["v"]) if match else None
    return told["clause"] if told else None


def _forgotten_noun(clause: str) -> tuple[Reading, ...]:
    match = _FORGET.match(clause)
    if match is None:
        return ()
    noun = _MY.match(match["v"])
    attribute = attribute_named(noun["noun"]) if noun else _CIRCUMSCRIBED.get(match["v"].casefold())
    return (Reading(attribute, None, retracts=True),) if attribute else ()
