"""What one run is given: whose memory, which zone, which models, which policies."""

import logging
from collections.abc import Callable, Mapping
from typing import Annotated, TypeVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from memory_graph.policy.admission import AdmissionPolicy
from memory_graph.policy.bootstrap import BootstrapPolicy
from memory_graph.policy.capture import CapturePolicy
from memory_graph.policy.causality import CausalityPolicy
from memory_graph.policy.learning import LearningPolicy
from memory_graph.policy.recall import RecallPolicy
from memory_graph.policy.verbatim import VerbatimPolicy
from memory_graph.settings import Settings, get_settings

logger = logging.getLogger(__name__)
P = TypeVar("P", bound=BaseModel)


def _over(section: str) -> BeforeValidator:
    """Let a run change some numbers of a policy and keep the environment's others."""

    def merge(value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        configured: BaseModel = getattr(get_settings(), section)
        return {**configured.model_dump(), **value}

    return BeforeValidator(merge)


def _setting(read: Callable[[Settings], P]) -> Callable[[], P]:
    return lambda: read(get_settings())


class LocaleInfo(BaseModel):
    """Where the user is, as far as it changes what a date means."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    time_zone: str | None = None
    """IANA name such as `Europe/Lisbon`."""


class UserContext(BaseModel):
    """What the application knows about the user."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    locale_info: LocaleInfo = LocaleInfo()


class Context(BaseModel):
    """Per-run values. JSON-able, so that LangGraph Server can pass them.

    What a run does not say comes from `Settings`, and what the environment does not
    say comes from the defaults in `policy/`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_id: str | None = Field(
        default=None,
        min_length=1,
        description="Whose memory this is. On a server with auth, the signed-in user wins.",
        json_schema_extra={"langgraph_nodes": ["memory_hotpath", "memory_context"]},
    )
    user_context: UserContext = Field(
        default_factory=UserContext, description="Where the user is: their time zone."
    )
    project: str | None = Field(default=None, description="Project the conversation belongs to.")
    model: str | None = Field(
        default_factory=lambda: get_settings().model,
        description="Chat model of the agent; empty runs offline.",
        json_schema_extra={"langgraph_nodes": ["supervisor"]},
    )
    admission: Annotated[AdmissionPolicy, _over("admission")] = Field(
        default_factory=_setting(lambda settings: settings.admission),
        description="When a statement updates a known fact.",
        json_schema_extra={"langgraph_nodes": ["memory_hotpath"]},
    )
    recall: Annotated[RecallPolicy, _over("recall")] = Field(
        default_factory=_setting(lambda settings: settings.recall),
        description="What is recalled, and how much of it.",
        json_schema_extra={"langgraph_nodes": ["memory_context"]},
    )
    capture: Annotated[CapturePolicy, _over("capture")] = Field(
        default_factory=_setting(lambda settings: settings.capture),
        description="When an exchange becomes an episode.",
        json_schema_extra={"langgraph_nodes": ["episodic_capture"]},
    )
    causality: Annotated[CausalityPolicy, _over("causality")] = Field(
        default_factory=_setting(lambda settings: settings.causality),
        description="When a pattern is a warning.",
    )
    learning: Annotated[LearningPolicy, _over("learning")] = Field(
        default_factory=_setting(lambda settings: settings.learning),
        description="When repeated outcomes are proposed as a pattern.",
    )
    bootstrap: Annotated[BootstrapPolicy, _over("bootstrap")] = Field(
        default_factory=_setting(lambda settings: settings.bootstrap),
        description="What a new thread is told, and whether before its first turn.",
        json_schema_extra={"langgraph_nodes": ["memory_context"]},
    )
    verbatim: Annotated[VerbatimPolicy, _over("verbatim")] = Field(
        default_factory=_setting(lambda settings: settings.verbatim),
        description="What is kept word for word, and for how long.",
        json_schema_extra={"langgraph_nodes": ["episodic_capture"]},
    )

    @property
    def zone(self) -> ZoneInfo:
        """The user's time zone; UTC if the name they gave is unknown."""
        name = self.user_context.locale_info.time_zone or get_settings().time_zone
        try:
            return ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            logger.warning("Unknown time zone; using UTC.")
            return ZoneInfo("UTC")


_SHARED = ("user_id", "user_context", "project")


def read_context(given: object, configurable: Mapping[str, object] | None = None) -> Context:
    """Return our context out of whatever the surrounding graph runs with.

    Inside somebody else's graph the context is theirs. From it, and then from
    `configurable`, only `user_id`, `user_context`, `project` and a mapping named
    `memory_graph` with the rest are taken: their `model` is not ours.
    """
    if isinstance(given, Context) and given.user_id:
        return given
    own = given.model_dump(exclude_unset=True) if isinstance(given, Context) else {}
    values = {**_ours(configurable or {}), **_ours(given), **own}
    try:
        return Context.model_validate(values)
    except ValidationError as error:
        fields = sorted({str(problem["loc"][0]) for problem in error.errors() if problem["loc"]})
        logger.warning("Ignoring unusable memory context fields: %s.", ", ".join(fields))
        return Context.model_validate({k: v for k, v in values.items() if k not in fields})


def _ours(given: object) -> dict[str, object]:
    def read(name: str) -> object:
        return given.get(name) if isinstance(given, Mapping) else getattr(given, name, None)

    options = read("memory_graph")
    values = dict(options) if isinstance(options, Mapping) else {}
    values |= {name: read(name) for name in _SHARED if read(name)}
    return values
