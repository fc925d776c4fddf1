"""Many users in one Postgres in little time: the product fills one, SQL copies parts of it.

So every row is as the product writes it. The texts are messages of `evals/cases`.
"""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import psycopg

from memory_graph.records import Episode, Fact, TurnRecord
from memory_graph.store.labels import user_label
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of

CASES = Path(__file__).parents[1] / "evals" / "cases"
TEMPLATE = "template"
SESSION = 20
"""Turns of one conversation."""

_BATCH = 100

_COPY = """
WITH template AS (
    SELECT prefix, key, value, split_part(prefix, '.', 3) AS kind,
        nullif(split_part(key, '-', 2), '')::int AS place
    FROM store WHERE prefix = ANY(%(prefixes)s)
), copied AS (
    INSERT INTO store (prefix, key, value)
    SELECT 'memories.' || label || '.' || kind, key, value
    FROM template JOIN unnest(%(labels)s::text[], %(firsts)s::int[], %(sizes)s::int[])
        AS users (label, first, size)
        ON (place - first + %(total)s) %% %(total)s < size
    RETURNING prefix, key
)
SELECT count(*) FROM copied
"""

_COPY_VECTORS = """
INSERT INTO store_vectors (prefix, key, field_name, embedding)
SELECT copied.prefix, copied.key, v.field_name, v.embedding
FROM store_vectors AS v JOIN store AS copied
    ON copied.key = v.key AND copied.prefix = ANY(%(copies)s)
    AND split_part(copied.prefix, '.', 3) = split_part(v.prefix, '.', 3)
WHERE v.prefix = ANY(%(prefixes)s)
"""


def texts(size: int) -> list[str]:
    """Return what people said, no text twice."""
    lines = [line for path in _files() for line in path.read_text(encoding="utf-8").splitlines()]
    said = dict.fromkeys(str(json.loads(line)["text"]) for line in lines)
    assert len(said) >= size, f"There are {len(said)} texts only."
    return list(said)[:size]


def _files() -> list[Path]:
    return [*sorted((CASES / "heads").glob("*.jsonl")), *sorted(CASES.glob("recall_intent*.jsonl"))]


async def fill_template(store: object, size: int, now: datetime) -> UserMemory:
    """Have the product keep memories: of twenty one is a fact, two are episodes, others turns."""
    memory = memory_of(Owner(TEMPLATE), store)  # type: ignore[arg-type]
    said = texts(size)
    for start in range(0, size, _BATCH):
        numbered = list(enumerate(said[start : start + _BATCH], start))
        turns = [_turn(n, text, now, size) for n, text in numbered if n % 20 and n % 10 != 5]
        facts = [_fact(n, text, now) for n, text in numbered if n % 20 == 0]
        episodes = [_episode(n, text, now, size) for n, text in numbered if n % 10 == 5]
        puts = [*await memory.turns.puts(turns, now), *await memory.facts.puts(facts, now)]
        await memory.commit([*puts, *await memory.episodes.puts(episodes, now)])
    return memory


def copy_users(address: str, sizes: Sequence[tuple[str, int]], total: int) -> int:
    """Give each user so many memories of the template, in a row; return how many in all."""
    kinds = ("turns", "facts", "episodes")
    template = [f"memories.{TEMPLATE}.{kind}" for kind in kinds]
    labels = [user_label(user) for user, _ in sizes]
    with psycopg.connect(address, autocommit=True) as connection:
        row = connection.execute(
            _COPY,
            {
                "prefixes": template,
                "labels": labels,
                "firsts": [(n * 7919) % total for n in range(len(sizes))],
                "sizes": [size for _, size in sizes],
                "total": total,
            },
        ).fetchone()
        copies = [f"memories.{label}.{kind}" for label in labels for kind in kinds]
        connection.execute(_COPY_VECTORS, {"prefixes": template, "copies": copies})
        connection.execute("ANALYZE store")
        connection.execute("ANALYZE store_vectors")
    return int(row[0]) if row else 0


def _at(number: int, now: datetime, size: int) -> datetime:
    """Conversations are six hours apart, their turns a minute."""
    session, minute = divmod(number, SESSION)
    return now - timedelta(hours=6 * (size // SESSION - session)) + timedelta(minutes=minute)


def _turn(number: int, text: str, now: datetime, size: int) -> TurnRecord:
    return TurnRecord(
        id=f"turn-{number}",
        text=text,
        speaker="user",
        session=f"s{number // SESSION}",
        position=number,
        said_at=_at(number, now, size),
    )


def _fact(number: int, text: str, now: datetime) -> Fact:
    return Fact(
        id=f"fact-{number}",
        statement=text,
        created_at=now,
        updated_at=now,
        last_verified_at=now,
        valid_from=now,
    )


def _episode(number: int, text: str, now: datetime, size: int) -> Episode:
    at = _at(number, now, size)
    year, week, _ = at.isocalendar()
    return Episode(
        id=f"episode-{number}",
        title=text[:60],
        summary=text,
        human_line=text,
        started_at=at,
        ended_at=at,
        created_at=at,
        updated_at=at,
        date_iso=at.date().isoformat(),
        week=week,
        year=year,
    )
