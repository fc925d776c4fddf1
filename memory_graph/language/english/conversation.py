"""Tell whether a time phrase dates a conversation or the event it was about."""

import re

_SAYING = re.compile(
    r"""\b(?:
      (?:we|you\s+and\s+i)\s+(?:\w+\s+){0,2}?(?:discuss\w*|talk\w*|chat\w*|sp(?:oke|eak)\w*|decid\w*
        |agree\w*|cover\w*|go\s+over|went\s+over|work\w*\s+on|say|said|mention\w*|conclude\w*|plan\w*)
    | you\s+(?:\w+\s+){0,2}?(?:t(?:ell|old)|sa(?:y|id)|mention\w*|suggest\w*|recommend\w*|advis\w*
        |explain\w*|g[ai]ve|show\w*|sen[dt]|ask\w*|propos\w*|promis\w*|writ\w*|wrote|answer\w*
        |remind\w*|help\w*)
    | i\s+(?:\w+\s+){0,2}?(?:t(?:ell|old)\s+you|ask\w*\s+you|sa(?:y|id)|mention\w*|show\w*\s+you
        |g[ai]ve\s+you|sen[dt]\s+you|shar\w*\s+with\s+you)
    | (?:our|this|that|the)\s+(?:\w+\s+)?(?:conversation|chat|discussion|session|talk|exchange)s?
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_CONVERSATION = re.compile(r"(?:conversation|chat|discussion|session|talk)s?\b", re.IGNORECASE)
"""Straight after the phrase: `last week's session`."""
_NEW_CLAUSE = re.compile(
    r"\b(?:i|we|he|she|they|it|who|that|which|where|because|my\s+\w+\s+\w+ed)\b|[.;:?!]\s",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?:about|regarding|concerning|of|for|with)(?:\s(?:the|my|our))?$", re.IGNORECASE
)
_LEADS_IN = frozenset({"what", "when", "did", "do", "that", "how", "where"})
_ASKED_FOR = re.compile(
    r"\b(?:what|which|whatever|everything|anything|something|things?|all"
    r"|the\s+\w+\s+(?:that\s+)?(?:we|you|i))\b",
    re.IGNORECASE,
)
"""Before `talked about`, these ask for what was said, so the time is that of the talk."""
WINDOW = 200
"""Characters looked at on each side of the phrase."""


def scopes_conversation(text: str, start: int, end: int) -> bool:
    """Tell whether `text[start:end]` says when something was said in the conversation."""
    left, right = text[max(0, start - WINDOW) : start].rstrip(), text[end : end + WINDOW].lstrip()
    if _TOPIC.search(left) and not _ASKED_FOR.search(left):
        return False
    for saying in _SAYING.finditer(left):
        if not _NEW_CLAUSE.search(left, saying.end()):
            return True
    if _CONVERSATION.match(right):
        return True
    following = _SAYING.search(right)
    between = right[: following.start()].lower().replace(",", " ").split() if following else ["-"]
    return _LEADS_IN.issuperset(between)
