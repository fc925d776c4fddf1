"""Which turns of phrase settle the matter before any counting of features?"""

import re
from typing import Literal

_TOLD = (
    r"(?:told|mentioned|recommended|suggested|said|listed|explained|described|proposed|advised|"
    r"provided|outlined|pointed out|came up with|calculated|summari[sz]ed)"
)
_MADE = (
    r"(?:gave|given|wrote|written|showed|shown|made|sent|drafted|shared|helped|used|planned|had)"
)
_WE_TELL = (
    r"(?:say|tell|mention|decide|discuss|agree|settle|talk|speak|conclude|ask|share|describe)"
)
_YOU_TELL = (
    r"(?:say|tell|mention|suggest|recommend|propose|advise|explain|list|describe|promise|"
    r"come up with|give (?:me|us)|write for (?:me|us))"
)
_ADVERB = r"(?:(?:had|have|already|once|just|previously|ever|also|originally|all) )*"
_WH = r"\b(?:what|which|who|whom|where|when|why|how)\b"
_PAST_TALK = (
    r"(?:last|previous|earlier|past|prior|recent|most recent) "
    r"(?:conversation|chat|discussion|session|talk|message|exchange|thread)s?"
)
_US = r"(?:i|we|me|my|our|us|you)"


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


ASKING = _any_of(
    r"(?:^|\b(?:you|please|just|kindly|and|but|so|now|hey),? )remind me (?:again )?(?:of|what|which|who|whose|where|when|why|how|if|whether|about)\b",
    rf"\b(?:do|did|don't|can|could|would) you (?:\w+ ){{0,2}}(?:remember|recall)\b.*\b{_US}\b",
    rf"{_WH}.*\bdid (?:i|we) {_ADVERB}{_WE_TELL}\b",
    rf"{_WH}.*\bdid you {_ADVERB}{_YOU_TELL}\b",
    r"\b(?:did|didn't|have|haven't|had) (?:i|we) (?:\w+ ){0,2}"
    r"(?:(?:tell|told) you|mention|talk|spoken|speak|discuss|agree|decide|settle)",
    r"\b(?:did|didn't|have|haven't|had) you (?:\w+ ){0,2}"
    r"(?:tell|told|mention|suggest|recommend|say|said)\w* (?:\w+ )*(?:me|i|my|us|we)\b",
    r"\bwhere did we (?:leave off|stop|get to|end)\b",
    r"\bwhat (?:have|had) (?:i|we|you) (?:\w+ )?(?:told|said|covered|discussed|decided|agreed)\b",
    r"\bwhat (?:do|did) you (?:know|remember|recall) about (?:me|my|us|our)\b",
    r"\bwhat you (?:know|remember) about (?:me|my|us|our)\b",
    r"\bdo you (?:remember|know) (?:me|who i am)\b",
    r"\bdid you (?:save|store|keep|write down) (?:my|our|what)\b",
    r"\bbased on what (?:i|we|you)\b",
    r"\b(?:forgot|forget|can't remember|don't remember|don't recall) what (?:i|we|you) "
    r"(?:told|said|decided|agreed|discussed|suggested)\b",
    r"\b(?:in|from) your (?:notes|memory)\b",
    r"\b(?:refresh|jog) my memory\b",
    r"\bwhat were we (?:talking|discussing|saying|working)\b",
    r"^(?:so |hey )?remember (?:what|which|when|that \w+|the \w+)\b.*\bi (?:said|told|mentioned)\b",
    r"\b(?:what|which|who|where|when|how)\b.*\b(?:was|were) your "
    r"(?:\w+ )?(?:advice|suggestion|recommendation|tip|answer|idea|conclusion)s?\b",
)
"""Asks for something said before, whatever else the message holds."""

RETELL = re.compile(
    r"^(?:can you |could you |please )*(?:recap|summari[sz]e|look up|pull up|go over|repeat|recall|"
    r"go back to|list|tell me|bring up|look back at)\b.*(?:\bour (?:last|previous|conversation|chat)|"
    r"\b(?:what|that|the \w+|\w+s) (?:i|we|you) (?:\w+ )?"
    r"(?:discussed|said|decided|agreed|talked|made|told|chose|suggested|recommended))"
)
"""Tells the agent to go over an earlier conversation."""

POINTING = _any_of(
    rf"(?<!have )(?<!had )(?<!did )\byou {_ADVERB}{_TOLD}\b",
    rf"(?<!have )(?<!had )(?<!did )\byou {_ADVERB}{_MADE} (?:\w+ ){{0,5}}(?:me|us|my|our)\b",
    rf"\b(?:the|that|your) (?:\w+ ){{1,4}}you {_ADVERB}{_MADE}\b",
    rf"(?<!since )\bwe {_ADVERB}(?:talked|spoke|discussed|decided|agreed|settled|said|chose|listed|"
    r"came up with)\b",
    rf"\bi {_ADVERB}(?:told you|mentioned|said|asked you)\b",
    rf"\b(?:our|your|my|the) {_PAST_TALK}\b",
    r"\blast time (?:you|we)\b",
    r"\bas (?:i|we|you) (?:said|mentioned|discussed|told|agreed)\b|\bas discussed\b",
    r"\b(?:in|about|on|from) our (?:chat|conversation|discussion)\b",
    r"\bour (?:chat|conversation|discussion) (?:about|on)\b",
    r"\bwe (?:were|'ve been) (?:talking|discussing|debugging|working)\b",
    r"\b(?:the )?(?:last|first) thing we\b",
    r"\b(?:complained|talked|spoken|complain) to you\b",
    r"\bwhat .*\blast time\b",
)
"""Points at an earlier conversation; a recall only together with a question."""

INSTRUCTION = _any_of(
    r"^(?:\w+ ){0,3}remind me (?:to|at|in|on|tomorrow|tonight|every|later|next|again in|"
    r"before|after|when (?:it's|it is) time|when i (?:get|am|arrive|leave))\b",
    r"^(?:please |always |also |so |ok |okay )*remember (?!what|which|who|when|where|how|me\b|"
    r"the (?:time|day)|that \w+ (?:i|we|you) )",
    r"^(?:can|could|will|would) you (?:please )?remember (?:that|to|this|my|i)\b",
    r"^(?:please |and )*(?:don't|do not|never) (?:forget|remind|mention|remember)\b",
    r"^(?:please )?(?:forget|never mind|ignore|delete|erase|keep in mind|note|make a note|save|"
    r"store|set|schedule|add|book|send|stop|let's|use|change|update|from now on)\b",
)
"""Tells the agent to do or to keep something."""

TASK = _any_of(
    r"^(?:please |can you |could you |now |hi |hey |help me |i want you to |i need you to )*"
    r"(?:write|rewrite|translate|draft|compose|paraphrase|proofread|correct|fix|convert|create|"
    r"generate|make|explain|describe|analy[sz]e|classify|extract|act|pretend|imagine|roleplay|"
    r"continue|implement|refactor|review|solve|prove|come up with|turn|read|say|be|given|"
    r"summari[sz]e|design|build|edit|improve|suggest|recommend|compare|calculate|develop|"
    r"you are (?:a|an|my|the)|you will)\b(?!')",
    r"^(?:text|article|passage|lyrics|customer|user|from|to|subject|context|title|notes)[^.?!]{0,20}:",
    r"^(?:dear|hi|hello) (?:team|all|everyone|sir|madam|mr|mrs|ms|dr)\b",
    r"^you are \w+(?: \w+)?$",
    r"\bthe following\b|\bbelow\b",
)
"""Opens a piece of work on material the message brings along."""

OPENINGS: dict[Literal["instruction", "task"], re.Pattern[str]] = {
    "instruction": INSTRUCTION,
    "task": TASK,
}
"""What a message that starts like this is, whatever follows."""

LOOKS_FORWARD = _any_of(
    r"\b(?:have|do|are|were|has|is|does) (?:you|your)\b|\babout you$",
    r"^how (?:do|can|could|should|would|to)\b",
    r"\b(?:should|can|could|would) (?:i|we|you|my|it|be)\b",
    r"\bwhat (?:if|now)\b|\bdo you think\b|\bany (?:tips|ideas|advice|suggestions)\b",
)
"""Asks for help with what comes next, or about the one who is asked."""

ABOUT_US = _any_of(
    r"\b(?:i|we|me|my|our|us|mine|ours)\b",
    r"\b(?:was|were) (?:the \w+ of )?(?:that|those)\b",
)
"""Involves the user, or points at something only the two of them can know."""

RHETORICAL = _any_of(
    r"^what did i tell you$",
    r"\bwhat have i done$|\bwhat was i thinking$|\bwho do i think i am\b|\bguess what\b",
    r"\byou know what(?:$| i (?:did|mean))|\bto deserve\b|\bhow many times do i have to\b|\bwhere did the time go\b",
    r"\b(?:did|could) i (?:ever|not|even) (?:agree|see|think|let)\b",
)
"""Has the form of a question and expects no answer."""
