"""The settings of this process; the only module that reads the environment."""

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache, reduce
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    DirectoryPath,
    Field,
    FilePath,
    SecretStr,
    ValidationError,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, to_jsonable_python
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
    YamlConfigSettingsSource,
)
from yaml import YAMLError  # type: ignore[import-untyped]

from memory_graph import policies as numbers
from memory_graph.clock import zone_named
from memory_graph.errors import ConfigurationError

logger = logging.getLogger(__name__)

SECRETS = Path("/run/secrets")
"""Where Docker and Kubernetes put files with secrets, each named as its variable."""

PREFIX = "MEMORY_GRAPH_"
_OURS = re.compile(
    r"MEMORY_(GRAPH|SEM|CONTEXT|RERANK|TINY_LLM|EXTRACTION|EPISODE)_|EPISODIC_", re.IGNORECASE
)
_FORMER_PREFIX = {"limits": PREFIX}
_TUNED = "Tuned: docs/lab/tuning.md."
_OF_OTHERS = ("MEMORY_GRAPH_LOCOMO", "MEMORY_GRAPH_IMAGE")
"""Variables of the evaluations, and of `compose.yaml`."""

_GROUPS = {
    "store": "Start here",
    "extraction_model": "Models",
    "admission": "What is kept and recalled",
    "capture_mode": "Server",
}
"""The groups of `.env.example`, by the first setting of each."""


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


def _called(variable: str, default: object, **bounds: Any) -> Any:  # noqa: ANN401 — as `Field`
    """Return a field whose variable does not begin with the prefix."""
    return Field(default, validation_alias=variable, **bounds)


class Settings(BaseSettings):
    """Read once per process: variables, `.env`, secret files, and the settings file.

    What is a variable is listed in `.env.example`; what a settings file may hold besides, in
    `memory-graph settings --file`.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_ignore_empty=True,
        dotenv_filtering="only_existing",
        enable_decoding=False,
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        str_strip_whitespace=True,
        allow_inf_nan=False,
    )

    # Start here.

    store: SecretStr = SecretStr("sqlite")
    """Where memory is kept: `sqlite`, `sqlite:PATH`, `memory` or `postgresql://…`."""

    model: str | None = None
    """Chat model: `anthropic:…`, `google_genai:…`, `ollama:…`, any provider of langchain's
    `init_chat_model`; a bare name is a model on the OpenAI-compatible endpoint.
    Unset: no model; rules read facts and answer.
    """

    openai_api_key: SecretStr | None = _called("OPENAI_API_KEY", None)
    """Key of the endpoint; most local servers need none."""

    openai_base_url: Annotated[str | None, AfterValidator(_an_address)] = _called(
        "OPENAI_BASE_URL", None
    )
    """Address of the endpoint, for vLLM, Ollama and gateways."""

    embedder: str = "use"
    """What turns text into vectors: `use` or `wordllama` (built in), or `PROVIDER:MODEL`, any
    provider of langchain's `init_embeddings`; `@DIMS` at the end gives the length of the vectors.
    """

    time_zone: Annotated[str, AfterValidator(lambda name: zone_named(name).key)] = "UTC"
    """Time zone of users whose run does not name one (`context.time_zone`)."""

    shapes: FilePath | None = None
    """A YAML or JSON file that says what matters in memory, or several such shapes by name, of
    which `Context.shape` chooses one. `memory-graph shape check FILE` says what is wrong in it.
    """

    prompts: DirectoryPath | None = None
    """A folder with prompts of your own: a file there takes the place of the packaged one of the
    same name. `memory-graph prompts copy DIR` makes one, `prompts check DIR` checks it.
    """

    settings: FilePath | None = None
    """A YAML or JSON file with settings, for example `recall: {token_budget: 800}`. It may hold
    every number of memory, also those that have no variable; `memory-graph settings --file`
    prints them all. A variable beats the file.
    """

    # Models.

    extraction_model: str | None = _called("MEMORY_EXTRACTION_MODEL", None)
    """Model that extracts facts. Unset: `tiny_model`, else `model`."""

    episode_model: str | None = _called("MEMORY_EPISODE_MODEL", None)
    """Model that writes every episode. Unset: the extraction model, mostly while it reads facts."""

    tiny_model: str | None = _called("MEMORY_TINY_LLM_MODEL_ID", None)
    """Model for every internal call that has no model of its own."""

    model_timeout_s: float = Field(default=60, gt=0)
    """Seconds to wait for a reply of the chat model. Unset: 300 for a model on this machine or in
    this network. A limit: the user waits.
    """

    extraction_timeout_s: float = _called("MEMORY_EXTRACTION_TIMEOUT_S", 8, gt=0)
    """Seconds to wait for facts where they are read before the reply; after that, the message
    waits for a later run. Unset: 20 for a local model. A limit: the user waits.
    """

    episode_timeout_s: float = _called("MEMORY_EPISODE_TIMEOUT_S", 120, gt=0)
    """Seconds to wait for an episode, and for facts beside or after the reply. Unset: 180 for a
    local model. A limit: the end of the run may wait for it.
    """

    read: Literal["beside", "before", "after"] = "beside"
    """When a model reads a message: beside the reply; before it, for agents whose tools read memory
    in the same turn; after it, for endpoints that answer one call at a time. Rules always read
    before it.
    """

    extraction_budget_usd: float = _called("MEMORY_EXTRACTION_BUDGET_USD", 0.01, gt=0)
    """Highest cost of reading the facts of a message; above it, rules read them. Without `prices`
    a small model's price is assumed. A limit: bounds cost.
    """

    episode_budget_usd: float = _called("MEMORY_EPISODE_BUDGET_USD", 0.15, gt=0)
    """Highest cost of writing an episode; above it, one is written without the model. Without
    `prices` a small model's price is assumed. A limit: bounds cost.
    """

    prices: Annotated[Mapping[str, Price], BeforeValidator(_read_prices)] = {}
    """USD per million tokens: `model=input/output,…`. Unset: costs are unknown."""

    # What is kept and recalled.

    admission: numbers.AdmissionPolicy = numbers.AdmissionPolicy()
    recall: numbers.RecallPolicy = numbers.RecallPolicy()
    capture: numbers.CapturePolicy = numbers.CapturePolicy()
    causality: numbers.CausalityPolicy = numbers.CausalityPolicy()
    learning: numbers.LearningPolicy = numbers.LearningPolicy()
    profile: numbers.ProfilePolicy = numbers.ProfilePolicy()
    bootstrap: numbers.BootstrapPolicy = numbers.BootstrapPolicy()
    upkeep: numbers.UpkeepPolicy = numbers.UpkeepPolicy()
    verbatim: numbers.VerbatimPolicy = numbers.VerbatimPolicy()
    limits: numbers.Limits = numbers.Limits()

    # Server.

    capture_mode: Literal["auto", "inline", "background"] = "auto"
    """`auto` writes episodes after the run where a model is asked, so that no reply waits for it;
    LangGraph Server, whose queue survives the worker, always writes inline."""

    trust_client_user_id: bool | None = None
    """Without auth, trust `context.user_id`. Unset: only under `langgraph dev`."""

    act_as_permission: str = "memory:act_as"
    """Permission with which an authenticated caller may name another user."""

    operators: Annotated[tuple[str, ...], BeforeValidator(numbers.read_names)] = ()
    """Identities that may maintain the memory of all users: `ops@example.com,cron`. The runs of a
    cron have the identity of whoever created it, and no permissions.
    """

    client_policies: Annotated[tuple[str, ...], BeforeValidator(numbers.read_names)] = ()
    """Policies that a client of the server may loosen: `capture,recall`, or `all`. Unset: masking,
    quotas and limits can only be tightened by a client's context.
    """

    user: str | None = None
    """Whose memory it is where a client names nobody: for a server that one person uses."""

    mcp_tokens: Annotated[SecretStr | None, AfterValidator(_tokens_of_users)] = None
    """Bearer tokens of `memory-graph mcp --transport http`: `ana=TOKEN,ben=TOKEN`."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    """Log level of the command line, on standard error."""

    api_variant: str | None = _called("LANGSMITH_LANGGRAPH_API_VARIANT", None)
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
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return where settings come from; an earlier source beats a later one."""
        given = [_by_path(EnvSettingsSource(cls)), _by_path(DotEnvSettingsSource(cls))]
        asked = (each.get("settings") for each in (init_settings(), *given))
        return (
            init_settings,
            *(InitSettingsSource(cls, values) for values in given),
            *([SecretsSettingsSource(cls, SECRETS)] if SECRETS.is_dir() else []),
            _SettingsFile(cls, yaml_file=next(filter(None, asked), None)),
        )


class _SettingsFile(YamlConfigSettingsSource):
    """The settings file; JSON is YAML too."""

    def _read_file(self, file_path: Any) -> dict[str, Any]:  # noqa: ANN401 — as the library's
        try:
            values = super()._read_file(file_path)
        except (YAMLError, OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"The settings file cannot be read: {error}") from error
        if not isinstance(values, dict):
            raise ConfigurationError("The settings file has to hold names and values.")
        return values


def _by_path(source: EnvSettingsSource) -> dict[str, Any]:
    """Return what variables say, the numbers of a policy under its name."""
    values = {name: value for name, value in source().items() if name not in _policies()}
    for variable, setting in variables().items():
        value = (source.env_vars.get(variable.lower()) or "").strip()
        if setting.path[1:] and value:
            policy, number = setting.path
            values.setdefault(policy, {})[number] = value
    return values


class Setting(NamedTuple):
    """One setting: where it is in `Settings`, and the variable that sets it, if any."""

    path: tuple[str, ...]
    field: FieldInfo
    variable: str | None

    @property
    def meaning(self) -> str:
        """The text under the field."""
        model = _policies()[self.path[0]] if self.path[1:] else Settings
        return numbers.meanings(model).get(self.path[-1], "")


def all_settings() -> Iterator[Setting]:
    """Yield every setting, those of a policy one by one."""
    for name, field in Settings.model_fields.items():
        if name in _policies():
            for each, number in _policies()[name].model_fields.items():
                extra = number.json_schema_extra
                variable = extra.get("env") if isinstance(extra, dict) else None
                yield Setting((name, each), number, str(variable) if variable else None)
        else:
            alias = field.validation_alias
            yield Setting((name,), field, alias if isinstance(alias, str) else _prefixed(name))


def _prefixed(name: str) -> str:
    return f"{PREFIX}{name}".upper()


def variables() -> dict[str, Setting]:
    """Return the settings that have a variable, by its name."""
    return {each.variable: each for each in all_settings() if each.variable}


@cache
def _policies() -> dict[str, type[numbers.Policy]]:
    kinds = ((name, field.annotation) for name, field in Settings.model_fields.items())
    return {
        n: kind for n, kind in kinds if isinstance(kind, type) and issubclass(kind, numbers.Policy)
    }


def unknown_variables() -> list[str]:
    """Return variables that look like settings of this package, but are none."""
    given = {*DotEnvSettingsSource(Settings).env_vars, *EnvSettingsSource(Settings).env_vars}
    names = {name.upper() for name in given if _OURS.match(name)}
    return sorted(names - variables().keys() - {*_OF_OTHERS})


def advice_on(variable: str) -> str:
    """Return what to do about a variable that is none: where it went, or what was meant."""
    for setting in all_settings():
        if not setting.variable and variable in _former_names(setting.path):
            section, name = setting.path
            return f"{variable} is `{section}: {{{name}: …}}` in the file {PREFIX}SETTINGS names"
    close = get_close_matches(variable, variables(), n=1, cutoff=0.9)
    return (
        f"{variable}: did you mean {close[0]}?"
        if close
        else f"{variable} is not a setting any more, or never was"
    )


def _former_names(path: tuple[str, ...]) -> tuple[str, str]:
    """Return what the variables of a number were called when each had one."""
    return (
        _prefixed("_".join(path)),
        f"{_FORMER_PREFIX.get(path[0], '')}{path[-1]}".upper(),
    )


def describe_variables() -> str:
    """Return every variable with its meaning and default, in the form of a `.env` file."""
    lines = [
        "# Copy to .env. Every setting is optional; the values shown are the defaults.",
        f"# Numbers without a variable go into a file, which {PREFIX}SETTINGS names:",
        "# `memory-graph settings --file` prints them.",
    ]
    for variable, setting in variables().items():
        if title := _GROUPS.get(setting.path[0]):
            heading = f"# ===== {title} ====="
            lines += [] if heading in lines else ["", heading]
        lines += ["", *_comment(setting), f"# {variable}={_written(setting.field.default)}"]
    return "\n".join(lines) + "\n"


def describe_file() -> str:
    """Return every number of memory with its meaning and default, as a settings file."""
    lines = [
        f"# Save as settings.yaml, keep what you change, and set {PREFIX}SETTINGS=settings.yaml."
    ]
    section = ""
    for setting in all_settings():
        if len(setting.path) == 1:
            continue
        if setting.path[0] != section:
            section = setting.path[0]
            lines += [
                "",
                f"# {(_policies()[section].__doc__ or '').splitlines()[0]}",
                f"{section}:",
            ]
        value = to_jsonable_python(setting.field.default)
        lines += [f"  {line}" for line in _comment(setting)]
        lines.append(f"  {setting.path[1]}: {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def _comment(setting: Setting) -> list[str]:
    text = setting.meaning.replace(_TUNED, "").strip()
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
    if isinstance(default, bool):
        return str(default).lower()
    return "" if default is None else str(default)


def wants_colour() -> bool:
    """Say whether a terminal may be coloured: https://no-color.org."""
    return not os.environ.get("NO_COLOR")  # noqa: TID251 — this module reads the environment


@cache
def get_settings() -> Settings:
    """Return this process's settings; read on first use, never at import.

    Raises:
        ConfigurationError: If a setting has an invalid value.
    """
    try:
        settings = Settings()
    except ValidationError as error:
        problems = map(_complaint, error.errors(include_input=False))
        raise ConfigurationError("; ".join(problems)) from error
    if unknown := unknown_variables():
        advice = "; ".join(map(advice_on, unknown))
        logger.warning("Variables that set nothing: %s.", advice)
    return settings


def _complaint(problem: ErrorDetails) -> str:
    """Return what is wrong with a setting, without its value."""
    path = tuple(map(str, problem["loc"]))
    message = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "extra_forbidden":
        known = type(reduce(getattr, path[:-1], Settings.model_construct())).model_fields
        message = f"there is no {path[-1]!r}; there are: {', '.join(known)}"
    if path[0] in variables():
        return f"`{path[0]}`: {message}"
    names = {setting.path: name for name, setting in variables().items()}
    place = next((path[:end] for end in range(len(path), 0, -1) if path[:end] in names), path)
    name = f"`{names[place]}`" if place in names else f"`{'.'.join(path)}` (settings file)"
    return f"{name}: {message}"
