"""A real browser, and the places where the inspector stands."""

import base64
import hashlib
import io
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.sites import LocalSite, ServedSite, Site
from tests.integration.conftest import serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
expect.set_options(timeout=30_000)  # a page may have to wait for a busy machine
AXE = "4.14.0"
AXE_SHA512 = (
    "9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ=="
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium; closed after each module, since it holds the thread's event loop."""
    if CHROMIUM is None:
        pytest.skip("needs Debian's chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="module", params=["sqlite", "postgres", "server"])
def site(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """The inspector on a store of each kind, and on a real server with auth."""
    folder = tmp_path_factory.mktemp("site")
    if request.param == "server":
        auth = {"path": "./examples/auth.py:auth", "disable_studio_auth": True}
        with serving(folder, auth=auth) as running:
            yield ServedSite(running.url)
        return
    address = f"sqlite:{folder / 'memory.sqlite'}"
    if request.param == "postgres":
        address = request.getfixturevalue("postgres_address")
    local = LocalSite(address, folder)
    yield local
    local.close()


@pytest.fixture(scope="module")
def postgres_address(postgres_server: str) -> Iterator[str]:
    """A fresh database for one module."""
    import psycopg

    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE inspected")
        yield postgres_server.replace("/postgres?", "/inspected?")
        connection.execute("DROP DATABASE inspected WITH (FORCE)")


@pytest.fixture(scope="session")
def axe(request: pytest.FixtureRequest) -> str:
    """The script of axe-core, fetched once from the npm registry and checked."""
    folder = Path(request.config.cache.mkdir("axe"))
    package = folder / f"axe-core-{AXE}.tgz"
    if not package.exists():
        if shutil.which("npm") is None:
            pytest.skip("axe-core comes from the npm registry, and npm is not installed")
        fetched = subprocess.run(
            ["npm", "pack", "--silent", f"axe-core@{AXE}"], cwd=folder, capture_output=True
        )
        if fetched.returncode:
            pytest.skip("the npm registry cannot be reached")
    content = package.read_bytes()
    assert base64.b64encode(hashlib.sha512(content).digest()).decode() == AXE_SHA512
    with tarfile.open(fileobj=io.BytesIO(content)) as files:
        script = files.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()
