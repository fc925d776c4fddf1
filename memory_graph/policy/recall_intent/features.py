"""What can be seen in a question and its lead-in that speaks for or against a recall?"""

import re

_PAST_VERB = (
    r"(?:[a-z]{2,}ed|went|bought|had|got|made|took|saw|ate|met|ran|did|was|were|gave|found|left|"
    r"lost|put|read|wrote|chose|paid|spent|came|began|drove|flew|built|kept|taught|sold|won|lent|"
    r"wore|knew|grew|drank|sent|thought|felt|brought|caught|slept|sang|swam|told|said|heard)"
)
_KIN = (
    r"(?:mother|mom|mum|father|dad|parents?|sisters?|brothers?|siblings?|sons?|daughters?|kids?|"
    r"child|children|wife|husband|partner|girlfriend|boyfriend|gf|bf|fiancée?|friends?|cousins?|"
    r"aunt|uncle|niece|nephew|grand\w+|boss|manager|colleagues?|team|doctor|dentist|therapist|"
    r"landlord|neighbou?rs?|dogs?|cats?|pets?)"
)
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"spring|summer|autumn|winter|christmas)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

QUESTION_PATTERNS: dict[str, str] = {
    "did_i": r"\b(?:did|didn't) (?:i|we)\b",
    "did_my": r"\b(?:did|didn't) (?:my|our)\b",
    "have_i": r"\b(?:have|haven't|had|hadn't) (?:i|we|my|our)\b|\bhas (?:my|our)\b",
    "was_i": r"\b(?:was|were) (?:i|we)\b",
    "was_my": r"\b(?:was|were) (?:my|our)\b",
    "was_the": r"\b(?:was|were) (?:the|that|it|those|this|there)\b",
    "do_i": r"\bdo (?:i|we)\b",
    "do_i_state": r"\bdo (?:i|we) (?:usually |normally |often |still |currently |already )?(?:live|work"
    r"|own|have (?!to\b)|like|prefer|drink|eat|wear|support|keep|see|play|wake|get up|do for|weigh|"
    r"drive|study|teach|buy|use|walk|collect|speak|owe|go to|spend|take|pay for|subscribe)",
    "am_i": r"\bam i\b",
    "am_i_entitled": r"\bam i (?:allowed|eligible|too|wrong|going|a |an |the |doing|supposed|being|"
    r"entitled|liable|right|able|overreacting|crazy|in trouble|missing|getting|always)",
    "do_i_have": r"\bdo (?:i|we) (?:already |still |currently |even )?have (?!to\b)",
    "do_i_have_right": r"\bdo (?:i|we) have (?:the |a |any |an |enough |legal )*(?:rights?|chances?|"
    r"options?|grounds|time|obligation|choice|case|legal|enough)\b",
    "habit": r"\b(?:usually|normally|typically|currently|still)\b|"
    r"\b(?:each|every|per|a) (?:day|week|month|year|night|morning)\b",
    "asks_you": r"\b(?:did|do|have|are|were|was|has|is|'s|of|about) (?:you|your)\b",
    "did_other_my": r"\b(?:did|has|had|was|were) (?!i\b|we\b|my\b|our\b|you\b)\w+.*\b(?:me|my|our|us)\b",
    "choice": r"\b\w+ or (?:a |the |my |did )?\w+",
    "is_my": r"(?:\b(?:is|are)|'s) (?:my|our)\b",
    "does_my": r"\b(?:do|does) (?:my|our)\b",
    "i_past": rf"\b(?:i|we) (?:\w+ly |just |already |also |first |last )?{_PAST_VERB}\b",
    "i_perfect": r"\b(?:i|we)(?:'ve| have|'d| had) (?:\w+ )?\w+(?:ed|en|n|t)\b",
    "i_present": r"\b(?:i|we)(?:'m|'re| am| are)? (?!have to\b)[a-z]+\b",
    "verb_me": rf"\b{_PAST_VERB} (?:me|us|my|our)\b",
    "my_kin": rf"\b(?:my|our) (?:\w+ )?{_KIN}\b",
    "my": r"\b(?:my|our|mine|ours)\b",
    "me": r"\b(?:me|us)\b",
    "only_we": r"^(?!.*\b(?:i|my|our|me)\b).*\bwe\b",
    "time_ago": r"\b(?:ago|yesterday|last (?:night|week|month|year|time|summer|winter|spring|autumn|"
    rf"fall|weekend|sprint|{_WEEKDAY}|{_MONTH}))\b",
    "time_named": rf"\b(?:on|in|since|before|by|until|last) (?:{_WEEKDAY}|{_MONTH}|(?:19|20)\d\d)\b",
    "time_span": r"\b(?:since|so far|lately|recently|before|already|in the end|this (?:year|month|"
    r"week)|last|earlier|again|still|ever|after|previously|originally|initially)\b",
    "order_or_total": r"\b(?:first|second|third|earliest|earlier|latest|order|total|altogether|average|"
    r"most recent(?:ly)?|in all|most often|between)\b",
    "name_of": r"\b(?:name|names|named|called|title|brand|nickname|titled|last name)\b",
    "attribute": r"\b(?:birthday|bday|anniversary|address|size|number|age|password|email|job|date|breed|"
    r"favou?rite|allerg\w+|hobb\w+|type|kind|sort|colou?r|phone|goal|deadline|appointment)\b",
    "how_many": r"^(?:\w+ )?how (?:many|much|long|often|old|far|big|tall)\b",
    "how_many_times": r"\bhow (?:many|much|long)\b.*\b(?:did|have|had|was|were)\b",
    "which_of": r"\bwhich\b",
    "who_where_when": r"^(?:\w+ )?(?:who|whom|whose|where|when)\b",
    "what": r"^(?:\w+ )?what\b",
    "yes_no": r"^(?:did|didn't|have|has|had|was|were|is|are|am|do|does|don't|haven't)\b",
    "named_thing": r"^(?:all |again )?(?:the|my|our|every|each)\b",
    "how_to": r"^how (?:do|can|could|should|would|might|to|am|are|did)\b",
    "why": r"\bwhy\b",
    "modal": r"\b(?:should|can|could|would|will|might|may|must|shall|supposed to|want to|won't|'ll|can't)\b",
    "need": r"\b(?:need|needs|have to|has to|had to|required|must)\b",
    "infinitive": r"\b(?:what|which|where|how|who|when|way|time|if|whether)(?: \w+)? to [a-z]+\b",
    "advice": r"\b(?:best|good|better|suggest\w*|recommend|tips?|ideas?|advice|improve|possible|okay|"
    r"safe|normal|worth|legal|eligible|enough|options?|ways?|help|think|mean|means|meaning)\b",
    "fault": r"\b(?:wrong|correct|mistakes?|miss|errors?|problem|fix|fail\w*|broken|rude|properly|"
    r"correctly|slow|not work\w*|doesn't work)\b",
    "condition": r"\b(?:if|suppose|imagine|assuming|given|unless)\b",
    "technology": r"\b(?:code|function|script|python|java|javascript|react|css|html|sql|query|git|"
    r"docker|api|server|app|regex|loop|file|class|array|dataframe|excel|windows|linux|install)\b",
    "deictic": r"\b(?:this|these|here|below|above|following)\b",
    "you": r"\b(?:you|your)\b",
    "indefinite": r"\b(?:a|an|any|some|someone|something|people|others)\b",
    "that_one": r"\b(?:that|which) (?:one|place|guy|book|film|movie|\w+ (?:i|we))\b",
    "it_was": r"\b(?:was|were|did|does|is|'s) (?:it|that|they|she|he|them|its)\b",
    "my_mistake": r"\b(?:did|am|have) i (?:do|doing|use|miss|missing|get|make|mess|go|forget|break|"
    r"done|expect)\b(?:.*\b(?:wrong|correctly|right|here|this|well)\b|$)",
    "no_us": r"^(?!.*\b(?:i|we|me|my|our|us|mine)\b)",
    "public_work": r"\b(?:movie|film|song|book|actor|cartoon|show|series|word|war|novel|poem|band)\b",
    "world": r"\b(?:galaxy|sun|solar|ancestors|alphabet|cinemas?|petrol|crisis|dna|brains?|humans?|humanity|moon|earth|planets?|species|evolv\w+|discover|dream|"
    r"vitamins?|world|history|stars?|universe|century|invent\w*)\b",
}
"""Looked for in the asking part of the message."""

LEAD_IN_PATTERNS: dict[str, str] = {
    "lead_in_i": r"\b(?:i|i'm|i've|i'd|we|my|our)\b",
    "lead_in_past": rf"\b(?:i|we) (?:\w+ly )?{_PAST_VERB}\b",
    "lead_in_lapse": r"\b(?:remember|recall|forg[oe]t\w*|mixing up|mix up|lost (?:my|the)|looking back|"
    r"blank|slipped)\b",
    "lead_in_numbers": r"\d.*\d",
    "lead_in_wish": r"\b(?:i want to|i need|i'd like|i would like|i'm looking|help|please|trouble|issue)\b",
    "lead_in_trouble": r"\b(?:fails?|error|broke\w*|hurts?|can't|doesn't|does not|never|always|but)\b",
}
"""Looked for in the other sentences of the message."""

_QUESTION = {name: re.compile(pattern) for name, pattern in QUESTION_PATTERNS.items()}
_LEAD_IN = {name: re.compile(pattern) for name, pattern in LEAD_IN_PATTERNS.items()}
_LONG_QUESTION = 18
_LONG_LEAD_IN = 30

PAST_FEATURES = frozenset({"did_i", "did_my", "have_i", "was_i", "was_my", "was_the", "i_past"})
ADVICE_FEATURES = frozenset({"modal", "advice", "infinitive", "how_to", "need"})
FEATURE_NAMES: tuple[str, ...] = (*_QUESTION, *_LEAD_IN, "long_question", "long_lead_in")


def find_features(question: str, lead_in: str) -> frozenset[str]:
    """Return the names of the features that `question` and `lead_in` show."""
    found = {name for name, pattern in _QUESTION.items() if pattern.search(question)}
    if lead_in:
        found |= {name for name, pattern in _LEAD_IN.items() if pattern.search(lead_in)}
    if len(question.split()) > _LONG_QUESTION:
        found.add("long_question")
    if len(lead_in.split()) > _LONG_LEAD_IN:
        found.add("long_lead_in")
    return frozenset(found)
