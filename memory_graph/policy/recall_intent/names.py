"""Does a question ask about a person the user knows by first name?

Only names that are not also common words are listed: `will`, `may`, `mark`, `grace` are out.
"""

import re
from collections.abc import Collection


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIRST_NAMES = _words(
    """
    aaron abby abigail adam adrian ahmed aisha alan albert alejandro alex alexander alexandra alexis
    ali alice alicia allison alyssa amanda amber amelia amir amy ana andre andrea andrew andy angela
    anita anna anne annie anthony anton antonio arthur ashley audrey barbara beatrice becky ben
    benjamin beth betty beverly bianca bob bobby brandon brenda brian bruce bryan caleb calvin
    camille carl carla carlos carmen carol caroline carolyn cassandra catherine cathy charles
    charlie charlotte chloe chris christian christina christine christopher cindy claire clara
    connor craig cynthia dan daniel daniela danny dave david deborah debra denise dennis derek diana
    diane diego dominic donald donna dorothy doug douglas dylan edward eileen elena eli elijah
    elizabeth ella ellen emily emma eric erica erik erin esther ethan eva evan evelyn fatima felix
    fernando fiona francesca francis frank gabriel gary gemma george gina giulia gloria greg gregory
    hana hannah harold harry hassan heather helen henry holly hugo ian ibrahim ines ingrid irene
    isaac isabel isabella ivan jackie jacob jake james jamie jan jane janet jason javier jean jeff
    jeffrey jenna jennifer jenny jeremy jerry jesse jessica jessie jill jim jimmy joan joanna joe
    joel johanna john johnny jolene jon jonas jonathan jose joseph josh joshua juan judith judy
    julia julian julie justin kai karen karl kate katherine kathleen kathy katie kayla keith kelly
    ken kenneth kevin kim kimberly klaus kristen kyle lara larry laura lauren lea leah lena leo
    leon leonard leslie liam lily linda lisa liz logan lorenzo louis louise lucas lucy luis luke
    luna lydia madison maggie marcus margaret maria marie marina mario martha martin mary mason
    mateo matt matthew maya megan mei melanie melissa michael michelle miguel mike mila milo mohamed
    molly monica nadia nancy naomi natalia natalie natasha nate nathan neil nicholas nick nicole
    nikhil nina noah nora olga oliver olivia omar oscar pablo pamela patricia patrick paul paula
    pedro peter philip phoebe priya rachel raj ralph raphael raymond rebecca ricardo richard rita
    robert roberto robin roger ronald rosa ruth ryan sam samantha samuel sandra sara sarah scott
    sean sebastian sergio shannon sharon shirley silvia simon sofia sophia sophie stacy stefan
    stephanie stephen steve steven stuart susan sylvia tanya tara teresa theresa thomas tim timothy
    tina todd tom tommy tony tracy tyler valerie vanessa veronica victor victoria vincent virginia
    walter wendy william yasmin yuki yusuf zachary zoe
    """
)

_FOLLOWS = _words(
    """
    a about accept across add after afraid agree allergic also and another apply arrive as ask at
    attend away bake be become been before begin believe book break bring build buy call cancel
    celebrate change choose clean close coach collect come complete consider contact cook
    create currently deal done gone seen taken given made bought found met told lost won had written
    mainly moved decide describe design discover discuss do doing draw drink drive during
    earn eat end enjoy enter ever expect experience explain face feel felt find finish first fix
    fly for forget from gain get getting give go going graduate grow happy have having hear help
    hike hope hurt in interested into invite join keep know last learn leave lend like listen live
    look lose love make manage married meet mention miss most move name need new not now off offer
    on open order organize original over own paint participate pass pay pick planning plan plant
    plants play post prefer prepare propose publish pursue put quit ran react read reading ready
    realize receive recently recommend record relax release renovate research return run say see
    sell send set share show sing single sleep so spend start starting stay still stop study suffer
    suggest support take talk teach tell their think to travel trying try turn upset use
    usually vegetarian vegan visit volunteer wait want watch wear when win with work working worry
    write
    """
)
"""Words that may follow a bare first name; anything else there is taken for a surname."""

_PRECEDES = _words(
    """
    about after and are at between both by did do does for from had has have in is might of than
    that to was were when who will with would
    """
)
_SUFFIXED = re.compile(r".{3,}(?:ing|ed)$")


def asks_about_named_person(question: str, known_names: Collection[str]) -> bool:
    """Return whether `question` is about somebody called by first name alone.

    Args:
        question: The asking part of a message, lower-cased.
        known_names: Lower-cased names from the user's own memory, beside the common ones.
    """
    words = question.replace(",", "").split()
    return any(
        before in _PRECEDES and _is_bare_name(word, after, known_names)
        for before, word, after in zip(words, words[1:], [*words[2:], ""], strict=False)
    )


def _is_bare_name(word: str, after: str, known_names: Collection[str]) -> bool:
    name = word.removesuffix("'s")
    if name not in FIRST_NAMES and name not in known_names:
        return False
    is_surname = after and after not in _FOLLOWS and not _SUFFIXED.match(after)
    return name != word or not is_surname
