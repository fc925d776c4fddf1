"""What in a question points at the user's own life?"""

from memory_graph.policy.recall_intent.phrasing import one_of

PAST_VERB = one_of(
    "[a-z][a-z]+[a-z]ed, went, bought, had, got, made, took, saw, ate, met, ran, was, were, gave, "
    "found, left, lost, put, read, wrote, chose, paid, spent, came, began, drove, flew, built, "
    "kept, taught, sold, won, lent, wore, knew, grew, drank, sent, thought, felt, brought, caught, "
    "slept, sang, swam, told, said, heard, became, led, did, fell, hid, rode, spoke, hit, cut"
)
ADVERB = (
    r"(?:(?:usually|normally|often|still|currently|already|even|also|just|really|never|ever|"
    r"finally|initially|first|last|recently|always|once|mostly|typically) )*"
)
_NOT_INVERTED = r"(?<!did )(?<!have )(?<!had )(?<!am )(?<!was )"
KIN = one_of(
    "mother, mom, mum, father, dad, parents?, sisters?, brothers?, siblings?, sons?, daughters?, "
    "kids?, child, children, twins, wife, husband, partner, girlfriend, boyfriend, gf, bf, "
    "fiancée?, friends?, cousins?, aunt, uncle, niece, nephew, grand[a-z]+, boss, manager, "
    "colleagues?, coworkers?, team, doctor, dentist, therapist, landlord, neighbou?rs?, dogs?, "
    "cats?, pets?, in-laws, roommate, flatmate, teacher, coach, vet"
)
BARE_KIN = (
    r"(?<!your )(?<!the )(?<!a )(?<!his )(?<!her )(?<!their )"
    r"\b(?:mum|mom|mama|dad|papa|grandma|grandpa|granny|grandad|nana)(?:'?s)?\b"
)
"""Said without `my`, these are the user's own."""

HELPER = one_of(
    "vet, doctor, dentist, mechanic, plumber, landlord, landlady, lawyer, accountant, electrician, "
    "surgeon, nurse, therapist, physio[a-z]*, estate agent, realtor, contractor, builder, agent, "
    "teacher, coach, boss, manager, client, recruiter, specialist, optician, pharmacist, midwife"
)
HELP = one_of(
    "say, recommend, suggest, quote, advise, prescribe, charge, tell (?:me|us), want (?:me|us), "
    "find, think, promise, ask (?:me|us), give (?:me|us)"
)
_MONTH = one_of(
    "january, february, march, april, may, june, july, august, september, october, november, "
    "december, spring, summer, autumn, winter, christmas, easter, new year's"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
UNIT = one_of("day, week, month, year, night, morning, time, evening, weekend")

_STATE_VERB = one_of(
    "live, work, like, love, enjoy, hate, dislike, prefer, adore, drink, eat, wear, support, keep, "
    "store, see, play, wake, get up, get home, go to bed, weigh, study, teach, walk, sleep, smoke, "
    "collect, speak, owe, listen, watch, read, follow, subscribe, attend, practi[sc]e, train, "
    "exercise, swim, cycle, commute, own, belong, share, volunteer, dedicate, cook, save, earn, "
    "suffer, believe, support, root for, cheer, root, reference, park, sit, shop, bank, rent, "
    "hang out, do for (?:a living|work), "
    "do (?:for|on)(?! (?:a|an)\\b), go to(?! get), spend, take(?! (?:to|the)\\b), visit, "
    "call my, use(?= (?:most|daily|now|currently|at home|at work)|$), head, tend to, crave, dread, "
    "admire, value, want, hope, wish, plan, donate, drive(?! on), carpool, vote, date, "
    "lead, manage, coach, run"
)
ATTRIBUTE = one_of(
    "birthday, bday, anniversary, (?<!ip )address, size, number, age, breed, favou?rites?, "
    "allerg[a-z]+, "
    "hobb[a-z]+, brand, make, model, date, phone number, goals?, deadline, appointment, "
    "membership, medication, meds, routine, record, score, dose, status, name, names, budget, "
    "nationality, ethnicity, occupation, profession, job, salary, password, plate, colou?r, "
    "email, postcode, blood type, diet, dietary, restrictions, preferences?, interests?, "
    "bedtime, commute, major, degree, height, nickname, stance, opinion, mood, go-to, schedule, "
    "code, combination, combo, pin, bday"
)
PRIVATE_NOTE = (
    r"(?!forgot|reset|change|strong|new|random|wrong)(?:[\w'-]+ ){1,2}"
    r"(?:password|combo|combination|bday)(?: please)?|"
    rf"(?:previous|former) (?:\w+ )?{ATTRIBUTE}"
)
"""A bare noun for something only the user's memory can hold."""

_PLURAL_DEED = one_of(
    "choose, pick, deploy, release, ship, switch, move, drop, reject, configure, migrate, sign, "
    "hire, order, stay, eat, go, meet, adopt, buy, paint, visit, take, leave, have, book, "
    "bury, name, open, finish, plan"
)
_OUR_WORK = one_of(
    "teams?, apps?, services?, servers?, releases?, clients?, customers?, tools?, products?, "
    "projects?, designs?, doc, databases?, convention, company, staging, budget, rate, plan"
)
_DELIBERATE = one_of(
    "stop, choose, decide, quit, leave, move, pick, give up, turn down, switch, cancel, buy, sell, "
    "refuse, skip, hire, ask, join, reject, dislike, like, drop, delete, postpone, break up, "
    "sign up, apply, return, change, call, go with, prefer, want"
)
_HOLDER = one_of(
    "lists?, playlists?, calendar, schedule, shelf, agenda, collection, wishlist, diary, notes, "
    "garage, aquariums?, tanks?, garden, closet, fridge, bookshelf, stash, department, team, "
    "club, group, family"
)

OWN_PAST: dict[str, str] = {
    "did_i": r"\b(?:did|didn't) (?:(?:my )?[\w'-]+ and )?(?:i|we)\b",
    "did_mine": r"\b(?:did|didn't|has|have|had) (?:my|our)\b",
    "did_other_mine": r"\b(?:did|has|had) (?!i\b|we\b|my\b|our\b|you\b)\w+.*\b(?:me|my|our|us)\b",
    "have_i": r"\b(?:have|haven't|had|hadn't) (?:i|we)\b",
    "was_i": r"\b(?:was|were) (?:i|we)\b",
    "was_mine": r"\b(?:was|were) (?:my|our)\b",
    "was_thing": r"\b(?:was|were) (?:the|that|those|this|there|\w+er)\b|"
    r"\b(?:was|were|did) (?:it|he|she|they)\b",
    "i_past": rf"{_NOT_INVERTED}\b(?:i|we) {ADVERB}{PAST_VERB}\b|\b(?:i've|we've) \w+",
    "we_did_own": rf"\bdid we (?:\w+ )?{_PLURAL_DEED}\b",
    "past_subject": r"^(?:who|which(?: \w+){0,3}|what|how (?:many|much) \w+) "
    rf"(?!was|were|had){PAST_VERB}\b",
    "done_to_me": rf"^(?:who|what|which(?: \w+){{1,3}}) {PAST_VERB} (?:\w+ ){{0,2}}(?:me|us|my)\b",
    "chose_why": rf"\bwhy (?:did|didn't) (?:i|we) {ADVERB}{_DELIBERATE}\b",
    "helper_said": rf"\bdid the {HELPER} {HELP}\b(?! to (?:the|an?)\b)",
    "was_i_to": r"\b(?:was i|were we) (?:supposed|meant|going|about|gonna)\b|"
    r"\bdid (?:i|we) (?:want|plan|mean|intend|need) to\b",
    "asked_in_place": rf"^(?:i|we) {ADVERB}{PAST_VERB}\b.*\b(?:whom?|whose \w+|what|where)$",
    "turned_out": r"\bhow did (?:my|our) [\w' -]+? (?:go|turn out|end|end up|work out)\b|"
    r"\bhow (?:has|have) (?:my|our) [\w' -]+? (?:changed|evolved|developed|been)\b|"
    r"\bwhat (?:do|does|did) (?:my|our) [\w' -]+? look like\b",
    "why_was_i": r"\bwhy (?:was|were) (?:i|we)\b",
    "took_me": r"\b(?:take|took|taken)(?: \w+)? (?:me|us|for me|for my)\b",
}
ANY_PAST = rf"\b(?:did|didn't|was|were|had|have|has|{PAST_VERB})\b"
OWN_PRESENT: dict[str, str] = {
    "am_i": r"\bam i\b",
    "am_i_doing": rf"\bam i {ADVERB}(?!going|doing|missing|being|getting|supposed|allowed)"
    r"(?:\w+ing\b|on\b|in\b|with\b|enrolled|signed|subscribed|registered|(?:a|the) member)",
    "do_i": r"\bdo (?:i|we)\b",
    "what_do_i_own": r"\bdo (?:i|we) (?:\w+ )?(?:pay|get|have|see|order|buy|use) "
    r"(?:for )?(?:my|our)\b",
    "do_i_have": rf"\bdo (?:i|we) {ADVERB}(?:have|own)\b(?! to\b)",
    "do_i_state": rf"\bdo (?:i|we) {ADVERB}{_STATE_VERB}\b",
    "what_do_i": r"^(?:what|which)(?: [\w'-]+){1,6} do (?:i|we)\b",
    "kind_of": r"\b(?:kind|sort|type|brand|style|genre|flavou?r|breed)s?\b",
    "time_of_mine": r"^(?:what time|when|(?:on )?(?:which|what) day)\b.*\b(?:my|our)\b",
    "i_am_doing": r"\b(?:i'm|i am|we're|we are) \w+ing\b",
    "i_have": r"\b(?:i|we) (?:currently |still |now )?(?:have|own|use|attend|play|like)\b(?! to\b)",
    "i_state": r"^(?:so |but |and )?(?:i|we) (?:(?:don't|do not|never|didn't|still|also|really|"
    rf"already|haven't) )*(?:{_STATE_VERB}|have|am|was|were|was born)\b|^(?:i'm|i've)\b",
    "starts_mine": r"^(?:my|our)\b",
    "is_mine": r"(?:\b(?:is|are)|'s) (?:my|our)\b",
    "is_mine_only": r"^(?:what|which|who|whose|when|how \w+)(?: [\w-]+){0,3}(?: is| are|'s) "
    r"(?:my|our)(?: [\w'-]+){1,3}(?: (?:in|on|at|for|with) .*)?$",
    "does_mine": r"\b(?:do|does) (?:my|our)\b",
    "kin_state": r"\b(?:do|does) (?:my|our) (?:[\w'-]+ ){1,3}"
    rf"(?:{_STATE_VERB}|have|own|start|begin|drive|do)\b",
    "my_kin": rf"\b(?:my|our) (?:\w+ )?{KIN}(?:'s)?\b|{BARE_KIN}",
    "of_mine": r"\b(?:of|which of|among) (?:my|our)\b",
    "in_mine": rf"\b(?:in|on|from|of) (?:both of )?(?:my|our) (?:[\w-]+ ){{0,3}}{_HOLDER}\b",
    "inside_mine": r"^(?:what|who|which \w+)(?:'s| is| are) (?:\w+ )?(?:in|on|at|to) (?:my|our)\b",
    "my_favourite": r"\b(?:my|our) (?:[\w'-]+ ){0,2}favou?rites?\b",
    "total_of_mine": r"\b(?:total|average|combined|altogether|in all|percentage)\b.*"
    r"\b(?:my|i|i've|me|our|we)\b",
    "my_own": r"\bmy (?:new|old|first|last|next|current|previous|former|latest|most recent|second|"
    r"favou?rite|usual|recent|own)\b",
    "our_work": rf"\bour (?:\w+ )?{_OUR_WORK}\b",
    "belonging": r"\b(?:siblings|pets?|kids|children|car|passport|spare|keys?|phone|plants|bikes?)"
    r"\b",
    "habit": rf"\b(?:usually|normally|typically|currently|these days|at the moment|right now|"
    rf"most of the time|nowadays|mostly|to work|to school|at night|at home|most$|"
    rf"for the kids)\b|\b(?:each|every|per|a|typical) {UNIT}s?\b|"
    rf"\bon (?:week(?:days|nights|ends)|{_WEEKDAY}s)\b",
}
DETAIL: dict[str, str] = {
    "past": ANY_PAST,
    "no_past": rf"^(?!.*{ANY_PAST})",
    "time_ago": r"\b(?:ago|yesterday|last (?:night|week|month|year|time|summer|winter|spring|"
    rf"autumn|fall|weekend|sprint|{_WEEKDAY}|{_MONTH})|past (?:few )?(?:\w+ )?"
    r"(?:days?|weeks?|months?|years?))\b",
    "time_named": rf"\b(?:on|in|since|before|by|until|of) (?:the )?(?:{_WEEKDAY}|{_MONTH}|"
    r"(?:19|20)\d\d|\d\d?(?:st|nd|rd|th))\b",
    "time_span": r"\b(?:since|so far|lately|recently|before|already|in the end|last|earlier|still|"
    r"ever|yet|previously|originally|initially|this (?:year|month|week))\b",
    "asks_again": r"\bagain$",
    "order_or_total": r"\b(?:first|second|third|earliest|latest|order (?:in|of)|total|altogether|"
    r"average|most recent(?:ly)?|in all|most often|older|younger|longest|cheaper|combined|"
    r"in what order|percentage|difference in)\b",
    "span_between": r"\b(?:passed|between|after|since)\b.*\bi\b",
    "name_of": r"\b(?:names?|named|called|title|nickname)\b",
    "attribute": rf"\b{ATTRIBUTE}\b",
    "choice": r"\b\w+ or (?:a |the |my |did |was |to )?\w+",
    "how_many": r"\bhow (?:many|much|long|often|old|far|big|tall|heavy)\b",
    "which": r"\bwhich\b",
    "who_where_when": r"^(?:\w+ )?(?:who|whom|whose|where|when)\b",
    "yes_no": r"^(?:did|didn't|have|has|had|was|were|is|are|am|do|does|don't|haven't)\b",
    "wants_name": r"^(?:all |again )?(?:of )?(?:the|my|our) (?:names?|titles?|\w+ \w+ (?:i|we))\b",
    "refers_back": r"\b(?:it|that|she|he|they|them|her|him|one|ones|those)\b",
    "tag": r", (?:right|correct|yeah|\w+ (?:i|we|he|she|it|they|you))$",
    "person_asked": r"\b(?:he|she|his|her|him|they|their)\b",
    "thing_asked": r"^(?:what|which|who|where|when|how \w+)(?: [\w'-]+){0,3}(?: was| were| is|"
    r" are|'s| did) (?:it|that|the|his|her|its|she|he|they|one)\b|^which one\b|"
    r"^(?:what|who) (?:was|were)\b",
    "which_one": r"^which (?:one|of them|of the)\b|^which \w+ (?:was|is) it\b|"
    r"^which (?:was|is|were|are) (?:the )?\w+(?:er|est)\b",
    "with_whom": r"\bwho\b.*\bwith\b|^where did (?:i|we|she|he)\b",
    "definite": r"\bthe \w+",
    "bare_attribute": rf"^(?:my|our|the|{KIN}'?s|(?!what|which|who|when|how|why)\w+(?:'s)?) "
    rf"(?:[\w'-]+ ){{0,3}}{ATTRIBUTE}(?: (?:for|at|on|of) [\w' ]+)?(?: (?:again|please))*$",
    "told_of": r"^about (?:my|our|me|us)\b",
}
