"""Screen readers, narrow screens, dark rooms, paper and slow lines."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from memory_graph.server.inspector import site as inspector
from tests.browser.sites import LocalSite, Opened

pytestmark = pytest.mark.xdist_group("browser")

PAGES = [
    "/",
    "/?q=cat",
    "/facts/profile:city",
    "/facts/profile:city/forget",
    "/recall",
    "/recall?q=How+old+is+Luna%3F",
    "/turns",
    "/episodes",
    "/episodes/ep-demo-cameras",
    "/patterns",
    "/health",
    "/yours",
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalSite]:
    """The demonstration that `make inspect` opens."""
    folder = tmp_path_factory.mktemp("demo")
    local = LocalSite("sqlite", folder)
    yield local
    local.close()


@pytest.fixture(scope="module", params=["wide-light", "wide-dark", "narrow-light", "narrow-dark"])
def ana(request: pytest.FixtureRequest, demo: LocalSite, browser: Browser) -> Iterator[Opened]:
    size, scheme = request.param.split("-")
    first = None if "ana" in demo.running else demo.start("ana", "--demo")
    viewport = {"width": 1280 if size == "wide" else 360, "height": 800}
    context = browser.new_context(
        viewport=viewport, color_scheme=scheme, storage_state=demo.states.get("ana")
    )
    page = context.new_page()
    if first:
        page.goto(first)
        demo.states["ana"] = context.storage_state()
    yield Opened(context, page, demo.running["ana"][1])
    context.close()


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_serious(ana: Opened, axe: str, path: str) -> None:
    page = ana.go(path)
    page.evaluate(axe)  # by the debugger, since the page's policy runs no script of others
    found = page.evaluate("async () => (await axe.run()).violations")

    serious = [
        (each["id"], [node["html"][:160] for node in each["nodes"]][:3])
        for each in found
        if each["impact"] in {"serious", "critical", "moderate"}
    ]
    assert serious == []


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_wider_than_the_screen(ana: Opened, path: str) -> None:
    page = ana.go(path)

    assert page.viewport_size is not None
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_a_printed_page_is_the_memory_alone(ana: Opened) -> None:
    page = ana.go("/")
    page.emulate_media(media="print")

    assert page.locator("nav").first.is_hidden()
    assert page.locator(".tools").is_hidden()
    assert page.locator(".fact").first.is_visible()
    page.emulate_media(media="screen")


def test_the_assets_are_small_and_all_our_own(ana: Opened) -> None:
    addresses: list[str] = []
    ana.page.on("request", lambda request: addresses.append(request.url))
    ana.go("/")

    assert sum(map(len, inspector._FILES.values())) <= 150_000
    assert {address.split("/")[2] for address in addresses} == {ana.address.split("/")[2]}


def test_every_text_of_the_pages_is_in_one_place() -> None:
    folder = Path(inspector.__file__).parent
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    used = "".join(
        each.read_text(encoding="utf-8")
        for each in (*folder.glob("*.py"), *(folder / "templates").iterdir())
    )
    built = {
        "actions",
        "answer",
        "category",
        "count",
        "days",
        "done",
        "errors",
        "forget",
        "kind",
        "kinds",
        "nav",
        "nodes",
        "outcome",
        "patterns",
        "reasons",
        "recall",
        "relation",
        "signals",
        "taste",
    }  # by name

    titles = {f"{place}.title" for place, _ in inspector.PLACES}

    unused = [
        f"{group}.{name}"
        for group, held in texts.items()
        if isinstance(held, dict) and group not in built
        for name in held
        if f"{group}.{name}" not in used and f"{group}.{name}" not in titles
    ]
    assert sorted(unused) == [
        "health.embedder",
        "health.indexes",
        "health.model",
        "health.store",
        "health.vectors",
        "health.zone",
    ]
