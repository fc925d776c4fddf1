import pytest

from memory_graph.embedding import load_embedder
from memory_graph.language.mentions import names_in, values_in
from memory_graph.language.supersession import Relation, Utterance, judge_all

BESIDE = {
    "en": ["My brother plays the cello", "The bins go out on Fridays", "I drink tea without sugar"],
    "de": ["Mein Bruder spielt Cello", "Die Mülltonne kommt freitags raus", "Ich trinke Tee"],
    "es": ["Mi hermano toca el piano", "La basura se saca los viernes", "Tomo el té sin azúcar"],
    "fr": [
        "Mon frère joue du piano",
        "Les poubelles passent le vendredi",
        "Je bois mon thé nature",
    ],
    "pt": ["Meu irmão toca piano", "O lixo passa na sexta", "Tomo chá sem açúcar"],
    "zh": ["我哥哥弹钢琴", "垃圾每周五收", "我喝茶不加糖"],
    "ja": ["兄はピアノを弾きます", "ゴミの日は金曜です", "お茶は砂糖なしで飲みます"],
}


def said(text: str) -> Utterance:
    return Utterance(text, load_embedder("use").embed_sync([text])[0])


def judged(language: str, old: str, new: str) -> Relation:
    return judge_all([said(text) for text in (old, *BESIDE[language])], said(new))[0]


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("en", "The rent is 900 a month", "The rent is now 980 a month"),
        ("en", "Piano lesson is on Tuesdays at 5", "The piano lesson moved to Thursdays at 5"),
        ("en", "My manager is Claire", "Claire left, my new manager is Dev"),
        ("en", "I work as a barista at Kino", "I'm not a barista any more, I quit Kino"),
        ("de", "Die Miete kostet 700 Euro", "Die Miete kostet jetzt 760 Euro"),
        ("de", "Das Treffen ist am Montag", "Das Treffen wurde auf Mittwoch verschoben"),
        ("es", "La reunión es el 4 de mayo", "La reunión se movió al 11 de mayo"),
        ("es", "Trabajo en un banco", "Ya no trabajo en el banco, ahora trabajo en una escuela"),
        ("fr", "Le loyer est de 600 euros", "Le loyer passe à 640 euros maintenant"),
        ("pt", "A reunião é na terça", "A reunião mudou, agora é na quinta"),
        ("zh", "会议是周二下午", "会议改到周四下午了"),
        ("ja", "会議は火曜日です", "会議は木曜日に変更になりました"),
    ],
)
def test_a_correction_makes_the_old_sentence_past(language: str, old: str, new: str) -> None:
    assert judged(language, old, new).is_past


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("en", "My dog is called Rufus", "Rufus loves cheese"),
        ("en", "The rent is 900 a month", "We pay the rent on the first"),
        ("en", "I ran 5k today", "I ran 8k today"),
        ("en", "I'm vegetarian", "How do I cook a steak for my guests?"),
        ("en", "My sister Ana lives in Porto", "Ana plays the violin too"),
        ("de", "Meine Tochter Leni ist sechs", "Leni mag Dinosaurier"),
        ("de", "Die Miete kostet 700 Euro", "Heute war das Wetter schön"),
        ("es", "Mi perro se llama Toby", "Toby también duerme en el sofá"),
        ("fr", "J'ai un chat", "Hier j'ai couru 10 km"),
        ("zh", "我住在上海", "上海今天下雨"),
    ],
)
def test_another_matter_leaves_it_alone(language: str, old: str, new: str) -> None:
    assert not judged(language, old, new).is_past


def test_the_same_words_say_the_same() -> None:
    sentence = said("Our wedding is on 12 June in Leeds")

    assert judge_all([sentence], sentence)[0].kind == "same"


def test_the_right_one_of_several_candidates_is_past() -> None:
    olds = [
        "The rent is 900 a month",
        "Gym costs 35 a month",
        "My phone plan is 20 a month",
        "I live in Leeds with Tom",
    ]

    relations = judge_all([said(old) for old in olds], said("The gym went up to 42 a month now"))

    assert [relation.is_past for relation in relations] == [False, True, False, False]


def test_an_end_is_told_from_a_replacement() -> None:
    ended = judged("en", "I have a gym membership", "cancelled the gym membership")
    replaced = judged("en", "The rent is 900 a month", "The rent is now 980 a month")

    assert (ended.kind, replaced.kind) == ("ends", "replaces")


def test_a_relation_has_a_probability() -> None:
    relation = judged("en", "The rent is 900 a month", "The rent is now 980 a month")

    assert 0 < relation.probability <= 1


def test_no_candidates_no_relations() -> None:
    assert judge_all([], said("The rent is now 980 a month")) == []


def test_a_text_without_words_is_judged() -> None:
    assert not judge_all([said("The rent is 900")], said("…"))[0].is_past


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("my sister Anu marries Rohan in Goa", {"anu", "rohan", "goa"}),
        ("Becky's vegan, and on Monday we fly to Lisbon in May", {"becky", "lisbon"}),
        ("The budget is tight. Actually I moved.", set()),
        ("wir wohnen mit Jonas in Kassel, der Hund schläft", {"jonas", "kassel"}),
        ("El jueves viene Lucía", {"lucía"}),
        ("завтра приедет Ольга", {"ольга"}),
        ("我住在上海", set()),
    ],
)
def test_names_in(text: str, names: set[str]) -> None:
    assert names_in(text) == names


def test_a_known_name_counts_in_any_spelling() -> None:
    assert names_in("rocco is 3 now", known={"rocco"}) == {"rocco"}


def test_digits_of_a_name_are_no_amount() -> None:
    assert [each.value for each in values_in("p99 on bak02 went from 40 to 85ms")] == ["40", "85"]


def test_values_are_equal_however_they_are_written() -> None:
    budget = {(value.kind, value.value) for value in values_in("£14,000 by 3 May at 6:30")}

    assert budget == {("money", "14000"), ("date", "3"), ("month", "4"), ("time", "6:30")}
