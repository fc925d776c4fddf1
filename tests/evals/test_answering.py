"""Questions about public conversations, on two made-up ones in the files' own forms."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evals.answering.cases import Case, read_locomo, read_longmemeval
from evals.answering.holding import answer_line
from evals.answering.run import Options, interval, run
from memory_graph.settings import get_settings
from tests.openai_endpoint import completion, serving

LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which city did I move to?",
        "answer": "Porto",
        "question_date": "2026/03/10 (Tue) 10:00",
        "answer_session_ids": ["s1"],
        "haystack_dates": ["2026/03/01 (Sun) 10:00", "2026/03/02 (Mon) 10:00"],
        "haystack_session_ids": ["s1", "s2"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I just moved to Porto.", "has_answer": True},
                {"role": "assistant", "content": "How nice!"},
            ],
            [{"role": "user", "content": "What is a good recipe for soup?"}],
        ],
    },
    {
        "question_id": "q2_abs",
        "question_type": "single-session-user",
        "question": "What is the name of my hamster?",
        "answer": "No hamster was mentioned.",
        "question_date": "2026/03/10 (Tue) 10:00",
        "answer_session_ids": [],
        "haystack_dates": ["2026/03/01 (Sun) 10:00"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [[{"role": "user", "content": "I like tea."}]],
    },
]
LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"dia_id": "D1:1", "speaker": "Ana", "text": "I adopted a dog called Rex."},
                {"dia_id": "D1:2", "speaker": "Ben", "text": "Lovely, I prefer cats."},
            ],
        },
        "qa": [
            {
                "question": "What is Ana's dog called?",
                "answer": "Rex",
                "category": 4,
                "evidence": ["D1:1"],
            },
            {"question": "What is Ben's dog called?", "category": 5, "evidence": ["D1:1"]},
        ],
    }
]


@pytest.fixture
def longmemeval(tmp_path: Path) -> Path:
    file = tmp_path / "longmemeval.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in LONGMEMEVAL))
    return file


def options(data: Path, **changes: object) -> Options:
    given = {
        "data": data,
        "output": data.with_suffix(".rows.jsonl"),
        "systems": ("memory", "bm25", "vectors"),
        "model": None,
        "reader": None,
        "judge": None,
        "tokens": None,
        "limit": None,
        "parallel": 2,
        "seed": 0,
        "yes": True,
    }
    return Options(**{**given, **changes})


def rows_of(chosen: Options) -> list[dict]:
    return [json.loads(line) for line in chosen.output.read_text().splitlines()]


def test_memory_and_plain_searches_are_asked_and_a_second_run_adds_nothing(
    longmemeval: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = options(longmemeval)
    run(chosen, read_longmemeval)
    rows = rows_of(chosen)
    held = {(r["case"], r["system"]): r["line"] for r in rows}
    assert held["q1", "memory"] == 1
    assert held["q1", "bm25"] is not None
    assert held["q2_abs", "memory"] is None
    assert "found is right 100.0" in capsys.readouterr().out
    card = json.loads(chosen.output.with_suffix(".card.json").read_text())
    assert card["embedder"] == "use"

    run(chosen, read_longmemeval)
    assert rows_of(chosen) == rows


def test_a_reader_answers_and_a_judge_grades_on_a_real_endpoint(
    longmemeval: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: dict):
        text = str(request["messages"][-1]["content"])
        if "Model Response:" in text:
            right = "Response: Porto" in text or "Response: I don't know" in text
            return completion("yes" if right else "no")
        return completion("Porto." if "Porto" in text else "I don't know.")

    with serving() as endpoint:
        endpoint.answer = answer
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        get_settings.cache_clear()
        chosen = options(longmemeval, reader="openai:m", judge="openai:m", systems=("memory",))
        run(chosen, read_longmemeval)
    assert {r["case"]: r["right"] for r in rows_of(chosen)} == {"q1": True, "q2_abs": True}


def test_locomo_is_played_by_the_names_of_its_speakers(tmp_path: Path) -> None:
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps(LOCOMO))
    chosen = options(file, systems=("memory", "full"))
    run(chosen, read_locomo)
    by_case = {(r["case"], r["system"]): r for r in rows_of(chosen)}
    assert by_case["conv-1-0", "memory"]["line"] is not None
    assert "Rex" in by_case["conv-1-0", "full"]["context"]
    assert by_case["conv-1-a0", "memory"]["answerable"] is False


def test_an_answer_is_there_by_its_words_or_by_a_passage_that_holds_it() -> None:
    at = datetime(2026, 3, 10, tzinfo=UTC)
    short = Case("a", "k", "Where?", "Porto, Portugal", at, frozenset())
    lines = ["- The user lives in Porto.", "- It is in Portugal."]
    assert answer_line(short, lines, []) == 2
    assert answer_line(short, lines[:1], []) is None
    long = Case(
        "b", "k", "Why?", "They would like something with fewer cars around.", at, short.evidence
    )
    said = "we left because the street had far too many cars for us"
    assert answer_line(long, ["- x", f"- (Mon) {said[3:50]}"], [said]) == 2
    assert answer_line(long, ["- too many cars"], [said]) is None


def test_an_interval_is_wider_for_fewer_questions() -> None:
    assert interval([]) == "-"
    assert interval([True] * 3) == "100.0 (100–100)"
    assert interval([True, False] * 50).startswith("50.0 (4")
