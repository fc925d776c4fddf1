import json

import numpy as np
import pytest

from evals.tuning.heads.cases import fingerprint
from memory_graph.embedding import load_embedder
from memory_graph.language.heads import HEADS, Heads, of_message, read, tells
from memory_graph.language.points import POINTS, points


def read_texts(*texts: str) -> list[Heads]:
    return read(load_embedder("use").embed_sync(list(texts)), texts)


def test_the_weights_were_fitted_on_the_cases_as_they_are() -> None:
    stored = json.loads(POINTS.read_text(encoding="utf-8"))

    assert stored["cases_sha256"] == fingerprint(), f"Run `{stored['command']}`."


def test_probabilities_are_in_range_for_any_text() -> None:
    texts = ["", " ", "?", "😀", "a" * 5000, "我", "\n\n", "0"]

    for one in read(np.zeros((len(texts), 512), dtype=np.float32), texts):
        assert all(0 <= getattr(one, name) <= 1 for name in HEADS)


def test_no_texts_give_no_answers() -> None:
    assert read([], []) == []


def test_a_text_reads_the_same_alone_and_among_others() -> None:
    alone = read_texts("I moved to Leeds.")[0]
    among = read_texts("thanks!", "I moved to Leeds.")[1]

    assert all(
        getattr(alone, name) == pytest.approx(getattr(among, name), abs=1e-4) for name in HEADS
    )


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("durable", "I'm allergic to walnuts and my sister Noor is too."),
        ("durable", "Meine Tochter geht in die dritte Klasse und spielt Geige."),
        ("durable", "Trabajo de enfermera en un hospital de Sevilla."),
        ("durable", "Je suis végétarienne depuis dix ans."),
        ("durable", "我在上海当老师，有两个孩子"),
        ("asks", "What did I tell you about my landlord?"),
        ("asks", "Wann hatte ich nochmal den Termin beim Zahnarzt?"),
        ("asks", "¿Cómo se llamaba el hotel que reservamos?"),
        ("asks", "上次我们决定用哪个供应商？"),
        ("question", "How tall is the Eiffel Tower?"),
        ("outcome", "We finally fixed the login bug and shipped it this morning."),
        ("small", "haha thanks a lot!"),
        ("small", "Danke dir, bis später"),
        ("request", "Write a short poem about autumn leaves."),
    ],
)
def test_a_text_is_on_the_right_side(head: str, text: str) -> None:
    one = read_texts(text)[0]

    assert getattr(one, head) > points().get(head, 0.5)


@pytest.mark.parametrize("text", ["thanks!", "ok cool", "Write a haiku about rain.", "merci"])
def test_the_gate_drops_what_is_surely_nothing(text: str) -> None:
    assert tells(read_texts(text)) < points()["gate_with_model"]


def test_a_message_is_as_much_as_its_strongest_sentence_says() -> None:
    whole, thanks, told = read_texts(
        "Thanks so much! My wife is expecting a baby in May.",
        "Thanks so much!",
        "My wife is expecting a baby in May.",
    )

    message = of_message(whole, (thanks, told))

    assert message.durable > points()["question"]
    assert message.small == whole.small
    assert tells((whole, thanks, told)) >= points()["gate_with_model"]
