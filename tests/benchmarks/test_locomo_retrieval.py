import json

import pytest

from benchmarks.locomo import load
from benchmarks.locomo_ablation import EVERYTHING, table, variants
from benchmarks.locomo_ablation import ask_all as ablated
from benchmarks.locomo_retrieval import (
    all_turns,
    any_turn,
    ask_all,
    report,
    session_recall,
    turn_recall,
)
from memory_graph.embedding import load_embedder

SAMPLE = {
    "sample_id": "invented",
    "conversation": {
        "speaker_a": "Ida",
        "speaker_b": "Per",
        "session_1_date_time": "9:05 am on 3 January, 2024",
        "session_1": [
            {"speaker": "Ida", "dia_id": "D1:1", "text": "Where do you keep the canoe?"},
            {"speaker": "Per", "dia_id": "D1:2", "text": "In my uncle's barn."},
        ],
        "session_2_date_time": "6:30 pm on 20 February, 2024",
        "session_2": [
            {"speaker": "Ida", "dia_id": "D2:1", "text": "I baked rye bread."},
            {"speaker": "Per", "dia_id": "D2:2", "text": "Look!", "blip_caption": "a red kite"},
        ],
    },
    "qa": [
        {"question": "Where is Per's canoe?", "evidence": ["D1:2"], "category": 4},
        {"question": "What did Ida bake?", "evidence": ["D2:01; D1:1"], "category": 1},
        {"question": "What is missing?", "evidence": ["D9:9"], "category": 4},
        {"question": "Who flew to Mars?", "evidence": ["D1:1"], "category": 5},
    ],
}


@pytest.fixture
def conversations(tmp_path):
    path = tmp_path / "sample.json"
    path.write_text(json.dumps([SAMPLE]), encoding="utf-8")
    return load(path)


def test_a_file_reads_as_turns_and_answerable_questions(conversations):
    conversation = conversations[0]

    assert [turn.session for turn in conversation.turns] == ["session_1"] * 2 + ["session_2"] * 2
    assert conversation.turns[3].caption == "a red kite"
    assert [q.evidence for q in conversation.questions] == [{"D1:2"}, {"D2:1", "D1:1"}]


async def test_recall_is_the_share_of_evidence_found(conversations, capsys):
    embedder = load_embedder("use")
    answers = [each async for each in ask_all(conversations, embedder, captions=True)]

    assert turn_recall(answers[0], "ours", 2) == 1
    assert turn_recall(answers[1], "ours", 1) == 0.5
    assert (any_turn(answers[1], "ours", 1), all_turns(answers[1], "ours", 1)) == (1, 0)
    assert session_recall(answers[1], "ours", 1) == 0.5
    assert session_recall(answers[1], "BM25", 2) == 1
    report(answers)
    assert "held out" in capsys.readouterr().out


def test_each_variant_leaves_out_one_signal_and_no_other():
    whole = variants()[EVERYTHING].by_signal()

    for name, weights in variants().items():
        changed = {s: w for s, w in weights.by_signal().items() if w != whole[s]}
        expected = {} if name == EVERYTHING else {name.removeprefix("without "): 0.0}
        assert changed == expected


async def test_every_variant_is_told_in_a_line(tmp_path):
    path = tmp_path / "sample.json"
    path.write_text(json.dumps([SAMPLE]), encoding="utf-8")

    lines = list(table(await ablated(path)))

    assert [line[:22].strip() for line in lines[2:]] == list(variants())
