"""`memories list` and `memories history`: what is remembered, now and before."""

from argparse import Namespace
from datetime import datetime, time, timedelta

from memory_graph import clock
from memory_graph.cli.opening import open_user, zone_of
from memory_graph.cli.presenter import Presenter
from memory_graph.cli.tables import show_episodes, show_facts, show_history
from memory_graph.records import Episode, Fact, FactVersion
from memory_graph.storage.scope import UserMemory


async def list_memories(args: Namespace, show: Presenter) -> int:
    """Print facts and episodes, as they are or as they stood when a day ended."""
    async with open_user(args) as memory:
        moment = _moment(args)
        facts = await _facts(memory, args, moment) if args.kind != "episode" else None
        episodes = await _episodes(memory, moment) if _wants_episodes(args) else None
    if show.as_json:
        show.data([*map(_fact_json, facts or ()), *map(_episode_json, episodes or ())])
        return 0
    if facts is not None:
        show_facts(show, facts, zone_of(args))
    if episodes is not None:
        show_episodes(show, episodes)
    return 0


async def history_memories(args: Namespace, show: Presenter) -> int:
    """Print the values a fact had; of all facts that changed, if none is named."""
    async with open_user(args) as memory:
        facts = [await memory.facts.get(args.id)] if args.id else await _changed(memory)
    if show.as_json:
        show.data([fact.model_dump(mode="json") for fact in facts])
    elif facts:
        show_history(show, facts, zone_of(args))
    else:
        show.line("No facts yet.")
    return 0


def _moment(args: Namespace) -> datetime:
    if args.as_of is None:
        return clock.utc_now()
    next_day = args.as_of + timedelta(days=1)
    midnight = datetime.combine(next_day, time(), tzinfo=zone_of(args))
    return midnight - timedelta(microseconds=1)


def _wants_episodes(args: Namespace) -> bool:
    return args.kind != "fact" and args.category is None


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


def _fact_json(pair: tuple[Fact, FactVersion]) -> dict[str, object]:
    fact, version = pair
    then = version.model_dump(mode="json", exclude={"reason"})
    return {"kind": "fact", **fact.model_dump(mode="json"), **then}


def _episode_json(episode: Episode) -> dict[str, object]:
    return {"kind": "episode", **episode.model_dump(mode="json")}
