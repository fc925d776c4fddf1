"""How this process is set up. The only module that reads the environment."""

import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Literal, NamedTuple

from dotenv import dotenv_values
from pydantic import BaseModel, BeforeValidator, Field, SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from typing_extensions import override

from memory_graph.policy.admission import AdmissionPolicy
from memory_graph.policy.bootstrap import BootstrapPolicy
from memory_graph.policy.capture import CapturePolicy
from memory_graph.policy.causality import CausalityPolicy
from memory_graph.policy.fields import Policy
from memory_graph.policy.learning import LearningPolicy
from memory_graph.policy.recall import RecallPolicy
from memory_graph.policy.upkeep import UpkeepPolicy
from memory_graph.policy.verbatim import VerbatimPolicy


class Price(NamedTuple):
    """What a model costs, in USD per million tokens."""

    input: float
    output: float


def _read_prices(value: object) -> object:
    """Read `small=0.15/0.6,large=3/15`; leave anything else to be complained about."""
    if not isinstance(value, str):
        return value
    pairs = (part.rpartition("=") for part in value.replace(" ", "").split(",") if part)
    return {model: price.split("/") for model, _, price in pairs}


class Settings(BaseSettings):
    """Read once per process from the environment or `.env`; `.env.example` lists every name."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    store: SecretStr = SecretStr("sqlite")
    """Where memory is kept: `sqlite`, `sqlite:PATH`, `memory` or `postgresql://…`."""

    embedder: str = "use"
    """What turns text into vectors: `use` or `wordllama` (in the package), `openai:MODEL`."""

    model: str | None = None
    """Chat model on an OpenAI-compatible endpoint. Unset: the graph runs offline, by rules."""

    extraction_model: str | None = Field(
        default=None, json_schema_extra={"env": "MEMORY_EXTRACTION_MODEL"}
    )
    """Small model that reads facts; empty: `tiny_model`, else `model`."""

    tiny_model: str | None = Field(
        default=None, json_schema_extra={"env": "MEMORY_TINY_LLM_MODEL_ID"}
    )
    """Small model for every internal call that names none of its own."""

    episode_model: str | None = Field(
        default=None, json_schema_extra={"env": "MEMORY_EPISODE_MODEL"}
    )
    """Model that writes episodes; empty: the extraction model."""

    episode_budget_usd: float = Field(
        default=0.15, gt=0, json_schema_extra={"env": "MEMORY_EPISODE_BUDGET_USD"}
    )
    """An episode whose call cannot stay under this is not generated (needs `prices`).
    A limit: it bounds cost.
    """

    episode_timeout_s: float = Field(
        default=20, gt=0, json_schema_extra={"env": "MEMORY_EPISODE_TIMEOUT_S"}
    )
    """Longest wait for an episode.
    A limit: the reply may be waiting behind it.
    """

    episode_alarm_after: int = Field(default=3, ge=1)
    """After so many episodes in a row that failed to be written, one error is logged.
    A limit: one failure is an accident, each further one the same news.
    """

    capture_mode: Literal["inline", "background"] = "inline"
    """`background` writes episodes after the run; the next turn picks up what was lost.
    On LangGraph Server both stay in the run, whose queue survives the worker.
    """

    prices: Annotated[Mapping[str, Price], BeforeValidator(_read_prices)] = {}
    """USD per million tokens, as `model=input/output,…`; without it costs are unknown."""

    model_timeout_s: float = Field(default=60, gt=0)
    """Longest wait for one answer of the chat model.
    A limit: somebody is waiting.
    """

    extraction_timeout_s: float = Field(default=8, gt=0)
    """Longest wait for facts.
    A limit: it is in the user's way.
    """

    openai_api_key: SecretStr | None = Field(
        default=None, json_schema_extra={"env": "OPENAI_API_KEY"}
    )
    """Key of the endpoint; local servers mostly want none."""

    openai_base_url: str | None = Field(default=None, json_schema_extra={"env": "OPENAI_BASE_URL"})
    """Address of the endpoint, for vLLM, Ollama, gateways."""

    trust_client_user_id: bool | None = None
    """On a server without auth: believe `context.user_id`? Unset: only under `langgraph dev`."""

    api_variant: str | None = Field(
        default=None, json_schema_extra={"env": "LANGSMITH_LANGGRAPH_API_VARIANT"}
    )
    """Set by LangGraph's own server; `local_dev` under `langgraph dev`."""

    act_as_permission: str = "memory:act_as"
    """Permission with which an authenticated caller may name another user."""

    mcp_tokens: SecretStr | None = None
    """Bearer tokens of `memory-graph mcp --transport http`: `ana=TOKEN,ben=TOKEN`."""

    time_zone: str = "UTC"
    """Zone of users who did not say theirs in `user_context.locale_info.time_zone`."""

    store_read_timeout_s: float = Field(default=1.5, gt=0)
    """A store that does not answer a read in this time is treated as down.
    A limit: it is in the user's way.
    """

    store_scan_timeout_s: float = Field(default=10, gt=0)
    """So long for reading all of a user's memories. A first search that takes longer is given up,
    but what it needs is read to the end, for the next turn.
    A limit: the turn waits for it.
    """

    store_write_timeout_s: float = Field(default=5, gt=0)
    """A store that does not take a write in this time is treated as down.
    A limit: the turn ends with it.
    """

    ledger_max: int = Field(default=1000, ge=10)
    """How many turns of decisions are kept per user for `why` and undo.
    A limit: it bounds one user's part of the store.
    """

    index_max_items: int = Field(default=50_000, ge=100)
    """How many memories, of all users together, one process keeps indexed in memory.
    A limit: it bounds the memory of a process.
    """

    index_max_namespace: int = Field(default=20_000, ge=1)
    """Of more memories of one kind, a user's are searched in SQL, where the store is Postgres.
    A limit: a larger index takes too long to read.
    """

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    """Level of the command line's log on standard error."""

    admission: AdmissionPolicy = AdmissionPolicy()
    recall: RecallPolicy = RecallPolicy()
    capture: CapturePolicy = CapturePolicy()
    causality: CausalityPolicy = CausalityPolicy()
    learning: LearningPolicy = LearningPolicy()
    bootstrap: BootstrapPolicy = BootstrapPolicy()
    upkeep: UpkeepPolicy = UpkeepPolicy()
    verbatim: VerbatimPolicy = VerbatimPolicy()

    @property
    def trusts_client_user_id(self) -> bool:
        """Whether a server without auth believes the user id a client sends."""
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
        """Read variables by the names the fields give, in place of pydantic's own scheme."""
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
            if value := given.get(name):
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


def describe_settings() -> str:
    """Return every setting with its meaning and default, in the form of a `.env` file."""
    lines = ["# Copy to .env. Every setting is optional; the values shown are the defaults."]
    section = ""
    for path, name in variable_names(Settings):
        model: type[BaseModel] = Settings
        if len(path) > 1:
            model = type(getattr(Settings.model_construct(), path[0]))
        if path[:-1] != (section,) * bool(section):
            section = path[0]
            lines += ["", f"# — {section}: {_summary(model)}"]
        field = model.model_fields[path[-1]]
        lines += ["", *_comment(field.description or ""), f"# {name}={_written(field.default)}"]
    return "\n".join(lines) + "\n"


def _summary(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").partition("\n")[0]


def _comment(text: str) -> list[str]:
    return [f"# {line.strip()}" for line in text.splitlines()]


def _written(default: object) -> str:
    if isinstance(default, BaseModel):
        default = default.model_dump()
    if isinstance(default, Mapping):
        return ",".join(f"{key}={value:g}" for key, value in default.items())
    if isinstance(default, tuple):
        return ",".join(default)
    if isinstance(default, SecretStr):
        return default.get_secret_value()
    return (
        ""
        if default is None
        else str(default).lower()
        if default in (True, False)
        else str(default)
    )


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
    """Return this process's settings; read on first use, never at import."""
    return Settings()
