"""Where in a sentence is the question, with or without a question mark?"""

import re

from memory_graph.policy.recall_intent.own_signs import ATTRIBUTE, KIN, PRIVATE_NOTE

_OPENER = (
    r"(?:(?:ok|okay|so|hey|hi|hello|hm+|and|but|also|well|please|btw|now|oh|um+|just|sorry|"
    r"actually|anyway|then|thanks|again|wait|alright|quick question)[,:]?\s+)*"
)
_WH = r"(?:what|which|who|whom|whose|where|when|why|how)(?:'s|'re|'d|'ve)?"
_ASKED_WH = (
    rf"(?:(?:in|on|at|to|from|with|by|for|since|of|about|until|after|around|during)\s)?{_WH}\b"
)
_NOT_INVERTED = r"(?!\s(?:i|we|you|he|she|they|it|my|our|i'm|we're|to)\b)"
_ASKED_YES_NO = (
    r"(?:did|didn't|do|don't|does|doesn't|have|haven't|has|hasn't|had|hadn't|was|wasn't|were|"
    r"is|isn't|are|am|can|could|should|would|will)\s(?!not\b|you (?:tell|remind|say)\b)\w"
)
_INVERTED = (
    r"(?: \w+){0,3}? (?:did|do|does|was|were|is|are|am|have|had|has) (?:i|we|you|it|he|she|they)\b"
)
_DIRECT = re.compile(
    rf"(?:^|[;:–—]\s|\s-\s){_OPENER}(?P<asked>(?:{_ASKED_WH}{_NOT_INVERTED}|{_ASKED_YES_NO}).*)"
)
_AFTER_A_COMMA = re.compile(
    rf",\s{_OPENER}(?P<asked>(?:(?:what|how|why)(?:'s)?\b{_NOT_INVERTED}|"
    rf"{_ASKED_WH}{_INVERTED}|which ones?\b|which \w+ (?:is|was|are|were)\b|{_ASKED_YES_NO}).*)"
)
_NO_SUBJECT = r"(?:(?!\b(?:i|we|he|she|they|it|you|my)\b)[^,])*"
_AFTER_A_SETTING = re.compile(
    r"^(?:on|in|at|during|according to|for|since|from|around|after|before|last|this) "
    rf"{_NO_SUBJECT},\s(?P<asked>{_ASKED_WH}{_NOT_INVERTED}.*)"
)
_TAGGED = re.compile(
    r"^(?P<asked>.*\b(?:my|our)\b.*, (?:right|correct)|"
    r"(?:(?:so|but|and|also|ok|okay),? )?(?:i|i'm|i've|we|we've|my|our|"
    r"you(?:'ve)? (?:told|said|suggested|recommended|gave|mentioned))\b.*, "
    r"(?:right|correct|(?:do|did|have|am|was|were|is|are|has|does)(?:n't)? "
    r"(?:i|we|he|she|it|they)|aren't i))$"
)
_MISSING_THING = re.compile(
    r"^i (?:need|want|forgot|lost|can't remember|don't remember|don't recall) "
    r"(?P<asked>the (?:name|title|number|date|address|link|recipe|list|exact)\b.*)"
)
_EMBEDDED = re.compile(
    rf"^{_OPENER}"
    r"(?:(?:can|could|would|will) you (?:please |kindly )?(?:tell me|say|check|find out)|"
    r"do you (?:happen to )?(?:know|have any idea)|any (?:idea|clue)|tell me|"
    r"i(?:'m| was|'ve been| am)? (?:just )?wonder(?:ing)?|i(?:'d| would) (?:like|love) to know|"
    r"i (?:want|need|wanted) to know|i(?:'m| am) (?:curious|(?:trying|struggling) to "
    r"(?:remember|recall|figure out|work out|find out))|not sure)\s(?:exactly |about )?"
    rf"(?P<asked>(?:{_ASKED_WH}|if|whether)\s.*)"
)
_NAMED_THING = re.compile(
    rf"^{_OPENER}(?:(?:can|could) you )?(?:please )?(?:tell me|name|list|show me|give me)\s"
    r"(?P<asked>(?:all |again |about )?(?:of )?(?:the|my|our|every|each)\b.*)"
)
_POSTPOSED = re.compile(
    r"^(?P<asked>.*\b(?:from|to|with|by|for|at) (?:whom|whose|who|what|where)\b.*)"
)
_NOTE_END = r"(?: (?:for|at|on|of) [\w' ]{1,30})?(?: (?:again|please))*"
_BARE = re.compile(
    rf"^{_OPENER}(?P<asked>(?:my|our|{KIN}'?s|\w+'s) (?:[\w'-]+ ){{0,3}}{ATTRIBUTE}{_NOTE_END}|"
    rf"(?:the )?(?:[\w'-]+ ){{0,2}}{ATTRIBUTE}(?: (?:for|at|on|of) [\w' ]{{1,30}})? again|"
    rf"{PRIVATE_NOTE}|"
    r"(?:the )?(?:name|title|number|address|date) of (?:that|the|those)\b.* (?:i|we|you|my) .+|"
    r"(?:my )?last (?:[\w'-]+ ){1,4}(?:when|where))$"
)
"""Only a noun, as in a note: the last thing to try, as it may be an answer too."""

_QUESTION_FORMS = (
    _TAGGED,
    _EMBEDDED,
    _NAMED_THING,
    _DIRECT,
    _AFTER_A_SETTING,
    _AFTER_A_COMMA,
    _MISSING_THING,
    _POSTPOSED,
    _BARE,
)


def find_question(sentence: str) -> re.Match[str] | None:
    """Return a match whose group `asked` is the asking part of the lower-cased `sentence`."""
    return next((match for form in _QUESTION_FORMS if (match := form.search(sentence))), None)
