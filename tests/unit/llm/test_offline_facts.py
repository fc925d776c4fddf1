"""Which facts do the offline rules read in a message, and which do they refuse?"""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.llm.offline.facts import extract_facts
from memory_graph.policy.keys import fact_key, resolve_entity

TODAY = date(2026, 11, 16)


def told(*texts):
    """Return `key=value` of each fact, with a minus before what is retracted."""
    return [
        f"{'-' if fact.retracts else ''}{fact_key(fact)}={fact.value}"
        for fact in extract_facts(texts, today=TODAY)
    ]


STATED = {
    "name and pet": (
        "Hi, I am Ana. My cat Luna is 3.",
        ["profile:name=Ana", "profile:pet:luna:age=3"],
    ),
    "nickname": ("call me Annie", ["profile:nickname=Annie"]),
    "pronouns": ("my pronouns are she/her", ["profile:pronoun=she/her"]),
    "age": ("I turned 30 last Saturday.", ["profile:age=30"]),
    "birthday": ("my birthday is March 3rd", ["profile:birthday=3 March"]),
    "city": ("I live in Lisbon.", ["profile:city=Lisbon"]),
    "city in lower case": ("i live in porto with my girlfriend", ["profile:city=Porto"]),
    "country": ("I live in Canada.", ["profile:country=Canada"]),
    "move": ("actually I moved to Porto", ["profile:city=Porto"]),
    "home town": ("I grew up in Cork.", ["profile:hometown=Cork"]),
    "job and employer": (
        "I work as a data engineer at Acme",
        ["work:job=data engineer", "work:employer=Acme"],
    ),
    "job in apposition": (
        "I'm a software engineer working at Siemens.",
        ["work:job=software engineer", "work:employer=Siemens"],
    ),
    "role in passing": (
        "As a nurse, I work a lot of night shifts.",
        ["work:job=nurse"],
    ),
    "studies": (
        "I'm studying biology at the University of Leeds.",
        ["work:study=biology", "work:school=University of Leeds"],
    ),
    "relationship": ("We got engaged last weekend!", ["profile:relationship-status=engaged"]),
    "children": ("I have two kids.", ["profile:children=2"]),
    "taste": (
        "I love spicy food and hate cilantro.",
        ["preference:taste:spicy-food=like", "preference:taste:cilantro=dislike"],
    ),
    "favourite": ("My favorite color is green.", ["preference:favourite:colour=green"]),
    "favourite, inverted": (
        "Dune is my favourite book.",
        ["preference:favourite:book=Dune"],
    ),
    "editor": ("My favourite editor is Vim", ["preference:editor=Vim"]),
    "theme": ("I prefer dark mode", ["preference:theme=dark"]),
    "choice": ("I prefer tea over coffee.", ["preference:choice:coffee-or-tea=tea"]),
    "answer style": (
        "Please keep your answers short from now on.",
        ["preference:answer-style=short"],
    ),
    "diet": ("I'm vegetarian", ["health:diet=vegetarian"]),
    "allergies": (
        "I'm allergic to peanuts and shellfish",
        ["health:allergy:peanut=peanuts", "health:allergy:shellfish=shellfish"],
    ),
    "intolerance": ("I'm lactose intolerant.", ["health:intolerance:lactose=lactose"]),
    "languages": (
        "I speak Portuguese and German",
        ["profile:language:portuguese=Portuguese", "profile:language:german=German"],
    ),
    "programming": (
        "I mostly code in Python and Go.",
        ["work:programming-language:python=Python", "work:programming-language:go=Go"],
    ),
    "tools": ("I use Neovim every day.", ["work:tool:neovim=Neovim"]),
    "native language": ("My mother tongue is Tamil.", ["profile:native-language=Tamil"]),
    "time zone": ("my time zone is Europe/Lisbon", ["profile:timezone=Europe/Lisbon"]),
    "car": ("I drive a Toyota Corolla.", ["profile:car=Toyota Corolla"]),
    "phone": ("My phone is a Pixel 9.", ["profile:phone=Pixel 9"]),
    "hobby": ("I play the cello.", ["profile:hobby:playing-the-cello=playing the cello"]),
    "goal": ("I'm training for a marathon.", ["goal:train-for-a-marathon=train for a marathon"]),
    "event": ("my wedding is on 12 June 2027", ["goal:event:wedding=2027-06-12"]),
    "form": ("Name: Ana\nCity: Porto", ["profile:name=Ana", "profile:city=Porto"]),
    "bullets": (
        "- I live in Oslo\n- I'm vegan",
        ["profile:city=Oslo", "health:diet=vegan"],
    ),
    "polite condition": ("If it helps, I'm vegetarian.", ["health:diet=vegetarian"]),
    "on the way to a question": (
        "Since I live in Denver, what hikes do you suggest?",
        ["profile:city=Denver"],
    ),
    "several in one sentence": (
        "I live in Ghent, work as a translator, and have a dog called Otto.",
        ["profile:pet:otto:name=Otto", "profile:city=Ghent", "work:job=translator"],
    ),
}

ABOUT_OTHERS = {
    "sister by name": ("my sister Eva lives in Berlin", ["profile:person:eva:city=Berlin"]),
    "sister": ("my sister is a nurse", ["profile:sister:job=nurse"]),
    "mother's birthday": ("My mom's birthday is June 21.", ["profile:mother:birthday=21 June"]),
    "partner's diet": ("My partner is vegan.", ["profile:partner:diet=vegan"]),
    "introduced": ("I have a cat called Luna.", ["profile:pet:luna:name=Luna"]),
    "breed": (
        "My dog is called Biscuit and he's a golden retriever.",
        ["profile:pet:biscuit:name=Biscuit", "profile:pet:biscuit:breed=golden retriever"],
    ),
    "relative clause": (
        "We have a son named Max who is 3.",
        ["profile:person:max:name=Max", "profile:person:max:age=3"],
    ),
    "colleague": (
        "My colleague Priya is allergic to nuts.",
        ["profile:person:priya:allergy:nut=nuts"],
    ),
}

CHANGED = {
    "no longer": ("I no longer eat meat", ["health:diet=no meat"]),
    "not any more": ("I'm not vegetarian any more.", ["-health:diet=vegetarian"]),
    "taste turned": ("I don't like olives any more.", ["preference:taste:olive=dislike"]),
    "stopped working": ("I stopped working at Acme.", ["-work:employer=Acme"]),
    "left": ("I left Google last week.", ["-work:employer=Google"]),
    "sold": ("I don't have a car any more.", ["-profile:car=None"]),
    "not after all": (
        "It turns out I'm not allergic to shellfish after all.",
        ["-health:allergy:shellfish=shellfish"],
    ),
    "switched tools": (
        "I switched from Vim to Helix.",
        ["-work:tool:vim=Vim", "work:tool:helix=Helix"],
    ),
    "old and new": ("I used to live in Rome, now I live in Turin.", ["profile:city=Turin"]),
    "died": ("My cat Luna passed away.", ["-profile:pet:luna:name=Luna"]),
    "right, not wrong": ("No, my name is Joana, not Joanna.", ["profile:name=Joana"]),
    "forget a statement": ("Forget that I like olives.", ["-preference:taste:olive=None"]),
    "forget a noun": ("Please forget my address.", ["-profile:address=None"]),
}

IN_CONTEXT = {
    "she": (
        ("I have a cat called Luna.", "She turned 4 yesterday!"),
        ["profile:pet:luna:age=4"],
    ),
    "her": (
        ("My mother is visiting.", "Her birthday is on 9 May."),
        ["profile:mother:birthday=9 May"],
    ),
    "a name met before": (
        ("My brother Tom just called me.", "Tom works at Tesla."),
        ["profile:person:tom:employer=Tesla"],
    ),
    "meant": (("I live in Lisbon.", "I meant Porto, not Lisbon."), ["profile:city=Porto"]),
    "spelled": (("My name is Ana.", "It's spelled Anna."), ["profile:name=Anna"]),
    "there": (("I work at Bosch.", "I don't work there anymore."), ["-work:employer=Bosch"]),
    "only the last is mined": (("I live in Lisbon.", "I'm 34."), ["profile:age=34"]),
}

REFUSED = {
    "question": "Am I allergic to peanuts?",
    "request to confirm": "So I live in Rome, right?",
    "hypothetical": "If I lived in Rome I would eat pasta every day.",
    "wish": "I wish I had a dog.",
    "roleplay": "Imagine I'm a pirate.",
    "roleplay with a name": "Pretend I'm your boss and my name is Victor.",
    "fiction": "In the story, I am a knight and my horse is called Storm.",
    "supposition": "For the sake of argument, I work at Apple.",
    "somebody's own words": 'She said "I am a doctor".',
    "reported speech": "He said he's a lawyer.",
    "translation": "Translate: I am a doctor and I live in Paris.",
    "dictation": "Write a bio: I am a chef from Lyon and I love cheese.",
    "code": '```\nprint("I live in Lisbon")\n```',
    "transcript": "Tom: I live in Madrid\nAna: I live in Rome\nWho lives in Rome?",
    "mood": "I'm hungry.",
    "place of the moment": "I'm at the airport.",
    "work at hand": "I'm trying to install numpy.",
    "idiom": "I live in fear of merge conflicts.",
    "unsure": "I'm not sure I like this design.",
    "guess": "I think I might move to Spain one day.",
    "pointing": "I prefer the second option.",
    "near miss of an age": "I'm 5 minutes late.",
    "near miss of a move": "We moved the files to S3.",
    "a move of tools": "We moved to Kubernetes.",
    "near miss of a job": "I'm a bit confused.",
    "something made": "I made a cake yesterday.",
    "vague correction": "I meant the second option.",
    "past": "I never lived in Japan.",
    "city's age": "Paris is 2000 years old.",
    "passing visit": "I'm in Paris this week for a conference.",
    "plan": "We're thinking about moving to Portugal.",
    "other people's words about a taste": "I like your answer.",
}


@pytest.mark.parametrize(("text", "facts"), STATED.values(), ids=STATED)
def test_a_statement_about_the_user_is_read(text, facts):
    assert told(text) == facts


@pytest.mark.parametrize(("text", "facts"), ABOUT_OTHERS.values(), ids=ABOUT_OTHERS)
def test_a_statement_about_somebody_else_is_kept_as_theirs(text, facts):
    assert told(text) == facts


@pytest.mark.parametrize(("text", "facts"), CHANGED.values(), ids=CHANGED)
def test_a_change_is_filed_under_the_key_it_changes(text, facts):
    assert told(text) == facts


@pytest.mark.parametrize(("texts", "facts"), IN_CONTEXT.values(), ids=IN_CONTEXT)
def test_earlier_messages_tell_who_and_what_is_meant(texts, facts):
    assert told(*texts) == facts


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_the_user_does_not_vouch_for_is_refused(text):
    assert told(text) == []


SENTENCES = {
    "pet": ("My cat Luna is 4.", "The user's cat Luna is 4 years old."),
    "city": ("I live in Porto.", "The user lives in Porto."),
    "allergy": ("I'm allergic to peanuts.", "The user is allergic to peanuts."),
    "relative's job": (
        "My sister Eva works as a nurse.",
        "The user's sister Eva works as a nurse.",
    ),
    "vowel": ("I'm an architect.", "The user works as an architect."),
    "denial": ("I don't eat pork.", "The user does not eat pork."),
    "plural": ("My parents live in Graz.", "The user's parents live in Graz."),
    "favourite": ("My favourite band is Muse.", "The user's favourite band is Muse."),
    "introduction": ("I have a dog named Rex.", "The user has a dog called Rex."),
    "forgotten": ("Forget my birthday.", "The user's birthday is no longer what was told."),
}


@pytest.mark.parametrize(("text", "statement"), SENTENCES.values(), ids=SENTENCES)
def test_the_statement_is_a_clean_sentence_in_the_third_person(text, statement):
    assert [fact.statement for fact in extract_facts([text], today=TODAY)] == [statement]


def test_a_name_nobody_introduced_waits_for_memory_to_say_who_it_is():
    (fact,) = extract_facts(["Luna turned 4 yesterday!"], today=TODAY)

    assert (fact.entity, fact.entity_kind, fact.attribute, fact.value) == ("Luna", None, "age", "4")
    assert fact_key(fact) is None
    assert fact_key(resolve_entity(fact, {"luna": "cat"})) == "profile:pet:luna:age"


def test_only_events_carry_a_date():
    age, wedding = extract_facts(
        ["I turned 30 yesterday. My wedding is on 12 June 2027."], today=TODAY
    )

    assert age.event_date is None
    assert wedding.event_date == date(2027, 6, 12)


def test_a_day_without_a_year_is_the_coming_one():
    (flight,) = extract_facts(["My flight to Rome is on 3 January."], today=TODAY)

    assert flight.event_date == date(2027, 1, 3)


def test_a_month_alone_is_not_made_a_day():
    (move,) = extract_facts(["I'm moving to Oslo in March."], today=TODAY)

    assert (move.value, move.event_date) == ("2027-03", None)


def test_a_day_that_does_not_exist_makes_no_event():
    assert extract_facts(["My exam is on 31 February 2027."], today=TODAY) == ()


def test_importance_follows_the_attribute_and_whose_it_is():
    text = "I'm allergic to nuts. I play tennis. My son Leo is 7. Leo is allergic to eggs."

    facts = extract_facts([text], today=TODAY)

    assert [fact.importance for fact in facts] == [5, 2, 4, 5]


def test_no_messages_hold_no_facts():
    assert extract_facts([], today=TODAY) == ()


FRAGMENTS = st.sampled_from(
    [
        "I am",
        "I have",
        "my sister",
        "my cat",
        "Luna",
        "'s",
        "not",
        "no longer",
        "called",
        "named",
        "live in",
        "like",
        "and",
        "or",
        ",",
        ".",
        "?",
        ":",
        "is",
        "was born on",
        "31 February",
        "2027-13-45",
        "0",
        "a",
        "the",
        "turned",
        "4",
        "forget",
        "that",
        "it's spelled",
        "I meant",
        "{}",
        "%s",
        "work at",
        "as",
        "Acme",
        "favourite",
        "over",
        "prefer",
        "who",
        "used to",
        "stopped",
        "eating",
        '"',
        "'",
        "(",
        ")",
        "\n",
        "é",
        "日本",
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=25).map(" ".join)))
def test_no_message_breaks_the_reader(text):
    for fact in extract_facts(["I have a cat called Luna. I like jazz.", text], today=TODAY):
        assert fact.attribute
        assert fact.statement.endswith(".")


def test_the_longest_sentence_still_makes_a_valid_statement():
    (fact,) = extract_facts(["My favourite band is " + "x" * 370], today=TODAY)

    assert len(fact.statement) <= 500
