"""Which predicates state which attribute? The table of statements the rules can read."""

import re
from dataclasses import dataclass

from memory_graph.llm.offline.statements import values
from memory_graph.llm.offline.statements.predicates import Predicate
from memory_graph.llm.offline.statements.values import Reader
from memory_graph.llm.offline.statements.vocabulary import CAR_MAKES, DIETS, OPERATING_SYSTEMS


@dataclass(frozen=True)
class Reading:
    """One attribute with its value, as a statement gave or took it."""

    attribute: str
    value: str | None
    retracts: bool = False


@dataclass(frozen=True)
class Pattern:
    """One way of stating an attribute."""

    attribute: str
    """May hold `{}` for the captured phrase: `taste:{}`; the value is then `yes` or `no`."""

    regex: re.Pattern[str]
    read: Reader
    yes: str | None = None
    no: str | None = None
    """The value a denial gives; without it, a denial retracts."""

    ends: bool = False
    """The statement itself says that something is over: `I left Acme`."""

    def readings(self, predicate: Predicate) -> tuple[Reading, ...]:
        """Return what the predicate states by this pattern, if anything."""
        match = self.regex.fullmatch(predicate.text)
        if match is None:
            return ()
        groups = match.groupdict()
        found = self.read(groups["v"]) if "v" in groups else ("",)
        if other := groups.get("other"):
            return tuple(_choice(value, other, predicate.negated) for value in found)
        return tuple(self._reading(value, predicate.negated) for value in found)

    def _reading(self, captured: str, negated: bool) -> Reading:
        attribute = self.attribute.format(captured)
        if self.yes is None:
            return Reading(attribute, captured or None, retracts=negated or self.ends)
        if not negated:
            return Reading(attribute, self.yes)
        return Reading(attribute, self.no, retracts=self.no is None)


def stating(
    attribute: str,
    regex: str,
    read: Reader = values.phrase,
    *,
    yes: str | None = None,
    no: str | None = None,
) -> Pattern:
    """Write one row of the table: the group `v` captures the value."""
    return Pattern(attribute, re.compile(regex, re.IGNORECASE), read, yes, no)


def ending(attribute: str, regex: str, read: Reader = values.phrase) -> Pattern:
    """Write one row for a statement that ends a fact."""
    return Pattern(attribute, re.compile(regex, re.IGNORECASE), read, ends=True)


def _choice(chosen: str, other: str, negated: bool) -> Reading:
    """File a preference under both alternatives, so that changing one's mind finds it."""
    rival = values.clean(other)
    pair = " or ".join(sorted((chosen, rival), key=str.casefold))
    return Reading(f"choice:{pair}", chosen, retracts=negated)


_V = r"(?P<v>.+?)"
_PAST = r"(?:have |be )?"
_MOVED = rf"{_PAST}(?:moved|relocated|move|relocate)(?: back| over)?(?: from .+?)? (?:to|into) {_V}"

_ANSWERS = r"(?:answers|replies|responses|explanations)"

HOME = (
    (
        stating("city", rf"live in {_V}", values.city),
        stating("city", rf"be (?:based|located|settled|living) (?:in|out of) {_V}", values.city),
        stating("city", rf"based in {_V}", values.city),
        stating("city", _MOVED, values.city),
    ),
    (
        stating("country", rf"(?:live|be (?:based|living)) in {_V}", values.country),
        stating("country", _MOVED, values.country),
    ),
    (
        stating("hometown", rf"be (?:originally )?from {_V}", values.place),
        stating(
            "hometown",
            rf"(?:grew up|was born|was raised|was born and raised) in {_V}",
            values.place,
        ),
        stating("hometown", rf"come from {_V}", values.place),
    ),
    (
        stating("timezone", rf"be in (?:the )?{_V} time ?zone", values.verbatim),
        stating("timezone", rf"be on {_V} time", values.verbatim),
    ),
)

_ROLE = r"(?:an?|the) [\w /-]+?"
WORK = (
    (
        stating(
            "job",
            rf"work (?:\w+ )?(?:(?:at|for) .+? )?as (?:an? |the )?{_V}",
            values.stated_occupation,
        ),
        stating(
            "job", r"be (?P<v>retired|self-employed|unemployed|a stay-at-home (?:mom|dad))(?:,.*)?"
        ),
        stating(
            "job",
            rf"{_PAST}(?:got |been )?(?:promoted|hired|appointed) (?:to|as) {_V}",
            values.stated_occupation,
        ),
        stating("job", rf"{_PAST}(?:became|become) {_V}", values.occupation),
        stating("job", rf"be (?:an? |the ){_V}", values.occupation),
        stating("job", rf"be {_V}", values.occupation),
    ),
    (
        stating("employer", rf"work (?:as {_ROLE} )?(?:at|for) {_V}", values.organisation),
        stating(
            "employer",
            rf"{_PAST}(?:started|accepted|got|start) (?:working |an? (?:new )?(?:job|position|role) )(?:at|with|for) {_V}",
            values.organisation,
        ),
        stating("employer", rf"{_PAST}joined (?P<v>[A-Z].*?)", values.organisation),
        stating(
            "employer", r"be (?:an?|the) [\w /-]+? at (?P<v>(?-i:[A-Z]).*?)", values.organisation
        ),
    ),
    (
        stating("studies", rf"study (?P<v>(?!at |in )[a-z].*?)(?: at .+)?", values.phrase),
        stating(
            "studies", rf"be (?:an? )?(?:[\w-]+-year )?(?P<v>(?!a |an )[\w ]+?) student(?: at .+)?"
        ),
        stating(
            "studies",
            rf"(?:be )?(?:do|doing|finishing|have|major|majoring)(?: an?| my)? ?(?:PhD|master's|masters|bachelor's|degree|MSc|BSc)? in {_V}(?: at .+)?",
        ),
        stating("studies", rf"{_PAST}(?:switched|changed) my major to {_V}"),
    ),
    (
        stating(
            "school", rf"(?:study|(?:be )?(?:do|doing) an? .+?) .*?\bat {_V}", values.organisation
        ),
        stating(
            "school",
            rf"{_PAST}(?:graduated from|go to|attend) (?P<v>(?-i:[A-Z]).*?)",
            values.organisation,
        ),
    ),
    (
        stating(
            "programming_language",
            rf"(?:code|program|write code|develop) in {_V}",
            values.programming_languages,
        ),
        stating("programming_language", rf"(?:write|use|know) {_V}", values.programming_languages),
    ),
)

PERSON = (
    (
        stating("age", rf"be {_V}", values.age),
        stating("age", rf"{_PAST}turn(?:ed)? {_V}(?: on .+| in .+)?", values.age),
        stating("birthday", rf"was born (?:on )?{_V}", values.birthday),
        stating("nationality", rf"be {_V}", values.nationality),
        stating(
            "relationship_status",
            r"be (?P<v>married|single|engaged|divorced|widowed|separated|in a relationship)(?: to .+| with .+)?",
        ),
        stating(
            "relationship_status",
            r"(?:got|have got|get) (?P<v>married|engaged|divorced)(?: to .+| in .+| last .+| on .+)?",
        ),
        stating("name", rf"be (?:called|named) {_V}", values.person_names),
        stating("name", rf"be {_V}", values.capitalised_name),
    ),
    (stating("pronouns", r"(?:use|go by) (?P<v>\w+/\w+)(?: pronouns)?", values.verbatim),),
    (stating("nickname", rf"go by (?:the name )?(?P<v>(?-i:[A-Z])\w+)", values.person_names),),
    (
        stating("children", r"have (?P<v>\w+) (?:kids|children)", values.count),
        stating("children", r"be .+? with (?P<v>\w+) (?:kids|children)", values.count),
    ),
    (stating("handedness", r"be (?P<v>left|right)-?handed"),),
    (
        stating("language", rf"speak {_V}", values.languages),
        stating("language", rf"be (?:fluent|native|bilingual) in {_V}", values.languages),
    ),
    (
        stating(
            "breed",
            r"be an? (?P<v>[\w ]*?(?:retriever|shepherd|beagle|hound|terrier|poodle|labrador|lab|husky|collie|corgi|bulldog|dachshund|spaniel|tabby|siamese|persian|maine coon|ragdoll|mutt|mix|pug|boxer|chihuahua))",
        ),
    ),
    (stating("height", r"be (?P<v>[\d.,]+ ?(?:m|cm|feet|ft)) tall"),),
    (stating("weight", r"weigh (?P<v>[\d.,]+ ?\w+)(?: and .*)?"),),
)

HEALTH = (
    (
        stating("diet", r"eat meat", yes="eats meat", no="no meat"),
        stating("diet", rf"be (?:an? |on (?:an? )?)?(?P<v>{DIETS})(?: diet)?(?: but .*)?"),
        stating(
            "diet",
            rf"(?:went|turned|became|have (?:gone|become)|go|eat|follow an?) (?P<v>{DIETS})(?: diet)?",
        ),
        stating("eats:{}", rf"eat {_V}", values.things, yes="yes", no="no"),
        stating("drinks:{}", rf"drink {_V}", values.things, yes="yes", no="no"),
        stating("smokes", r"smoke(?: cigarettes)?(?: in .*)?", yes="yes", no="no"),
    ),
    (
        stating("allergy", rf"be (?:\w+ )?allergic to {_V}", values.things),
        stating("allergy", rf"have an? (?:\w+ )?allergy to {_V}", values.things),
        stating("allergy", rf"have an? (?:severe |mild |bad )?{_V} allergy", values.things),
        stating("intolerance", rf"be {_V}[- ]intolerant"),
        stating("intolerance", rf"can not (?:have|eat|digest|tolerate) {_V}", values.things),
        stating(
            "condition",
            r"have (?P<v>asthma|diabetes|type \d diabetes|epilepsy|migraines?|adhd|arthritis|eczema|anxiety|depression|celiac disease|coeliac disease|high blood pressure|hypertension|insomnia|tinnitus|psoriasis|hay ?fever)",
        ),
        stating("condition", rf"(?:was|have been|got|be) diagnosed with {_V}"),
        stating("condition", rf"be {_V}", values.condition),
        stating(
            "condition",
            r"be (?P<v>(?:partially )?(?:deaf|blind)(?: in one (?:ear|eye))?|hard of hearing)",
        ),
        stating(
            "medication",
            r"take (?P<v>(?-i:[a-z])\w*(?:in|ol|ine|one|ium|pril|statin|ide|ate|cillin|zepam|xetine))\b.*",
        ),
        stating(
            "medication", r"be on (?P<v>\w+(?:formin|statin|pril|olol|cillin|zepam|xetine|insulin))"
        ),
    ),
)

PREFERENCE = (
    (
        stating(
            "theme",
            r"(?:prefer|like|love|use|have switched to|switched to|want) (?:the )?(?P<v>dark|light) (?:mode|theme)s?(?: .*)?",
        ),
        stating(
            "units",
            r"(?:prefer|use|like|want) (?:the )?(?P<v>metric|imperial)(?: units?| system| measurements)?",
        ),
        stating(
            "units",
            r"(?:prefer|use) (?P<v>celsius|fahrenheit|kilometers|kilometres|miles|kilos|pounds)",
        ),
        stating(
            "seat", r"(?:prefer|like|want) (?:an? |the )?(?P<v>window|aisle|middle) seats?(?: .*)?"
        ),
        stating(
            "clock",
            r"(?:prefer|use|like) (?:an? |the )?(?P<v>24|12)[- ]?h(?:our)?s?(?: clock| format| time)?",
            lambda v: (f"{v}-hour",),
        ),
        stating(
            "answer_style",
            rf"(?:prefer|like|want|would rather (?:have|get)) (?:your )?(?P<v>[\w -]+? {_ANSWERS}(?: with .*)?)",
            values.answer_style,
        ),
        stating(
            "choice", r"prefer (?P<v>.+?) (?:over|to|rather than) (?P<other>.+?)", values.things
        ),
        stating("editor", r"use (?P<v>[\w ]+?) as my (?:main )?(?:code |text )?editor"),
        stating(
            "taste:{}",
            rf"(?:like|love|enjoy|adore|prefer) {_V}",
            values.things,
            yes="like",
            no="dislike",
        ),
        stating(
            "taste:{}",
            rf"be (?:an? )?(?:big |huge )?(?:fan of|fond of|into|obsessed with|crazy about|keen on) {_V}",
            values.things,
            yes="like",
            no="dislike",
        ),
        stating(
            "taste:{}",
            rf"(?:hate|dislike|despise|detest|can not stand|can not bear) {_V}",
            values.things,
            yes="dislike",
        ),
    ),
)

BELONGINGS = (
    (
        stating("car", rf"drive (?:an? )?(?P<v>(?-i:[A-Z]).*?)"),
        stating(
            "car",
            rf"(?:{_PAST}(?:bought|got|leased)|have|own) (?:an? )?(?:new |used )?(?P<v>(?:{CAR_MAKES})\b.*?)",
        ),
        stating("car", r"(?:have|own) an? car"),
        stating(
            "os",
            rf"(?:use|run|be on|be running|have switched to|switched to|be using) (?P<v>(?:{OPERATING_SYSTEMS})(?: [\d.]+)?)",
        ),
        stating(
            "computer",
            r"(?:use|have|own|bought|got) (?:an? )?(?:new )?(?P<v>(?:macbook|thinkpad|dell|imac|mac mini|surface|framework laptop|chromebook)\b.*?)",
        ),
        stating(
            "phone",
            r"(?:use|have|own|bought|got) (?:an? )?(?:new )?(?P<v>(?:pixel|iphone|galaxy|fairphone|oneplus)\b.*?)",
        ),
        stating("tool", rf"(?:use|have switched to|switched to) {_V}", values.things),
    ),
)

INTERESTS = (
    (
        stating(
            "hobby",
            rf"play (?P<v>(?!with |around )(?:the )?\w+(?: \w+)?)",
            lambda v: (f"playing {values.clean(v)}",),
        ),
        stating("hobby", rf"{_PAST}(?:taken up|took up|gotten into|got into) {_V}"),
        stating("hobby", r"go to the gym.*", lambda v: ("going to the gym",)),
    ),
    (
        stating("goal", rf"train for {_V}", lambda v: (f"train for {values.clean(v)}",)),
        stating("goal", rf"save(?: up)? for {_V}", lambda v: (f"save up for {values.clean(v)}",)),
        stating(
            "goal",
            r"try to (?P<v>(?:lose|gain|quit|learn|save|read|run|write|get fit|get into|become) ?.*?)",
            values.verbatim,
        ),
        stating(
            "goal",
            r"learn (?P<v>(?!(?:that|about|how|a lot)\b).+?)",
            lambda v: (f"learn {values.clean(v)}",),
        ),
        stating(
            "goal",
            r"(?:want|plan|hope|aim) to (?P<v>(?:learn|become|lose|run|travel|visit|write|read|save|buy|study|quit|climb|start) .+?)",
            values.verbatim,
        ),
    ),
)

ENDINGS = (
    (
        ending(
            "employer",
            rf"{_PAST}(?:left|quit|resigned from|was (?:fired|laid off) (?:from|by)|got fired from) (?:my job (?:at|with) )?(?P<v>(?-i:[A-Z]).*?)",
            values.organisation,
        ),
        ending("car", r"(?:have )?(?:sold|got rid of|crashed|totalled) my (?:\w+ )?car"),
        ending("relationship_status", r"(?:have )?(?:broke|broken|split) up.*"),
        ending("name", r"(?:have )?(?:passed away|died|was put down|passed).*"),
        ending("tool", r"(?:have )?(?:switched|moved|migrated) from (?P<v>[\w.+# -]+?) to .*"),
        ending("hobby", r"(?:have )?(?:gave up|given up|quit|stopped) (?P<v>[a-z]\w+(?: \w+)?)"),
        ending("tool", r"(?:have )?(?:uninstalled|ditched|dropped) (?P<v>(?-i:[A-Z])\w+)"),
    ),
    (
        stating(
            "tool",
            r"(?:have )?(?:switched|moved|migrated) from [\w.+# -]+? to (?P<v>.+?)",
            values.things,
        ),
    ),
)

PREDICATES: tuple[tuple[Pattern, ...], ...] = (
    *HOME,
    *WORK,
    *PERSON,
    *HEALTH,
    *PREFERENCE,
    *BELONGINGS,
    *INTERESTS,
    *ENDINGS,
)
"""Within a group the first pattern that reads something wins; every group is tried."""


def read_predicate(predicate: Predicate) -> tuple[Reading, ...]:
    """Return everything a predicate states."""
    found: list[Reading] = []
    for group in PREDICATES:
        for pattern in group:
            if readings := pattern.readings(predicate):
                found.extend(readings)
                break
    return tuple(found)
