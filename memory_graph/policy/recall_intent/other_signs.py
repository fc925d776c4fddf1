"""What in a question, or around it, speaks of a wish other than looking back?"""

from memory_graph.policy.recall_intent.own_signs import ADVERB, KIN, PAST_VERB, UNIT
from memory_graph.policy.recall_intent.phrasing import one_of

_ENTITLED = one_of(
    "allowed, eligible, too, wrong, going, the, doing, supposed, being, bad, a bad, entitled, "
    "liable, right, able, overreacting, crazy, in trouble, missing, getting, always, pregnant, "
    "dehydrated, owed, contagious, sick, dying, depressed"
)
_ADVICE = one_of(
    "best(?! friend), good, better, suggest[a-z]*, recommend, tips?, ideas?, advice, improve, "
    "possible, okay, normal, worth, enough, ways?, help, think, means?, meaning, afford, signs?, "
    "funny, healthy, serious, appropriate, ideal[a-z]*, proper, reasonable, dangerous, bad, "
    "causes?, effects?, happens?, usual, common, essential, point, rules?, safe, easy, "
    "overweight, strong, valid, compatible, covered?, infected, ripe, nearest, local, area, "
    "risks?, accurate, useful, weird, understand, likely, refundable, toxic, contagious, purpose, "
    "next step, benefit, difference between, suits?, goes with, go with, entitled, harm"
)
_RIGHTS = one_of(
    "rights, (?:a|the|any) right, options?, chances?, legal, allowed, permit, pension, "
    "(?<!-)law, grounds, refund, "
    "debt, eligible, liable, responsibilities, tax, parliament, "
    "council[a-z]*"
)
_FAULT = one_of(
    "wrong, (?<!, )correct, mistakes?, errors?, problem, broken, rude, properly, correctly, slow, "
    "rejected, charged, hacked, failing, symptoms?, rash, twice, stolen, denied, unclear, sink, "
    "rise, die, died, crash, break, scammed, billed, locked, blocked, declined, cancelled, failed, "
    "dizzy, tired, headache, sore, hurt"
)
_SERVICE = one_of(
    "account, cards?, payments?, transfers?, refund, orders?, parcels?, package, delivery, "
    "invoice, "
    "statement, balance, fees?, charges?, transactions?, booking, claim, application, top-up, "
    "money, funds, withdrawal, voucher, voicemail, documents, trial, ticket"
)
_PROCEDURE = one_of(
    "need, have to, get(?! (?:up|home|there|to work|along)), put, say, write, add, apply, report, "
    "sign, send, find, click, press, file, change, bring, do (?:when|if|about|with|after|to), "
    "submit, arrive, give (?:a|an), replace, boil, plant, switch, contact, start, fill, choose, "
    "pick, enter, install, configure, connect, register, cancel, return, fix, clean, tell, reset, "
    "set, turn, open, order, use (?:with|for|to|here|when|after|as|a|the), take to, pack, "
    "wear to, feed, name, tip, bring, speak to, pay (?:for|if|on), buy (?:for|if), capitali[sz]e, "
    "wait, expect, leave .* in, multiply, divide, calculate, convert, treat, wash, prepare, renew, "
    "complain, appeal, claim, prove, qualify, deal, handle, know, see which, check, undo, delete, "
    "remove, recover"
)
_MISTAKEN = one_of(
    "do, doing, use, miss, missing, get, make, mess, go, forget, break, done, expect, end up, got"
)
_TECHNOLOGY = one_of(
    "(?<!locker )(?<!gate )(?<!door )(?<!alarm )(?<!lock )(?<!zip )code(?! (?:for|to|of)), "
    "function, script, python, java, javascript, react, css, html, "
    "sql, query, git, docker, "
    "api, regex, loop, files?, array, dataframe, excel, chrome, windows, linux, install, ip address"
)
_WORLD = one_of(
    "sun, cinemas, petrol, crisis, moon, discover, vitamins?, world, history, stars?, century, "
    "invent[a-z]*, weather, calories, famous, founded, popular, age group, evidence, capital, "
    "true, "
    "society, climate, species, universe, "
    "before (?:clocks|antibiotics|electricity|computers|phones|cars|money)"
)
_NATURE = one_of(
    "galaxy, solar, planets?, ancestors, alphabet, dna, brains?, humans?, earth, "
    "evolv[a-z]+, body, zodiac, horoscope, witches, probability, genome, formula, "
    "theorem, syntax, spirit animal, personality, liver, appendix, muscles?, bones?, organs?, "
    "skin, mars, roman times, medieval, victorian, ancient, stone age, generations?, \\d\\d\\d0s, "
    "plague, revolution, carbon footprint, lottery, fortune, fifties, sixties, seventies, "
    "eighties, "
    "attachment style, love language, mental age, lucky number, time zone, odds, immune system"
)
_TEXT = one_of(
    "question, sentence, essay, text, paragraph, email, code, answer, reply, story, poem, resume, "
    "cv, function, query, implementation, regex, introduction"
)
_NO_OWN_DEED = (
    r"^(?!.*\b(?:did|do|have|am|was|had) i\b)(?!.*\bi \w+)(?!.*\btake me\b)"
    r"(?!.*\bmy (?:most|own)\b)"
)
_ERA = (
    r"^(?!.*\b(?:did|was|were|had) (?:i|we|my)\b).*\bwhen (?:i|we|(?:my|our) \w+) (?:was|were) "
    r"(?:born|an? (?:child|kid|baby|teenager|boy|girl)|alive|young|little|kids|children)\b"
)
_NOT_OWN_PAST = (
    r"^(?!(?:\w+ )?(?:what|which|who|whom|where|when|how (?:many|much|long|often|old|far))\b.*"
    r"\b(?:did|had|have) (?:i|we)\b)"
)

OTHER_WISH: dict[str, str] = {
    "how_to": r"^how (?:do|can|could|should|would|might|to|am|are|is)\b",
    "why": r"\bwhy\b",
    "modal": r"\b(?:should|can|could|would|might|must|shall|(?<!was i )(?<!were we )supposed to|"
    r"(?<!did i )(?<!did we )want to|won't|'ll)\b",
    "future": r"\bwill\b|\bgoing to\b|\bhow (?:long|soon|many \w+) until\b|\bhow soon\b",
    "need": r"\b(?:need|needs|have to|has to|had to|required)\b",
    "procedure": rf"\bdo (?:i|we) (?:just |even |first |then )?{_PROCEDURE}\b",
    "bare_do_i": r"^(?:what|where|when|who) do (?:i|we)\b",
    "do_with_a": r"\bdo (?:i|we) .*\b(?:an?|if|when|with|(?<!do )for (?:an?|the))\b",
    "infinitive": r"\b(?:what|which|where|how|who|when|way|time|if|whether)(?: \w+)? to [a-z]+\b",
    "evaluates": r"^(?:did|have|was|were|am|is|are|do)\b.*\b(?:too|really|right|correctly|enough|"
    r"harsh|rude|fair|stupid|successful|correct|crazy|fault|ruin\w*|hurt|offend\w*|upset|damage\w*|"
    r"waste\w*|overpa\w+|supposed|unfair\w*|gifted|strict|set up|commit|waive|burn\w*|kill\w*|"
    r"missed the|got a|violate|selfish|mean|cheating|automated)\b",
    "term_asked": r"\bcalled (?:when|if)\b|\b(?:is|are) (?:that|this|it|those) called$|"
    r"\bwhat do you call\b",
    "judges_self": r"\bdid (?:i|we) (?:do (?:to|wrong)|go wrong|become|\w+ so)\b|\bso \w+$",
    "how_did_we": r"\bhow (?:did|have|do|are) (?:we|humans|people)\b",
    "public_fact": r"\bdid it (?:end|last|start|begin|happen|take place|come from)\b|"
    r"\b(?:he|she) born\b|^who (?:built|wrote|played|painted|directed|invented|discovered)\b|"
    r"\bwhat species\b|\bpeople (?:have|share|in|own)\b.*\bmy\b",
    "passive_fact": r"^(?:when|where|how|why|what)\b.*\b(?:was|were) "
    r"(?:it|they|he|she|that|the \w+) (?:\w+ed|made|built|found|born|known|written|banned)\b",
    "generic_they": r"\bdid (?:they|people|women|men|kids|\w+ers|the \w+s)\b",
    "how_is_it": r"^how (?!many|much|long|old|far|often|big|high|late|tall|heavy)\w+ "
    r"(?:was|is|were|are)\b",
    "tag_step": r"^so i\b|\bi just\b|\bwe all\b|\bi (?:look|sound)\b",
    "where_is": r"^where(?: is| are|'s) (?:my|our|the)\b",
    "am_i_entitled": rf"\bam i {_ENTITLED}\b",
    "advice": rf"{_NOT_OWN_PAST}.*\b{_ADVICE}\b",
    "rights": rf"{_NOT_OWN_PAST}.*\b{_RIGHTS}\b",
    "fault": rf"\b{_FAULT}\b",
    "service": rf"\b{_SERVICE}\b",
    "status": r"\b(?:is|are|was|were|has|have|did|does) (?:my|the) (?:[\w-]+ ){1,3}"
    r"(?:been |being |still |not |yet )?(?:\w+ed|gone|come|through|accepted|up|wrong|due)\b",
    "my_mistake": rf"^(?!how many|how much).*\b(?:did|am|have) i {_MISTAKEN}\b"
    r"(?:.*\b(?:wrong|correctly|right|here|this|that|well)\b|$)",
    "condition": r"\b(?:if|suppose|imagine|assuming|given|unless)\b",
    "technology": rf"\b{_TECHNOLOGY}\b",
    "deictic": r"\b(?:this|these|here|below|above|following)\b"
    r"(?! (?:year|month|week|morning|time))",
    "asks_you": r"\b(?:did|do|have|are|were|was|has|is|'s|of|about|how've) (?:you|your)\b",
    "you": r"\b(?:you|your)\b",
    "indefinite": rf"\b(?:an?|some|someone|something|others)\b(?! {UNIT}\b| living\b| member\b)",
    "no_us": r"^(?!.*\b(?:i|we|me|my|our|us|mine|i've|i'm|we've)\b)",
    "only_we": r"^(?!.*\b(?:i|my|me)\b).*\bwe\b",
    "public_work": rf"{_NO_OWN_DEED}.*\b(?:movie|song|actor|cartoon|show|word|war|poem|directed|"
    r"born|film|match|president)\b",
    "anybody": r"\b(?:(?<!how many )people|how many people (?:have|share|in|own)|"
    r"families|humans|men|women|generation|parents'|others|everyone|"
    r"anyone|anybody|my age|my name)\b",
    "my_text": rf"\bmy (?:\w+ )?{_TEXT}\b",
    "world": rf"{_NO_OWN_DEED}.*\b{_WORLD}\b|\b{_NATURE}\b|{_ERA}",
    "young_or_animal": r"\b(?:my|our) (?:\w+ )?(?:cats?|dogs?|pupp\w+|baby|child|toddler|pets?|"
    r"hens|chickens|plants|tomatoes|ferns|kitten|rabbit|horse)\b",
    "tip_of_tongue": r"\b(?:movie|song|film|show|series|game|cartoon|novel|book|story|actor)\b.*"
    r"\b(?:where (?:a|the|you|every)|that goes|with an? (?:talking|girl|boy|man|woman)|in which|"
    r"about (?:an?|six))\b",
    "quantity": r"\b\d+(?:[.,]\d+)? ?(?:km|kg|kilos?|miles|hours?|minutes?|percent|%|euros?|"
    r"dollars|cups|grams?|g|ml|cm|years|degrees)\b",
    "public_favourite": r"\bmy (?:[\w'-]+ )?favou?rite (?:team|band|singer|player|show|author|"
    r"restaurant|artist|artist's|actor)\b",
    "model_of_mine": r"\bmy (?:model|country|street|town|home town|city|region)\b",
    "age_given": r"\b(?:was|were|am|is|turned|i'm) \d+\b",
    "mankind": r"\b(?:did|do|have) we (?:\w+ )?(?:start|send|sent|stop|get|got|evolve|believ|"
    r"discover|invent|"
    r"measure|know|learn|use|need|fight|land|find|found|come from|begin|always)\b",
}
_PRIVATE = one_of(
    "plan, idea, rule, deal, agreement, nickname, name, trick, reason, goal, routine, theory, "
    "argument, fight, problem, resolution, promise, budget, list, habit, rival, excuse, podcast, "
    "movie, book, show"
)
_COUNT = r"(?:\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twice|half)\b)"

LEAD_IN: dict[str, str] = {
    "lead_in_us": r"\b(?:i|i'm|i've|i'd|we|my|our)\b",
    "lead_in_past": rf"\b(?:i|we) {ADVERB}{PAST_VERB}\b",
    "lead_in_lapse": r"\b(?:remember|recall|forg[oe]t\w*|mixing up|mix up|lost (?:my|the)|"
    r"looking back|again|wonder\w*|can't find)\b",
    "lead_in_numbers": rf"{_COUNT}.*{_COUNT}",
    "lead_in_wish": r"\b(?:i want|i need|i'd like|i'd love|i would like|i'm looking|help|please)\b",
    "lead_in_trouble": r"\b(?:fails?|error|broke\w*|hurts?|can't|doesn't|does not|never|always|"
    r"but|trouble|issue|worried|ruined|since|charged|not)\b",
    "lead_in_service": rf"\b{_SERVICE}\b",
    "lead_in_sighting": r"\b(?:i|we) (?:\w+ )?(?:saw|heard|found|noticed|met a|spotted)\b",
    "lead_in_kin": rf"\b(?:my|our) (?:\w+ )?{KIN}\b",
    "lead_in_private": r"\b(?:i|we) (?:\w+ ){0,2}(?:had|made|set|gave|came up with|recommended|"
    rf"used to have|ran into|found) (?:\w+ ){{1,3}}?{_PRIVATE}\b",
    "lead_in_doing": r"\b(?:i'm|i am|we're|we are) (?:\w+ing|at|on|back)\b",
}
"""Looked for in the message around the question; all the others in the question itself."""
