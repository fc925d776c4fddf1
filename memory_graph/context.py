"""The context of one run: user, time zone, models and policies."""

import logging
import re
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Self, TypeVar
from zoneinfo import ZoneInfo

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.config import JsonDict

from memory_graph import policies as numbers
from memory_graph.clock import zone_named
from memory_graph.records import ToolSet, storable_id
from memory_graph.settings import get_settings

logger = logging.getLogger(__name__)


def _as_id(given: object) -> object:
    """Return text or a whole number as an id that can be stored; refuse anything else."""
    if isinstance(given, int) and not isinstance(given, bool):
        given = str(given)
    return storable_id(given) if isinstance(given, str) else given


def _configured(section: str, meaning: str) -> Any:  # noqa: ANN401 — as `Field`
    return Field(default_factory=lambda: getattr(get_settings(), section), description=meaning)


class Policies(BaseModel):
    """The numbers behind every decision. What a run leaves out comes from `Settings`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    admission: numbers.AdmissionPolicy = _configured(
        "admission", "When a statement updates a known fact."
    )
    recall: numbers.RecallPolicy = _configured("recall", "What is recalled, and how much of it.")
    capture: numbers.CapturePolicy = _configured("capture", "When an exchange becomes an episode.")
    causality: numbers.CausalityPolicy = _configured("causality", "When a pattern is a warning.")
    learning: numbers.LearningPolicy = _configured(
        "learning", "When repeated outcomes are proposed as a pattern."
    )
    profile: numbers.ProfilePolicy = _configured(
        "profile", "Who the user is, and how they want the agent to work: how much of it is shown."
    )
    bootstrap: numbers.BootstrapPolicy = _configured("bootstrap", "The briefing before a task.")
    verbatim: numbers.VerbatimPolicy = _configured(
        "verbatim", "What is kept word for word, and for how long."
    )

    @field_validator("*", mode="before")
    @classmethod
    def _over_settings(cls, given: object, info: ValidationInfo) -> object:
        """Let a run change some numbers of a policy and keep the environment's others."""
        if not isinstance(given, Mapping):
            return given
        configured: BaseModel = getattr(get_settings(), str(info.field_name))
        return {**configured.model_dump(), **given}


_MEMORY_NODES: JsonDict = {
    "langgraph_nodes": ["memory_hotpath", "memory_context", "episodic_capture"]
}


class Context(BaseModel):
    """Per-run values. JSON-able, so that LangGraph Server can pass them.

    What a run leaves out comes from `Settings`, and what the environment leaves out comes from
    the defaults in `policies.py`. A policy may also be given by its own name,
    `Context(capture={...})`, and the zone as `user_context.locale_info.time_zone`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    user_id: Annotated[str | None, BeforeValidator(_as_id)] = Field(
        default=None,
        title="User",
        min_length=1,
        strict=True,
        description="Whose memory this is. On a server with auth, the signed-in user wins.",
        examples=["ana"],
        json_schema_extra=_MEMORY_NODES,
    )
    time_zone: str | None = Field(
        default=None,
        title="Time zone",
        description="The user's zone as an IANA name; unset, that of the settings.",
        examples=["Europe/Lisbon"],
        json_schema_extra=_MEMORY_NODES,
    )
    project: str | None = Field(
        default=None,
        description="Project the conversation belongs to.",
        json_schema_extra=_MEMORY_NODES,
    )
    model: str | None = Field(
        default_factory=lambda: get_settings().model,
        description="Chat model of the agent; empty runs offline.",
        json_schema_extra={"langgraph_nodes": ["supervisor"]},
    )
    memory: bool = Field(
        default=True,
        description="Off: nothing is kept and nothing recalled in this run.",
        json_schema_extra=_MEMORY_NODES,
    )
    shape: str | None = Field(
        default=None,
        description="Name of the shape of memory: what matters, and what is never kept.",
        examples=["support"],
        json_schema_extra=_MEMORY_NODES,
    )
    tools: tuple[ToolSet, ...] = Field(
        default=("assistant",),
        description="Sets of memory tools that the served agent may call; empty: none.",
        json_schema_extra={"langgraph_nodes": ["supervisor"]},
    )
    policies: Policies = Field(
        default_factory=Policies,
        description="The numbers behind every decision; what is left out comes from the settings.",
        json_schema_extra={**_MEMORY_NODES, "default": {}},
    )

    @model_validator(mode="wrap")
    @classmethod
    def _usable(cls, given: object, read: ModelWrapValidatorHandler[Self]) -> Self:
        """Leave out what cannot be used: a run with a wrong context is answered."""
        return _as_far_as_usable(given, read)

    @model_validator(mode="before")
    @classmethod
    def _read_short_forms(cls, given: object) -> object:
        """Accept a policy by its own name, and the zone from `user_context`."""
        if not isinstance(given, Mapping):
            return given
        values = dict(given)
        named = {name: values.pop(name) for name in Policies.model_fields if name in values}
        policies = values.get("policies") or {}
        if named and isinstance(policies, Mapping):
            values["policies"] = {**policies, **named}
        if "user_context" in values:
            locale = _value(values.pop("user_context"), "locale_info")
            values["time_zone"] = values.get("time_zone") or _value(locale, "time_zone")
        return values

    @property
    def zone(self) -> ZoneInfo:
        """The user's time zone; UTC if the name they gave is unknown."""
        try:
            return zone_named(self.time_zone or get_settings().time_zone)
        except ValueError:
            logger.warning("Unknown time zone; using UTC.")
            return ZoneInfo("UTC")


ContextT = TypeVar("ContextT", bound=Context)
_SHARED = ("user_id", "time_zone", "user_context", "project")
_OF_LANGMEM = "langgraph_user_id"
"""What LangMem calls the user in `configurable`."""


def read_context(given: object, configurable: Mapping[str, object] | None = None) -> Context:
    """Return our context from the context that the surrounding graph runs with.

    Inside somebody else's graph the context is theirs. From it, and then from `configurable`, we
    take only `user_id`, `time_zone`, `user_context`, `project` and a mapping named `memory_graph`
    with the rest: their `model` is not ours. If no user is named, `langgraph_user_id` counts, as
    in LangMem.
    """
    if isinstance(given, Context) and given.user_id:
        return given
    own = given.model_dump(exclude_unset=True) if isinstance(given, Context) else {}
    configured = configurable or {}
    values = {**_ours(configured), **_ours(given), **own}
    if not values.get("user_id") and configured.get(_OF_LANGMEM):
        values["user_id"] = configured[_OF_LANGMEM]
    return Context.model_validate(values)


def _as_far_as_usable(given: object, read: Callable[[object], ContextT]) -> ContextT:
    """Return a context without the fields that cannot be used: memory may suffer, no turn.

    Where it cannot be told whether memory is wanted, it is off.
    """
    try:
        return read(given)
    except ValidationError as error:
        wrong = [tuple(map(str, each["loc"])) for each in error.errors()]
    names = sorted({_field_of(place) for place in wrong})
    logger.warning("Ignoring unusable memory context fields: %s.", ", ".join(names))
    values = {str(name): each for name, each in given.items()} if isinstance(given, Mapping) else {}
    kept = {name: each for name, each in values.items() if (name,) not in wrong}
    if any(place[:1] == ("memory",) for place in wrong):
        kept["memory"] = False
    policies = kept.pop("policies", None)
    dropped = {part for place in wrong for part in place[:2]}
    if isinstance(policies, Mapping):
        kept["policies"] = {name: policies[name] for name in policies if str(name) not in dropped}
    try:
        return read({name: each for name, each in kept.items() if name not in _POLICIES & dropped})
    except ValidationError:
        return read({"memory": False})


_POLICIES = frozenset(Policies.model_fields)


def _field_of(place: tuple[str, ...]) -> str:
    """Return the name of a field as it may be logged: a name that is not ours is the caller's."""
    known = {*Context.model_fields, *Policies.model_fields, "user_context"}
    return ".".join(part for part in place[:2] if part in known) or "unknown"


_LESS = {
    "admission": "enabled window max_facts candidates reads_a_day max_instructions",
    "recall": "topk topn lines lines_listed token_budget recall_episodes recall_turns",
    "capture": "enabled max_per_day window_n",
    "profile": "tokens instructions instruction_tokens scoped",
    "bootstrap": "token_budget failures patterns antipatterns next_steps facts failure_days",
    "verbatim": "enabled max_age_days max_turns max_characters",
    "learning": "enabled episodes",
}
"""The limits of each policy that are tighter the smaller they are; off is smaller than on."""
_MORE = {"capture": "cooldown_turns cooldown_minutes"}


def tightened(policies: Policies, allowed: Collection[str]) -> Policies:
    """Return policies that are nowhere looser than the settings, but for those in `allowed`."""
    configured, changed = get_settings(), {}
    for name in Policies.model_fields:
        if name in allowed or "all" in allowed:
            continue
        own, asked = getattr(configured, name), getattr(policies, name)
        bounds: dict[str, object] = {
            each: pick(getattr(own, each), getattr(asked, each))
            for table, pick in ((_LESS, min), (_MORE, max))
            for each in table.get(name, "").split()
        }
        if isinstance(own, numbers.AdmissionPolicy):
            bounds["sensitive"] = tuple(dict.fromkeys((*own.sensitive, *asked.sensitive)))
        changed[name] = asked.model_copy(update=bounds)
    return policies.model_copy(update=changed)


def misspelt_user(given: object, configurable: Mapping[str, object] | None = None) -> str | None:
    """Return a key that looks as if it was meant to be `user_id`: `userid`, `userId`, `user`."""
    theirs: object = given if isinstance(given, Mapping) else getattr(given, "__dict__", {})
    named = theirs if isinstance(theirs, Mapping) and not isinstance(given, Context) else {}
    keys = [str(key) for key in (*named, *(configurable or {})) if key != "user_id"]
    plain = {re.sub(r"[^a-z]", "", key.lower()): key for key in keys}
    close = get_close_matches("userid", plain, n=1, cutoff=0.8)
    likely = (*close, "user", "uid", "username")
    return next((plain[name] for name in likely if name in plain), None)


def _value(given: object, name: str) -> object:
    return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)


def _ours(given: object) -> dict[str, object]:
    options = _value(given, "memory_graph")
    values = dict(options) if isinstance(options, Mapping) else {}
    shared = {name: _value(given, name) for name in _SHARED}
    values |= {name: each for name, each in shared.items() if each or each == 0}
    return values
