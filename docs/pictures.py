"""Takes the pictures of the inspector in `docs/images/` (`python -m docs.pictures`).

Needs Debian's chromium. Pages of the demonstration are taken wide and narrow, light and dark.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

IMAGES = Path(__file__).parent / "images"
PAGES = {
    "memory": "/",
    "fact": "/facts/profile:city",
    "recall": "/recall?q=How+old+is+Luna%3F",
    "turns": "/turns",
    "episode": "/episodes/ep-demo-cameras",
    "patterns": "/patterns",
}
"""The six main pages."""

WIDE, NARROW = {"width": 1240, "height": 860}, {"width": 390, "height": 860}
COLOURS = 128
_START = "import sys; from memory_graph.cli import main; sys.exit(main(sys.argv[1:]))"


@contextmanager
def demonstration() -> Iterator[str]:
    """Start `memory-graph inspect --demo`; yield its one-time address."""
    command = [sys.executable, "-c", _START, "--json", "inspect", "--demo", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = ""
    while "}" not in printed:
        printed += process.stdout.readline()
    try:
        yield str(json.loads(printed)["address"])
    finally:
        process.terminate()
        process.wait()


def take(
    browser: Browser, address: str, state: object, size: dict[str, int], scheme: str
) -> dict[str, Image.Image]:
    """Return the first screen of each page."""
    context = browser.new_context(viewport=size, color_scheme=scheme, storage_state=state)
    page = context.new_page()
    taken = {}
    for name, path in PAGES.items():
        page.goto(f"{address}{path}")
        taken[name] = Image.open(BytesIO(page.screenshot())).convert("RGB")
    context.close()
    return taken


def save(picture: Image.Image, name: str) -> None:
    """Write a picture with few colours, as small as it gets."""
    few = picture.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(IMAGES / f"{name}.png", optimize=True)


def side_by_side(pictures: list[Image.Image], across: int, share: float) -> Image.Image:
    """Return pictures as one, smaller, so many in a row."""
    small = [
        each.resize((int(each.width * share), int(each.height * share)), Image.Resampling.LANCZOS)
        for each in pictures
    ]
    wide, high, gap = small[0].width, small[0].height, 12
    rows = -(-len(small) // across)
    sheet = Image.new("RGB", (across * (wide + gap) - gap, rows * (high + gap) - gap), "#808080")
    for number, each in enumerate(small):
        sheet.paste(each, (number % across * (wide + gap), number // across * (high + gap)))
    return sheet


def main() -> None:
    """Take every picture."""
    IMAGES.mkdir(exist_ok=True)
    with demonstration() as first, sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context()
        context.new_page().goto(first)
        state, address = context.storage_state(), first.partition("/enter")[0]
        for name, picture in take(browser, address, state, WIDE, "light").items():
            save(picture, name)
        dark = take(browser, address, state, WIDE, "dark")
        save(side_by_side(list(dark.values()), 2, 0.5), "all-wide-dark")
        for scheme in ("light", "dark"):
            narrow = take(browser, address, state, NARROW, scheme)
            save(side_by_side(list(narrow.values()), 6, 0.6), f"all-narrow-{scheme}")


if __name__ == "__main__":
    main()
