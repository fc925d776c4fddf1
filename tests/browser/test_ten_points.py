"""The ten points of the inspector, walked in a real browser on each kind of store."""

import json
import re
import shlex
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.sites import LocalSite, Opened, Site, facts_of, fill

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def ana(site: Site, browser: Browser) -> Iterator[Opened]:
    """Ana looks at her memory; whatever the browser complains about fails the test."""
    fill(site)
    opened = site.open(browser, site.ana)
    complaints: list[str] = []
    opened.page.on("console", lambda said: complaints.append(said.text))
    opened.page.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    opened.context.close()
    assert [each for each in complaints if "status of 422" not in each] == []


def main(page: Page) -> str:
    return page.inner_text("main")


def downloaded(site: Site, ana: Opened, name: str) -> str:
    """Return what a link saves; the header that signs in on the server goes with requests only."""
    link = ana.go("/yours").get_by_role("link", name=name)
    if isinstance(site, LocalSite):
        with ana.page.expect_download() as download:
            link.click()
        return download.value.path().read_text(encoding="utf-8")
    server = ana.address.removesuffix("/memory/ui")
    return ana.context.request.get(f"{server}{link.get_attribute('href')}").text()


def test_1_one_address_opens_it_and_shows_ones_own_memory_only(
    site: Site, browser: Browser, ana: Opened
) -> None:
    ben = site.open(browser, site.ben)

    assert "Porto" in main(ana.go("/"))
    assert "Reykjavik" not in main(ana.page)
    assert "Reykjavik" in main(ben.go("/"))
    assert "Porto" not in main(ben.page)
    answer = ben.page.goto(f"{ben.address}/facts/profile:pet:luna:age")
    assert answer is not None
    assert answer.status == 404
    asked = ben.page.goto(f"{ben.address}/?user={site.ana}")
    assert asked is not None
    assert "Porto" not in main(ben.page)
    ben.context.close()


def test_1_nobody_else_gets_in(site: Site, browser: Browser, ana: Opened) -> None:
    stranger = browser.new_context()
    page = stranger.new_page()

    for path in ("/", "/index.json", "/facts/profile:city", "/export.jsonl", "/recall?q=Luna"):
        answer = page.goto(f"{ana.address}{path}")
        assert answer is not None
        assert answer.status in {401, 403}
        assert "Porto" not in page.content()
    stranger.close()


def test_2_the_first_page_reads_as_a_person_reads(ana: Opened) -> None:
    page = ana.go("/")

    age = page.locator(".fact", has_text="Luna (cat) · age")
    expect(age.locator(".fact-value")).to_have_text("4")
    expect(age.locator("s")).to_have_text("3")
    expect(age).to_contain_text("since")
    expect(page.locator(".episode").first).to_contain_text("photo archive to Postgres")
    expect(page.locator(".day-head").first).to_contain_text("Today")


def test_2_it_is_searched_and_shown_as_it_was(ana: Opened) -> None:
    page = ana.go("/")
    page.get_by_label("Find in memory").fill("cat")
    page.get_by_label("Find in memory").press("Enter")

    expect(page.locator("#results .fact-value").first).to_have_text("4")
    page = ana.go("/?on=2020-01-01")
    expect(page.locator("#results")).to_contain_text("What was true on 1 January 2020")
    assert page.locator(".fact").count() == 0


def test_3_a_fact_tells_its_line_its_reasons_and_its_words(ana: Opened) -> None:
    page = ana.go("/")
    page.get_by_role("link", name="4", exact=True).click()

    expect(page.get_by_role("heading", level=1)).to_have_text("4")
    expect(page.locator(".line-chart rect")).to_have_count(2)
    expect(page.get_by_role("table").first).to_contain_text("now")
    expect(page.locator(".quote").first).to_contain_text("My cat Luna is 3.")
    decided = page.get_by_role("group", name="Every decision about it")
    expect(decided).to_contain_text("changed")
    expect(decided).to_contain_text("new value")
    page = ana.go("/facts/profile:pet:luna:age?on=2020-01-01")
    expect(page.locator("main")).to_contain_text("nothing of this was known")


def test_3_pinning_comes_first_and_is_undone(ana: Opened) -> None:
    page = ana.go("/facts/health:allergy:penicillin")
    page.get_by_role("button", name="Pin", exact=True).click()

    expect(page.get_by_role("status")).to_have_text("Pinned.")
    expect(ana.go("/").locator(".part").first).to_contain_text("penicillin")
    page = ana.go("/facts/health:allergy:penicillin")
    page.get_by_role("button", name=re.compile("^Undo")).click()
    expect(page.get_by_role("status")).to_have_text("Undone.")
    expect(page.get_by_role("button", name="Pin", exact=True)).to_be_visible()


def test_3_a_correction_changes_the_agents_next_answer(site: Site, ana: Opened) -> None:
    page = ana.go("/facts/profile:city")
    page.get_by_label("City is").fill("Braga")
    page.get_by_role("button", name="Save the correction").click()

    expect(page.get_by_role("status")).to_have_text("Corrected.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Braga")
    assert "Braga" in site.say(site.ana, "Where do I live?").text


def test_3_a_correction_that_holds_a_secret_is_refused(site: Site, ana: Opened) -> None:
    page = ana.go("/facts/profile:city")
    page.get_by_label("City is").fill("My card is 4111 1111 1111 1111.")
    page.get_by_role("button", name="Save the correction").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("That did not work")
    assert "4111" not in json.dumps(facts_of(site, site.ana))


def test_4_the_recall_preview_is_the_block_of_the_next_run(site: Site, ana: Opened) -> None:
    question = "How old is Luna?"
    page = ana.go("/recall")
    page.get_by_label("Your message").fill(question)
    page.get_by_role("button", name="Try it").click()

    expect(page.locator(".verdict")).to_contain_text("Memory answers this")
    shown = page.locator("#memory-block").text_content()
    told = site.say(site.ana, question).block
    assert shown == told if told is not None else "Luna" in shown


def test_4_each_hit_shows_its_signals_and_the_others_why_they_are_left_out(ana: Opened) -> None:
    page = ana.go("/recall?q=How+old+is+Luna%3F")

    first = page.locator("#hits ~ .hits .hit").first
    expect(first.locator(".read")).to_contain_text("Luna is 4")
    expect(first.locator(".bars rect.on").first).to_be_visible()
    expect(first.get_by_role("img", name=re.compile("the same meaning 0"))).to_be_visible()
    expect(first.locator(".signals")).to_contain_text("fits")
    expect(page.locator(".legend")).to_contain_text("the same meaning")
    expect(page.locator(".hit.out .because").first).not_to_be_empty()
    expect(page.locator(".figures")).to_contain_text("it asks about what is known")
    expect(ana.go("/recall?q=What+happened+today%3F").locator(".figures")).to_contain_text("today")


def test_5_turns_show_what_was_kept_refused_recalled_and_captured(ana: Opened) -> None:
    page = ana.go("/turns")

    refused = page.locator(".turn", has_text="My wifi password is")
    expect(refused).to_contain_text("It holds a secret")
    expect(refused).not_to_contain_text("hunter2")
    kept = page.locator(".turn", has_text="I live in Porto.").last
    expect(kept).to_contain_text("Remembered")
    expect(kept.get_by_role("link", name="You live in Porto.").first).to_be_visible()
    expect(kept).to_contain_text("ms")
    then = page.locator(".turn", has_text="My cat Luna is 3.").last
    expect(then).to_contain_text("Your cat Luna is 3 years old.")
    expect(then).not_to_contain_text("is 4 years")
    captured = page.locator(".turn", has_text="We decided to move the photo archive").last
    expect(captured).to_contain_text("We decided to move the photo archive")
    asked = page.locator(".turn .words", has_text="How old is Luna?").last
    expect(asked).to_be_visible()
    expect(page.locator(".columns rect").first).to_be_visible()


def test_6_an_episode_tells_its_story_and_its_words(ana: Opened) -> None:
    page = ana.go("/episodes")
    page.locator(".episode a").first.click()

    expect(page.locator("main")).to_contain_text("The story", ignore_case=True)
    expect(page.locator(".quote").first).to_contain_text("SQLite kept locking")
    expect(page.locator("main")).to_contain_text("Before and after", ignore_case=True)
    expect(page.locator("main")).to_contain_text("Exchanges in it", ignore_case=True)


def test_7_patterns_show_how_often_they_worked_and_are_confirmed(ana: Opened) -> None:
    page = ana.go("/patterns")

    tried = page.locator(".pattern", has_text="Rehearse it")
    expect(tried).to_contain_text("3 of 4 worked")
    expect(tried.locator("rect.on")).to_have_attribute("width", "75.0%")
    page.get_by_role("button", name="Confirm Look for an index").click()
    expect(page.get_by_role("status")).to_have_text("Confirmed.")
    expect(page.get_by_role("heading", name="Waiting for you")).to_have_count(0)
    page.get_by_role("button", name="Reject Look for an index").click()
    expect(page.get_by_role("heading", name="Rejected", exact=True)).to_be_visible()


def test_8_health_says_what_is_there_and_what_is_due(ana: Opened) -> None:
    page = ana.go("/health")

    expect(page.locator(".tile", has_text="episodes")).to_contain_text("1")
    expect(page.locator("main")).to_contain_text("512 dimensions")
    expect(page.locator("main")).to_contain_text("1 with a secret")
    expect(page.locator("main")).to_contain_text("Nothing is due.")


def test_10_every_page_has_its_json_and_its_command(site: Site, ana: Opened) -> None:
    for path in (
        "/",
        "/facts/profile:pet:luna:age",
        "/recall?q=How+old+is+Luna%3F",
        "/turns",
        "/episodes",
        "/patterns",
        "/health",
        "/yours",
    ):
        page = ana.go(path)
        command = shlex.split(page.locator("#command").inner_text())
        assert command[0] == ("memory-graph" if isinstance(site, LocalSite) else "curl")
        address = page.get_by_role("link", name="This page as JSON").get_attribute("href")
        answer = ana.context.request.get(f"{re.match('https?://[^/]+', ana.address)[0]}{address}")  # type: ignore[index]
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/json"
        assert isinstance(answer.json(), dict)


def test_10_it_works_without_scripts(site: Site, browser: Browser, ana: Opened) -> None:
    plain = site.open(browser, site.ana, java_script_enabled=False)
    page = plain.go("/recall")
    page.get_by_label("Your message").fill("How old is Luna?")
    page.get_by_role("button", name="Try it").click()

    expect(page.locator("#memory-block")).to_contain_text("Luna is 4")
    page = plain.go("/facts/profile:pet:luna:age")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("Pinned.")
    page = plain.go("/")
    page.get_by_label("Find in memory").fill("allergic")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("#results")).to_contain_text("penicillin")
    plain.context.close()


def test_10_the_keyboard_reaches_everything(ana: Opened) -> None:
    page = ana.go("/")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_attribute("name", "q")
    reached = []
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.innerText").strip())
        if reached[-1] == "4":
            break
    assert reached[-1] == "4", reached
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("4")


def test_9_export_and_forgetting_one_memory_with_the_proof(site: Site, ana: Opened) -> None:
    lines = downloaded(site, ana, "JSON Lines").splitlines()
    assert "profile:pet:luna:age" in {json.loads(line).get("id") for line in lines}
    assert "Luna is 4" in downloaded(site, ana, "Markdown")

    page = ana.go("/facts/profile:pet:luna:age")
    page.get_by_role("link", name="Forget …").click()
    expect(page.locator("main")).to_contain_text("This cannot be undone.")
    expect(page.locator("main")).to_contain_text("Beyond the reach", ignore_case=True)
    page.get_by_role("button", name="Forget it for good").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Forgotten")
    expect(page.get_by_role("status")).to_have_text("Nothing is left of it in this store.")
    after = page.locator("tbody td:last-child").all_inner_texts()
    assert after == ["0", "0", "0", "0"]
    assert "profile:pet:luna:age" not in facts_of(site, site.ana)
    assert "4 years" not in site.say(site.ana, "How old is Luna?").text


def test_9_forgetting_everything_wants_the_name_and_shows_the_proof(
    site: Site, browser: Browser, ana: Opened
) -> None:
    page = ana.go("/yours")
    page.get_by_label(re.compile("Type .* to confirm")).fill("somebody else")
    page.get_by_role("button", name="Forget everything").click()
    expect(page.locator("main")).to_contain_text("the name did not match")
    assert facts_of(site, site.ana)

    page = ana.go("/yours")
    page.get_by_label(re.compile("Type .* to confirm")).fill(site.ana)
    page.get_by_role("button", name="Forget everything").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("was forgotten")
    expect(page.get_by_role("status")).to_contain_text("Records found: 0.")
    assert facts_of(site, site.ana) == {}
    assert "Reykjavik" in "".join(facts_of(site, site.ben).values())
    expect(ana.go("/").get_by_role("heading", level=1)).to_contain_text("Nothing is remembered")
