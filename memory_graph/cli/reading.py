"""`memories list|show|search|history`: what is remembered, now and before."""

from argparse import Namespace
from collections.abc import Mapping
from datetime import datetime, time, timedelta

from memory_graph import clock
from memory_graph.cli.opening import context_of, open_user, zone_of
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.tables import show_episodes, show_facts, show_found, show_history, show_record
from memory_graph.records import Episode, Fact, FactVersion
from memory_graph.steps.lookup import find_fact, find_memory
from memory_graph.steps.search import search_everything
from memory_graph.steps.transfer import as_json
from memory_graph.storage.scope import UserMemory


async def list_memories(args: Namespace, show: Presenter) -> int:
    """Print facts and episodes, as they are or as they stood when a day ended."""
    async with open_user(args) as memory:
        moment = _moment(args)
        facts = await _facts(memory, args, moment) if args.kind != "episode" else None
        wants_episodes = args.kind != "fact" and args.category is None
        episodes = await _episodes(memory, moment) if wants_episodes else None
    if show.as_json:
        show.data([*map(_fact_as_of, facts or ()), *map(as_json, episodes or ())])
        return 0
    if facts is not None:
        show_facts(show, facts, zone_of(args))
    if episodes is not None:
        show_episodes(show, episodes)
    return 0


async def show_memories(args: Namespace, show: Presenter) -> int:
    """Print everything that is stored of one memory."""
    async with open_user(args) as memory:
        record = as_json(await find_memory(memory, args.id))
    if show.as_json:
        show.data(record)
    else:
        show_record(show, record)
    return 0


async def search_memories(args: Namespace, show: Presenter) -> int:
    """Print the best matches, each with the parts of its score."""
    async with open_user(args) as memory:
        found = await search_everything(memory, args.query, args.limit, clock.utc_now())
    if show.as_json:
        show.data(
            [{**as_json(each.record), "score": each.score, "parts": each.parts} for each in found]
        )
    else:
        show_found(show, found)
    return 0


async def history_memories(args: Namespace, show: Presenter) -> int:
    """Print the values a fact had; of all facts that changed, if none is named."""
    async with open_user(args) as memory:
        facts = [await find_fact(memory, args.id)] if args.id else await _changed(memory)
    if show.as_json:
        show.data([as_json(fact) for fact in facts])
    elif facts:
        show_history(show, facts, zone_of(args))
    else:
        show.line("No facts yet.")
    return 0


def _fact_as_of(pair: tuple[Fact, FactVersion]) -> Mapping[str, object]:
    fact, version = pair
    return {**as_json(fact), **version.model_dump(mode="json", exclude={"reason"})}


def _moment(args: Namespace) -> datetime:
    if args.as_of is None:
        return clock.utc_now()
    next_day = args.as_of + timedelta(days=1)
    midnight = datetime.combine(next_day, time(), tzinfo=context_of(args).zone)
    return midnight - timedelta(microseconds=1)


async def _facts(
    memory: UserMemory, args: Namespace, moment: datetime
) -> list[tuple[Fact, FactVersion]]:
    known = await memory.facts.at(moment)
    chosen = [pair for pair in known if args.category in {None, pair[0].category}]
    return sorted(chosen, key=lambda pair: (not pair[0].pinned, pair[0].id))


async def _episodes(memory: UserMemory, moment: datetime) -> list[Episode]:
    episodes = await memory.episodes.all()
    told = [each for each in episodes if each.created_at <= moment]
    return sorted(told, key=lambda each: (each.started_at, each.id))


async def _changed(memory: UserMemory) -> list[Fact]:
    facts = sorted(await memory.facts.all(), key=lambda fact: fact.id)
    return [fact for fact in facts if fact.history or fact.valid_to] or facts
