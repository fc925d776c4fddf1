"""The chat page of `examples/web` in a real browser: what memory did, and undo."""

import http.server
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.integration.conftest import ROOT, serving

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def page_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Build the page as its package says, and serve it on another port of this machine."""
    if shutil.which("npm") is None:
        pytest.skip("needs node and npm")
    folder = tmp_path_factory.mktemp("web") / "web"
    shutil.copytree(
        ROOT / "examples" / "web", folder, ignore=shutil.ignore_patterns("node_modules", "dist")
    )
    install = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--silent"]
    for command in (install, ["npm", "run", "--silent", "build"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
    handler = partial(_Quiet, directory=str(folder / "dist"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as files:
        threading.Thread(target=files.serve_forever, daemon=True).start()
        yield f"http://localhost:{files.server_address[1]}"
        files.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("chat")) as running:
        yield running.url


def test_the_chip_says_what_was_remembered_and_takes_it_back(
    browser: Browser, page_url: str, served: str
) -> None:
    page = browser.new_page()
    page.goto(f"{page_url}/?server={served}&user=chip")
    page.get_by_label("Message").fill("My cat Luna is 3.")
    page.get_by_role("button", name="Send").click()

    chip = page.get_by_role("status").filter(has_text="Memory updated")
    expect(chip).to_contain_text("Luna")
    known = httpx.get(f"{served}/memory", params={"user": "chip", "kind": "fact"}).text
    assert "Luna" in known

    chip.get_by_role("button", name="undo").click()
    expect(chip).to_have_count(0)
    assert "Luna" not in httpx.get(f"{served}/memory", params={"user": "chip", "kind": "fact"}).text
    page.close()
