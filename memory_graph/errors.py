"""Errors raised by `memory_graph`.

MemoryGraphError
├── ConfigurationError      wrong wiring or settings; never retried, never swallowed
│   ├── PromptError         a prompt file is missing, or its slots do not match
│   └── EmbedderMismatchError   the store was filled by another embedder
├── NoUserError             nobody is known whose memory this would be
├── ExtractionError         the model's reply could not be used
├── ModelUnavailableError   the model did not answer: a timeout, a rate limit, an outage
├── StoreUnavailableError   the store did not answer in time
├── NoteError               a Markdown note could not be read
└── RecordNotFoundError     no record under that id for this user
"""


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
            "`memory-graph reembed`."
        )


class NoUserError(MemoryGraphError):
    """Nobody is known whose memory this would be, so memory is off for the turn."""


class ExtractionError(MemoryGraphError):
    """The model's reply could not be turned into the record asked for."""

    def __init__(self, message: str, reason: str = "unusable_answer") -> None:
        self.reason = reason
        super().__init__(message)


class ModelUnavailableError(MemoryGraphError):
    """The model did not answer, so that asking again later may help."""


class StoreUnavailableError(MemoryGraphError):
    """The store did not answer in time."""


class NoteError(MemoryGraphError):
    """A Markdown note is not in the shape of an episode or a pattern."""


class RecordNotFoundError(MemoryGraphError):
    """No record of that kind exists under that id for this user."""

    def __init__(self, kind: str, record_id: str) -> None:
        self.kind = kind
        self.record_id = record_id
        super().__init__(f"No {kind} with id {record_id!r}.")
