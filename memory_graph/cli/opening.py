"""How does a command get at the store, and at one user's memory in it?"""

from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from zoneinfo import ZoneInfo

from pydantic import SecretStr, ValidationError

from memory_graph.context import Context, LocaleInfo, UserContext
from memory_graph.embeddings import configured_embedder
from memory_graph.errors import ConfigurationError
from memory_graph.settings import Settings, get_settings, variable_names
from memory_graph.storage.backend import Backend, open_backend
from memory_graph.storage.scope import Owner, UserMemory, memory_of


def load_settings() -> Settings:
    """Return the settings of this process.

    Raises:
        ConfigurationError: If a variable holds what its setting cannot be.
    """
    try:
        return get_settings()
    except ValidationError as error:
        raise ConfigurationError("; ".join(_complaints(error))) from error


def _complaints(error: ValidationError) -> list[str]:
    names = dict(variable_names(Settings))
    return [
        f"`{names.get(tuple(map(str, each['loc'])), each['loc'])}`: {each['msg']}"
        for each in error.errors(include_input=False)
    ]


def settings_of(args: Namespace) -> Settings:
    """Return the settings, with the store that the command line names."""
    settings = load_settings()
    return settings.model_copy(update={"store": SecretStr(args.store)}) if args.store else settings


@asynccontextmanager
async def open_store(args: Namespace, *, check_embedder: bool = True) -> AsyncIterator[Backend]:
    """Open the store a command works on."""
    settings = settings_of(args)
    embedder = configured_embedder(settings)
    async with open_backend(settings, embedder, check_embedder=check_embedder) as backend:
        yield backend


@asynccontextmanager
async def open_user(args: Namespace) -> AsyncIterator[UserMemory]:
    """Open the memory of the user a command is about."""
    async with open_store(args) as backend:
        yield memory_of(Owner(args.user), backend.store)


def context_of(args: Namespace) -> Context:
    """Return the run context the command line describes."""
    given = {"model": args.model} if getattr(args, "model", None) else {}
    user_context = UserContext(locale_info=LocaleInfo(time_zone=args.zone))
    return Context(user_id=args.user, user_context=user_context, **given)


def zone_of(args: Namespace) -> ZoneInfo:
    """Return the zone in which the user's days begin and end."""
    return context_of(args).zone
