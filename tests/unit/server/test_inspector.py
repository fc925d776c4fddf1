"""The pages without a browser: what they show, and what they do when something is odd."""

import re
import sys
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
from langchain_core.messages import HumanMessage
from langgraph.store.memory import InMemoryStore

from memory_graph.memory import Memory
from memory_graph.records import Decision, Event, FactVersion, MemoryDecision, Receipt, Source
from memory_graph.server import app as server_app
from memory_graph.server.inspector import charts, demo
from memory_graph.server.inspector.app import local_app
from memory_graph.server.inspector.guard import LocalDoor
from memory_graph.server.inspector.pages import PAGES
from memory_graph.server.inspector.wording import count, fact_label, shown, visible
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of
from tests.conftest import NOON
from tests.examples import a_fact, an_episode

SAME = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def memory(store: InMemoryStore) -> UserMemory:
    return memory_of(Owner("ana"), store)


@pytest.fixture
async def client(store: InMemoryStore) -> AsyncIterator[httpx.AsyncClient]:
    """A browser that was let in."""
    door = LocalDoor(Owner("ana"))
    transport = httpx.ASGITransport(local_app(store, door, zone="Europe/Lisbon"))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:80") as client:
        await client.get(f"/enter?token={door.token}")
        yield client


async def post(client: httpx.AsyncClient, page: str, path: str, **fields: str) -> httpx.Response:
    """Send a form of a page."""
    found = re.search(r'name="token" value="(\w+)"', (await client.get(page)).text)
    assert found
    form = {"token": found[1], **fields}
    return await client.post(path, data=form, headers=SAME, follow_redirects=True)


LISTS = [path for path in PAGES if "{" not in path]


@pytest.mark.parametrize("path", LISTS)
async def test_every_page_stands_an_empty_memory(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 200


async def test_every_page_and_its_json_stand_the_demonstration(
    client: httpx.AsyncClient, store: InMemoryStore
) -> None:
    await demo.fill_demo(store, NOON)
    records = ["/facts/profile:city", "/facts/profile:city/forget", "/episodes/ep-demo-cameras"]

    for path in [
        *LISTS,
        *records,
        "/recall?q=Luna",
        "/?q=cat",
        "/?on=2026-11-01",
        "/?about=Luna",
    ]:
        page = await client.get(path)
        assert page.status_code == 200, path
        if "." not in path:
            at, _, query = path.partition("?")
            named = "/index.json" if at == "/" else f"{at}.json"
            assert (await client.get(f"{named}?{query}")).json()


async def test_the_demonstration_shows_something_of_everything(store: InMemoryStore) -> None:
    await demo.fill_demo(store, NOON)
    known = Memory(store, user_id="ana")

    facts = {fact.id: fact for fact in await known.afacts()}
    turns = await known.aturns(limit=99)
    reasons = {d.reason for turn in turns for d in turn.decisions}
    recalled = {each.memory_id for turn in turns for each in turn.recalled}
    statuses = {pattern.status for pattern in await known.apatterns()}

    assert {each for turn in turns for each in turn.memories} == recalled
    assert any(each.startswith("turn-") for each in recalled)
    assert facts["profile:city"].history
    assert facts["health:allergy:penicillin"].pinned
    assert {"sensitive", "key_match", "decision", "small_talk"} <= reasons
    assert statuses == {"confirmed", "proposed"}
    assert len({each.outcome for each in await known.aepisodes()}) > 1


async def test_what_is_written_elsewhere_shows_at_once(
    client: httpx.AsyncClient, memory: UserMemory
) -> None:
    await memory.commit(await memory.facts.puts([a_fact("fact-1", "The user paints.")], NOON))
    before = (await client.get("/")).text
    await memory.commit(await memory.facts.puts([a_fact("fact-2", "The user sings.")], NOON))
    after = (await client.get("/")).text

    assert ("You paint." in before, "You sing." in before) == (True, False)
    assert "You sing." in after


async def test_a_search_shows_what_fits_and_nothing_else(
    client: httpx.AsyncClient, memory: UserMemory
) -> None:
    facts = [
        a_fact("fact-1", "The user's cat is called Luna."),
        a_fact("fact-2", "The user swims."),
    ]
    await memory.commit(await memory.facts.puts(facts, NOON))

    found = (await client.get("/index.json?q=cat")).json()["found"]

    assert [card["id"] for card in found] == ["fact-1"]


async def test_the_memory_of_an_earlier_day_has_its_own_earlier_values(
    client: httpx.AsyncClient, memory: UserMemory
) -> None:
    past = FactVersion(
        statement="Luna is 3.", value="3", valid_from=NOON - timedelta(days=9), valid_to=NOON
    )
    fact = a_fact("profile:pet:luna:age", "Luna is 4.", value="4", history=(past,))
    await memory.commit(await memory.facts.puts([fact], NOON))

    async def cards(query: str) -> list[tuple[str, str | None]]:
        sections = (await client.get(f"/index.json{query}")).json()["sections"]
        return [(card["value"], card["was"]) for section in sections for card in section["cards"]]

    assert await cards("") == [("4", "3")]
    assert await cards(f"?on={(NOON - timedelta(days=2)):%Y-%m-%d}") == [("3", None)]


async def test_what_is_known_of_somebody_goes_on_over_pages(
    client: httpx.AsyncClient, memory: UserMemory
) -> None:
    facts = [a_fact(f"other:{n}", f"Note {n}.", category="other") for n in range(130)]
    await memory.commit(await memory.facts.puts(facts, NOON))

    first = await client.get("/")
    pages = [(await client.get(f"/?about=user&page={n}")).text for n in (1, 2, 3)]

    assert "All 130" in first.text
    assert [page.count('class="fact ') for page in pages] == [60, 60, 10]


async def test_a_turn_that_went_wrong_stands_out(
    client: httpx.AsyncClient, memory: UserMemory
) -> None:
    source = Source(thread_id="t", message_ids=("m",))
    wrong = MemoryDecision(kind="fact", action="skip", reason="model_unavailable")
    receipt = Receipt("0123456789abcdef-memory_hotpath", source)
    await memory.apply("memory_hotpath", [wrong], [], at=NOON, receipts=[receipt])

    text = (await client.get("/turns")).text

    assert "turn degraded" in text
    assert "The model did not answer" in text


async def test_maintenance_is_shown_first_and_made_on_demand(
    client: httpx.AsyncClient, memory: UserMemory
) -> None:
    old = NOON - timedelta(days=400)
    episode = an_episode("ep-1", "Painted the fence", ended_at=old, updated_at=old)
    await memory.commit(await memory.episodes.puts([episode], NOON))

    due = (await client.get("/health.json")).json()["upkeep"]
    done = await post(client, "/health", "/health/maintain")

    assert [each["reason"] for each in due] == ["old"]
    assert (await memory.episodes.get("ep-1")).status == "archived"
    assert "The changes were made." in done.text


async def test_mending_is_undone_from_the_page(
    client: httpx.AsyncClient, memory: UserMemory
) -> None:
    twice = [a_fact(f"fact-{n}", "I like tea.", own_words=True) for n in (1, 2)]
    await memory.commit(await memory.facts.puts(twice, NOON))

    mended = await post(client, "/health", "/health/mend")
    left = len(await memory.facts.all())
    entry = re.search(r'name="entry" value="([^"]+)"', mended.text)
    assert entry
    undone = await post(client, "/yours", "/undo", entry=entry[1])

    assert left == 1
    assert undone.status_code == 200
    assert len(await memory.facts.all()) == 2


async def test_forgetting_says_what_else_tells_the_same(
    client: httpx.AsyncClient, memory: UserMemory
) -> None:
    said = "We painted the fence blue."
    puts = await memory.facts.puts([a_fact("fact-1", said, own_words=True)], NOON)
    puts += await memory.episodes.puts([an_episode("ep-1", "The fence", summary=said)], NOON)
    await memory.commit(puts)

    proof = await post(client, "/facts/fact-1", "/facts/fact-1/forget")

    assert "Something is left" in proof.text
    assert "/episodes/ep-1" in proof.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/facts/nothing", 404),
        ("/episodes/nothing", 404),
        ("/facts/nothing.json", 404),
        ("/?on=yesterday", 422),
        ("/?page=-1", 200),
        ("/?page=99999999999999999999", 200),
        ("/?about=nonsense", 200),
        ("/episodes?outcome=nonsense", 200),
        ("/nowhere", 404),
    ],
)
async def test_odd_addresses_are_answered_in_words(
    client: httpx.AsyncClient, path: str, status: int
) -> None:
    assert (await client.get(path)).status_code == status


async def test_an_empty_correction_changes_nothing(
    client: httpx.AsyncClient, memory: UserMemory
) -> None:
    await memory.commit(await memory.facts.puts([a_fact("fact-1", "The user paints.")], NOON))

    answer = await post(client, "/facts/fact-1", "/facts/fact-1/correct", statement="  ")

    assert answer.status_code == 422
    assert "the statement is empty" in answer.text


def test_without_the_extra_the_server_says_what_is_missing(monkeypatch) -> None:
    for name in [each for each in sys.modules if each.startswith("memory_graph.server.inspector")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "jinja2", None)

    [route] = server_app.page_routes()

    assert route.path == "/memory/ui"


def test_the_line_of_a_fact_fills_its_width_and_shows_short_values() -> None:
    past = [
        FactVersion(
            statement=f"Age {n}.",
            value=str(n),
            valid_from=NOON - timedelta(days=400 - n),
            valid_to=NOON - timedelta(days=399 - n),
        )
        for n in range(3)
    ]
    fact = a_fact(
        "age", "Age 4.", value="4", history=tuple(past), valid_from=NOON - timedelta(days=397)
    )

    line = charts.value_line(fact, NOON)

    assert sum(span["width"] for span in line) == pytest.approx(100, abs=0.1)
    assert min(span["width"] for span in line) > 10
    assert [span["is_current"] for span in line] == [False, False, False, True]


def test_what_led_to_what_is_drawn_even_in_a_circle() -> None:
    episode = an_episode(
        "ep-1",
        "A circle",
        decisions=(Decision(id="d1", chosen="Restart it", effects=("e1",)),),
        events=(Event(id="e1", content="It stopped", leads_to=("d1", "gone")),),
    )

    drawing = charts.decision_drawing(episode)

    assert drawing is not None
    assert [(*box["lines"], box["is_decision"]) for box in drawing["boxes"]] == [
        ("Restart it", True),
        ("It stopped", False),
    ]
    assert len(drawing["arrows"]) == 2
    assert charts.decision_drawing(an_episode("ep-2", "Nothing")) is None


def test_texts_are_shown_cut_and_without_tricks() -> None:
    assert visible("a\u202eb\x00") == "a⟨U+202E⟩b⟨U+0000⟩"
    assert shown("x" * 50, 10) == "x" * 10 + " …"
    assert (count("facts", 1), count("facts", 1200)) == ("1 fact", "1,200 facts")
    luna = a_fact("a", "Luna is 4.", entity="Luna", entity_kind="cat", attribute="age")
    assert fact_label(luna) == "Luna (cat) · age"


async def test_a_preview_shows_both_parts_of_what_a_model_is_given(
    client: httpx.AsyncClient, store: InMemoryStore
) -> None:
    await demo.fill_demo(store, NOON)

    data = (await client.get("/recall.json?q=Where+do+I+live%3F")).json()
    page = (await client.get("/recall?q=Where+do+I+live%3F")).text

    assert "Lisbon" in data["block"]
    assert data["profile"].startswith("Who the user is:")
    assert "What every message is sent with" in page


async def test_the_first_page_is_grouped_by_whom_it_is_about_and_shows_the_words(
    client: httpx.AsyncClient, store: InMemoryStore
) -> None:
    await demo.fill_demo(store, NOON)

    [section] = (await client.get("/index.json?about=Luna")).json()["sections"]

    assert section["title"] == "Luna (cat)"
    assert any(card["said"] for card in section["cards"])
    assert "Luna (cat)" in (await client.get("/?about=Luna")).text


async def test_instructions_stand_first_and_end_with_one_click(
    client: httpx.AsyncClient, store: InMemoryStore
) -> None:
    ana = Memory(store, user_id="ana")
    await ana.aadd("From now on always answer in British English.")
    [wish] = await ana.ainstructions()
    page = (await client.get("/")).text
    assert page.index('id="wishes"') < page.index("British English")

    ended = await post(client, "/", f"/instructions/{wish.id}/end")
    assert "No longer in force." in ended.text
    assert await ana.ainstructions() == []


async def test_a_message_is_deleted_after_what_it_left_was_shown(
    client: httpx.AsyncClient, store: InMemoryStore
) -> None:
    ana = Memory(store, user_id="ana")
    await ana.aadd([HumanMessage("I live in Coimbra.", id="m1")], thread_id="t")
    asked = await post(client, "/turns", "/turns/m1/forget")
    assert "Delete this message?" in asked.text
    assert "Coimbra" in asked.text
    assert await ana.afacts()

    gone = await post(client, "/turns", "/turns/m1/forget", sure="yes")
    assert "deleted" in gone.text
    assert await ana.afacts() == []
    assert "Coimbra" not in (await client.get("/turns")).text
