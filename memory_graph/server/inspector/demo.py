"""The demo: a made-up person's last weeks (`demo.toml`), played through the real graph."""

import tomllib
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore

from memory_graph import clock
from memory_graph.context import Context
from memory_graph.graph import build_graph
from memory_graph.memory import Memory
from memory_graph.patterns.writing import record_pattern, save_patterns
from memory_graph.records import Change, Episode, Pattern, PatternDraft
from memory_graph.store.changes import decision_for
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

USER = "ana"
ZONE = ZoneInfo("Europe/Lisbon")


@cache
def _life() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("demo.toml").read_text(encoding="utf-8"))


async def fill_demo(store: BaseStore, now: datetime) -> None:
    """Play the conversation, then add memories of a longer time."""
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    context = Context(user_id=USER, time_zone=ZONE.key, model=None)
    for said in _life()["said"]:
        with clock.frozen(_moment(said["days_ago"], said["at"], now)):
            await graph.ainvoke(
                {"messages": [HumanMessage(said["text"])]},
                {"configurable": {"thread_id": said["thread"]}},
                context=context,
            )
    memory = memory_of(Owner(USER), store)
    await _add_patterns(memory, now)
    await _add_incident(memory, _moment(5, "14:10", now))
    await Memory(store, user_id=USER).apin("health:allergy:penicillin")


def _moment(days_ago: int, at: str, now: datetime) -> datetime:
    hour, minute = map(int, at.split(":"))
    day = now.astimezone(ZONE) - timedelta(days=days_ago)
    return min(day.replace(hour=hour, minute=minute, second=0, microsecond=0), now)


async def _add_patterns(memory: UserMemory, now: datetime) -> None:
    for told in _life()["patterns"]:
        draft = PatternDraft.model_validate(told)
        for number in range(told["tried"]):
            at = now - timedelta(days=told["tried"] - number)
            change = Change(id=f"demo-{draft.name}-{number}", by="record_pattern", at=at)
            await record_pattern(memory, draft, change, success=number < told["worked"])
    proposed = Pattern(**_life()["proposed"], created_at=now, updated_at=now)
    change = Change(id="demo-proposed", by="learn", at=now)
    await save_patterns(memory, {}, [proposed], change, "repeated")


async def _add_incident(memory: UserMemory, at: datetime) -> None:
    episode = Episode(
        **_life()["incident"],
        human_line=f"On {at:%Y-%m-%d} we found out why the camera uploads had stopped.",
        started_at=at,
        ended_at=at + timedelta(minutes=50),
        created_at=at,
        updated_at=at,
        date_iso=f"{at:%Y-%m-%d}",
        week=at.isocalendar().week,
        year=at.isocalendar().year,
        time_zone=ZONE.key,
    )
    decision = decision_for("create", "outcome", before=None, after=episode)
    puts = await memory.episodes.puts([episode], at)
    await memory.apply("episodic_capture", [decision], puts, at=at)
