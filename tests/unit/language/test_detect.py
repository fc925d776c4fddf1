import pytest

from memory_graph.language.words import language_of, words_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("where do i live", "en"),
        ("rocco 3 now", "en"),
        ("", "en"),
        ("Wann ist die Eröffnung?", "de"),
        ("¿Qué día quedó la fiesta?", "es"),
        ("Combien de clients j'emmène ?", "fr"),
        ("Quando è il mio compleanno?", "it"),
        ("Onde eu trabalho e quando começo?", "pt"),
        ("我住在哪里？", "zh"),
        ("私の名前は何ですか", "ja"),
        ("Где я живу?", "ru"),
    ],
)
def test_the_language_of_a_message(text, language):
    assert language_of(text) == language


def test_words_are_stemmed_in_the_language_of_the_text():
    asked = set(words_of("Wie groß sind die Werkstätten?"))
    told = set(words_of("Die Werkstatt hat 140 Quadratmeter."))

    assert "werkstatt" in asked & told


def test_scripts_without_spaces_are_searched_by_pairs_of_characters():
    assert set(words_of("我住在柏林")) >= set(words_of("柏林"))
