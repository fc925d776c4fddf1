"""Memory text is hostile, and so may be whoever sends a form."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest
from langgraph.store.base import BaseStore
from playwright.sync_api import Browser, expect

from memory_graph.store.owner import Owner
from memory_graph.store.scope import memory_of
from tests.browser.sites import LocalSite, Opened
from tests.examples import a_fact, a_pattern, an_episode

pytestmark = pytest.mark.xdist_group("browser")

HOSTILE = {
    "script": "<script>document.title='owned'</script>",
    "image": "<img src=x onerror=\"document.title='owned'\">",
    "attribute": '" autofocus onfocus="document.title=\'owned\'" x="',
    "template": "{{ 7 * 7 }} {% for x in y %} ${7*7}",
    "markdown": "# Heading [link](javascript:document.title='owned') **bold**",
    "override": "safe \u202egpj.exe\u202c and \u200bhidden\u0007",
    "huge": "word " * 40_000,
    "unbroken": "x" * 5000,
}


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalSite]:
    folder = tmp_path_factory.mktemp("hostile")
    site = LocalSite(f"sqlite:{folder / 'memory.sqlite'}", folder)
    yield site
    site.close()


@pytest.fixture(scope="module")
def ana(local: LocalSite, browser: Browser) -> Iterator[Opened]:
    async def keep(store: BaseStore) -> None:
        memory, now = memory_of(Owner("ana"), store), datetime.now(UTC)
        facts = [a_fact(f"fact-{name}", text, value=text) for name, text in HOSTILE.items()]
        facts += [a_fact(f"own-{name}", text, own_words=True) for name, text in HOSTILE.items()]
        episodes = [an_episode(f"ep-{name}", text, summary=text) for name, text in HOSTILE.items()]
        patterns = [
            a_pattern(f"p-{name}", trigger=text, action=text) for name, text in HOSTILE.items()
        ]
        puts = await memory.facts.puts(facts, now)
        puts += await memory.episodes.puts(episodes, now)
        puts += await memory.patterns.puts(patterns, now)
        await memory.commit(puts)

    local.use("ana", keep)
    opened = local.open(browser, "ana")
    yield opened
    opened.context.close()


PAGES = [
    "/",
    "/?q=%3Cscript%3Edocument.title%3D%27owned%27%3C%2Fscript%3E",
    "/?done=%3Cscript%3E",
    "/?about=%3Cscript%3E",
    "/recall?q=%3Cscript%3Edocument.title%3D%27owned%27%3C%2Fscript%3E",
    "/episodes",
    "/patterns",
    "/turns",
    "/health",
    "/yours",
    *(f"/facts/fact-{name}" for name in HOSTILE),
    *(f"/facts/fact-{name}/forget" for name in HOSTILE),
    *(f"/episodes/ep-{name}" for name in HOSTILE),
]


@pytest.mark.parametrize("path", PAGES)
def test_hostile_text_is_shown_as_text(ana: Opened, path: str) -> None:
    page = ana.go(path)

    assert page.title().endswith("memory_graph")
    assert page.locator("main script, main img, main [onerror], main [onfocus]").count() == 0
    assert "49" not in page.inner_text("h1")
    assert "\u202e" not in page.content()
    assert "\u200b" not in page.content()
    assert len(page.content()) < 400_000
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 1280


def test_what_turns_or_hides_text_is_spelled_out(ana: Opened) -> None:
    page = ana.go("/facts/fact-override")

    expect(page.get_by_role("heading", level=1)).to_contain_text("⟨U+202E⟩gpj.exe⟨U+202C⟩")


def test_a_huge_text_is_cut_and_says_so(ana: Opened) -> None:
    page = ana.go("/facts/fact-huge")

    expect(page.get_by_role("heading", level=1)).to_contain_text("more characters")


def test_scripts_of_others_cannot_run_even_if_they_got_in(ana: Opened) -> None:
    page = ana.go("/")
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = "
        "\"document.title = 'owned'\"; document.body.append(s); }"
    )

    assert page.title() != "owned"


def test_every_answer_carries_the_policy(ana: Opened) -> None:
    for path in ("/", "/index.json", "/facts/nothing", "/export.jsonl", "/static/x/none.css"):
        answer = ana.context.request.get(f"{ana.address}{path}")
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"


@pytest.fixture
def session(ana: Opened) -> Iterator[httpx.Client]:
    """What another program would send that got hold of Ana's cookie."""
    cookies = {each["name"]: each["value"] for each in ana.context.cookies()}
    with httpx.Client(base_url=ana.address, cookies=cookies) as client:
        yield client


def form_token(client: httpx.Client) -> str:
    found = re.search(r'name="token" value="(\w+)"', client.get("/facts/fact-script").text)
    assert found
    return found[1]


SAME = {"Sec-Fetch-Site": "same-origin"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
    ],
)
def test_a_form_of_another_site_changes_nothing(session: httpx.Client, headers) -> None:
    form = {"token": form_token(session), "pinned": "yes"}

    answer = session.post("/facts/fact-script/pin", data=form, headers=headers)

    assert answer.status_code == 403
    assert "another site" in answer.text


@pytest.mark.parametrize("token", ["", "wrong", "0" * 64])
def test_a_form_without_its_token_changes_nothing(session: httpx.Client, token: str) -> None:
    answer = session.post("/facts/fact-script/pin", data={"token": token}, headers=SAME)

    assert answer.status_code == 403
    assert session.get("/facts/fact-script.json").json()["fact"]["pinned"] is False


def test_a_form_is_bounded(session: httpx.Client) -> None:
    form = {"token": form_token(session), "statement": "x" * 200_000}

    answer = session.post("/facts/fact-script/correct", data=form, headers=SAME)

    assert answer.status_code == 403
    assert "too large" in answer.text


CHANGES = [
    "/facts/fact-script/correct",
    "/facts/fact-script/pin",
    "/undo",
    "/health/maintain",
    "/health/mend",
    "/yours/forget",
    "/patterns/p-script/confirm",
]


@pytest.mark.parametrize("path", CHANGES)
def test_nothing_is_changed_by_following_a_link(session: httpx.Client, path: str) -> None:
    assert session.get(path, follow_redirects=True).status_code in {404, 405}


def test_the_address_works_once_and_only_by_a_local_name(
    local: LocalSite, browser: Browser
) -> None:
    address = local.start("carla")
    base = address.partition("/enter")[0]

    elsewhere = httpx.get(address, headers={"Host": "evil.example"})
    wrong = httpx.get(f"{base}/enter?token=guess")
    first = httpx.get(address)
    second = httpx.get(address)

    assert (elsewhere.status_code, wrong.status_code) == (403, 403)
    assert first.status_code == 303
    assert "HttpOnly" in first.headers["set-cookie"]
    assert "SameSite=strict" in first.headers["set-cookie"]
    assert second.status_code == 403
    assert "used already" in second.text
    cookie = dict(first.cookies)
    assert httpx.get(f"{base}/", cookies=cookie).status_code == 200
    rebound = httpx.get(f"{base}/", cookies=cookie, headers={"Host": "evil.example"})
    assert rebound.status_code == 403
