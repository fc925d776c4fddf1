import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.recall_intent import (
    CASES,
    PRACTICE,
    load_utterances,
    measure,
    read_intents,
)
from memory_graph.embeddings import load_embedder
from memory_graph.policy.recall_intent import detect_recall_intent
from memory_graph.policy.recall_intent.cues import (
    ASKING_PATTERNS,
    POINTING_PATTERNS,
    RECKONING_PATTERNS,
)
from memory_graph.policy.recall_intent.detection import score_recall
from memory_graph.policy.recall_intent.features import CONJUNCTIONS, FEATURE_NAMES
from memory_graph.policy.recall_intent.lapses import LAPSE_PATTERNS
from memory_graph.policy.recall_intent.meaning import weigh_meaning
from memory_graph.policy.recall_intent.retelling import (
    LOOK_UP_PATTERNS,
    RETELLING,
    RETELLING_PATTERNS,
)
from memory_graph.policy.recall_intent.weights import WEIGHTS


@pytest.mark.parametrize(
    ("text", "grade", "reason"),
    [
        pytest.param(
            "What did we decide last week?", "explicit", "explicit_cue", id="what we decided"
        ),
        pytest.param(
            "Remind me what I promised her.", "explicit", "explicit_cue", id="remind me what"
        ),
        pytest.param(
            "Do you remember my cat's name?", "explicit", "explicit_cue", id="do you remember"
        ),
        pytest.param(
            "Recap our last conversation.", "explicit", "explicit_cue", id="told to go over it"
        ),
        pytest.param(
            "You gave me a list of podcasts. Which was the third?",
            "explicit",
            "question_about_past_talk",
            id="points at an earlier answer",
        ),
        pytest.param(
            "Where did I go on holiday in May?",
            "implicit",
            "past_question_about_us",
            id="own past",
        ),
        pytest.param(
            "I'm trying to remember the restaurant I went to. Which one was it?",
            "implicit",
            "past_question_about_us",
            id="after a lead-in",
        ),
        pytest.param(
            "How old is my cat?", "implicit", "question_about_own_facts", id="stored fact"
        ),
        pytest.param(
            "What did Caroline research?",
            "implicit",
            "question_about_named_person",
            id="somebody called by first name",
        ),
        pytest.param(
            '"What sort of music do I like?"',
            "implicit",
            "question_about_own_facts",
            id="a message in quotation marks",
        ),
        pytest.param(
            "On May 3rd, which film did I watch?",
            "implicit",
            "past_question_about_us",
            id="after a date",
        ),
        pytest.param(
            "I've been to Prague before, haven't I?",
            "implicit",
            "past_question_about_us",
            id="tag question",
        ),
        pytest.param(
            "How many weeks passed between my move and the day I got the keys?",
            "implicit",
            "past_question_about_us",
            id="reckoned dates",
        ),
        pytest.param(
            "I shared a poem with you. Do you remember the title?",
            "explicit",
            "question_about_past_talk",
            id="shared with the agent",
        ),
        pytest.param(
            "About our last chat on beats: can you remind me how many people took part?",
            "explicit",
            "question_about_past_talk",
            id="reminded of an earlier chat",
        ),
        pytest.param(
            "I forgot which locksmith I called.", "explicit", "explicit_cue", id="slipped my mind"
        ),
        pytest.param(
            "You wrote me a refusal and I can't find it.",
            "explicit",
            "question_about_past_talk",
            id="lost what the agent made",
        ),
        pytest.param(
            "Let's resume where we left off.", "explicit", "explicit_cue", id="resumes earlier work"
        ),
        pytest.param(
            "my collar size?", "implicit", "question_about_own_facts", id="only a noun, own fact"
        ),
        pytest.param(
            "last boiler service when",
            "implicit",
            "past_question_about_us",
            id="only a noun, own past",
        ),
        pytest.param("wihch gym did i join", "implicit", "past_question_about_us", id="mistyped"),
        pytest.param(
            "What'd you tell me about compost?", "explicit", "explicit_cue", id="run together"
        ),
        pytest.param(
            "What did the mechanic quote for the clutch?",
            "implicit",
            "past_question_about_us",
            id="somebody the user went to",
        ),
        pytest.param(
            "Read me back the shopping list I dictated.",
            "explicit",
            "explicit_cue",
            id="told to read it back",
        ),
        pytest.param(
            "remind me my flat number", "explicit", "explicit_cue", id="remind me of a fact"
        ),
        pytest.param(
            "bike lock combo?", "implicit", "question_about_own_facts", id="a note to oneself"
        ),
        pytest.param(
            "How did our bake sale turn out?",
            "implicit",
            "past_question_about_us",
            id="how it turned out",
        ),
        pytest.param(
            "Summarise my fitness goals.", "explicit", "explicit_cue", id="told to sum oneself up"
        ),
        pytest.param("Summarise my essay.", "none", "task", id="told to sum a text up"),
        pytest.param("Remind me my shift starts at six.", "none", "no_question", id="a reminder"),
        pytest.param(
            "These pictures remind me of my aunt. Where did you take them?",
            "none",
            "general",
            id="reminded by something",
        ),
        pytest.param("What a week I've had!", "none", "rhetorical", id="an outcry"),
        pytest.param(
            "Refresh my memory on the rules of chess.", "none", "no_question", id="general rules"
        ),
        pytest.param("I forgot my gloves.", "none", "no_question", id="a lapse only told"),
        pytest.param("I forgot how to knit.", "none", "no_question", id="a lost skill"),
        pytest.param("I got the job", "none", "no_question", id="a statement that ends in a noun"),
        pytest.param("How did I get so old?", "none", "rhetorical", id="an exclamation"),
        pytest.param(
            "We agreed on a budget. Can you list the common hidden costs?",
            "none",
            "advice",
            id="help with what was agreed elsewhere",
        ),
        pytest.param("Do you remember what I tell you?", "none", "rhetorical", id="ability"),
        pytest.param("I speak without a mouth. What am I?", "none", "rhetorical", id="riddle"),
        pytest.param("Why was my payment cancelled?", "none", "general", id="service desk"),
        pytest.param("Where do I change my PIN?", "none", "advice", id="procedure"),
        pytest.param("What is Pascal's triangle?", "none", "not_about_us", id="eponym"),
        pytest.param("Remind me to call her.", "none", "instruction", id="remind me to"),
        pytest.param("Remember that I like tea.", "none", "instruction", id="statement to keep"),
        pytest.param(
            'Translate "what did we decide?" into German.', "none", "task", id="quoted recall"
        ),
        pytest.param("What should I cook for my sister?", "none", "advice", id="advice"),
        pytest.param("How do I install numpy?", "none", "advice", id="how to"),
        pytest.param(
            "What did Napoleon decide at Waterloo?", "none", "not_about_us", id="world history"
        ),
        pytest.param(
            "When did Michael Jackson die?", "none", "not_about_us", id="first name and surname"
        ),
        pytest.param("I went to Rome with my sister.", "none", "no_question", id="statement"),
        pytest.param("What was I thinking?", "none", "rhetorical", id="rhetorical"),
        pytest.param("", "none", "no_question", id="empty"),
        pytest.param("?!", "none", "no_question", id="punctuation only"),
    ],
)
def test_a_clear_message_gets_its_grade_and_reason(text: str, grade: str, reason: str) -> None:
    intent = detect_recall_intent(text)

    assert (intent.grade, intent.reason) == (grade, reason)


def test_the_check_split_meets_the_promised_precision_and_recall() -> None:
    held_back = load_utterances("check")
    measured = measure(held_back, read_intents(held_back))

    assert measured.precision >= 0.97
    assert measured.recall >= 0.92


def test_labelled_utterances_have_unique_ids_and_texts() -> None:
    lines = [line for path in (CASES, PRACTICE) for line in path.read_text("utf-8").splitlines()]
    rows = [json.loads(line) for line in lines]

    assert len({row["id"] for row in rows}) == len(rows) >= 600
    assert len({row["text"].lower() for row in rows}) == len(rows)


@given(st.text(max_size=300))
def test_any_text_gets_an_answer(text: str) -> None:
    assert 0 <= detect_recall_intent(text).score <= 1


@pytest.mark.parametrize(
    "change", [str.lower, str.upper, " {}\n".format, "{}?!".format, "{}.".format]
)
def test_case_edges_and_final_punctuation_change_nothing(change) -> None:
    for utterance in load_utterances("tune"):
        bare = utterance.text.rstrip("?!. ")
        assert detect_recall_intent(change(bare)) == detect_recall_intent(bare)


def test_a_long_paste_is_read_quickly_and_only_at_its_ends() -> None:
    paste = "what which did you when how, " * 5000

    assert detect_recall_intent(paste).reason == "pasted"
    assert detect_recall_intent(f"{paste}\nWhat did we decide?").grade == "explicit"


@pytest.mark.parametrize(("meaning", "grade"), [(2.0, "implicit"), (-2.0, "none")])
def test_what_a_message_means_decides_where_its_words_do_not(meaning: float, grade: str) -> None:
    assert detect_recall_intent("Which colleague covered for me?", meaning=meaning).grade == grade


@pytest.mark.parametrize("text", ["What did we decide?", "Remind me to call Tom.", "Thanks!"])
@pytest.mark.parametrize("meaning", [-9.0, 9.0])
def test_meaning_does_not_move_what_a_cue_has_settled(text: str, meaning: float) -> None:
    assert detect_recall_intent(text, meaning=meaning) == detect_recall_intent(text)


def test_the_vector_of_a_question_about_the_past_leans_towards_recall() -> None:
    embedder = load_embedder("use")
    asked, other = embedder.embed_sync(["Where did I leave my bike?", "How do bikes stay upright?"])

    leaning, against = (weigh_meaning(vector, embedder.name) for vector in (asked, other))

    assert leaning is not None
    assert against is not None
    assert leaning > 0 > against


@pytest.mark.parametrize(
    ("vector", "embedder"), [(None, "use"), ([1.0], "openai:any")], ids=["no vector", "unknown"]
)
def test_a_vector_that_nobody_can_read_says_nothing(vector: list[float] | None, embedder: str):
    assert weigh_meaning(vector, embedder) is None


def test_a_name_from_memory_counts_as_a_person_the_user_knows() -> None:
    assert detect_recall_intent("How old is Zorro?").grade == "none"
    assert detect_recall_intent("How old is Zorro?", known_names={"zorro"}).grade == "implicit"


def test_a_full_name_from_memory_counts_as_a_person_the_user_knows() -> None:
    question = "What are Zhang Wei's hobbies?"

    assert detect_recall_intent(question).grade == "none"
    assert detect_recall_intent(question, known_names={"zhang wei"}).grade == "implicit"


@pytest.mark.parametrize(
    ("question", "grade"),
    [
        ("When is Zorro due?", "implicit"),
        ("What's Zorro allergic to?", "implicit"),
        ("Who gave Zorro the red collar?", "implicit"),
        ("Tell me about Zorro's operation.", "implicit"),
        ("Is Zorro a Spanish name?", "none"),
        ("What rhymes with Zorro?", "none"),
        ("Tell me a story about Zorro.", "none"),
    ],
)
def test_a_known_name_is_asked_about_in_any_place(question: str, grade: str) -> None:
    assert detect_recall_intent(question, known_names={"zorro"}).grade == grade


@pytest.mark.parametrize(
    ("phrase", "pattern"),
    (ASKING_PATTERNS | POINTING_PATTERNS | RECKONING_PATTERNS | LAPSE_PATTERNS).items(),
)
def test_every_cue_is_found_in_its_phrase(phrase: str, pattern: str) -> None:
    assert re.search(pattern, phrase)


@pytest.mark.parametrize("phrase", RETELLING_PATTERNS | LOOK_UP_PATTERNS)
def test_every_retelling_cue_is_found_in_its_phrase(phrase: str) -> None:
    assert RETELLING.search(phrase)


def test_every_feature_has_a_weight_and_every_conjunction_known_parts() -> None:
    assert set(WEIGHTS) == set(FEATURE_NAMES)
    assert frozenset().union(*CONJUNCTIONS.values()) <= set(FEATURE_NAMES)


def test_features_of_one_s_own_past_speak_for_a_recall_and_advice_against() -> None:
    assert score_recall({"did_i", "past"}) > score_recall({"do_i", "modal", "advice"})
