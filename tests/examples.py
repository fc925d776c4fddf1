"""Records that many tests need, with only what matters spelled out."""

from datetime import UTC, datetime

from memory_graph.records import Episode, Fact, Pattern, Source, TurnRecord

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def a_fact(fact_id: str = "profile:city", statement: str = "The user lives in Lisbon.", **given):
    said = {
        "created_at": NOON,
        "updated_at": NOON,
        "last_verified_at": NOON,
        "valid_from": NOON,
        "source": Source(thread_id="t1", message_ids=("m1",)),
    }
    return Fact(**{"id": fact_id, "statement": statement, **said, **given})


def an_episode(episode_id: str = "ep-1", title: str = "fixing the deploy", **given):
    ended = given.pop("ended_at", NOON)
    iso = ended.isocalendar()
    said = {
        "summary": "The deploy failed on an expired token and was fixed by renewing it.",
        "human_line": f"On {ended:%Y-%m-%d} (W{iso.week}, {iso.year}) we discussed {title}.",
        "started_at": ended,
        "ended_at": ended,
        "created_at": ended,
        "updated_at": ended,
        "date_iso": f"{ended:%Y-%m-%d}",
        "week": iso.week,
        "year": iso.year,
    }
    return Episode(**{"id": episode_id, "title": title, **said, **given})


def a_pattern(name: str = "retry-on-timeout", **given):
    said = {
        "trigger": "the upstream call times out",
        "action": "retry once with a longer limit",
        "created_at": NOON,
        "updated_at": NOON,
    }
    return Pattern(**{"name": name, **said, **given})


def a_turn(text: str, **given):
    said = {"id": "turn-1", "speaker": "user", "session": "t", "position": 1, "said_at": NOON}
    return TurnRecord(**{**said, "text": text, **given})


def a_stated(statement, **given):
    """Return a fact as a model answers it; `starts` is its `from`."""
    given = {"from" if name == "starts" else name: value for name, value in given.items()}
    empty = {"about": "user", "attribute": "", "value": "", "since": "", "from": "", "until": ""}
    rest = {"replaces": [], "was_wrong": False, "profile": False}
    return {"statement": statement, **empty, **rest, **given}


def a_reading(*facts, ended=(), wishes=(), has_episode=False):
    """Return what a model answers about a message."""
    return {
        "facts": list(facts),
        "ended": list(ended),
        "wishes": list(wishes),
        "has_episode": has_episode,
    }
