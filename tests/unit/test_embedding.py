import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_graph.embedding import Embedder, Scale, encoders, load_embedder
from memory_graph.embedding.encoders import Matrix, encode_unit
from memory_graph.errors import ConfigurationError, EmbedderUnavailableError

SCALE = Scale(0.2, 0.5, 0.8)


@dataclass
class CountingEncoder:
    """Makes two-dimensional vectors, and remembers what it was asked."""

    rows: list[list[float]] = field(default_factory=list)
    chunk_chars: int = 10
    asked: list[str] = field(default_factory=list)

    def encode(self, texts: Sequence[str]) -> Matrix:
        self.asked.extend(texts)
        rows = self.rows or [[float(len(text)), 1.0] for text in texts]
        return np.asarray(rows, dtype=np.float32)


@pytest.mark.parametrize(
    ("cosine", "similarity"),
    [
        pytest.param(-1.0, 0.0, id="opposite"),
        pytest.param(0.0, 0.0, id="nothing in common"),
        pytest.param(0.2, 0.25, id="unrelated anchor"),
        pytest.param(0.35, 0.425, id="between two anchors"),
        pytest.param(0.5, 0.6, id="related anchor"),
        pytest.param(0.8, 0.85, id="same anchor"),
        pytest.param(1.0, 1.0, id="identical"),
        pytest.param(1.0000002, 1.0, id="rounding above one"),
        pytest.param(math.nan, 0.0, id="not a number"),
    ],
)
def test_a_cosine_reads_as_calibrated_similarity(cosine, similarity):
    assert SCALE.similarity(cosine) == pytest.approx(similarity)


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_higher_cosine_never_reads_lower(one, other):
    low, high = sorted((one, other))

    assert SCALE.similarity(low) <= SCALE.similarity(high)


def test_anchors_that_do_not_rise_are_refused():
    with pytest.raises(ConfigurationError, match="must rise"):
        Scale(0.5, 0.4, 0.8)


def test_a_long_text_is_cut_at_spaces_and_its_pieces_averaged():
    encoder = CountingEncoder(rows=[[1.0, 0.0], [0.0, 1.0]])

    vectors = encode_unit(encoder, ["one two three four"], 2)

    assert encoder.asked == ["one two", "three four"]
    assert vectors[0] == pytest.approx([math.sqrt(0.5)] * 2)


def test_a_very_long_text_costs_a_bounded_number_of_pieces():
    encoder = CountingEncoder()

    encode_unit(encoder, ["x" * 10_000], 2)

    assert len(encoder.asked) == encoders.MAX_CHUNKS


@pytest.mark.parametrize(
    "row",
    [
        pytest.param([0.0, 0.0], id="zero"),
        pytest.param([math.nan, 1.0], id="nan"),
        pytest.param([math.inf, 0.0], id="infinite"),
    ],
)
def test_a_useless_row_still_becomes_a_finite_unit_vector(row):
    vector = encode_unit(CountingEncoder(rows=[row]), ["text"], 2)[0]

    assert math.hypot(*vector) == pytest.approx(1)


def test_a_blank_text_is_never_sent_as_an_empty_string():
    encoder = CountingEncoder()

    encode_unit(encoder, ["  \n"], 2)

    assert encoder.asked == [encoders.BLANK]


def test_vectors_of_another_length_than_promised_are_refused():
    with pytest.raises(EmbedderUnavailableError, match="length 3, got 2"):
        encode_unit(CountingEncoder(), ["text"], 3)


@pytest.mark.parametrize("length", [3, 5000])
async def test_the_asynchronous_way_gives_the_same_vectors(length):
    embedder = Embedder("counting", 2, SCALE, CountingEncoder)
    texts = ["x" * length, "yes"]

    assert await embedder.embed(texts) == embedder.embed_sync(texts)
    assert await embedder.embed([]) == []


@pytest.mark.parametrize("name", ["use", "wordllama"])
def test_a_paraphrase_reads_closer_than_an_unrelated_statement(name):
    embedder = load_embedder(name)
    question, paraphrase, unrelated, blank = embedder.embed_sync(
        ["My boss is called Henrik.", "Henrik is my manager.", "The printer is out of toner.", ""]
    )

    def similarity(other):
        return embedder.scale.similarity(float(np.dot(question, other)))

    assert similarity(paraphrase) > 0.6 > 0.3 > similarity(unrelated)
    assert len(question) == embedder.dims
    assert math.hypot(*blank) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("word2vec", "choose `use`", id="unknown name"),
        pytest.param("openai:", "choose `use`", id="no model"),
        pytest.param("openai:bge-m3@many", "openai:bge-m3@1536", id="length is no number"),
    ],
)
def test_a_name_that_cannot_be_loaded_says_what_to_write_instead(name, message):
    with pytest.raises(ConfigurationError, match=message):
        load_embedder(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("cohere:embed-x", "pip install langchain-cohere", id="no package"),
        pytest.param("bedrock:titan", "pip install langchain-aws", id="package of another name"),
        pytest.param("google_genai:embed-x", "API key", id="no key"),
        pytest.param("nobody:x", "Provider 'nobody' is not supported", id="no provider"),
    ],
)
def test_a_providers_embedder_that_cannot_be_used_says_what_is_missing(name, message, monkeypatch):
    for key in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    with pytest.raises(ConfigurationError, match=message):
        load_embedder(name).embed_sync(["a"])


@pytest.mark.parametrize(
    ("name", "dims"),
    [
        pytest.param("openai:text-embedding-3-small", 1536, id="known model"),
        pytest.param("openai:bge-m3@1024", 1024, id="length given"),
    ],
)
def test_an_openai_embedder_knows_its_length_without_a_call(name, dims):
    embedder = load_embedder(name, base_url="http://localhost:1/v1", api_key="secret")

    assert embedder.dims == dims
    assert "secret" not in repr(embedder)


async def test_a_text_is_not_embedded_twice_in_a_row():
    encoder = CountingEncoder()
    embedder = Embedder("counting", 2, SCALE, lambda: encoder)

    first = await embedder.embed(["once"])

    assert await embedder.embed(["once"]) == first
    assert encoder.asked == ["once"]
