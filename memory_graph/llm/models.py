"""Which chat model does which job? No model at all means: offline, by rules."""

from dataclasses import dataclass
from functools import cache

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from memory_graph.context import Context
from memory_graph.settings import get_settings


@dataclass(frozen=True)
class Models:
    """The models of one run. `None` is the offline mode of that job."""

    chat: BaseChatModel | None = None
    extraction: BaseChatModel | None = None
    episode: BaseChatModel | None = None


def models_for(context: Context, given: BaseChatModel | None = None) -> Models:
    """Return the models of a run: one passed in code, else the ones settings name.

    The extraction model inherits the tiny model, then the chat model; the episode model
    inherits the extraction model.
    """
    if given is not None:
        return Models(given, given, given)
    settings = get_settings()
    chat = context.model
    extraction = settings.extraction_model or settings.tiny_model or chat
    episode = settings.episode_model or extraction
    return Models(_named(chat), _named(extraction), _named(episode))


def _named(name: str | None) -> BaseChatModel | None:
    if not name:
        return None
    settings = get_settings()
    key = settings.openai_api_key
    return _openai_compatible(
        name,
        settings.openai_base_url,
        key.get_secret_value() if key else "none",
        settings.model_timeout_s,
    )


@cache
def _openai_compatible(
    name: str, base_url: str | None, api_key: str, timeout_s: float
) -> BaseChatModel:
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 — importing us must stay light

    return ChatOpenAI(
        model=name,
        api_key=SecretStr(api_key),
        base_url=base_url,
        timeout=timeout_s,
        max_retries=1,
    )
