"""What is read from a message, and what is not."""

from datetime import date

import pytest

from memory_graph.keys import fact_key
from memory_graph.language.facts import read_facts

TODAY = date(2026, 11, 16)


def told(*texts: str) -> list[str]:
    """Return the facts of the last text as `entity.attribute=value`, a minus before what ended."""
    facts = [read.candidate for read in read_facts(texts, "en")]
    return [
        f"{'-' if fact.retracts else ''}{fact.entity}.{fact.attribute}={fact.value or ''}"
        for fact in facts
    ]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("im max", ["user.name=Max"]),
        ("my name's ana", ["user.name=Ana"]),
        ("hey there, name's Carlos, nice to meet you", ["user.name=Carlos"]),
        ("Hi, I'm Shaan, a recent grad", ["user.name=Shaan"]),
        ("Hello! I'm Akib and I need help", ["user.name=Akib"]),
        ("My name is Alex Chen.", ["user.name=Alex Chen"]),
        ("call me Jo", ["user.nickname=Jo"]),
        ("Please address me as Dr Patel.", ["user.nickname=Dr Patel"]),
        ("No, my name is Joana, not Joanna.", ["user.name=Joana"]),
        ("I'm 34", ["user.age=34"]),
        ("im 22 and study psychology", ["user.age=22"]),
        ("I just turned 32 last month", ["user.age=32"]),
        ("My birthday is 3 May", ["user.birthday=3 May"]),
        ("I was born on 14 July 1988.", ["user.birthday=14 July 1988"]),
        ("I have two kids.", ["user.children=2"]),
        ("I got married in June.", ["user.relationship_status=married"]),
    ],
)
def test_who_the_user_is(text: str, facts: list[str]) -> None:
    assert told(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("i live in lisbon", ["user.city=Lisbon"]),
        ("I live in Paris, Texas", ["user.city=Paris, Texas"]),
        (
            "I've been living in Tokyo, Japan for 8 months now",
            ["user.city=Tokyo", "user.country=Japan"],
        ),
        ("live in berlin w my gf sara", ["user.city=Berlin", "Sara.name=Sara"]),
        ("we've moved to Porto", ["user.city=Porto"]),
        ("just moved from Porto to Lyon", ["user.city=Lyon"]),
        ("just moved back to Lyon", ["user.city=Lyon"]),
        ("Just got married", ["user.relationship_status=married"]),
        ("I moved to Denver two weeks ago", ["user.city=Denver"]),
        ("I live in New York, so I'd prefer JFK", ["user.city=New York"]),
        ("I recently relocated from Boston to Austin.", ["user.city=Austin"]),
        ("based in Berlin, working as a nurse", ["user.city=Berlin", "user.job=nurse"]),
        ("I live in Canada.", ["user.country=Canada"]),
        ("I'm from the UK", ["user.hometown=the UK"]),
        ("I grew up in Cork.", ["user.hometown=Cork"]),
        ("I'm a nurse at St Mary's", ["user.job=nurse", "user.employer=St Mary's"]),
        ("I work nights as an ER nurse", ["user.job=ER nurse"]),
        (
            "I work at Google as a software engineer",
            ["user.job=software engineer", "user.employer=Google"],
        ),
        ("I am a solicitor and construction lawyer", ["user.job=solicitor"]),
        ("I'm a nursing student at Dartmouth College", ["user.job=nursing student"]),
        ("I'm Lea, 29, living in Vienna.", ["user.name=Lea", "user.city=Vienna", "user.age=29"]),
        ("movd to hamburg last weekend", ["user.city=Hamburg"]),
        ("Since I live in Denver, what hikes do you suggest?", ["user.city=Denver"]),
        ("What should I cook? My son is allergic to eggs.", ["son.allergy=eggs"]),
    ],
)
def test_where_the_user_lives_and_works(text: str, facts: list[str]) -> None:
    assert told(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("my wife Ana", ["Ana.name=Ana"]),
        ("Our neighbour Ruth has a husband called Piet", ["Ruth.name=Ruth"]),
        ("He has a cat named Milo.", []),
        ("My sister is called Anu", ["Anu.name=Anu"]),
        ("My wife's name is Sara.", ["Sara.name=Sara"]),
        ("I have a cat named Luna and a dog named Max.", ["Luna.name=Luna", "Max.name=Max"]),
        ("I have two sons, Leo and Sam", ["Leo.name=Leo", "Sam.name=Sam"]),
        ("My kids are Max and Nora", ["Max.name=Max", "Nora.name=Nora"]),
        ("I went there with my best friend, Rachel, today", ["Rachel.name=Rachel"]),
        ("My cat Luna is 3.", ["Luna.age=3"]),
        ("luna turned 4", ["Luna.age=4"]),
        ("luna is 4 now", ["Luna.age=4"]),
        ("My mom's birthday is June 21.", ["mother.birthday=21 June"]),
        ("My brother lives in Linz", ["brother.city=Linz"]),
    ],
)
def test_family_friends_and_pets(text: str, facts: list[str]) -> None:
    assert told(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("allergic 2 peanuts btw", ["user.allergy=peanuts"]),
        ("I have a severe nut allergy.", ["user.allergy=nut"]),
        ("I'm vegan now.", ["user.diet=vegan"]),
        ("I'm lactose intolerant", ["user.intolerance=lactose"]),
        ("I have Crohn's disease.", ["user.condition=Crohn's disease"]),
        (
            "I love spicy food and hate cilantro.",
            ["user.taste:spicy food=like", "user.taste:cilantro=dislike"],
        ),
        ("I really love Thai food, especially green curry.", ["user.taste:Thai food=like"]),
        ("I prefer natural and organic products", ["user.taste:natural and organic products=like"]),
        ("my favorite color is green", ["user.favourite:colour=green"]),
    ],
)
def test_health_and_taste(text: str, facts: list[str]) -> None:
    assert told(text) == facts


@pytest.mark.parametrize(
    ("texts", "facts"),
    [
        (["I quit my job at Acme"], ["-user.employer=Acme"]),
        (["I work at Acme", "I quit my job"], ["-user.employer="]),
        (["I don't live in Boston anymore."], ["-user.city=Boston"]),
        (["I'm not vegan any more"], ["-user.diet=vegan"]),
        (["we broke up"], ["-user.relationship_status="]),
        (["we got divorced"], ["user.relationship_status=divorced"]),
        (["my dad passed away"], ["-user.has:father="]),
        (["We lost our dog Rusty in June."], ["-Rusty.name=Rusty"]),
        (["Forget that I like olives."], ["-user.taste:olives="]),
        (["I got a puppy two weeks ago! Her name's Coco."], ["Coco.name=Coco"]),
        (["my cat luna is 3", "she's 4 now"], ["Luna.age=4"]),
        (["My brother Tom just called me.", "He works at Bosch."], ["Tom.employer=Bosch"]),
        (["My parents sold their flat.", "They moved to Leeds."], ["parents.city=Leeds"]),
    ],
)
def test_what_ends_or_corrects(texts: list[str], facts: list[str]) -> None:
    assert told(*texts) == facts


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("We met nurses, working as volunteers, based in Oslo", id="comma fragment"),
        pytest.param(
            "I'm visiting Paris, living in a hotel, working as hard as I can", id="fragments"
        ),
        pytest.param("I'm seeing a therapist, working on myself", id="be and gerund"),
        pytest.param("I've been working for 3 hours", id="work for hours"),
        pytest.param("I've worked with Apple products for 10 years", id="work with"),
        pytest.param("I've a sister That I love", id="have is no possessive"),
        pytest.param(
            "I love the energy, diversity, and awesome food of this city.", id="cut value"
        ),
        pytest.param("I love how my sister Is so kind", id="function word as a name"),
        pytest.param("I'm from Gucci to Prada today", id="brand"),
        pytest.param("I'm a regular at Target", id="shopping"),
        pytest.param("As an AI language model, I work as an assistant", id="language model"),
    ],
)
def test_the_mistakes_of_the_former_rules(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Where do I live?",
        "Am I allergic to anything?",
        "I live in Rome, right?",
        "If I lived in Rome I would eat pasta every day.",
        "Imagine I'm a pirate. I live in Oslo.",
        "Act as a doctor. My name is Ana and I'm 34.",
        "Suppose my daughter is allergic to nuts, what then?",
        "I might be allergic to nuts.",
        "I want to live in Oslo and work as a nurse",
        'How do you say "I am vegetarian" in Polish?',
        "My neighbour told me he hates cats.",
        "Oh great, I just love waiting for builds.",
        "Write a bio: I am a chef from Lyon and I love cheese.",
        "Write a short story for me. My name is Ana and I live in Oslo.",
        "> I am allergic to nuts\nCan you rewrite this line?",
        "```\nI live in Lisbon\n```",
        "Tom: I live in Madrid\nAna: I live in Rome\nWho lives in Rome?",
        "Dear customer,\nmy name is Claire and I live in Oslo.\nBest regards,\nClaire",
        "So, you have a dog named Max",
        "I'm 5 minutes away",
        "I'm 6 feet tall",
        "my sister is 3 hours away",
        "temperature turned 4",
        "I moved to Python from Java",
        "moved the release from Friday to Monday",
        "just moved from marketing to sales",
        "just moved from Friday to Monday",
        "We moved to Kubernetes",
        "I have lived in Japan and Spain",
        "I'm not a doctor",
        "I don't have diabetes",
        "I'm an engineer by training",
        "I'm Team Edward",
        "call me crazy",
        "call me when you can",
        "I left Twitter",
        "I like the schedule",
        "I like number 3.",
        "My mom loves hers",
        "my favourite part is the ending",
        "I speak from experience",
        "My mom's friend Sara lives in Oslo",
        "my brother's wife Ana is vegan",
        "Remember, the key is to start small",
        "We love flexibility!",
        "He died in 2016.",
    ],
)
def test_what_states_nothing_sure(text: str) -> None:
    assert told(text) == []


def test_what_is_asked_to_be_kept_is_keyed_where_a_rule_reads_it() -> None:
    assert told("remember that I live in Ghent") == ["user.city=Ghent"]


def test_the_words_a_fact_was_read_from_are_those_of_the_message() -> None:
    text = "Thanks!  BTW,  I’m vegan and my sister’s called Anu (she's 34). What's for lunch?"
    reads = read_facts([text], "en")

    assert [read.sentence for read in reads] == [
        "I’m vegan",
        "my sister’s called Anu",
        "she's 34",
    ]
    assert all(read.sentence in " ".join(text.split()) for read in reads)


def test_of_two_values_for_one_key_the_later_is_read() -> None:
    assert told("I live in Rome. Scratch that, I live in Turin.") == ["user.city=Turin"]


def test_a_pronoun_is_not_somebody_of_the_other_gender() -> None:
    assert told("My sister Eva called.", "He works at Bosch.") == []


def test_facts_have_keys() -> None:
    reads = read_facts(["I live in Lisbon and my cat Luna is 3"], "en")

    assert [fact_key(read.candidate) for read in reads] == ["profile:city", "profile:pet:luna:age"]


def test_one_year_is_no_years() -> None:
    [read] = read_facts(["My cat Luna is 1."], "en")[-1:]

    assert read.candidate.statement == "The user's cat Luna is 1 year old."
