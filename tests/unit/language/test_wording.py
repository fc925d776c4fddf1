import pytest

from memory_graph.language.voices import Voices, speaker_asked, without_names

VOICES = Voices(participants=("Ana Silva", "Tom"), asker="user", answerer="assistant")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("When did Ana adopt the cat?", "When did adopt the cat?", id="first name"),
        pytest.param("What is Tom’s favourite tea?", "What is favourite tea?", id="possessive"),
        pytest.param("Silva's flat in Porto", "flat in Porto", id="second part of a name"),
        pytest.param("Luna doesn't eat", "Luna doesn't eat", id="somebody who does not speak"),
        pytest.param("Tomorrow's tomatoes", "Tomorrow's tomatoes", id="a name inside a word"),
        pytest.param("Ana? Tom?", "Ana? Tom?", id="nothing left"),
        pytest.param("", "", id="empty"),
    ],
)
def test_a_query_is_searched_without_the_names_of_those_who_speak(text, wanted):
    assert without_names(text, VOICES.participants) == wanted


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        pytest.param("What does Tom drink?", "Tom", id="one name"),
        pytest.param("what is ana's job", "Ana Silva", id="first name, no capitals"),
        pytest.param("When did Tom meet Ana?", None, id="two names"),
        pytest.param("What did I tell Tom?", "Tom", id="a name counts before a pronoun"),
        pytest.param("Where did I park my car?", "user", id="first person"),
        pytest.param("Which hotel did you recommend?", "assistant", id="asked of the assistant"),
        pytest.param("the book you had suggested to me", "assistant", id="what the assistant said"),
        pytest.param("Can you remind me of my plan?", "user", id="a request is not a quotation"),
        pytest.param("Which tea is best?", "user", id="nobody in particular"),
        pytest.param("Tomorrow's tomatoes", "user", id="a name inside a word"),
    ],
)
def test_a_query_says_whose_words_it_asks_for(text, speaker):
    assert speaker_asked(text, VOICES) == speaker


def test_pronouns_mean_nobody_where_nobody_is_known():
    assert speaker_asked("Where did I park?", Voices()) is None
