"""The settings of this process; the only module that reads the environment."""

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from typing import Annotated, Any, Literal, NamedTuple

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from memory_graph import policies as numbers
from memory_graph.clock import zone_named
from memory_graph.errors import ConfigurationError
from memory_graph.policies import named

GROUPS = {
    "Start here": "store",
    "Quality": "extraction_model",
    "Limits": "model_timeout_s",
    "Server": "capture_mode",
}
"""The groups of `.env.example`, and the first setting of each; the numbers of a policy are in
`Quality` or in `Limits`.
"""

_TUNED = "Tuned: docs/tuning.md."
_PREFIXES = ("MEMORY_", "EPISODIC_")
_NOT_OURS = ("MEMORY_PRESSURE_", "MEMORY_GRAPH_LOCOMO")
"""Variables of systemd, and of the evaluations."""


class Price(NamedTuple):
    """What a model costs, in USD per million tokens."""

    input: float
    output: float


def _read_prices(value: object) -> object:
    """Read `small=0.15/0.6,large=3/15`; leave anything else to validation."""
    if not isinstance(value, str):
        return value
    pairs = (part.rpartition("=") for part in value.replace(" ", "").split(",") if part)
    return {model: price.split("/") for model, _, price in pairs}


def _an_address(url: str | None) -> str | None:
    if url is not None and not re.match(r"https?://[^\s/]+", url):
        raise ValueError("an address begins with `http://` or `https://` and names a host")
    return url


def _tokens_of_users(given: SecretStr | None) -> SecretStr | None:
    pairs = [pair.strip() for pair in given.get_secret_value().split(",")] if given else []
    for number, pair in enumerate(filter(None, pairs), 1):
        user, _, token = pair.rpartition("=")
        if not user or not token:
            raise ValueError(f"entry {number} is not in the form `user=TOKEN`")
    return given


class Settings(BaseModel):
    """Read once per process from the environment or `.env`; `.env.example` lists every name."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )

    # Start here.

    store: SecretStr = SecretStr("sqlite")
    """Where memory is kept: `sqlite`, `sqlite:PATH`, `memory` or `postgresql://…`."""

    model: str | None = None
    """Chat model: `anthropic:…`, `google_genai:…`, `ollama:…`, any provider of langchain's
    `init_chat_model`; a bare name is a model on the OpenAI-compatible endpoint.
    Unset: no model; rules read facts and answer.
    """

    openai_api_key: SecretStr | None = named("OPENAI_API_KEY", None)
    """Key of the endpoint; most local servers need none."""

    openai_base_url: Annotated[str | None, AfterValidator(_an_address)] = named(
        "OPENAI_BASE_URL", None
    )
    """Address of the endpoint, for vLLM, Ollama and gateways."""

    embedder: str = "use"
    """What turns text into vectors: `use` or `wordllama` (built in), or `PROVIDER:MODEL`, any
    provider of langchain's `init_embeddings`; `@DIMS` at the end gives the length of the vectors.
    """

    time_zone: Annotated[str, AfterValidator(lambda name: zone_named(name).key)] = "UTC"
    """Time zone of users whose run does not name one (`context.time_zone`)."""

    # Quality.

    extraction_model: str | None = named("MEMORY_EXTRACTION_MODEL", None)
    """Model that extracts facts. Unset: `tiny_model`, else `model`."""

    episode_model: str | None = named("MEMORY_EPISODE_MODEL", None)
    """Model that writes every episode. Unset: the extraction model, mostly while it reads facts."""

    tiny_model: str | None = named("MEMORY_TINY_LLM_MODEL_ID", None)
    """Model for every internal call that has no model of its own."""

    admission: numbers.AdmissionPolicy = numbers.AdmissionPolicy()
    recall: numbers.RecallPolicy = numbers.RecallPolicy()
    capture: numbers.CapturePolicy = numbers.CapturePolicy()
    causality: numbers.CausalityPolicy = numbers.CausalityPolicy()
    learning: numbers.LearningPolicy = numbers.LearningPolicy()
    bootstrap: numbers.BootstrapPolicy = numbers.BootstrapPolicy()
    upkeep: numbers.UpkeepPolicy = numbers.UpkeepPolicy()
    verbatim: numbers.VerbatimPolicy = numbers.VerbatimPolicy()

    # Limits.

    model_timeout_s: float = Field(default=60, gt=0)
    """Seconds to wait for a reply of the chat model. Unset: 300 for a model on this machine or in
    this network. A limit: the user waits.
    """

    extraction_timeout_s: float = named("MEMORY_EXTRACTION_TIMEOUT_S", 8, gt=0)
    """Seconds to wait for facts before the reply; after that, rules read them, and the model again
    after the reply. Unset: 20 for a local model. A limit: the user waits.
    """

    episode_timeout_s: float = named("MEMORY_EPISODE_TIMEOUT_S", 120, gt=0)
    """Seconds to wait for an episode, and for facts after the reply. Unset: 180 for a local model.
    A limit: the end of the run may wait for it.
    """

    extraction_budget_usd: float = named("MEMORY_EXTRACTION_BUDGET_USD", 0.01, gt=0)
    """Highest cost of reading the facts of a message; above it, rules read them. Without `prices`
    a small model's price is assumed. A limit: bounds cost.
    """

    episode_budget_usd: float = named("MEMORY_EPISODE_BUDGET_USD", 0.15, gt=0)
    """Highest cost of writing an episode; above it, one is written without the model. Without
    `prices` a small model's price is assumed. A limit: bounds cost.
    """

    episode_characters: int = Field(default=12_000, ge=200)
    """Characters of a message that the model sees when it writes an episode; the event
    `memory.episode` says how many were cut. A limit: bounds the prompt.
    """

    prices: Annotated[Mapping[str, Price], BeforeValidator(_read_prices)] = {}
    """USD per million tokens: `model=input/output,…`. Unset: costs are unknown."""

    episode_alarm_after: int = Field(default=3, ge=1)
    """Failed episodes in a row after which an error is logged. A limit: bounds the log."""

    embedder_timeout_s: float = Field(default=4, gt=0)
    """Seconds to wait for vectors from an endpoint; after that, search uses words for a while.
    A limit: the user waits.
    """

    store_read_timeout_s: float = Field(default=1.5, gt=0)
    """Seconds after which a store that does not answer a read is down. A limit: the user waits."""

    store_scan_timeout_s: float = Field(default=10, gt=0)
    """Seconds to wait for all memories of a user; after that, reading goes on in the background.
    A limit: the user waits.
    """

    store_write_timeout_s: float = Field(default=5, gt=0)
    """Seconds after which a store that does not accept a write is down. A limit: the turn waits."""

    ledger_max: int = Field(default=1000, ge=10)
    """Turns whose decisions are kept, per user, for `why` and undo. A limit: bounds the store."""

    index_max_items: int = Field(default=5_000, ge=100)
    """Memories of all users that one process keeps indexed, 2.9 kB each. The user who is served is
    indexed in any case; on Postgres others are searched in SQL. A limit: bounds its memory.
    """

    index_max_namespace: int = Field(default=20_000, ge=1)
    """Above this many memories of one kind, Postgres always searches them in SQL.
    A limit: a larger index takes too long to read.
    """

    read_characters: int = Field(default=12_000, ge=200)
    """Characters of a message that are read: the beginning and the end of a longer one.
    A limit: nobody types more about themselves, and reading takes time.
    """

    # Server.

    capture_mode: Literal["inline", "background"] = "inline"
    """`background` writes episodes after the run; LangGraph Server always writes inline."""

    trust_client_user_id: bool | None = None
    """Without auth, trust `context.user_id`. Unset: only under `langgraph dev`."""

    act_as_permission: str = "memory:act_as"
    """Permission with which an authenticated caller may name another user."""

    mcp_tokens: Annotated[SecretStr | None, AfterValidator(_tokens_of_users)] = None
    """Bearer tokens of `memory-graph mcp --transport http`: `ana=TOKEN,ben=TOKEN`."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    """Log level of the command line, on standard error."""

    api_variant: str | None = named("LANGSMITH_LANGGRAPH_API_VARIANT", None)
    """Set by LangGraph Server itself; `local_dev` under `langgraph dev`."""

    @property
    def trusts_client_user_id(self) -> bool:
        """Whether a server without auth trusts the user id that a client sends."""
        if self.trust_client_user_id is not None:
            return self.trust_client_user_id
        return self.api_variant == "local_dev"

    @property
    def users_by_mcp_token(self) -> Mapping[str, str]:
        """Who may use the MCP server over HTTP, by their token."""
        pairs = self.mcp_tokens.get_secret_value().split(",") if self.mcp_tokens else ()
        split = (pair.strip().rpartition("=") for pair in pairs)
        return {token: user for user, _, token in split if user and token}

    @model_validator(mode="before")
    @classmethod
    def _from_variables(cls, given: dict[str, object]) -> dict[str, object]:
        """Take from the variables what is not given."""
        variables, values = _variables(), dict[str, Any]()
        for path, name in variable_names(cls):
            if value := (variables.get(name) or "").strip():
                holder = values.setdefault(path[0], {}) if path[1:] else values
                holder[path[-1]] = value
        return {**values, **given}


def _variables() -> dict[str, str | None]:
    """Return the variables of `.env`, and above them those of the process."""
    return {**dotenv_values(".env"), **os.environ}


def variable_names(
    model: type[BaseModel], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each setting's path and the variable that sets it."""
    for name, field in model.model_fields.items():
        here = (*path, name)
        nested = field.annotation
        if not path and isinstance(nested, type) and issubclass(nested, numbers.Policy):
            yield from variable_names(nested, here)
        else:
            extra = field.json_schema_extra
            own = extra.get("env") if isinstance(extra, dict) else None
            yield here, str(own or "_".join(("MEMORY_GRAPH", *here)).upper())


def unknown_variables() -> list[str]:
    """Return variables that look like settings of this package, but are none."""
    known = {name for _, name in variable_names(Settings)}
    return sorted(
        name
        for name in _variables().keys() - known
        if name.startswith(_PREFIXES) and not name.startswith(_NOT_OURS)
    )


def describe_settings() -> str:
    """Return every setting with its meaning and default, in the form of a `.env` file."""
    lines = [
        "# Copy to .env. Every setting is optional; the values shown are the defaults.",
        "# How the defaults were chosen: docs/tuning.md.",
    ]
    grouped: dict[str, list[str]] = {title: [] for title in GROUPS}
    begins, title, policies = {first: title for title, first in GROUPS.items()}, "", set()
    for path, name in variable_names(Settings):
        model = type(getattr(Settings.model_construct(), path[0])) if path[1:] else Settings
        field = model.model_fields[path[-1]]
        told = (field.description or "").replace(_TUNED, "").strip()
        title = begins.get(path[0], title)
        group = "Limits" if path[1:] and "A limit:" in told else title
        if path[1:] and (group, path[0]) not in policies:
            policies.add((group, path[0]))
            grouped[group] += ["", f"# -- {path[0]}: {(model.__doc__ or '').splitlines()[0]}"]
        comment = [f"# {line.strip()}" for line in told.splitlines()]
        grouped[group] += ["", *comment, f"# {name}={_written(field.default)}"]
    for title, settings in grouped.items():
        lines += ["", f"# ===== {title} =====", *settings]
    return "\n".join(lines) + "\n"


def _written(default: object) -> str:
    if isinstance(default, BaseModel):
        default = default.model_dump()
    if isinstance(default, Mapping):
        return ",".join(f"{key}={value:g}" for key, value in default.items())
    if isinstance(default, tuple):
        return ",".join(default)
    if isinstance(default, SecretStr):
        return default.get_secret_value()
    if isinstance(default, bool):
        return str(default).lower()
    return "" if default is None else str(default)


@cache
def get_settings() -> Settings:
    """Return this process's settings; read on first use, never at import.

    Raises:
        ConfigurationError: If a variable has an invalid value.
    """
    try:
        return Settings()
    except ValidationError as error:
        problems = map(_complaint, error.errors(include_input=False))
        raise ConfigurationError("; ".join(problems)) from error


def _complaint(problem: ErrorDetails) -> str:
    """Return what is wrong with a variable, without its value."""
    path, names = tuple(map(str, problem["loc"])), dict(variable_names(Settings))
    told = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        known = type(reduce(getattr, path[:-1], Settings.model_construct())).model_fields
        told = f"there is no {path[-1]!r}; there are: {', '.join(known)}"
    if any(name in told for name in names.values()):
        return told
    above = (names[path[:end]] for end in range(len(path), 0, -1) if path[:end] in names)
    within = [name for place, name in names.items() if place[: len(path)] == path]
    return f"`{next(above, '/'.join(within[:2]) or '.'.join(path))}`: {told}"
