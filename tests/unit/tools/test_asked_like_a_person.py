"""Tools asked as people and agents ask: whatever is passed counts, and an answer says enough."""

from datetime import timedelta

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolNode

from memory_graph.context import Context
from memory_graph.state import State
from memory_graph.tools import memory_tools
from memory_graph.tools.episodes import (
    delete_episode,
    get_decision_sequence,
    get_episode,
    get_episode_chain,
    query_episodes,
    replay_topic,
    search_episodes,
)
from memory_graph.tools.patterns import add_pattern, bootstrap_context, query_patterns
from memory_graph.tools.recording import (
    LONGEST_CONTENT,
    add_episode,
    close_episode,
    start_episode,
    store_episode,
    update_episode,
)
from tests.examples import NOON, an_episode

LEAK = "memory leak in the import worker"


async def keep(memory, *episodes):
    await memory.commit(await memory.episodes.puts(episodes, NOON))


def told(number, title=LEAK, *, days=0, **given):
    when = NOON - timedelta(days=days)
    return an_episode(f"ep-{number}", title, summary=f"{title}.", ended_at=when, **given)


async def answer_of(store, tool, **args):
    """Return the message an agent gets, with its status."""
    builder = StateGraph(State, context_schema=Context)
    builder.add_node("tools", ToolNode([tool]))
    builder.add_edge(START, "tools")
    calls = [{"name": tool.name, "args": args, "id": "c"}]
    graph = builder.compile(store=store)
    result = await graph.ainvoke(
        {"messages": [AIMessage("", tool_calls=calls)]}, context=Context(user_id="ana")
    )
    message = result["messages"][-1]
    assert isinstance(message, ToolMessage)
    return message


@pytest.mark.parametrize("tool", memory_tools("all"), ids=lambda tool: tool.name)
async def test_no_tool_drops_an_argument_it_does_not_know(store, tool):
    answer = await answer_of(store, tool, colour="red")

    assert answer.status == "error"
    assert "unknown argument colour; known are: " in str(answer.content)


@pytest.mark.parametrize("tool", memory_tools("all"), ids=lambda tool: tool.name)
async def test_an_error_never_echoes_what_was_passed(store, tool):
    answer = await answer_of(store, tool, colour="x" * 25_000, **{"y" * 25_000: 1})

    assert len(str(answer.content)) < 1000


async def test_too_long_a_text_is_refused_with_its_limit(store):
    answer = await answer_of(store, add_episode, content="x" * (LONGEST_CONTENT + 1))

    assert (answer.status, len(str(answer.content)) < 300) == ("error", True)
    assert str(LONGEST_CONTENT) in str(answer.content)


@pytest.mark.parametrize(
    "args", [{"since": "2026-01-01", "time_start": "2026-01-02"}, {"project": "a", "context": "b"}]
)
async def test_two_names_of_one_argument_are_not_guessed_between(store, args):
    answer = await answer_of(store, query_episodes, **args)

    assert "mean the same; give one of them" in str(answer.content)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        (get_episode, {"episode_id": "ep-nowhere"}),
        (delete_episode, {"episode_id": "ep-nowhere"}),
        (get_episode_chain, {"episode_id": "ep-nowhere"}),
        (get_decision_sequence, {"episode_id": "ep-nowhere"}),
        (update_episode, {"episode_id": "ep-nowhere", "content": "x"}),
        (add_pattern, {"name": "unknown-so-far"}),
    ],
)
async def test_what_is_not_found_carries_an_error_status(store, tool, args):
    assert (await answer_of(store, tool, **args)).status == "error"


async def test_short_ids_and_prefixes_work_in_every_tool(call, memory, now):
    await keep(memory, an_episode("ep-3fa9c2d177aa"))

    for given in ("ep-3fa9c2d1", "episode:ep-3fa9c2d1", "episode:ep-3fa9c2d177aa"):
        assert "fixing the deploy" in await call(get_episode, id=given)
        assert "ep-3fa9c2d177aa" in await call(get_episode_chain, id=given)
        assert "No decision" in await call(get_decision_sequence, id=given)


async def test_a_search_cuts_what_get_returns_in_full(call, memory, now):
    words = "The zeppelin museum opens in May. " * 40
    await call(add_episode, content=words)

    found = await call(search_episodes, query="zeppelin museum")
    [episode] = await memory.episodes.all()
    whole = await call(get_episode, id=episode.id)

    content = found.split("Content: ")[1].split("…")[0]
    assert len(content) == 500
    assert "more characters: get_episode" in found
    assert whole.count("zeppelin museum") >= 40


async def test_the_end_of_the_longest_text_is_found_by_its_words(call, memory, now):
    filler = "We talked about the weather and the garden at length. " * 900
    await call(add_episode, content=f"{filler[: LONGEST_CONTENT - 60]} Then a zeppelin was booked.")
    await call(add_episode, content="We talked about the weather.")

    found = await call(search_episodes, query="zeppelin booked", limit=1)

    [long] = [each for each in await memory.episodes.all() if len(each.content) > 1000]
    assert long.id in found


async def test_a_paraphrase_is_found_with_its_strength(call, memory, now):
    await keep(memory, told(1, "RAM usage of the importer grew until it was killed"))

    found = await call(search_episodes, query="why did the ingest job run out of memory?")

    assert "ep-1" in found
    assert "Strength: 0." in found


async def test_a_time_inside_a_query_counts_as_time(call, memory, now):
    await keep(memory, told(1, days=7), told(2, days=30))

    found = await call(search_episodes, query=f"{LEAK} last week")
    elsewhere = await call(search_episodes, query=f"{LEAK} in March")

    assert "Of 'last week':" in found
    assert ("id ep-1" in found, "id ep-2" in found) == (True, False)
    assert "these are of other times" in elsewhere
    assert "id ep-2" in elsewhere


async def test_the_last_three_times_are_the_last_three_in_order(call, memory, now):
    await keep(memory, *(told(n, days=10 - n) for n in range(1, 6)))

    found = await call(search_episodes, query=f"the last 3 times I debugged the {LEAK}")

    places = [found.index(f"id ep-{n}") for n in (3, 4, 5)]
    assert places == sorted(places)
    assert "id ep-1" not in found
    assert "id ep-2" not in found


async def test_a_hit_brings_its_arc(call, memory, now):
    chain = [told(1, days=2), told(2, "root cause found", days=1, parent_episode_id="ep-1")]
    await keep(memory, *chain)

    found = await call(search_episodes, query="root cause found", limit=1)

    assert "Arc: [2026-11-14] memory leak in the import worker (ep-1) → [2026-11-15]" in found


async def test_a_replay_says_how_many_more_there_are(call, memory, now):
    await keep(memory, *(told(n, days=n) for n in range(1, 5)))

    assert "2 more fit" in await call(replay_topic, topic=LEAK, limit=2)
    assert "more fit" not in await call(replay_topic, topic=LEAK, limit=4)


@pytest.mark.parametrize("word", ["kubernetes", "CSTP"])
async def test_tags_and_entities_are_searched(call, memory, now, word):
    metadata = {"tags": ("kubernetes",), "entities": ("CSTP",)}
    await keep(memory, told(1, "an evening", metadata=metadata), told(2, "a party at the lake"))

    found = await call(search_episodes, query=word, limit=1)

    assert "id ep-1" in found


async def test_deleting_the_middle_of_an_arc_keeps_it_whole(call, memory, now):
    first, second = told(1, days=2), told(2, days=1, parent_episode_id="ep-1")
    await keep(memory, first, second, told(3, parent_episode_id="ep-2"))

    await call(delete_episode, id="ep-2")

    assert (await memory.episodes.get("ep-3")).parent_episode_id == "ep-1"
    arc = await call(get_episode_chain, id="ep-3")
    assert ("id ep-1" in arc, "id ep-3" in arc) == (True, True)


async def test_a_chain_is_the_way_from_the_root_to_the_episode_without_siblings(call, memory, now):
    first, second = told(1, days=2), told(2, days=1, parent_episode_id="ep-1")
    sibling = told(4, "a like matter", parent_episode_id="ep-1")
    await keep(memory, first, second, sibling, told(3, parent_episode_id="ep-2"))

    arc = await call(get_episode_chain, id="ep-3")

    assert arc.index("id ep-1") < arc.index("id ep-2") < arc.index("id ep-3")
    assert "id ep-4" not in arc
    assert "id ep-3" not in await call(get_episode_chain, id="ep-2")


async def test_the_project_of_the_run_holds_for_searches_as_for_writes(call, memory, now):
    here, there = {"project": "atlas"}, {"project": "brain"}
    await call(add_episode, context=here, content=f"We found the {LEAK}.")
    await call(add_pattern, context=here, name="a", trigger="it leaks", action="dump the heap")

    assert "leak" in await call(search_episodes, context=here, query=LEAK)
    assert "No episode" in await call(search_episodes, context=there, query=LEAK)
    assert "No episode" in await call(query_episodes, context=there)
    assert "No episode" in await call(replay_topic, context=there, topic=LEAK)
    assert "No pattern" in await call(query_patterns, context=there)
    assert "leak" in await call(search_episodes, context=there, query=LEAK, project="*")


async def test_an_episode_is_started_added_to_and_closed(call, memory, now):
    await keep(memory, told(1, days=1))
    answer = await call(start_episode, topic=f"the {LEAK} again", content=LEAK)
    opened = next(e for e in await memory.episodes.all() if e.id != "ep-1")
    assert (opened.status, opened.outcome, opened.id in answer) == ("active", "ongoing", True)

    await call(
        update_episode,
        episode_id=opened.id,
        content="Priya said that db-07 keeps every row.",
        decisions=[{"chosen": "bound the cache"}],
    )
    await call(close_episode, episode_id=opened.id, outcome="success", lessons=["Measure first."])

    closed = await memory.episodes.get(opened.id)
    assert (closed.status, closed.outcome) == ("summarized", "success")
    assert closed.lessons == ("Measure first.",)
    assert "db-07" in closed.metadata.entities
    assert "Priya" in closed.metadata.participants
    assert closed.metadata.key_decisions == ("bound the cache",)
    assert closed.metadata.tags


async def test_a_started_episode_finds_what_it_continues_and_a_named_parent_wins(call, memory, now):
    await call(start_episode, topic=LEAK, content=f"We look at the {LEAK}.")
    [first] = await memory.episodes.all()
    await call(close_episode, episode_id=first.id, outcome="partial")
    now.move(days=1)
    await call(start_episode, topic=LEAK, content=f"We look at the {LEAK} again.")
    second = next(e for e in await memory.episodes.all() if e.id != first.id)

    assert second.parent_episode_id == first.id
    await call(start_episode, topic="a party", parent_id=first.id)
    party = next(e for e in await memory.episodes.all() if e.title == "a party")
    assert party.parent_episode_id == first.id


async def test_an_episode_without_content_is_closed_without_metadata(call, memory, now):
    await call(start_episode, topic="nothing happened")
    [opened] = await memory.episodes.all()
    await call(close_episode, episode_id=opened.id)

    metadata = (await memory.episodes.get(opened.id)).metadata
    assert (metadata.participants, metadata.entities, metadata.tags) == ((), (), ())


async def test_ids_times_and_links_are_kept_as_given_and_problems_named(call, memory, now):
    answer = await call(
        store_episode,
        task="the build",
        decisions=[
            {"id": "d7", "timestamp": "2026-01-21T11:00:00", "chosen": "b", "effects": ["e9"]},
            {"id": "d3", "timestamp": "2026-01-21T10:00:00Z", "chosen": "a", "effects": ["d7"]},
        ],
    )

    [episode] = await memory.episodes.all()
    assert [each.id for each in episode.decisions] == ["d3", "d7"]
    assert episode.decisions[0].effects == ("d7",)
    assert (episode.date_iso, episode.title) == ("2026-01-21", "the build")
    assert "d7 effects e9" in answer
    twice = await call(store_episode, task="x", events=[{"id": "e1", "content": "a"}] * 2)
    assert "come twice: e1" in twice


async def test_an_outcome_in_the_metadata_is_the_outcome(call, memory, now):
    await call(add_episode, content="We fixed it.", metadata={"outcome": "success"})

    [episode] = await memory.episodes.all()
    assert (episode.outcome, episode.metadata.free) == ("success", {})


async def test_a_session_is_dated_by_its_day_where_no_step_has_a_time(call, memory, now):
    await call(store_episode, session_id="2026-01-21-session-42", task="ship it")

    [episode] = await memory.episodes.all()
    assert episode.date_iso == "2026-01-21"


async def test_a_secret_in_an_episode_is_masked(call, memory, now):
    await call(add_episode, content="We met. The password is hunter2hunter2 for the router.")

    [episode] = await memory.episodes.all()
    assert "hunter2" not in episode.model_dump_json()


async def test_a_briefing_leaves_out_other_projects(call, memory, now):
    failed = told(1, "the release of the importer failed", outcome="failure", project="atlas")
    await keep(memory, failed)

    assert "release" in await call(bootstrap_context, task="release the importer", project="atlas")
    assert "release of" not in await call(
        bootstrap_context, task="release the importer", project="brain"
    )


async def test_a_session_that_is_over_stays_on_its_day(call, memory, now):
    await call(store_episode, session_id="2026-01-21-session-42", task="sort the archive")
    await call(update_episode, episode_id="2026-01-21-session-42", content="The shelf is new.")
    [episode] = await memory.episodes.all()
    assert (episode.date_iso, episode.ended_at.month) == ("2026-01-21", 1)

    event = {"timestamp": "2026-01-22T09:00:00Z", "content": "the shelf arrived"}
    await call(update_episode, episode_id=episode.id, events=[event])
    assert (await memory.episodes.get(episode.id)).date_iso == "2026-01-22"


async def test_a_session_written_down_later_is_closed_on_its_day(call, memory, now):
    await call(start_episode, topic="sort the archive", session_id="2026-01-21-session-42")
    await call(close_episode, episode_id="2026-01-21-session-42", outcome="success")

    [episode] = await memory.episodes.all()
    assert episode.date_iso == "2026-01-21"


async def test_an_episode_that_goes_on_ends_when_it_was_added_to_last(call, memory, now):
    await call(start_episode, topic="sort the archive")
    [opened] = await memory.episodes.all()
    now.move(days=1)
    await call(update_episode, episode_id=opened.id, content="Half of it is done.")

    assert (await memory.episodes.get(opened.id)).ended_at - opened.started_at == timedelta(days=1)
