"""Does a question ask about a person the user knows by first name?

Only names that are not also common words are listed: `will`, `may`, `mark`, `grace` are out.
"""

import re
from collections.abc import Collection


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIRST_NAMES = _words(
    """
    aaron abby abigail adam adele adrian ahmed aidan aisha alan alana albert alejandro alex
    alexander alexandra alexis ali alice alicia alina allison alma alyssa amanda amara amber amelia
    amir amy ana andre andrea andrew andy angela angelo anita anna anne annie annika anthony anton
    antonio arjun arthur ashley astrid audrey ava axel barbara beatrice becky bella ben benjamin
    bernard beth betty beverly bianca bill bob bobby brandon brenda brian brianna bridget brooke
    bruce bryan caleb callum calvin camille carl carla carlo carlos carly carmen carol caroline
    carolyn cassandra catherine cathy cecilia celine charles charlie charlotte chiara chloe chris
    christian christina christine christopher cindy claire clara clarissa clark colin connor corey
    craig curtis cynthia damian dan daniel daniela danielle danny darren dave david deborah debra
    deepak delia denise dennis derek diana diane diego dimitri dmitri dominic donald donna dorothy
    doug douglas dylan edith edward edwin eileen elaine eleanor elena eli elias elijah elise eliza
    elizabeth ella ellen elsa emil emilia emilio emily emma enrique eric erica erik erika erin
    ernesto estelle esther ethan eugene eva evan evelyn fabian fatima fatma felix fernando fiona
    francesca francis frank freya gabriel gail gareth gary gavin gemma geoff george gerald gilbert
    gina giovanni giulia gloria greg gregory greta gustavo hamza hana hannah harold harriet harry
    harvey hassan heather heidi helen helga henry holly hugo ian ibrahim imani ines inga ingrid
    irene iris isaac isabel isabella isla ivan jackie jacob jada jaden jake jamal james jamie jane
    janet jasmine jason javier jean jeanne jeff jeffrey jenna jennifer jenny jeremy jerome jerry
    jesse jessica jessie jill jim jimmy jo joan joanna joe joel joey johanna john johnny jolene jon
    jonas jonathan jose joseph josephine josh joshua juan judith judy julia julian julie justin kai
    karen karim karina karl kate katherine kathleen kathy katie katrin kayla keith kelly ken kendra
    kenneth kevin khalid kim kimberly klaus kristen kurt kyle lara larry lars laura lauren lea leah
    leila lena leo leon leonard leslie leticia liam lila lillian lily linda lisa liz logan lola
    lorenzo lorraine louis louise lucas lucy luis lukas luke luna lydia mabel madison maggie malik
    mara marcel marco marcus margaret margot maria mariana marie marina mario marisol marta martha
    martin marvin mary mason mateo mathilde matt matthew mauricio maya megan mei mel melanie melinda
    melissa mia michael michelle miguel mike mila milo miranda miriam mohamed molly monica moritz
    nadia nadine nancy naomi natalia natalie natalya natasha nate nathan neil nell niamh nicholas
    nick nico nicole nikhil niklas nina noah noor nora norma olga oliver olivia omar oscar owen
    pablo paige pamela paolo pascal patricia patrick paul paula pedro penelope peter petra philip
    phoebe pierre priya rachel rafael raj ralph ramon raphael raquel rashid raymond rebecca regina
    renata rhonda ricardo richard ricky rita robert roberto robin roger ronald rosa rosalind roxanne
    ruben ruth ryan sabrina sadie salma sam samantha sami samuel sandra sanjay sara sarah sasha
    scott sean sebastian selena serena sergio shane shannon sharon shaun sheila shirley silas silvia
    simon sofia sonia sonja sophia sophie stacey stacy stefan stella stephanie stephen steve steven
    stuart sunil susan susanna suzanne sven sylvia tamara tanisha tanya tara tariq tatiana teresa
    tess tessa theresa thomas tim timothy tina tobias toby todd tom tommy tony tracy trevor trisha
    tyler ursula valentina valerie vanessa vera veronica victor victoria vikram vincent virginia
    vivian vladimir wade walter wanda warren wendy wesley william winston xavier yara yasmin yolanda
    yuki yusuf yvonne zachary zara zeynep zoe
    """
)

_FOLLOWS = _words(
    """
    a about accept accomplish achieve acquire across add admire admit adopt afraid after agree
    allergic allow also always and announce another answer appear apply appreciate approach are
    argue arrange arrive as ask assist at attend avoid away bake be because become been before begin
    believe bike book borrow bought break bring browse build burn buy call cancel capture care carry
    catch celebrate change check cheer choose clean climb close coach collect combine come commute
    compare compete complain complete compose concentrate confess confide connect consider contact
    convince cook cope cover crave create currently cut cycle dance date deal decide declare
    dedicate deliver demonstrate deny describe design develop disagree discover discuss dislike dive
    divorce do doing donate done download draw dream dress drink drive drop during earn eat embark
    encounter encourage end engage enjoy enter ever exchange exercise expect experience explain
    explore express face fail fall feed feel felt fight film find finish first fix fly focus follow
    for forget foster found from gain get getting gift give given go going gone graduate grill grow
    guide had handle hang happy has hate have having heal hear help her hide hike hire his hit hope
    host hurt identify illustrate imagine improve in injure inspire install interested interview
    into introduce invest invite is jog join joke journal just keep knit know land last laugh launch
    lead learn leave lend lift like likely listen live lock look lose lost love made mainly make
    manage married marry meditate meet mention mentor met miss most move moved name navigate need
    never new not notice now nurture observe obtain occur off offer often on open or order organize
    original over overcome owe own pack paint park partake participate particularly pass pay perform
    persuade photograph pick plan planning plant plants play post practice practise pray prefer
    prepare present prioritize promise promote propose protect prove provide publish purchase pursue
    push put quit quote raise ran reach react read reading ready realize really recall receive
    recently recommend reconnect record recover reflect relate relax release rely remember remind
    renovate rent repair replace represent request rescue research resolve respond rest retire
    return reveal review ride run sail save say score search see seek seem seen sell send serve set
    settle sew share shoot shop show shut sign since sing single skate sketch ski skip sleep smoke
    so solve spend spot stand start starting stay stick still stop store struggle study submit
    succeed suffer suggest support surprise survive swim switch take taken talk teach team tell tend
    thank their think throw to today together told track train travel treat trust try trying turn
    undergo understand upgrade upset use used usually value vegan vegetarian vent view visit
    volunteer wait wake walk wander want was wash watch wear welcome were when while win wish with
    without woke won wonder work working worry write written wrote yell yesterday
    """
)
"""Words that may follow a bare first name; anything else there is taken for a surname."""

_PRECEDES = _words(
    """
    about according after and are at between both by did do does for from gave had has have help
    helps in inspires invited is made makes met might motivates of or supports than that to told was
    were when who who's will with would
    """
)
_DO = _words("did didn't do does doesn't")
_CLOSED_CLASS = _words(
    """
    a about after an and around as at away back because before by down during for from her his how
    if in into its most my off on or our out over that the their this through to together up when
    where which while who why with without
    """
)
"""Words that follow a verb and never a surname that still waits for its verb."""

_PUBLIC = re.compile(
    r"'s (?:law|laws|triangle|theorem|secret|principle|equation|paradox|disease|syndrome|rule|"
    r"constant|razor|test|vineyard|day|cathedral|square|wort|comet)\b|"
    r"\b(?:bible|myth|mythology|legend|fairy tale|opera|musical|king|queen|emperor|empress|pope|"
    r"saint|apostle|prophet)\b|"
    r"\bin (?:the )?(?:[\w' -]+ )?(?:books?|novels?|films?|movies?|series|play|show|story)$"
)
"""Names in science, business and fiction that nobody in the user's life has."""

_TELLING = re.compile(
    r"^(?:please |can you |could you |so |ok )*(?:describe|summari[sz]e|recap|"
    r"tell me (?:\w+ )?(?:about|of)|what about|look up|search for|"
    r"find (?:messages|anything|everything|notes|discussions) (?:about|on)|"
    r"give me details (?:about|on|of))\b"
)
_SUFFIXED = re.compile(r".{3,}(?:ing|ed)$")


_ABOUT_THE_NAME = re.compile(
    r"\b(?:rhymes?|spell\w*|pronounc\w*|surname|etymology)\b|\bname(?! of\b)|"
    r"\b(?:should|would|could|can|might|must|if)\b"
)
"""Asks about the name itself, or for advice or a guess, not for what is known of its bearer."""


def asks_about_named_person(question: str, known_names: Collection[str]) -> bool:
    """Return whether `question` is about somebody called by first name alone.

    Args:
        question: The asking part of a message, lower-cased.
        known_names: Lower-cased names from the user's own memory, beside the common ones.
    """
    if _PUBLIC.search(question) or _ABOUT_THE_NAME.search(question):
        return False
    if any(" " in name and name in question for name in known_names):
        return True
    words = question.replace(",", "").split()
    return any(
        _is_called(words, position, known_names)
        or (word.removesuffix("'s") in FIRST_NAMES and _is_bare_name(words, position))
        for position, word in enumerate(words)
    )


def asks_to_tell_of(sentence: str, known_names: Collection[str]) -> bool:
    """Return whether the lower-cased `sentence` tells the agent to tell of a known person."""
    telling = _TELLING.search(sentence)
    if not telling or _ABOUT_THE_NAME.search(sentence, telling.end()):
        return False
    words = f"{sentence[telling.end() :]} ".replace("'s ", " ")
    return any(f" {name} " in words for name in known_names)


def _is_called(words: list[str], position: int, known_names: Collection[str]) -> bool:
    # A name the user's memory holds needs no proof that no surname follows.
    if words[position].removesuffix("'s") not in known_names:
        return False
    before = words[position - 1] if position else ""
    return before in _PRECEDES | _DO or before.endswith("'s") or bool(_SUFFIXED.match(before))


def _is_bare_name(words: list[str], position: int) -> bool:
    before = words[position - 1] if position else ""
    after, beyond = (*words[position + 1 : position + 3], "", "")[:2]
    if before not in _PRECEDES | _DO and not _SUFFIXED.match(before):
        return False
    if not after or words[position].endswith("'s"):
        return True
    is_verb = before in _DO and (not beyond or beyond in _CLOSED_CLASS)
    return is_verb or after in _FOLLOWS or bool(_SUFFIXED.match(after))
