"""Choose the chat model for each job; without one, the job runs by rules."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from memory_graph.context import Context
from memory_graph.errors import ConfigurationError, complaint_of
from memory_graph.settings import get_settings

ModelLike = BaseChatModel | str
"""A chat model, or its name: `openai:gpt-5-mini`, `anthropic:…`, `ollama:…`, …."""

_OF_OTHER_NAMES = {
    "anthropic_bedrock": "langchain-aws",
    "azure_openai": "langchain-openai",
    "bedrock": "langchain-aws",
    "bedrock_converse": "langchain-aws",
    "google_anthropic_vertex": "langchain-google-vertexai",
    "nvidia": "langchain-nvidia-ai-endpoints",
}
PROVIDERS: Mapping[str, str] = {
    name: _OF_OTHER_NAMES.get(name, f"langchain-{name.replace('_', '-')}")
    for name in (
        "anthropic anthropic_bedrock azure_ai azure_openai baseten bedrock bedrock_converse cohere "
        "deepseek fireworks google_anthropic_vertex google_genai google_vertexai groq huggingface "
        "ibm litellm mistralai nvidia ollama openai openrouter perplexity together upstage xai"
    ).split()
}
"""The providers of langchain's `init_chat_model`, and the package of each.

Only such a name before a colon is a provider: `llama3.2:3b` is a model.
"""


@dataclass(frozen=True)
class Models:
    """The models of one run. `None` is the offline mode of that job."""

    chat: BaseChatModel | None = None
    extraction: BaseChatModel | None = None
    episode: BaseChatModel | None = None


def models_for(context: Context, given: ModelLike | None = None) -> Models:
    """Return the models of a run: one passed in code, else the ones settings name.

    The extraction model inherits the tiny model, then the chat model; the episode model
    inherits the extraction model. That holds for a model passed in code as well.

    Raises:
        ConfigurationError: If a model is named whose provider is not installed or has no key.
    """
    settings = get_settings()
    chat = given if given is not None else context.model
    extraction = settings.extraction_model or settings.tiny_model or chat
    episode = settings.episode_model or extraction
    return Models(
        load_model(chat), load_model(extraction, retries=0), load_model(episode, retries=0)
    )


def load_model(given: ModelLike | None, *, retries: int = 1) -> BaseChatModel | None:
    """Return a chat model as it is, or the one of that name; the same object every time.

    Args:
        given: The model, or its name.
        retries: How often a named model's client tries again. Memory tries again by itself,
            once, in a later turn.

    Raises:
        ConfigurationError: If its provider's package is missing, or its key.
    """
    if not given or not isinstance(given, str):
        return given or None
    provider, _, name = given.partition(":")
    if name and provider != "openai" and provider in PROVIDERS:
        timeout_s = patience(local=provider in _ON_THIS_MACHINE).reply_s
        return _of_provider(provider, name, timeout_s, retries)
    settings = get_settings()
    key, url = settings.openai_api_key, settings.openai_base_url
    if key is None and url is None:
        raise ConfigurationError(
            "A model is named, but no endpoint: set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for "
            "a server of your own, or name another provider, as in `ollama:llama3.2`."
        )
    secret = key.get_secret_value() if key else "none"
    named = name if name and provider == "openai" else given
    return _openai_compatible(named, url, secret, patience(local=_is_near(url)).reply_s, retries)


@cache
def _openai_compatible(
    name: str, base_url: str | None, api_key: str, timeout_s: float, retries: int
) -> BaseChatModel:
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 — importing us must stay light

    return ChatOpenAI(
        model=name,
        api_key=SecretStr(api_key),
        base_url=base_url,
        timeout=timeout_s,
        max_retries=retries,
        stream_usage=True,
    )


@cache
def _of_provider(provider: str, name: str, timeout_s: float, retries: int) -> BaseChatModel:
    """Return a model through langchain's `init_chat_model`.

    What a provider needs beside the name, it reads from its own variables, such as
    `ANTHROPIC_API_KEY`.
    """
    package = PROVIDERS[provider]
    needed = [each for each in ("langchain", package) if not _is_installed(each)]
    if needed:
        raise ConfigurationError(
            f"Model `{provider}:{name}` needs {' and '.join(needed)}: "
            f"`pip install {' '.join(needed)}`."
        )
    from langchain.chat_models import init_chat_model  # noqa: PLC0415 — an extra

    try:
        model: BaseChatModel = init_chat_model(
            name, model_provider=provider, **_limits(provider, timeout_s, retries)
        )
    except ImportError as error:
        raise ConfigurationError(
            f"Model `{provider}:{name}` cannot be loaded ({error.name or 'a module'} is missing): "
            f"`pip install --upgrade {package}`."
        ) from error
    except Exception as error:
        raise ConfigurationError(
            f"Model `{provider}:{name}` cannot be used: {complaint_of(error)}"
        ) from error
    if missing := _missing_key(model):
        raise ConfigurationError(f"Model `{provider}:{name}` has no key: set `{missing}`.")
    return model


def _missing_key(model: BaseChatModel) -> str | None:
    """Return the variable of a key that a provider's package would miss at the first call only."""
    keys = [each for each in type(model).model_fields if each.endswith("_api_key")]
    given = [getattr(model, each) for each in keys]
    is_given = any(each.get_secret_value() for each in given if isinstance(each, SecretStr))
    return keys[0].upper() if keys and not is_given else None


def _limits(provider: str, timeout_s: float, retries: int) -> dict[str, Any]:
    """Return how long a provider's client waits and how often, in the words of its package."""
    if provider == "ollama":
        return {"client_kwargs": {"timeout": timeout_s}}
    known = {"anthropic", "google_genai", "groq", "mistralai", "deepseek", "xai", "together"}
    return {"timeout": timeout_s, "max_retries": retries} if provider in known else {}


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package.replace("-", "_")) is not None
    except ModuleNotFoundError:
        return False


@dataclass(frozen=True)
class Patience:
    """How long one waits for a model."""

    reply_s: float
    """For its reply to the user."""

    extraction_s: float
    """For facts before the reply; what takes longer is read after it."""

    episode_s: float
    """For an episode, and for facts after the reply."""


_LOCAL = {"model_timeout_s": 300.0, "extraction_timeout_s": 20.0, "episode_timeout_s": 180.0}
"""A laptop reads ten to thirty words a second, and everybody knows it."""


def patience_with(model: BaseChatModel | None) -> Patience:
    """Return how long to wait for a model: what settings say, else what suits its endpoint."""
    return patience(local=model is not None and is_local(model))


def patience(*, local: bool) -> Patience:
    """Return how long to wait for a model; one of this machine is the slowest there is."""
    settings = get_settings()
    unset = _LOCAL.keys() - settings.model_fields_set if local else ()
    return Patience(
        *(time if name in unset else getattr(settings, name) for name, time in _LOCAL.items())
    )


_ON_THIS_MACHINE = frozenset({"ollama", "huggingface", "llamacpp"})
_ADDRESSES = ("openai_api_base", "base_url", "endpoint", "anthropic_api_url", "azure_endpoint")


def is_local(model: BaseChatModel) -> bool:
    """Say whether a model runs on this machine or in this network, where time is not money."""
    addresses = [str(getattr(model, name, None) or "") for name in _ADDRESSES]
    if any(addresses):
        return any(map(_is_near, addresses))
    return any(name in type(model).__name__.casefold() for name in _ON_THIS_MACHINE)


def _is_near(address: str | None) -> bool:
    """Say whether an address is of this machine or of a private network."""
    host = urlsplit(address or "").hostname or ""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        is_plain = bool(host) and "." not in host
        return is_plain or host.endswith((".local", ".localhost", ".internal"))
    return found.is_loopback or found.is_private
