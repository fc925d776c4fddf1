"""What can be seen in a question and its lead-in that speaks for or against a recall?"""

import re

from memory_graph.policy.recall_intent.phrasing import one_of

_PAST_VERB = one_of(
    "[a-z][a-z]+[a-z]ed, went, bought, had, got, made, took, saw, ate, met, ran, was, were, gave, "
    "found, left, lost, put, read, wrote, chose, paid, spent, came, began, drove, flew, built, "
    "kept, taught, sold, won, lent, wore, knew, grew, drank, sent, thought, felt, brought, caught, "
    "slept, sang, swam, told, said, heard, became"
)
_KIN = one_of(
    "mother, mom, mum, father, dad, parents?, sisters?, brothers?, siblings?, sons?, daughters?, "
    "kids?, child, children, wife, husband, partner, girlfriend, boyfriend, gf, bf, fiancée?, "
    "friends?, cousins?, aunt, uncle, niece, nephew, grand[a-z]+, boss, manager, colleagues?, "
    "team, doctor, dentist, therapist, landlord, neighbou?rs?, dogs?, cats?, pets?, in-laws"
)
_MONTH = one_of(
    "january, february, march, april, may, june, july, august, september, october, november, "
    "december, spring, summer, autumn, winter, christmas"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_UNIT = one_of("day, week, month, year, night, morning, time")
_ADVERB = r"(?:usually |normally |often |still |currently |already |even |also )?"
_NOT_INVERTED = r"(?<!did )(?<!have )(?<!had )(?<!am )(?<!was )"

_STATE_VERB = one_of(
    "live, work, like, prefer, drink, eat, wear, support, keep, see, play, wake, weigh, drive, "
    "study, teach, buy, walk, sleep, smoke, collect, speak, owe, go to, spend, take, visit, "
    "do (?:for|on)"
)
_ENTITLED = one_of(
    "allowed, eligible, too, wrong, going, the, doing, supposed, being, bad, a bad, entitled, "
    "liable, right, able, overreacting, crazy, in trouble, missing, getting, always, pregnant"
)
_ATTRIBUTE = one_of(
    "birthday, bday, anniversary, address, size, number, age, breed, favou?rite, allerg[a-z]+, "
    "hobb[a-z]+, type, brand, date, phone number, goal, deadline, appointment, membership, "
    "medication, meds, routine, record, score, dose, status"
)
_ADVICE = one_of(
    "best(?! friend), good, better, suggest[a-z]*, recommend, tips?, ideas?, advice, improve, "
    "possible, okay, normal, worth, enough, ways?, help, think, means?, meaning, afford, signs?, "
    "funny, healthy, serious, appropriate, ideal[a-z]*, proper, reasonable, dangerous, bad, "
    "causes?, effects?, happens?, usual, common, essential, point, rules?, safe, "
    "overweight, strong, valid, compatible, covered, infected, ripe, nearest, area, risks?, "
    "accurate, useful, weird, understand, likely"
)
_RIGHTS = one_of(
    "rights?, options?, chances?, legal, allowed, permit, pension, (?<!-)law, grounds, refund, "
    "debt, eligible, employer, insurer, liable"
)
_FAULT = one_of(
    "wrong, correct, mistakes?, errors?, problem, broken, rude, properly, correctly, slow, "
    "rejected, charged, hacked, failing, symptoms?, rash, twice, stolen, denied, unclear, sink, "
    "rise, die, died, crash, break"
)
_MISTAKEN = one_of(
    "do, doing, use, miss, missing, get, make, mess, go, forget, break, done, expect, end up, got"
)
_TECHNOLOGY = one_of(
    "code, function, script, python, java, javascript, react, css, html, sql, query, git, docker, "
    "api, regex, loop, files?, array, dataframe, excel, chrome, windows, linux, install, ip address"
)
_WORLD = one_of(
    "galaxy, sun, solar, planets?, ancestors, alphabet, cinemas, petrol, crisis, dna, brains?, "
    "humans?, moon, earth, species, evolv[a-z]+, discover, vitamins?, world, history, stars?, "
    "universe, century, invent[a-z]*, body, weather, zodiac, horoscope, witches, calories, "
    "probability, famous, founded, popular, surname, age group, genome, evidence, formula, "
    "capital, theorem, syntax, true"
)
_TEXT = one_of(
    "question, sentence, essay, text, paragraph, email, code, answer, reply, story, poem, resume, "
    "cv, function, query, implementation, regex, introduction"
)
_PLURAL_DEED = one_of(
    "choose, pick, deploy, release, ship, switch, move, drop, reject, configure, migrate, sign, "
    "hire, order, stay, eat, go, meet, adopt, buy, paint, visit, take, leave, have"
)
_OUR_WORK = one_of(
    "teams?, apps?, services?, servers?, releases?, clients?, customers?, tools?, products?, "
    "projects?, designs?, doc, databases?, convention, company, staging, budget, rate, plan"
)

OWN_PAST: dict[str, str] = {
    "did_i": r"\b(?:did|didn't) (?:i|we)\b",
    "did_mine": r"\b(?:did|didn't|has|have|had) (?:my|our)\b",
    "did_other_mine": r"\b(?:did|has|had) (?!i\b|we\b|my\b|our\b|you\b)\w+.*\b(?:me|my|our|us)\b",
    "have_i": r"\b(?:have|haven't|had|hadn't) (?:i|we)\b",
    "was_i": r"\b(?:was|were) (?:i|we)\b",
    "was_mine": r"\b(?:was|were) (?:my|our)\b",
    "was_thing": r"\b(?:was|were) (?:the|that|those|this|there|\w+er)\b|"
    r"\b(?:was|were|did) (?:it|he|she|they)\b",
    "i_past": rf"{_NOT_INVERTED}\b(?:i|we) {_ADVERB}{_PAST_VERB}\b",
    "we_did_own": rf"\bdid we (?:\w+ )?{_PLURAL_DEED}\b",
    "past_subject": r"^(?:who|which(?: \w+){0,3}|what|how (?:many|much) \w+) "
    rf"(?!was|were|had){_PAST_VERB}\b",
}
_ANY_PAST = rf"\b(?:did|didn't|was|were|had|have|has|{_PAST_VERB})\b"
OWN_PRESENT: dict[str, str] = {
    "am_i": r"\bam i\b",
    "am_i_entitled": rf"\bam i {_ENTITLED}\b",
    "do_i": r"\bdo (?:i|we)\b",
    "do_i_have": rf"\bdo (?:i|we) {_ADVERB}(?:have|own)\b(?! to\b)",
    "do_i_state": rf"\bdo (?:i|we) {_ADVERB}{_STATE_VERB}\b",
    "i_am_doing": r"\b(?:i'm|i am|we're|we are) \w+ing\b",
    "is_mine": r"(?:\b(?:is|are)|'s) (?:my|our)\b",
    "does_mine": r"\b(?:do|does) (?:my|our)\b",
    "my_kin": rf"\b(?:my|our) (?:\w+ )?{_KIN}(?:'s)?\b",
    "our_work": rf"\bour (?:\w+ )?{_OUR_WORK}\b",
    "belonging": r"\b(?:siblings|pets?|kids|children|car|passport|spare|keys?|phone|plants)\b",
    "habit": rf"\b(?:usually|normally|typically|currently)\b|\b(?:each|every|per|a) {_UNIT}\b",
}
DETAIL: dict[str, str] = {
    "past": _ANY_PAST,
    "no_past": rf"^(?!.*{_ANY_PAST})",
    "time_ago": r"\b(?:ago|yesterday|last (?:night|week|month|year|time|summer|winter|spring|"
    rf"autumn|fall|weekend|sprint|{_WEEKDAY}|{_MONTH}))\b",
    "time_named": rf"\b(?:on|in|since|before|by|until) (?:{_WEEKDAY}|{_MONTH}|(?:19|20)\d\d)\b",
    "time_span": r"\b(?:since|so far|lately|recently|before|already|in the end|last|earlier|still|"
    r"ever|yet|previously|originally|initially|this (?:year|month|week))\b",
    "asks_again": r"\bagain$",
    "order_or_total": r"\b(?:first|second|third|earliest|latest|order in|total|altogether|average|"
    r"most recent(?:ly)?|in all|most often|older|younger|longest|cheaper)\b",
    "name_of": r"\b(?:names?|named|called|title|nickname)\b",
    "attribute": rf"\b{_ATTRIBUTE}\b",
    "choice": r"\b\w+ or (?:a |the |my |did |was |to )?\w+",
    "how_many": r"\bhow (?:many|much|long|often|old|far|big|tall)\b",
    "which": r"\bwhich\b",
    "who_where_when": r"^(?:\w+ )?(?:who|whom|whose|where|when)\b",
    "yes_no": r"^(?:did|didn't|have|has|had|was|were|is|are|am|do|does|don't|haven't)\b",
    "wants_name": r"^(?:all |again )?(?:of )?(?:the|my|our) (?:names?|titles?|\w+ \w+ (?:i|we))\b",
    "refers_back": r"\b(?:it|that|she|he|they|them|her|him|one|ones|those)\b",
}
OTHER_WISH: dict[str, str] = {
    "how_to": r"^how (?:do|can|could|should|would|might|to|am|are|is)\b",
    "why": r"\bwhy\b",
    "modal": r"\b(?:should|can|could|would|might|must|shall|supposed to|want to|won't|'ll)\b",
    "future": r"\bwill\b|\bgoing to\b",
    "need": r"\b(?:need|needs|have to|has to|had to|required)\b|"
    r"\bdo (?:i|we) (?:get|use|put|say)\b",
    "infinitive": r"\b(?:what|which|where|how|who|when|way|time|if|whether)(?: \w+)? to [a-z]+\b",
    "advice": rf"\b{_ADVICE}\b",
    "rights": rf"\b{_RIGHTS}\b",
    "fault": rf"\b{_FAULT}\b",
    "my_mistake": rf"^(?!how many|how much).*\b(?:did|am|have) i {_MISTAKEN}\b"
    r"(?:.*\b(?:wrong|correctly|right|here|this|that|well)\b|$)",
    "condition": r"\b(?:if|suppose|imagine|assuming|given|unless)\b",
    "technology": rf"\b{_TECHNOLOGY}\b",
    "deictic": r"\b(?:this|these|here|below|above|following)\b",
    "asks_you": r"\b(?:did|do|have|are|were|was|has|is|'s|of|about|how've) (?:you|your)\b",
    "you": r"\b(?:you|your)\b",
    "indefinite": rf"\b(?:an?|some|someone|something|people|others)\b(?! {_UNIT}\b| living\b)",
    "no_us": r"^(?!.*\b(?:i|we|me|my|our|us|mine)\b)",
    "only_we": r"^(?!.*\b(?:i|my|me)\b).*\bwe\b",
    "public_work": r"\b(?:movie|song|actor|cartoon|show|word|war|poem|directed|born)\b",
    "anybody": r"\b(?:people|families|humans|men|women|generation|parents'|others|everyone)\b",
    "my_text": rf"\bmy (?:\w+ )?{_TEXT}\b",
    "world": rf"\b{_WORLD}\b",
}
LEAD_IN: dict[str, str] = {
    "lead_in_us": r"\b(?:i|i'm|i've|i'd|we|my|our)\b",
    "lead_in_past": rf"\b(?:i|we) {_ADVERB}{_PAST_VERB}\b",
    "lead_in_lapse": r"\b(?:remember|recall|forg[oe]t\w*|mixing up|mix up|lost (?:my|the)|"
    r"looking back|again|wonder\w*)\b",
    "lead_in_numbers": r"\d.*\d",
    "lead_in_wish": r"\b(?:i want|i need|i'd like|i'd love|i would like|i'm looking|help|please)\b",
    "lead_in_trouble": r"\b(?:fails?|error|broke\w*|hurts?|can't|doesn't|does not|never|always|"
    r"but|trouble|issue|worried|ruined|since)\b",
}
"""Looked for in the message around the question; all the others in the question itself."""

CONJUNCTIONS: dict[str, frozenset[str]] = {
    "past_follow_up": frozenset({"past", "no_us", "lead_in_past"}),
    "follow_up": frozenset({"no_us", "refers_back", "lead_in_us"}),
    "present_after_lead_in": frozenset({"no_past", "lead_in_us"}),
    "present_follow_up": frozenset({"no_past", "no_us", "lead_in_us"}),
    "past_after_lead_in": frozenset({"past", "lead_in_us"}),
    "name_after_lead_in": frozenset({"name_of", "lead_in_us"}),
    "own_habit": frozenset({"do_i", "habit"}),
    "why_mine": frozenset({"why", "did_mine"}),
    "past_relative": frozenset({"was_thing", "i_past"}),
    "have_belonging": frozenset({"do_i_have", "belonging"}),
    "count_of_own_past": frozenset({"how_many", "did_i"}),
    "count_of_own_present": frozenset({"how_many", "do_i_have"}),
}
"""Features that mean something else together."""

PAST_FEATURES = frozenset(OWN_PAST)
ADVICE_FEATURES = frozenset({"modal", "advice", "infinitive", "how_to", "need", "rights"})

_IN_QUESTION = {
    name: re.compile(pattern)
    for name, pattern in (OWN_PAST | OWN_PRESENT | DETAIL | OTHER_WISH).items()
}
_IN_LEAD_IN = {name: re.compile(pattern) for name, pattern in LEAD_IN.items()}
FEATURE_NAMES: tuple[str, ...] = (*_IN_QUESTION, *_IN_LEAD_IN, *CONJUNCTIONS)


def find_features(question: str, lead_in: str) -> frozenset[str]:
    """Return the names of the features that `question` and `lead_in` show."""
    found = {name for name, pattern in _IN_QUESTION.items() if pattern.search(question)}
    found |= {name for name, pattern in _IN_LEAD_IN.items() if pattern.search(lead_in)}
    found |= {name for name, parts in CONJUNCTIONS.items() if parts <= found}
    return frozenset(found)
