"""Which commands tell the agent to go over an earlier conversation?

Each pattern stands beside a phrase it is meant for.
"""

from memory_graph.policy.recall_intent.phrasing import any_of, one_of

TOLD = one_of(
    "discussed, said, decided, agreed, talked, told, suggested, recommended, mentioned, shared, "
    "brought up, raised, collected, gone over, covered, asked"
)
_THAT_WE = r"\b(?:what|that|which|everything|all|(?:the|that|those) (?:[\w-]+ ){0,3}\w+|\w+s)"

RETELLING_PATTERNS: dict[str, str] = {
    "recap our last chat": r"\bour (?:last|previous|earlier|past)\b|"
    r"\bour (?:\w+ )?(?:conversation|chat|session|discussion|talk|message)s?\b",
    "go over what we discussed": rf"{_THAT_WE} (?:i|we|you)(?:'ve)? (?:\w+ )?{TOLD}\b",
    "tell me about the trip i planned with you": rf"{_THAT_WE} i (?:\w+ )?\w+ed (?:\w+ )?"
    r"with you\b",
    "read me back the poem i dictated": rf"{_THAT_WE} i (?:dictated|noted|saved|wrote down|"
    r"asked you)\b",
    "go through the last session": r"\b(?:the|my) (?:last|previous|earlier|past) "
    r"(?:conversation|chat|session|discussion|talk)s?\b",
    "give me a summary of how we planned it": r"\b(?:summary|recap|overview|rundown) of how "
    r"(?:i|we) (?!can|could|should|might|would|do)\b",
    "find the list we made": rf"{_THAT_WE} (?:we|you)(?:'ve)? (?:\w+ )?"
    r"(?:made|chose|wrote|planned|picked|collected)\b",
}
_RETELL = one_of(
    "recap, summari[sz]e, look up, pull, find, go over, repeat, recall, go back to, list, tell me, "
    "show me, bring up, look back at, go through, walk me through, run me through, send me, "
    "give me, read (?:me )?back, read me, look through, search, dig (?:up|out), revisit, compare, "
    "bring me up to (?:speed|date), catch me up, fill me in"
)
_TRACE = one_of(
    "messages, conversations, discussions, mentions, chats, memories, anything, everything, notes"
)
_BROUGHT_ALONG = (
    r"(?!.*(?::|\b(?:this|these|below|above|following|attached)\b))(?!.*\bmy (?:\w+ )?"
    r"(?:essay|email|article|paper|report|document|resume|cv|code|argument|book|story|chapter|"
    r"speech|text|thesis|draft|findings|letter|poem|symptoms|error)\b)"
)
LOOK_UP_PATTERNS: dict[str, str] = {
    "find anything about my course": r"(?:search(?: for)?|find|look (?:up|for)|show me|pull up|"
    rf"retrieve|list|give me) (?:me )?(?:all |any )?(?:the |your )?{_TRACE} "
    r"(?:about|of|on|regarding|from|involving) (?:my|our|me|us)\b",
    "look up my dietary needs": r"(?:look up|search for|recall|pull up|retrieve) (?:all )?"
    r"(?:of )?(?:my|our)\b(?!.*\b(?:online|near|nearby|web)\b)",
    "summarise my goals": r"(?:summari[sz]e|recap|review) "
    r"(?:(?:everything|all) (?:about|of) |all )?(?:my|our)\b",
    "compare my mood last week with now": r"compare (?:my|our)\b.*\b(?:ago|now|last|past|"
    r"(?:january|february|march|april|june|july|august|september|october|november|december))\b",
}
"""Has the agent look up what it keeps of the user, with nothing brought along to work on."""

RETELLING = any_of(
    (
        *(
            rf"^{_BROUGHT_ALONG}(?:(?:can|could|would|will) you |please )*{pattern}"
            for pattern in LOOK_UP_PATTERNS.values()
        ),
        *(
            r"(?:^|, )(?:(?:can|could|would|will) you |please |let's |can we )*"
            rf"{_RETELL}\b.*(?:{pattern})"
            for pattern in RETELLING_PATTERNS.values()
        ),
        r"\b(?:pick up|continue|resume|carry on|go on|start) (?:again )?(?:from )?"
        r"(?:right )?where (?:we|i|you) (?:left|stopped|were|ended|paused|got)\b",
    )
)
"""Tells the agent to go over an earlier conversation."""
