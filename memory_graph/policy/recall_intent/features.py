"""What can be seen in a question and its lead-in that speaks for or against a recall?"""

import re

_PAST_VERB = (
    r"(?:[a-z]{3,}ed|went|bought|had|got|made|took|saw|ate|met|ran|was|were|gave|found|left|lost|"
    r"put|read|wrote|chose|paid|spent|came|began|drove|flew|built|kept|taught|sold|won|lent|wore|"
    r"knew|grew|drank|sent|thought|felt|brought|caught|slept|sang|swam|told|said|heard|became)"
)
_KIN = (
    r"(?:mother|mom|mum|father|dad|parents?|sisters?|brothers?|siblings?|sons?|daughters?|kids?|"
    r"child|children|wife|husband|partner|girlfriend|boyfriend|gf|bf|fiancée?|friends?|cousins?|"
    r"aunt|uncle|niece|nephew|grand\w+|boss|manager|colleagues?|team|doctor|dentist|therapist|"
    r"landlord|neighbou?rs?|dogs?|cats?|pets?|in-laws)(?:'s?)?"
)
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"spring|summer|autumn|winter|christmas)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_UNIT = r"(?:day|week|month|year|night|morning|time)"
_ADVERB = r"(?:usually |normally |often |still |currently |already |even |also )?"

QUESTION_PATTERNS: dict[str, str] = {
    # who asks about whose past
    "did_i": r"\b(?:did|didn't) (?:i|we)\b",
    "did_mine": r"\b(?:did|didn't|has|have|had) (?:my|our)\b",
    "did_other_mine": r"\b(?:did|has|had) (?!i\b|we\b|my\b|our\b|you\b)\w+.*\b(?:me|my|our|us)\b",
    "have_i": r"\b(?:have|haven't|had|hadn't) (?:i|we)\b",
    "was_i": r"\b(?:was|were) (?:i|we)\b",
    "was_mine": r"\b(?:was|were) (?:my|our)\b",
    "was_thing": r"\b(?:was|were) (?:the|that|those|this|there|\w+er)\b|"
    r"\b(?:was|were|did) (?:it|he|she|they)\b",
    "i_past": rf"(?<!did )(?<!have )(?<!had )(?<!am )(?<!was )\b(?:i|we) {_ADVERB}{_PAST_VERB}\b",
    "past_subject": rf"^(?:who|which(?: \w+){{0,3}}|what|how (?:many|much) \w+) (?!was|were|had){_PAST_VERB}\b",
    "past": rf"\b(?:did|didn't|was|were|had|have|has|{_PAST_VERB})\b",
    "no_past": rf"^(?!.*\b(?:did|didn't|was|were|had|have|has|{_PAST_VERB})\b)",
    # who asks about whose present
    "am_i": r"\bam i\b",
    "am_i_entitled": r"\bam i (?:allowed|eligible|too|wrong|going|the|doing|supposed|being|bad|a bad|"
    r"entitled|liable|right|able|overreacting|crazy|in trouble|missing|getting|always|pregnant)\b",
    "do_i": r"\bdo (?:i|we)\b",
    "do_i_have": rf"\bdo (?:i|we) {_ADVERB}(?:have|own)\b(?! to\b)",
    "do_i_state": rf"\bdo (?:i|we) {_ADVERB}(?:live|work|like|prefer|drink|eat|wear|support|keep|see|"
    r"play|wake|weigh|drive|study|teach|buy|walk|sleep|smoke|collect|speak|owe|go to|spend|take|"
    r"do (?:for|on)|visit)\b",
    "is_mine": r"(?:\b(?:is|are)|'s) (?:my|our)\b",
    "does_mine": r"\b(?:do|does) (?:my|our)\b",
    "i_am_doing": r"\b(?:i'm|i am|we're|we are) \w+ing\b",
    "habit": rf"\b(?:usually|normally|typically|currently)\b|\b(?:each|every|per|a) {_UNIT}\b",
    # when, and what exactly
    "time_ago": r"\b(?:ago|yesterday|last (?:night|week|month|year|time|summer|winter|spring|autumn|"
    rf"fall|weekend|sprint|{_WEEKDAY}|{_MONTH}))\b",
    "time_named": rf"\b(?:on|in|since|before|by|until) (?:{_WEEKDAY}|{_MONTH}|(?:19|20)\d\d)\b",
    "time_span": r"\b(?:since|so far|lately|recently|before|already|in the end|this (?:year|month|"
    r"week)|last|earlier|still|ever|yet|previously|originally|initially)\b",
    "asks_again": r"\bagain$",
    "order_or_total": r"\b(?:first|second|third|earliest|latest|order in|total|altogether|average|"
    r"most recent(?:ly)?|in all|most often|older|younger|longest|cheaper)\b",
    "name_of": r"\b(?:names?|named|called|title|nickname)\b",
    "attribute": r"\b(?:birthday|bday|anniversary|address|size|number|age|breed|favou?rite|allerg\w+|"
    r"hobb\w+|type|brand|date|phone number|goal|deadline|appointment|membership|medication|meds|"
    r"routine|record|score|dose)\b",
    "belonging": r"\b(?:siblings|pets?|kids|children|car|passport|spare|keys?|phone|tattoos?|plants)\b",
    "my_kin": rf"\b(?:my|our) (?:\w+ )?{_KIN}",
    "choice": r"\b\w+ or (?:a |the |my |did |was |to )?\w+",
    "how_many": r"\bhow (?:many|much|long|often|old|far|big|tall)\b",
    "which": r"\bwhich\b",
    "who_where_when": r"^(?:\w+ )?(?:who|whom|whose|where|when)\b",
    "yes_no": r"^(?:did|didn't|have|has|had|was|were|is|are|am|do|does|don't|haven't)\b",
    "wants_name": r"^(?:all |again )?(?:of )?(?:the|my|our) (?:names?|titles?|\w+ \w+ (?:i|we))\b",
    "refers_back": r"\b(?:it|that|she|he|they|them|her|him|one|ones|those)\b",
    # what speaks for advice, work or general knowledge
    "how_to": r"^how (?:do|can|could|should|would|might|to|am|are|is)\b",
    "why": r"\bwhy\b",
    "modal": r"\b(?:should|can|could|would|might|must|shall|supposed to|want to|won't|'ll|can't)\b",
    "future": r"\bwill\b|\bgoing to\b",
    "need": r"\b(?:need|needs|have to|has to|had to|required)\b|\bdo (?:i|we) (?:get|use|put|say)\b",
    "infinitive": r"\b(?:what|which|where|how|who|when|way|time|if|whether)(?: \w+)? to [a-z]+\b",
    "advice": r"\b(?:best|good|better|suggest\w*|recommend|tips?|ideas?|advice|improve|possible|okay|"
    r"normal|worth|enough|ways?|help|think|means?|meaning|afford|signs?|funny|healthy|serious|"
    r"appropriate|ideal\w*|proper|reasonable|dangerous|bad|causes?|effects?|difference|happens?|"
    r"usual|common|essential|point|rules?|cost)\b",
    "rights": r"\b(?:rights?|options?|chances?|legal|allowed|permit|visa|tax\w*|pension|(?<!-)law|grounds|"
    r"refund|debt|eligible|employer|insurer|liable)\b",
    "fault": r"\b(?:wrong|correct|mistakes?|errors?|problem|broken|rude|properly|correctly|slow|"
    r"rejected|charged|hacked|failing|symptoms?|rash)\b",
    "my_mistake": r"\b(?:did|am|have) i (?:do|doing|use|miss|missing|get|make|mess|go|forget|break|"
    r"done|expect|end up|got)\b(?:.*\b(?:wrong|correctly|right|here|this|that|well)\b|$)",
    "condition": r"\b(?:if|suppose|imagine|assuming|given|unless)\b",
    "technology": r"\b(?:code|function|script|python|java|javascript|react|css|html|sql|query|git|"
    r"docker|api|regex|loop|files?|array|dataframe|excel|chrome|windows|linux|install|ip address)\b",
    "deictic": r"\b(?:this|these|here|below|above|following)\b",
    "asks_you": r"\b(?:did|do|have|are|were|was|has|is|'s|of|about|how've) (?:you|your)\b",
    "you": r"\b(?:you|your)\b",
    "indefinite": rf"\b(?:an?|some|someone|something|people|others)\b(?! {_UNIT}\b| living\b)",
    "no_us": r"^(?!.*\b(?:i|we|me|my|our|us|mine)\b)",
    "only_we": r"^(?!.*\b(?:i|my|me)\b).*\bwe\b",
    "we_did_own": r"\bdid we (?:\w+ )?(?:choose|pick|deploy|release|ship|switch|move|drop|reject|configure|"
    r"migrate|sign|hire|order|stay|eat|go|meet|adopt|buy|paint|visit|take|leave|have)\b",
    "our_work": r"\bour (?:\w+ )?(?:teams?|apps?|services?|servers?|releases?|clients?|customers?|tools?|"
    r"products?|projects?|designs?|doc|databases?|convention|company|staging|budget|rate|plan)\b",
    "public_work": r"\b(?:movie|song|actor|cartoon|show|word|war|poem|directed|born)\b",
    "world": r"\b(?:galaxy|sun|solar|planets?|ancestors|alphabet|cinemas|petrol|crisis|dna|brains?|"
    r"humans?|moon|earth|species|evolv\w+|discover|vitamins?|world|history|stars?|universe|"
    r"century|invent\w*|body|weather|zodiac|horoscope|witches|calories|probability)\b",
}
"""Looked for in the asking part of the message."""

LEAD_IN_PATTERNS: dict[str, str] = {
    "lead_in_us": r"\b(?:i|i'm|i've|i'd|we|my|our)\b",
    "lead_in_past": rf"\b(?:i|we) {_ADVERB}{_PAST_VERB}\b",
    "lead_in_lapse": r"\b(?:remember|recall|forg[oe]t\w*|mixing up|mix up|lost (?:my|the)|looking back|"
    r"again|wonder\w*)\b",
    "lead_in_numbers": r"\d.*\d",
    "lead_in_wish": r"\b(?:i want|i need|i'd like|i'd love|i would like|i'm looking|help|please)\b",
    "lead_in_trouble": r"\b(?:fails?|error|broke\w*|hurts?|can't|doesn't|does not|never|always|but|"
    r"trouble|issue|worried|ruined|since)\b",
}
"""Looked for in the rest of the message."""

CONJUNCTIONS: dict[str, frozenset[str]] = {
    "past_follow_up": frozenset({"past", "no_us", "lead_in_past"}),
    "follow_up": frozenset({"no_us", "refers_back", "lead_in_us"}),
    "present_after_lead_in": frozenset({"no_past", "lead_in_us"}),
    "present_follow_up": frozenset({"no_past", "no_us", "lead_in_us"}),
    "past_after_lead_in": frozenset({"past", "lead_in_us"}),
    "name_after_lead_in": frozenset({"name_of", "lead_in_us"}),
    "why_mine": frozenset({"why", "did_mine"}),
    "past_relative": frozenset({"was_thing", "i_past"}),
    "have_belonging": frozenset({"do_i_have", "belonging"}),
    "count_of_own_past": frozenset({"how_many", "did_i"}),
    "count_of_own_present": frozenset({"how_many", "do_i_have"}),
}
"""Features that mean something else together."""

PAST_FEATURES = frozenset(
    {"did_i", "did_mine", "did_other_mine", "have_i", "was_i", "was_mine", "was_thing", "i_past"}
)
ADVICE_FEATURES = frozenset({"modal", "advice", "infinitive", "how_to", "need", "rights"})
FEATURE_NAMES: tuple[str, ...] = (*QUESTION_PATTERNS, *LEAD_IN_PATTERNS, *CONJUNCTIONS)

_QUESTION = {name: re.compile(pattern) for name, pattern in QUESTION_PATTERNS.items()}
_LEAD_IN = {name: re.compile(pattern) for name, pattern in LEAD_IN_PATTERNS.items()}


def find_features(question: str, lead_in: str) -> frozenset[str]:
    """Return the names of the features that `question` and `lead_in` show."""
    found = {name for name, pattern in _QUESTION.items() if pattern.search(question)}
    if lead_in:
        found |= {name for name, pattern in _LEAD_IN.items() if pattern.search(lead_in)}
    found |= {name for name, parts in CONJUNCTIONS.items() if parts <= found}
    return frozenset(found)
