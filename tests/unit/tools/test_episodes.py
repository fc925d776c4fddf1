from datetime import timedelta

import pytest

from memory_graph.tools.episodes import (
    SEARCH_TOOLS,
    delete_episode,
    get_episode,
    get_episode_chain,
    get_episode_sequence,
    query_episodes,
    replay_topic,
    search_episodes,
)
from memory_graph.tools.recording import LONGEST_CONTENT, add_episode, store_episode
from tests.examples import NOON, a_fact, a_pattern, an_episode
from tests.unit.tools.conftest import Caller

TOOLS = (add_episode, store_episode, get_episode, delete_episode, *SEARCH_TOOLS)
LEAK = "The import worker leaks memory. A heap dump shows that it keeps every row."


async def keep(memory, *episodes):
    await memory.commit(await memory.episodes.puts(episodes, NOON))


async def everything(memory):
    return sorted(await memory.episodes.all(), key=lambda each: each.id)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_argument_is_described_and_the_runtime_is_not_among_them(tool):
    properties = tool.tool_call_schema.model_json_schema()["properties"]

    assert "runtime" not in properties
    assert all("description" in field for field in properties.values())


async def test_an_added_episode_is_kept_found_and_dated_where_the_user_is(call, memory, now):
    answer = await call(add_episode, content=LEAK)

    [episode] = await everything(memory)
    assert episode.id in answer
    assert (episode.content, episode.date_iso) == (LEAK, "2026-11-16")
    assert episode.title == "The import worker leaks memory"
    assert episode.id in await call(search_episodes, query="memory leak of the worker")


async def test_episodes_of_the_same_second_have_different_ids(call, memory, now):
    await call(add_episode, content=LEAK)
    await call(add_episode, content=LEAK)

    assert len(await everything(memory)) == 2


async def test_a_retried_call_keeps_one_episode(call, memory, now):
    await call(add_episode, content=LEAK)
    await call.repeat(add_episode)

    assert len(await everything(memory)) == 1


async def test_the_end_of_a_long_text_is_searched_too(call, memory, now):
    filler = "We talked about the weather and the garden at length. " * 80
    await call(add_episode, content=f"{filler}Then the zeppelin museum was booked. ☂")

    [episode] = await everything(memory)
    assert episode.content.endswith("☂")
    assert episode.id in await call(search_episodes, query="zeppelin museum booked")


async def test_a_stored_episode_keeps_its_structure(call, memory, now):
    await call(
        store_episode,
        content=LEAK,
        outcome="success",
        decisions=[{"chosen": "bound the cache", "rationale": "rows pile up"}],
        events=[{"content": "took a heap dump", "type": "tool_call"}],
        lessons=["Measure first."],
        metrics={"memory_mb": 300},
        participants=["Tomas"],
        tools_used=["py-spy"],
        tags=["memory", "worker"],
    )

    [episode] = await everything(memory)
    assert (episode.outcome, episode.metrics) == ("success", {"memory_mb": 300.0})
    assert [each.id for each in (*episode.decisions, *episode.events)] == ["d001", "e001"]
    assert (episode.lessons, episode.metadata.participants) == (("Measure first.",), ("Tomas",))
    told = await call(get_episode, episode_id=f"episode:{episode.id}")
    assert "bound the cache" in told
    assert "Measure first" in told


async def test_facts_are_linked_both_ways_and_a_missing_one_is_reported(call, memory, now):
    await memory.commit(await memory.facts.puts([a_fact("profile:city")], NOON))
    links = [{"fact_id": "profile:city", "confidence": 0.7}, {"fact_id": "profile:none"}]
    answer = await call(add_episode, content=LEAK, fact_links=links)

    [episode] = await everything(memory)
    assert "profile:none" in answer
    assert [(e.fact_id, e.position, e.confidence) for e in episode.facts] == [
        ("profile:city", 1, 0.7)
    ]
    assert "lives in Lisbon" in await call(get_episode, episode_id=episode.id, include_facts=True)
    assert episode.id in await call(query_episodes, fact_id="profile:city")
    assert episode.id not in await call(query_episodes, fact_id="profile:none")


def _last_id(call: Caller) -> str:
    from memory_graph.keys import stable_id

    return stable_id("", f"m{call.calls}", "call_0")


async def test_reading_is_counted(call, memory, now):
    await keep(memory, an_episode("ep-1"))
    await call(get_episode, episode_id="ep-1")
    await call(search_episodes, query="fixing the deploy")

    assert (await memory.access.find(["ep-1"]))["ep-1"].count == 2


FILTERS = [
    pytest.param({"time_start": "2026-11-10"}, {"new"}, id="from a day on"),
    pytest.param({"time_end": "2026-11-01"}, {"old"}, id="a bare end means the whole day"),
    pytest.param({"time_start": "2026-11-01T00:00:00+02:00"}, {"new", "old"}, id="with a zone"),
    pytest.param({"time_end": "2026-11-01T11:00"}, set(), id="without a zone"),
    pytest.param({"when": "yesterday"}, {"new"}, id="in words"),
    pytest.param({"outcome": "failure"}, {"old"}, id="outcome"),
    pytest.param({"tool": "bash"}, {"old"}, id="tool"),
    pytest.param({"participant": "tomas"}, {"new"}, id="participant"),
    pytest.param({"tag": "Deploy"}, {"new"}, id="tag"),
    pytest.param({"project": "atlas"}, {"old"}, id="project"),
    pytest.param({"limit": 1}, {"new"}, id="limit"),
]


@pytest.mark.parametrize("tool", [search_episodes, query_episodes], ids=lambda tool: tool.name)
@pytest.mark.parametrize(("asked", "expected"), FILTERS)
async def test_filters_leave_out_what_does_not_fit(call, memory, now, tool, asked, expected):
    now.move(days=1)
    new = {"participants": ("Tomas",), "tags": ("deploy",)}
    old = {"outcome": "failure", "project": "Atlas", "metadata": {"tools_used": ("bash",)}}
    early = NOON - timedelta(days=15)
    await keep(
        memory, an_episode("ep-new", metadata=new), an_episode("ep-old", ended_at=early, **old)
    )
    text = {"query": "fixing the deploy"} if tool is search_episodes else {}

    answer = await call(tool, **text, **asked)

    assert {name for name in ("new", "old") if f"ep-{name}" in answer} == expected


async def test_a_topic_is_replayed_in_order_with_outcomes_and_tags(call, memory, now):
    days = [
        an_episode(
            f"ep-{n}",
            title,
            summary=f"{title}.",
            ended_at=NOON - timedelta(days=3 - n),
            parent_episode_id=f"ep-{n - 1}" if n else None,
            outcome=outcome,
            metadata={"tags": ("memory", "worker")},
        )
        for n, (title, outcome) in enumerate(
            [
                ("memory leak in the import worker", "ongoing"),
                ("memory leak in the import worker found", "partial"),
                ("memory leak in the import worker fixed", "success"),
            ]
        )
    ]
    party = an_episode("ep-party", "Elena's birthday", summary="A party at the lake.")
    await keep(memory, *reversed(days), party)

    answer = await call(replay_topic, topic="memory leak in the worker")

    assert [answer.index(f"id ep-{n}") for n in range(3)] == sorted(
        answer.index(f"id ep-{n}") for n in range(3)
    )
    assert "ep-party" not in answer
    assert answer.startswith("Episode history for 'memory leak in the worker' (3 episodes):")
    assert "• [2026-11-15] memory leak in the import worker fixed (continues from ep-1)" in answer
    assert "  Tags: memory, worker | Outcome: success" in answer
    chain = await call(get_episode_chain, episode_id="ep-2")
    assert chain.index("id ep-0") < chain.index("id ep-1") < chain.index("id ep-2")


async def test_a_sequence_leaves_out_what_is_less_surely_about_the_topic(call, memory, now):
    leak = an_episode("ep-1", "memory leak in the worker", summary="A memory leak in the worker.")
    near = an_episode("ep-2", "The worker was moved", summary="The worker runs in Bern now.")
    await keep(memory, leak, near)
    topic = "memory leak in the worker"

    surely = await call(get_episode_sequence, topic=topic)
    loosely = await call(get_episode_sequence, topic=topic, min_relevance=0.05)

    assert ("id ep-1" in surely, "id ep-2" in surely) == (True, False)
    assert ("id ep-1" in loosely, "id ep-2" in loosely) == (True, True)
    assert "(1 episodes)" in await call(
        get_episode_sequence, topic=topic, min_relevance=0.05, limit=1
    )


async def test_a_replay_cuts_summaries_and_says_where_nothing_is(call, memory, now):
    told = "The memory leak was in the worker. " * 20
    await keep(memory, an_episode("ep-1", "memory leak", summary=told))

    answer = await call(replay_topic, topic="memory leak in the worker")

    assert max(map(len, answer.splitlines())) <= 203
    assert await call(replay_topic, topic="knitting") == "No episodes found for topic: knitting"


async def test_metadata_of_any_name_is_filtered_and_found(call, memory, now):
    ours = an_episode("ep-1", "Fixed the login", metadata={"ticket": "JIRA-12"})
    other = an_episode("ep-2", "Fixed the logout", metadata={"ticket": "JIRA-13"})
    await keep(memory, ours, other)

    answers = [
        await call(query_episodes, metadata={"ticket": "jira-12"}),
        await call(search_episodes, query="fixed ticket=JIRA-12"),
    ]
    found = await call(search_episodes, query="JIRA-12", limit=1)

    assert [("ep-1" in each, "ep-2" in each) for each in answers] == [(True, False)] * 2
    assert "id ep-1" in found
    assert "No episode" in await call(query_episodes, metadata={"ticket": "JIRA-99"})


async def test_an_episode_merged_over_days_is_found_on_each_of_them(call, memory, now):
    days = ("2026-11-12", "2026-11-14")
    at = {"started_at": NOON - timedelta(days=4), "ended_at": NOON - timedelta(days=2)}
    await keep(memory, an_episode("ep-1", "The roof", days=days, **at))

    found = [
        "ep-1" in await call(query_episodes, time_start=day, time_end=day)
        for day in ("2026-11-11", "2026-11-12", "2026-11-13", "2026-11-14", "2026-11-15")
    ]

    assert found == [False, True, False, True, False]


async def test_deleting_takes_the_text_and_the_evidence_along(call, memory, now):
    await keep(memory, an_episode("ep-1"))
    await memory.commit(await memory.patterns.puts([a_pattern()], NOON))

    assert "Deleted" in await call(delete_episode, episode_id="episode:ep-1")
    assert await everything(memory) == []


BAD = [
    pytest.param(add_episode, {"content": "  "}, id="add: empty"),
    pytest.param(add_episode, {"content": "x" * (LONGEST_CONTENT + 1)}, id="add: too long"),
    pytest.param(add_episode, {"content": "x", "parent_episode_id": "ep-?"}, id="add: no parent"),
    pytest.param(store_episode, {"content": ""}, id="store: empty"),
    pytest.param(store_episode, {"content": "x", "outcome": "meh"}, id="store: outcome"),
    pytest.param(store_episode, {"content": "x", "metrics": {"a": "b"}}, id="store: metric"),
    pytest.param(search_episodes, {"query": ""}, id="search: empty"),
    pytest.param(search_episodes, {"query": "x" * 501}, id="search: too long"),
    pytest.param(search_episodes, {"query": "x", "limit": 51}, id="search: limit"),
    pytest.param(search_episodes, {"query": "x", "time_start": "soonish"}, id="search: start"),
    pytest.param(query_episodes, {"time_end": "2026-13-45"}, id="query: end"),
    pytest.param(query_episodes, {"when": "purple"}, id="query: when"),
    pytest.param(
        query_episodes, {"time_start": "2026-11-02", "time_end": "2026-11-01"}, id="query: swapped"
    ),
    pytest.param(get_episode, {"episode_id": ""}, id="get: empty"),
    pytest.param(get_episode, {"episode_id": "ep-unknown"}, id="get: unknown"),
    pytest.param(get_episode, {"episode_id": "ep-ben"}, id="get: another user's"),
    pytest.param(delete_episode, {"episode_id": "ep-unknown"}, id="delete: unknown"),
    pytest.param(delete_episode, {"episode_id": "ep-ben"}, id="delete: another user's"),
    pytest.param(get_episode_chain, {"episode_id": "ep-ben"}, id="chain: another user's"),
    pytest.param(replay_topic, {"topic": ""}, id="replay: empty"),
    pytest.param(replay_topic, {"topic": "x" * 501}, id="replay: too long"),
]


@pytest.mark.parametrize(("tool", "args"), BAD)
async def test_bad_input_is_answered_and_changes_nothing(call, memory, store, now, tool, args):
    from memory_graph.store.owner import Owner
    from memory_graph.store.scope import memory_of

    ben = memory_of(Owner("ben"), store)
    await keep(memory, an_episode("ep-1"))
    await keep(ben, an_episode("ep-ben", "ben's secret"))
    before = (await everything(memory), await everything(ben))

    answer = await call(tool, **args)

    assert answer
    assert "secret" not in answer
    assert "ep-1" not in answer
    assert (await everything(memory), await everything(ben)) == before
