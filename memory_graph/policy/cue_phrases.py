"""Which phrases speak of a decision, a milestone, a next step, a setback, …?

Phrases are regular expressions over text in lower case with contractions written out
(`sentences.plain`), and match whole words. `{start}` (of a clause), `{we}`, `{will}` and
`{when}` stand for the fragments below.
"""

from dataclasses import dataclass
from typing import Literal

from memory_graph.policy.exchange import Role

Cue = Literal[
    "decision",
    "undecided",
    "commitment",
    "next_step",
    "milestone",
    "solved",
    "setback",
    "life_event",
    "lesson",
    "agreement",
    "report",
    "reaction",
    "user_declared",
    "recall_request",
    "recall_miss",
]

FRAGMENTS = {
    "start": r"(?:^|(?<=[.,;:!] )|(?<=\band )|(?<=\bthen ))",
    "we": r"(?:i|we)(?: have| had)?(?: (?:just|finally|already|now|all|both|then|also))*",
    "will": (
        r"(?:i|we) (?:will|am going to|are going to|have to|need to)(?! (?:just |have to )*(?:be"
        r"|see|think|sleep|pass|let you|get back|remember|wait|head|keep (?:that|it|this)"
        r"|go (?:to bed|now)|talk to you))"
    ),
    "when": (
        r"(?:today|tonight|tomorrow|\w+day|(?:this|next|every|each|per|a|the|\w+) (?:week"
        r"|weekend|month|year|morning|evening|night|day|time|quarter|semester)s?|from now on"
        r"|(?:by|until|before|after) \w+|in (?:\w+ )?(?:days|weeks|months|january|february|march"
        r"|april|may|june|july|august|september|october|november|december)|on the \d+\w*)"
    ),
}

_DONE = (
    r"(?:passed|finished|completed|graduated|won|shipped|launched|deployed|released|merged"
    r"|published|submitted|handed in|signed|achieved|reached|earned|beaten|paid off"
    r"|paid the last|defended|sold|ran|climbed|recorded)(?! (?:\w+ ){0,3}(?:season|series|book"
    r"|film|movie|show|game))"
)
_PAST = (
    r"(?:[a-z]{2,}(?:[^e]ed|ied)|went|got|made|took|set|put|did|found|sold|bought|told|ran|held"
    r"|wrote|built|sent|met|won|lost|chose|gave|left|spoke|understood|paid|cut|saw|began|came"
    r"|slept|taught)"
)
_PLEASED = (
    r"(?:congratulations|congrats|well done|bravo|brav\w+|hooray|fantastic|excellent|amazing)"
)


@dataclass(frozen=True)
class CuePhrases:
    """Phrases that give one cue when one of `speakers` uses them."""

    cue: Cue
    speakers: frozenset[Role]
    phrases: tuple[str, ...]


_USER: frozenset[Role] = frozenset({"user"})
_ASSISTANT: frozenset[Role] = frozenset({"assistant"})
_BOTH = _USER | _ASSISTANT

CUE_PHRASES = (
    CuePhrases(
        "decision",
        _USER,
        (
            r"let us (?:go (?:with|for)|stick|take|use|keep|leave|make it|settle|do (?:it|that"
            r"|the)|choose|pick|start|book|order|buy|drop|skip|postpone|move)",
            r"{we} (?:decided|chose|chosen|picked|settled|agreed|opted|committed|went (?:for"
            r"|with))",
            r"{we} (?:made up (?:my|our) minds?|switched to|took (?:it|the))",
            r"(?:talked|thought|thinking) (?:about|it).{0,20}\band (?:decided|chose|went (?:for"
            r"|with))",
            r"(?:i|we) will (?:take|go (?:with|for)|choose|pick|use|do \w+|stick with)",
            r"(?:i am|we are) (?:going (?:with|for)|hiring|buying|taking|switching|dropping"
            r"|accepting|putting|signing|sold on|postponing|keeping|staying with)",
            r"that is (?:the one|(?:our|the|my) (?:plan|choice|decision|pick)|settled|decided)",
            r"(?:it is|all|that is) (?:decided|settled|agreed)",
            r"{start}(?:settled|deal|agreed|decided|accepted)(?! (?:by|to|on|with|in)\b)",
            r"{start}(?:doing|signing|switching|taking|going (?:with|for)|booking|ordering"
            r"|dropping|skipping|updating|sending) (?:\w+)",
            r"{start}so (?:we|i) (?!far|do not|think|guess|wonder|am|was|were|are|have|can)\w+",
            r"(?:they|client|customer|team|board|boss|manager|committee"
            r"|landlord)\b.{0,30}? (?:picked|chose|approved|accepted|signed off|agreed to"
            r"|said yes)",
            r"the (?:fix|plan|solution|answer) is (?:to|that)",
        ),
    ),
    CuePhrases(
        "decision",
        _BOTH,
        (
            r"^(?:(?:ok|okay|then|so|right|great|perfect|agreed|yes"
            r"|alright)[,.!]? )*(?:[\w.'-]+,? ){1,6}it is(?=[.,!]|$| then)",
        ),
    ),
    CuePhrases(
        "undecided",
        _USER,
        (
            r"(?:have not|not|can not|could not) (?:yet |really )?(?:decided?|chosen|choose"
            r"|picked?|settled|agreed?|made up)",
            r"not sure|no idea|undecided|torn|do not know|unsure|on the fence|no clue",
            r"sleep on it|think (?:about it|it over)|back and forth|let me (?:ask|think)",
            r"need to think|leave it open|leaning towards|just an idea|we will see",
        ),
    ),
    CuePhrases(
        "commitment",
        _USER,
        (
            r"{will}\b.* {when}",
            r"(?:from|starting|start) (?:on |with |from )?(?:now|today|tomorrow|monday|next \w+)",
            r"\w+ every (?:day|morning|evening|night|week|second \w+)",
            r"goes out (?:today|tomorrow|on|next|this)",
            r"let us (?!talk|say|pretend|see)\w+ .*{when}",
            r"(?:ready|final|done|send|deliver)\b.* by \w+day",
        ),
    ),
    CuePhrases(
        "next_step",
        _USER,
        (
            r"{will} \w+",
            r"next (?:steps?|up|is|we|i)|(?:is|are) next|todo|to-do|action items?|follow[- ]?up",
            r"need to \w+.* (?:before|by|until)",
        ),
    ),
    CuePhrases(
        "next_step", _ASSISTANT, (r"next steps?|follow[- ]?up is|is still (?:open|missing)",)
    ),
    CuePhrases(
        "milestone",
        _USER,
        (
            r"{we} " + _DONE,
            r"{start}(?:just |finally )?" + _DONE,
            r"(?:got|was|were|been|is|are) (?:\w+ly )?(?:approved|accepted|granted|certified"
            r"|admitted|selected|funded|confirmed)",
            r"(?:certificate|diploma|degree|licen[cs]e|visa|offer|contract"
            r"|keys) (?:has )?(?:arrived|came|is here|is in)",
            r"(?:first|last) day (?:of|at|in)",
            r"{we} (?:managed to|made it|got (?:accepted|promoted|hired|certified|approved"
            r"|through))",
            r"got the (?:job|offer|role|part|place|grant|contract|visa|keys)",
            r"(?:is|are|went|now) (?:finally )?(?:live|deployed|shipped|released|published"
            r"|recorded|merged|submitted|in production|through)",
            r"(?:application|proposal|paper|book|album|letter|release) is (?:out|in|done"
            r"|finished)",
            r"for the first time|my first|our first|personal best|milestone",
            r"best .{1,30} (?:so far|yet|ever)",
            r"\d+ (?:days|weeks|months|years) (?:without|sober|clean)|debt[- ]free",
            r"finally (?:works?|clicks?|clicked|fixed|done|got|made|understood?|finished|managed"
            r"|running|solved)|it (?:just |finally )?clicks",
            r"(?:they|he|she) said yes|met my (?:number|price|ask)",
        ),
    ),
    CuePhrases(
        "solved",
        _BOTH,
        (
            r"(?:works?|runs?|working|running|fine|right|stable|normal) (?:\w+ )?(?:now|again)",
            r"(?:it|that|this|everything) (?:all )?(?:works|worked)(?=[.!,]|$)",
            r"works (?:beautifully|perfectly|great|like a charm)",
            r"(?:fixed|solved|resolved|repaired) (?:it|that|this|the|by)",
            r"(?:is|are|got|was|been|all) (?:now )?(?:fixed|solved|resolved|sorted|repaired)",
            r"(?:sorted|cracked|nailed) it|saved my (?:day|week|afternoon|evening|weekend|life)",
            r"(?:errors?|problems?|crashes|restarts|pain|noise|symptoms?|it|they|leaks?) (?:has "
            r"|have )?(?:stopped|vanished|disappeared|went away)|(?:is|are) (?:all )?gone",
            r"did the trick|that (?:was|fixed|solved|solves) (?:it|the)|problem solved",
            r"(?:is|are) back(?: (?:at|to|up|online)|[.!,]|$)|back to normal",
            r"(?:root cause|cause|culprit|reason) (?:was|is that|turned out)",
            r"{we} (?:found|tracked down|pinned down|identified) (?:the|what|why)(?: \w+)?"
            r"(?: cause| culprit| bug| leak| (?:causes|caused|breaks|leaks))",
            r"was the (?:cause|culprit|leak|bug|problem|reason|issue)|turned out (?:to be|that)",
            r"(?:all|\d+|everything|tests?) (?:\w+ ){0,3}pass(?:es|ed)?",
            r"(?:not (?:a single|one)|no (?:more )?(?:errors?|problems?|crashes))\b.* (?:since"
            r"|so far)",
        ),
    ),
    CuePhrases(
        "solved",
        _USER,
        (
            r"(?:has|have) been (?:flat|stable|fine|quiet)|came out (?:great|perfect|well|right"
            r"|with)",
            r"(?:opened|reset|restarted|replaced|changed|moved|updated"
            r"|switched)\b.*, .*\b(?:runs?|works?|stays?|back)",
        ),
    ),
    CuePhrases(
        "setback",
        _BOTH,
        (
            r"{we} (?:failed|lost|missed|got rejected|gave up|froze|messed up)",
            r"turned (?:me|us) down|rejected (?:me|us|my|our)|did not get the",
            r"neither worked|fell through|(?:cracked|broke|crashed|failed) again",
            r"(?:is|was|got) cancell?ed",
        ),
    ),
    CuePhrases(
        "life_event",
        _USER,
        (
            r"(?<!\bi )was born|(?:my|our) (?:[\w'-]+ ){1,3}(?:died|passed away)",
            r"(?:he|she) (?:died|passed away)|rushed to (?:the )?hospital",
            r"funeral|broke up|divorced?",
            r"(?:she|he) said yes|got (?:married|engaged)|(?:i am|we are|she is) (?:pregnant"
            r"|engaged)",
            r"{we} (?:moved (?:to|in|into|out)|quit|resigned|retired)|handed in my notice",
            r"(?:was|got|been) (?:laid off|fired|promoted)|lost my job",
            r"results (?:came|are) (?:back|in)|diagnos(?:ed|is)",
            r"had an? (?:\w+ )?(?:accident|surgery|operation|crash|miscarriage|stroke)",
            r"broken (?:wrist|leg|arm|ankle|rib)|bought (?:a|the|our) (?:house|flat|home)",
        ),
    ),
    CuePhrases(
        "lesson",
        _BOTH,
        (
            r"the lesson|lesson (?:is|was|learned|learnt)|i (?:have )?noticed|turns out"
            r"|what helped",
            r"(?:learned|learnt|realised|realized) (?:that|how|why)",
            r"(?:root cause|cause|culprit|reason) (?:was|is that|turned out)|turned out (?:to be"
            r"|that)",
            r"(?:understood|figured out|found out|it is clear) (?:that|how|why|what)",
            r"next time (?:i|we)|that is why|so (?:it|that) was the",
        ),
    ),
    CuePhrases(
        "agreement",
        _USER,
        (
            r"^(?:ok |okay )?(?:yes|perfect|great|agreed|deal|fine)\b.* (?:plan|do|order|book"
            r"|take|go)",
            r"(?:like|love) (?:it|that|the idea)|good idea|works for me|sounds good",
        ),
    ),
    CuePhrases(
        "report",
        _USER,
        (
            r"{we} " + _PAST,
            r"{start}(?:just |finally |already |also |now )*" + _PAST,
            r"(?:today|yesterday|last night|this morning|last \w+|on \w+day)\b.* " + _PAST,
            r"(?:he|she|they|it) (?:just |finally |already )*" + _PAST,
        ),
    ),
    CuePhrases(
        "reaction",
        _ASSISTANT,
        (
            _PLEASED
            + r"|(?:great|good|wonderful|lovely) (?:news|job|work|call|choice|progress|catch)",
            r"(?:good|great|wise|solid|clear) (?:plan|decision|result|move|step|start"
            r"|pivot)(?: for\b| to\b| after\b| backed\b|[.,!]|$)",
            r"(?:glad|happy) (?:to hear|that|it)|what a (?:relief|day|moment|result)|paid off"
            r"|nicely done",
            r"that (?:confirms|explains)|you (?:found|did|made|nailed|got|earned) (?:it|that)",
            r"(?:big|huge|real|significant|important|major) (?:step|milestone|insight|moment|win"
            r"|change)",
            r"sorry to hear|so sorry|that must (?:have been|be|feel)\b.* (?:hard|difficult"
            r"|painful)|that hurts|oh no",
        ),
    ),
    CuePhrases(
        "user_declared",
        _USER,
        (
            r"(?<!you )remember (?:this|our|today's) (?:\w+ )?(?:conversation|chat|talk"
            r"|discussion|session|exchange|moment)",
            r"(?:remember|keep|save|store|record) (?:this|it"
            r"|that)(?: one)?(?: for later)?(?=[.!:,]|$)",
            r"(?:save|store|keep|log|record) (?:this|that|our|the) (?:conversation|chat|talk"
            r"|session|discussion)",
            r"put (?:this|that|it) on record|hold on to (?:this|that|what)|bookmark (?:this|that)",
            r"(?:make|take) a note of (?:this|that|it|our|today|what)",
            r"(?:write|note) (?:this |that |it )?down|do not forget (?:this|what we)"
            r"|for the record",
        ),
    ),
    CuePhrases(
        "recall_request",
        _USER,
        (
            r"what (?:did|have|had) (?:we|you|i) (?:\w+ )?(?:talk|discuss|say|said|decided?|do"
            r"|done|tell|told|plan|agreed?)\w*",
            r"where (?:did we (?:leave|stop)|were we)|last time we|recap",
            r"(?:which|what|who|where|when|how|why)\b.* (?:did|had) we \w+",
            r"you (?:told|gave|showed|suggested|recommended)\b.* (?:which|what|who|where|how)",
            r"remind me (?:what|how|of|when|which|why|where)",
            r"do you remember (?:what|when|how|our|that|the)|what we (?:said|decided|discussed)",
            r"what was (?:it|that|our|the)\b.* we|(?:catch|bring|fill) me (?:up|in)"
            r"|refresh my memory",
            r"where (?:are we|we are|do we stand)|how far (?:did|have) we|(?:over"
            r"|through) what we",
            r"sum(?:mari[sz]e)? (?:up )?(?:everything|what|all) (?:we|of)",
        ),
    ),
    CuePhrases(
        "recall_miss",
        _ASSISTANT,
        (
            r"no (?:memory|record|recollection|notes?) (?:of|on|about)|nothing (?:on|about"
            r"|stored)",
            r"(?:do|can|could|did) not (?:have|remember|recall|find|see)",
        ),
    ),
)
