"""Which turns of phrase ask for an earlier conversation?

Each pattern stands beside a phrase it is meant for.
"""

from memory_graph.policy.recall_intent.own_signs import (
    ATTRIBUTE,
    BARE_KIN,
    HELP,
    HELPER,
    KIN,
    PRIVATE_NOTE,
)
from memory_graph.policy.recall_intent.phrasing import any_of, one_of
from memory_graph.policy.recall_intent.retelling import TOLD

_WH = r"\b(?:what|which|who|whom|where|when|why|how)\b"
_ADVERB = r"(?:(?:had|have|already|once|just|previously|ever|also|originally|all) )*"
_WE_TELL = one_of(
    "say, tell, mention, decide, discuss, agree, settle, talk, speak, conclude, ask, share, "
    "describe"
)
_YOU_TELL = one_of(
    "say, tell, mention, suggest, recommend, propose, advise, explain, list, describe, promise, "
    "come up with, give (?:me|us), write for (?:me|us)"
)
_YOU_TOLD = one_of(
    "told, mentioned, recommended, suggested, said, listed, explained, described, proposed, "
    "advised, provided, outlined, pointed out, came up with, calculated, summari[sz]ed"
)
_YOU_MADE = one_of(
    "gave, given, wrote, written, showed, shown, made, sent, drafted, shared, helped, used, "
    "planned, taught, introduced, walked, warned, picked, found"
)
_WE_TALKED = one_of(
    "talked, spoke, discussed, decided, agreed, settled, said, chose, listed, came up with"
)
_YOU_GIVE = one_of(
    "share, show, teach, send, make, write, draft, call, warn, walk, help, introduce, give, pick, "
    "find, plan, prepare, tell"
)
_YOU_GAVE = one_of(
    "told, shared, given, recommended, suggested, shown, taught, sent, mentioned, said, made, "
    "written, explained, advised"
)
_I_TOLD = one_of(
    "shared, recommended, showed, described, explained, sent, gave, introduced, consulted, asked, "
    "told, wrote, confided, forwarded, admitted"
)
_FACT = one_of(
    "an?, the (?:difference|formula|definition|capital|rules?|plot|meaning), "
    "the \\w+ (?:theorem|law|rule)"
)
_PUBLIC_DEED = r"\b(?:who|that) " + one_of(
    "invented, wrote, discovered, founded, played, directed, sang, painted, won, built, led"
)
_NOT_ASKED = r"(?<!have )(?<!had )(?<!did )"
_US = r"\b(?:i|we|me|my|our|us|you)\b"
_ABOUT_ME = r"(?:about|of) (?:me|my|us|our)\b"

ASKING_PATTERNS: dict[str, str] = {
    "can you remind me what we agreed": r"(?:^|"
    r"\b(?:you|please|just|kindly|and|but|so|now|hey|could|would|can|uh|um+|er|"
    r"ok|okay|well|also),? )"
    r"remind me (?:again )?(?:of|what|which|who|whose|where|when|why|if|whether|about)\b"
    rf"(?! {_FACT}\b(?!.* (?:i|we|my|our|you) ))",
    "remind me my locker number": r"^(?:please |hey |so |ok |uh )*remind me (?:my|our)\b"
    r"(?!.* (?:is|are|at|on|starts?|begins?)\b)",
    "you remember my shoe size": rf"^(?:hey |so |hi )*you (?:still )?remember\b.*{_US}",
    "if you remember, what was the offer": r"^if you (?:still )?(?:remember|recall)\b",
    "do you have my policy number": r"\b(?:do you (?:still )?(?:have|know)|have you (?:still )?"
    rf"got) (?:my|our) (?:[\w'-]+ ){{0,4}}{ATTRIBUTE}\b",
    "what have you learned about me": rf"\bhave you (?:learn(?:ed|t)|noticed|gathered) {_ABOUT_ME}",
    "tell me again what the plumber said": r"\btell me (?:once )?again "
    rf"(?:what|which|who|where|when|how (?:many|much|long|old|often))\b(?! {_FACT}\b)",
    "that bakery you mentioned": r"^(?:(?:and|so|ok|what about) )?(?:that|the|those) "
    rf"(?:[\w'-]+ ){{1,4}}(?:that |which )?(?:you|we|i) {TOLD}(?: (?:me|us|you|about|to me|of|"
    r"once|before|earlier|yesterday|last \w+|the other day|again|please))*$",
    "remind me how much i paid": rf"\bremind me (?:again )?how\b.*{_US}",
    "do you still remember my address": r"\b(?:do|did|don't|can|could|would) you "
    rf"(?:\w+ ){{0,2}}(?:remember|recall)\b.*{_US}",
    "do you still remember what it was": r"\bdo you still (?:remember|recall) "
    r"(?:what|which|who|how|where|when)\b",
    "any chance you remember my size": r"\b(?:any chance|wonder if|hope|know if) you "
    rf"(?:\w+ )?(?:remember|recall)\b.*{_US}",
    "what did we decide": rf"{_WH}.*\bdid (?:i|we) {_ADVERB}{_WE_TELL}\b",
    "which one did you suggest": rf"{_WH}.*\bdid you {_ADVERB}{_YOU_TELL}\b(?! (?:that|so|it)$)",
    "which poems did you show me": rf"{_WH}.*\bdid you {_ADVERB}{_YOU_GIVE}\b"
    r"(?: [\w'-]+){0,6}? (?:me|us|my|our)\b",
    "what tips have you given me": rf"{_WH}.*\b(?:have|had) you {_ADVERB}{_YOU_GAVE}\b"
    r"(?: [\w'-]+){0,6}? (?:me|us|my|our)\b",
    "have we ever discussed it": r"\b(?:did|didn't|have|haven't|had) (?:i|we) (?:\w+ ){0,2}"
    r"(?:(?:tell|told) you|mention|talk|spoken|speak|discuss|agree|decide|settle|bring up|"
    r"brought up|say (?:when|where|who|what|which|how)\b)",
    "did i share it with you": r"\b(?:did|didn't|have|haven't) i (?:\w+ )?"
    r"(?:share|shared|show|shown|ask|asked|send|sent)\b.*\byou\b",
    "didn't you tell me": r"\b(?:did|didn't|have|haven't|had) you (?:\w+ ){0,2}"
    r"(?:tell|told|mention|suggest|recommend|say|said)\w* (?:\w+ )*(?:me|i|my|us|we)\b",
    "was it you who told me": r"\bwas it you (?:who|that)\b",
    "where did we leave off": r"\bwhere (?:did we (?:leave off|stop|get to|end)|were we)\b",
    "what have we covered": r"\bwhat\b.*\b(?:have|had) (?:i|we|you) (?:\w+ )?"
    r"(?:told|said|covered|discussed|decided|agreed|gone over|talked)\b",
    "what was my first question to you": r"\bquestion to you\b",
    "tell me about myself": r"\btell me (?:something |more |all |everything )?about (?:me|myself)$",
    "what do you know about me": rf"\bwhat (?:do|did) you (?:know|remember|recall) {_ABOUT_ME}",
    "everything you know about me": rf"\b(?:what|everything|all) you (?:know|remember) {_ABOUT_ME}",
    "do you know who i am": r"\bdo you (?:remember|know) (?:me|who i am)\b",
    "did you save my address": r"\bdid you (?:save|store|keep|write down) (?:my|our|what)\b",
    "based on what i told you": r"\bbased on (?:what|everything|all) (?:i|we|you)\b",
    "going by what i've told you": r"\b(?:from|by|given) (?:what|everything|all) (?:i|we)(?:'ve)? "
    r"(?:\w+ )?(?:told|said|shared|mentioned|discussed)\b",
    "based on our conversations": r"\b(?:based on|going by|judging by) our (?:\w+ )?"
    r"(?:conversations|chats|discussions|talks)\b",
    "i forgot what we said": r"\b(?:forgot|forget|can't remember|don't remember|don't recall) what "
    r"(?:i|we|you) (?:told|said|decided|agreed|discussed|suggested)\b",
    "what is in your notes": r"\b(?:in|from) your (?:notes|memory)\b",
    "jog my memory": rf"\b(?:refresh|jog) my memory\b(?! (?:on|about|of) {_FACT}\b)",
    "what were we talking about": r"\bwhat were we (?:talking|discussing|saying|working|planning|"
    r"doing)\b",
    "remember that book i told you about": r"^(?:so |hey )?remember "
    r"(?:what|which|when|that \w+|the \w+)\b.*\bi (?:said|told|mentioned)\b",
    "what was your tip": rf"{_WH}.*\b(?:was|were) your (?:\w+ )?"
    r"(?:advice|suggestion|recommendation|tip|answer|idea|conclusion)s?\b",
}
ASKING = any_of(ASKING_PATTERNS.values())
"""Asks for something said before, whatever else the message holds."""

POINTING_PATTERNS: dict[str, str] = {
    "you mentioned a plugin": rf"{_NOT_ASKED}\byou(?:'ve|'d)? {_ADVERB}{_YOU_TOLD}\b",
    "you gave me a list": rf"{_NOT_ASKED}\byou {_ADVERB}{_YOU_MADE} (?:\w+ ){{0,5}}"
    r"(?:me|us|my|our)\b",
    "the meal plan you made": rf"\b(?:the|that|your) (?:\w+ ){{1,4}}you {_ADVERB}{_YOU_MADE}\b",
    "we talked about it": rf"(?<!since )\bwe(?:'ve|'d)? {_ADVERB}{_WE_TALKED}\b",
    "i told you": rf"\bi(?:'ve|'d)? {_ADVERB}(?:told you|mentioned|said|asked (?:you|about))\b",
    "i shared a poem with you": rf"\bi {_ADVERB}{_I_TOLD}\b(?: [\w'-]+){{0,8}}? you\b",
    "in our previous conversation": r"\b(?:our|your|my|the) "
    r"(?:last|previous|earlier|past|prior|recent|most recent) "
    r"(?:conversation|chat|discussion|session|talk|message|exchange|thread)s?\b",
    "last time we spoke": r"\blast time (?:you|we)\b",
    "as discussed": r"\bas (?:(?:i|we|you) )?(?:said|mentioned|discussed|told|agreed)\b",
    "from our chat": r"\b(?:in|about|on|from) our (?:chat|conversation|discussion)\b",
    "our discussion about soil": r"\bour (?:chat|conversation|discussion) (?:about|on)\b",
    "we were debugging": r"\bwe(?: were|'ve been) (?:talking|discussing|debugging|working)\b",
    "the last thing we did": r"\b(?:last|first) thing we\b",
    "i complained to you": r"(?<!haven't )"
    r"(?<!not )\b(?:complained|talked|spoken|complain) to you\b",
    "what was it called again": rf"^(?!.*{_PUBLIC_DEED})"
    r".*\b(?:what|what's|which|who|where|when)\b.*\bagain$",
    "what did i order last time": r"\bwhat .*\blast time\b",
}
POINTING = any_of(POINTING_PATTERNS.values())
"""Points at an earlier conversation; a recall only together with a question."""

REMEMBERING = any_of(
    (
        r"\b(?:do|did|can|could|would) you (?:\w+ ){0,2}(?:remember|recall)\b",
        r"\bremind me (?:of|what|which|who|where|when|why|how)\b",
    )
)
"""Asks the agent to remember; a recall only where the message points at earlier talk."""

RECKONING_PATTERNS: dict[str, str] = {
    "last oil change when": r"^(?:my )?last (?:[\w'-]+ ){1,4}when$",
    "how many days passed since i moved": r"^how (?:many|long)\b.*\b(?:passed|ago|has it been|"
    r"had it been)\b.*\b(?:i|we|my|our)\b",
    "what is the order of the trips i took": r"\b(?:order of the|in (?:what|which) order did)\b.*"
    r"\b(?:i|we|my)\b",
    "which happened first, my move or the party": r"^which\b.*\b(?:came|happened|did i \w+) "
    r"(?:first|last|earlier)\b.*\b(?:my|i)\b",
    "what is the total amount i spent": r"^(?:what|how)\b.*\b(?:total|combined|average) "
    r"(?:\w+ ){0,4}(?:i|i've|we) (?:have )?\w+(?:ed|t|e|w|ve)\b",
}
RECKONING = any_of(RECKONING_PATTERNS.values())
"""Reckons with dates and sums of the user's own past."""

ABOUT_US = any_of(
    (
        r"\b(?:i|we|me|my|our|us|mine|ours)\b",
        r"\b(?:was|were) (?:the \w+ of )?(?:that|those)\b",
        rf"{BARE_KIN}|^{KIN}'?s (?:\w+ )?\w+$|\bdid the {HELPER} {HELP}\b(?!.* to the\b)|"
        r"^last (?:[\w'-]+ ){1,4}when$",
        r"\bagain$",
        rf"^(?:{PRIVATE_NOTE})$",
    )
)
"""Involves the user, or points at something only the two of them can know."""
