"""The settings of this process; the only module that reads the environment."""

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from typing import Annotated, Literal, NamedTuple
from zoneinfo import ZoneInfo

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from typing_extensions import override

from memory_graph.errors import ConfigurationError
from memory_graph.policies import (
    AdmissionPolicy,
    BootstrapPolicy,
    CapturePolicy,
    CausalityPolicy,
    LearningPolicy,
    Policy,
    RecallPolicy,
    UpkeepPolicy,
    VerbatimPolicy,
)

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Start here": (
        "store",
        "model",
        "openai_api_key",
        "openai_base_url",
        "embedder",
        "time_zone",
    ),
    "Quality": ("extraction_model", "episode_model", "tiny_model"),
    "Limits": (
        "model_timeout_s",
        "extraction_timeout_s",
        "episode_timeout_s",
        "extraction_budget_usd",
        "episode_budget_usd",
        "episode_characters",
        "prices",
        "episode_alarm_after",
        "embedder_timeout_s",
        "store_read_timeout_s",
        "store_scan_timeout_s",
        "store_write_timeout_s",
        "ledger_max",
        "index_max_items",
        "index_max_namespace",
        "read_characters",
    ),
    "Server": (
        "capture_mode",
        "trust_client_user_id",
        "act_as_permission",
        "mcp_tokens",
        "log_level",
        "api_variant",
    ),
}
"""The groups of `.env.example`; the numbers of a policy are in `Quality` or in `Limits`."""

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


def _a_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"there is no time zone {name!r}; example: `Europe/Lisbon`") from error
    return name


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


class Settings(BaseSettings):
    """Read once per process from the environment or `.env`; `.env.example` lists every name."""

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
    )

    # Start here.

    store: SecretStr = SecretStr("sqlite")
    """Where memory is kept: `sqlite`, `sqlite:PATH`, `memory`, `postgresql://…`, `redis://…` or
    `sharded:…`."""

    model: str | None = None
    """Chat model: `anthropic:…`, `google_genai:…`, `ollama:…`, any provider of langchain's
    `init_chat_model`; a bare name is a model on the OpenAI-compatible endpoint.
    Unset: no model; rules read facts and answer.
    """

    openai_api_key: SecretStr | None = Field(
        default=None, json_schema_extra={"env": "OPENAI_API_KEY"}
    )
    """Key of the endpoint; most local servers need none."""

    openai_base_url: Annotated[str | None, AfterValidator(_an_address)] = Field(
        default=None, json_schema_extra={"env": "OPENAI_BASE_URL"}
    )
    """Address of the endpoint, for vLLM, Ollama and gateways."""

    embedder: str = "use"
    """What turns text into vectors: `use` or `wordllama` (built in), or `PROVIDER:MODEL`, any
    provider of langchain's `init_embeddings`; `@DIMS` at the end gives the length of the vectors.
    """

    time_zone: Annotated[str, AfterValidator(_a_zone)] = "UTC"
    """Time zone of users whose run does not name one (`context.time_zone`)."""

    # Quality.

    extraction_model: str | None = Field(
        default=None, json_schema_extra={"env": "MEMORY_EXTRACTION_MODEL"}
    )
    """Model that extracts facts. Unset: `tiny_model`, else `model`."""

    episode_model: str | None = Field(
        default=None, json_schema_extra={"env": "MEMORY_EPISODE_MODEL"}
    )
    """Model that writes episodes. Unset: the extraction model."""

    tiny_model: str | None = Field(
        default=None, json_schema_extra={"env": "MEMORY_TINY_LLM_MODEL_ID"}
    )
    """Model for every internal call that has no model of its own."""

    admission: AdmissionPolicy = AdmissionPolicy()
    recall: RecallPolicy = RecallPolicy()
    capture: CapturePolicy = CapturePolicy()
    causality: CausalityPolicy = CausalityPolicy()
    learning: LearningPolicy = LearningPolicy()
    bootstrap: BootstrapPolicy = BootstrapPolicy()
    upkeep: UpkeepPolicy = UpkeepPolicy()
    verbatim: VerbatimPolicy = VerbatimPolicy()

    # Limits.

    model_timeout_s: float = Field(default=60, gt=0)
    """Seconds to wait for a reply of the chat model. Unset: 300 for a model on this machine or in
    this network. A limit: the user waits.
    """

    extraction_timeout_s: float = Field(
        default=8, gt=0, json_schema_extra={"env": "MEMORY_EXTRACTION_TIMEOUT_S"}
    )
    """Seconds to wait for facts before the reply; after that, rules read them, and the model again
    after the reply. Unset: 20 for a local model. A limit: the user waits.
    """

    episode_timeout_s: float = Field(
        default=120, gt=0, json_schema_extra={"env": "MEMORY_EPISODE_TIMEOUT_S"}
    )
    """Seconds to wait for an episode, and for facts after the reply. Unset: 180 for a local model.
    A limit: the end of the run may wait for it.
    """

    extraction_budget_usd: float = Field(
        default=0.01, gt=0, json_schema_extra={"env": "MEMORY_EXTRACTION_BUDGET_USD"}
    )
    """Highest cost of reading the facts of a message; above it, rules read them. Without `prices`
    a small model's price is assumed. A limit: bounds cost.
    """

    episode_budget_usd: float = Field(
        default=0.15, gt=0, json_schema_extra={"env": "MEMORY_EPISODE_BUDGET_USD"}
    )
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

    index_max_items: int = Field(default=20_000, ge=100)
    """Memories of all users that one process keeps indexed. A limit: bounds its memory."""

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

    api_variant: str | None = Field(
        default=None, json_schema_extra={"env": "LANGSMITH_LANGGRAPH_API_VARIANT"}
    )
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

    @classmethod
    @override
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read variables by the names that the fields give, instead of pydantic's scheme."""
        return init_settings, _Variables(settings_cls)


class _Variables(PydanticBaseSettingsSource):
    """Values from the process's environment, then from `.env`."""

    @override
    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[object, str, bool]:
        raise NotImplementedError  # `__call__` reads all fields at once

    @override
    def __call__(self) -> dict[str, object]:
        given = {**dotenv_values(".env"), **os.environ}
        values: dict[str, object] = {}
        for path, name in variable_names(Settings):
            if value := (given.get(name) or "").strip():
                _set(values, path, value)
        return values


def variable_names(
    model: type[BaseModel], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each setting's path and the variable that sets it."""
    for name, field in model.model_fields.items():
        here = (*path, name)
        nested = field.annotation
        if not path and isinstance(nested, type) and issubclass(nested, Policy):
            yield from variable_names(nested, here)
        else:
            yield here, _variable(field, here)


def unknown_variables() -> list[str]:
    """Return variables that look like settings of this package, but are none."""
    given = {**dotenv_values(".env"), **os.environ}
    known = {name for _, name in variable_names(Settings)}
    return sorted(
        name
        for name in given.keys() - known
        if name.startswith(_PREFIXES) and not name.startswith(_NOT_OURS)
    )


def describe_settings() -> str:
    """Return every setting with its meaning and default, in the form of a `.env` file."""
    lines = [
        "# Copy to .env. Every setting is optional; the values shown are the defaults.",
        "# How the defaults were chosen: docs/tuning.md.",
    ]
    for title in GROUPS:
        lines += ["", f"# ===== {title} ====="]
        section = ""
        for path, name in variable_names(Settings):
            model, field = _field(path)
            if _group(path, field) != title:
                continue
            if len(path) > 1 and path[0] != section:
                section = path[0]
                lines += ["", f"# -- {section}: {(model.__doc__ or '').partition(chr(10))[0]}"]
            lines += ["", *_comment(field.description or ""), f"# {name}={_written(field.default)}"]
    return "\n".join(lines) + "\n"


def _field(path: tuple[str, ...]) -> tuple[type[BaseModel], FieldInfo]:
    model: type[BaseModel] = Settings
    if len(path) > 1:
        model = type(getattr(Settings.model_construct(), path[0]))
    return model, model.model_fields[path[-1]]


def _group(path: tuple[str, ...], field: FieldInfo) -> str:
    """Return the group of a setting; a policy's limits are apart from its other numbers."""
    if len(path) > 1:
        return "Limits" if "A limit:" in (field.description or "") else "Quality"
    return next(title for title, names in GROUPS.items() if path[0] in names)


def _comment(text: str) -> list[str]:
    return [f"# {line.strip()}" for line in text.replace(_TUNED, "").strip().splitlines()]


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


def _variable(field: FieldInfo, path: tuple[str, ...]) -> str:
    extra = field.json_schema_extra
    named = extra.get("env") if isinstance(extra, Mapping) else None
    return str(named) if named else "_".join(("MEMORY_GRAPH", *path)).upper()


def _set(values: dict[str, object], path: tuple[str, ...], value: str) -> None:
    for step in path[:-1]:
        inner = values.setdefault(step, {})
        assert isinstance(inner, dict)
        values = inner
    values[path[-1]] = value


@cache
def get_settings() -> Settings:
    """Return this process's settings; read on first use, never at import.

    Raises:
        ConfigurationError: If a variable has an invalid value.
    """
    try:
        return Settings()
    except ValidationError as error:
        raise ConfigurationError("; ".join(_complaints(error))) from error


def _complaints(error: ValidationError) -> list[str]:
    """Return what is wrong with each variable, without its value."""
    return [_complaint(each) for each in error.errors(include_input=False)]


def _complaint(problem: ErrorDetails) -> str:
    path = tuple(map(str, problem["loc"]))
    told = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        known = type(reduce(getattr, path[:-1], Settings.model_construct())).model_fields
        told = f"there is no {path[-1]!r}; there are: {', '.join(known)}"
    names = (name for _, name in variable_names(Settings))
    return told if any(name in told for name in names) else f"`{_named(path)}`: {told}"


def _named(path: tuple[str, ...]) -> str:
    """Return the variable a value came from, which may set several at once."""
    names = dict(variable_names(Settings))
    known = (names[path[:end]] for end in range(len(path), 0, -1) if path[:end] in names)
    within = [name for place, name in names.items() if place[: len(path)] == path]
    return next(known, "/".join(within[:2]) or ".".join(path))
