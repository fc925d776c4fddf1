"""Errors raised by `memory_graph`.

MemoryGraphError
├── ConfigurationError      wrong wiring or settings; never retried, never swallowed
│   ├── PromptError         a prompt file is missing, or its slots do not match
│   └── EmbedderMismatchError   the store was filled by another embedder
├── MemoryOffError          memory is off for this run: switched off, or without a store
│   └── NoUserError         the run names no user
├── ExtractionError         the model's reply could not be used
├── ModelUnavailableError   the model did not answer: a timeout, a rate limit, an outage
├── EmbedderUnavailableError   the embedder did not answer; search uses words alone
├── StoreUnavailableError   the store did not answer in time
├── RefusedError            a secret or an order is not kept
├── ForgottenMeanwhileError   everything was forgotten while something was being written
├── NoteError               a Markdown note could not be read
└── RecordNotFoundError     no record under that id for this user
"""

from typing import Literal


class MemoryGraphError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigurationError(MemoryGraphError):
    """The graph was compiled, configured or invoked without something it needs."""


class PromptError(ConfigurationError):
    """A prompt file is missing, or its slots do not match the values given."""


class EmbedderMismatchError(ConfigurationError):
    """The vectors in the store were made by another embedder than the one configured."""

    def __init__(self, stored: str, configured: str) -> None:
        self.stored = stored
        self.configured = configured
        super().__init__(
            f"This store was filled with embedder {stored!r}, but {configured!r} is configured. "
            f"Set `MEMORY_GRAPH_EMBEDDER={stored.split('/')[0]}`, or re-embed everything with "
            "`memory-graph reembed`; `memory-graph reembed --missing` goes on with a run that was "
            "broken off."
        )


OffReason = Literal["no_user", "no_store", "switched_off", "unknown_shape"]


class MemoryOffError(MemoryGraphError):
    """Memory is off for this run; the message says how to switch it on."""

    def __init__(self, message: str, reason: OffReason) -> None:
        self.reason: OffReason = reason
        super().__init__(message)


class NoUserError(MemoryOffError):
    """The run names no user, so memory is off for it."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "no_user")


class ExtractionError(MemoryGraphError):
    """The model's reply could not be read as the record that was asked for."""

    def __init__(self, message: str, reason: str = "unusable_answer") -> None:
        self.reason = reason
        super().__init__(message)


class ModelUnavailableError(MemoryGraphError):
    """The model did not answer; asking again later may help."""


class OverBudgetError(ModelUnavailableError):
    """No more calls are paid for today; the next day may help."""


class EmbedderUnavailableError(MemoryGraphError):
    """The embedder did not answer; for a while, search uses words alone."""


class StoreUnavailableError(MemoryGraphError):
    """The store did not answer in time."""


class ForgottenMeanwhileError(MemoryGraphError):
    """Everything was forgotten before this was written, so it is not written."""


class RefusedError(MemoryGraphError):
    """A statement of a kind that is never kept was refused; nothing was changed."""

    def __init__(self, reason: str, words: str) -> None:
        self.reason = reason
        super().__init__(f"{words} Nothing was changed.")


class NoteError(MemoryGraphError):
    """A Markdown note does not have the form of an episode or a pattern."""


class RecordNotFoundError(MemoryGraphError):
    """No record of that kind exists under that id for this user."""

    def __init__(self, kind: str, record_id: str) -> None:
        self.kind = kind
        self.record_id = record_id
        super().__init__(f"No {kind} with id {record_id!r}.")


def complaint_of(error: Exception) -> str:
    """Return what a provider's package complains about, without the values it was given."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = (line for line in lines if "validation error" not in line and line != "__root__")
    return next(said, type(error).__name__).partition(" [type=")[0]
