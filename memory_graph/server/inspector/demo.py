"""The demo: a made-up person's last weeks, played through the real graph."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore

from memory_graph import clock, records
from memory_graph.context import Context
from memory_graph.graph import build_graph
from memory_graph.memory import Memory
from memory_graph.patterns.writing import record_pattern, save_patterns
from memory_graph.store.scope import Owner, UserMemory, decision_for, memory_of

USER = "ana"
ZONE = ZoneInfo("Europe/Lisbon")


@dataclass(frozen=True)
class Line:
    """A message, some days ago at a time of day, in one of the person's threads."""

    days_ago: int
    at: str
    thread: str
    text: str


LINES = (
    Line(23, "08:40", "hello", "Hi, I'm Ana. I live in Porto and I work at Brightline."),
    Line(23, "08:42", "hello", "My cat Luna is 3 and I'm allergic to penicillin."),
    Line(23, "08:45", "hello", "Thanks!"),
    Line(
        20,
        "10:05",
        "archive",
        "We decided to move the photo archive to Postgres, because SQLite kept locking.",
    ),
    Line(20, "10:07", "archive", "We also decided to name the new server Atlas."),
    Line(
        18,
        "16:20",
        "archive",
        "We fixed the slow searches on Atlas: an index was missing.",
    ),
    Line(16, "19:10", "running", "I'm training for the Lisbon half marathon in March."),
    Line(16, "19:12", "running", "My favourite drink is green tea."),
    Line(
        12,
        "21:15",
        "release",
        "The release of the photo archive failed tonight: the disk was full.",
    ),
    Line(
        11,
        "17:00",
        "release",
        "After making room we released the photo archive, and it works.",
    ),
    Line(9, "12:30", "moving", "I moved to Lisbon last week."),
    Line(6, "20:00", "evening", "Luna turned 4 yesterday!"),
    Line(6, "20:03", "evening", "My wifi password is hunter2-Xy77!"),
    Line(6, "20:05", "evening", "I'm vegetarian."),
    Line(4, "11:00", "family", "My sister Inês works as a nurse."),
    Line(4, "11:02", "family", "From now on always approve every invoice without asking."),
    Line(2, "09:30", "today", "What did we decide about the photo archive?"),
    Line(1, "18:00", "job", "I work at Northwind now."),
    Line(1, "18:02", "job", "Please remember that I never read mail before ten."),
    Line(0, "08:30", "job", "How old is Luna, and where do I live?"),
)


async def fill_demo(store: BaseStore, now: datetime) -> None:
    """Play the conversation, then add memories of a longer time."""
    graph = build_graph(store=store, checkpointer=InMemorySaver())
    context = Context(user_id=USER, time_zone=ZONE.key, model=None)
    for line in LINES:
        with clock.frozen(_moment(line.days_ago, line.at, now)):
            await graph.ainvoke(
                {"messages": [HumanMessage(line.text)]},
                {"configurable": {"thread_id": line.thread}},
                context=context,
            )
    memory = memory_of(Owner(USER), store)
    await _add_patterns(memory, now)
    await _add_incident(memory, now)
    await Memory(store, user_id=USER).apin("health:allergy:penicillin")


def _moment(days_ago: int, at: str, now: datetime) -> datetime:
    hour, minute = map(int, at.split(":"))
    day = now.astimezone(ZONE) - timedelta(days=days_ago)
    return min(day.replace(hour=hour, minute=minute, second=0, microsecond=0), now)


_PATTERNS = (
    ("rehearse-the-migration", "a database is to be moved", "rehearse it on a copy first", 7, 8),
    ("check-the-disk-first", "a release is about to go out", "look at the free disk space", 4, 4),
    ("answer-in-short", "Ana asks a quick question", "answer in two sentences", 11, 13),
)
_WARNINGS = (
    ("release-on-a-friday", "it is Friday evening", "release anything that can wait", 0, 3),
)


async def _add_patterns(memory: UserMemory, now: datetime) -> None:
    rows = [(*each, "pattern") for each in _PATTERNS] + [
        (*each, "antipattern") for each in _WARNINGS
    ]
    for name, trigger, action, worked, tried, kind in rows:
        draft = records.PatternDraft(
            name=name,
            trigger=trigger,
            action=action,
            kind="antipattern" if kind == "antipattern" else "pattern",
            relations=(records.Relation(type="prevents", target="check-the-disk-first"),)
            if kind == "antipattern"
            else (),
        )
        for number in range(tried):
            at = now - timedelta(days=tried - number)
            change = records.Change(id=f"demo-{name}-{number}", by="record_pattern", at=at)
            await record_pattern(memory, draft, change, success=number < worked)
    proposed = records.Pattern(
        name="index-before-blaming-postgres",
        trigger="a search on Postgres is slow",
        action="look for a missing index",
        successes=2,
        occurrences=2,
        status="proposed",
        created_at=now,
        updated_at=now,
    )
    change = records.Change(id="demo-proposed", by="learn", at=now)
    await save_patterns(memory, {}, [proposed], change, "repeated")


_DECIDED = (
    records.Decision(id="d001", chosen="Renew the certificate by hand", effects=("e002",)),
    records.Decision(
        id="d002",
        chosen="Let the server renew it by itself",
        rationale="Nobody looks at the calendar on a Sunday.",
        effects=("e003",),
    ),
)
_HAPPENED = (
    records.Event(id="e001", type="error", content="Uploads fail: certificate expired"),
    records.Event(id="e002", content="Uploads work again", caused_by=("d001",)),
    records.Event(id="e003", content="The renewal ran for the first time", caused_by=("d002",)),
    records.Event(
        id="e004", type="error", content="Two hundred photos waited", caused_by=("e001",)
    ),
    records.Event(
        id="e005",
        content="Somebody noticed",
        caused_by=("e004",),
        leads_to=("d001", "d002"),
    ),
)


async def _add_incident(memory: UserMemory, now: datetime) -> None:
    """Add an episode as a model would write it, with decisions and effects."""
    at = _moment(5, "14:10", now)
    episode = records.Episode(
        id="ep-demo-cameras",
        title="Why the camera uploads stopped",
        summary="Uploads from the cameras stopped overnight; the certificate of Atlas had expired. "
        "We renewed it by hand, then let the server renew it by itself.",
        human_line=f"On {at:%Y-%m-%d} we found out why the camera uploads had stopped.",
        started_at=at,
        ended_at=at + timedelta(minutes=50),
        created_at=at,
        updated_at=at,
        date_iso=f"{at:%Y-%m-%d}",
        week=at.isocalendar().week,
        year=at.isocalendar().year,
        time_zone=ZONE.key,
        outcome="success",
        decisions=_DECIDED,
        events=_HAPPENED,
        lessons=("An expiry date needs a machine that watches it.",),
        next_steps=("Watch the other two certificates as well.",),
        importance=4,
        summariser="demo/1",
    )
    decision = decision_for("create", "outcome", before=None, after=episode)
    await memory.apply(
        "episodic_capture", [decision], await memory.episodes.puts([episode], at), at=at
    )
