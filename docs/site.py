"""What the site adds to the pages in this folder: pages that live elsewhere, and the settings."""

import re
from collections.abc import Mapping
from pathlib import Path
from posixpath import relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from memory_graph.settings import describe_file, describe_variables

ROOT = Path(__file__).parents[1]
ELSEWHERE = {
    "evals.md": "evals/README.md",
    "benchmarks.md": "benchmarks/README.md",
    "architecture.md": "ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
    "changes.md": "CHANGELOG.md",
}
"""Pages of the site, and the files of the repository that they show."""

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are written elsewhere, and the reference of settings."""
    for page, source in ELSEWHERE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=linked(text, source, page)))
    files.append(File.generated(config, "reference/settings.md", content=settings_page()))
    return files


def on_page_markdown(markdown: str, page: object, config: MkDocsConfig, files: Files) -> str:
    """Let links to files of the repository be plain text: they are not part of the site."""
    source = getattr(page, "file").src_uri  # noqa: B009 — mkdocs has no types for pages
    if source in ELSEWHERE or source == "reference/settings.md":
        return markdown
    return linked(markdown, f"docs/{source}", source)


def linked(text: str, source: str, page: str) -> str:
    """Return a text whose links hold on the site: to a page of it, or none at all."""
    pages = {f"docs/{path.relative_to(ROOT / 'docs')}" for path in (ROOT / "docs").rglob("*.*")}
    targets = {**{name: name.removeprefix("docs/") for name in pages}, **_by_source(ELSEWHERE)}

    def rewritten(link: re.Match[str]) -> str:
        label, target, anchor = link[1], link[2], link[3] or ""
        place = str(Path(source).parent / target)
        there = targets.get(_normal(place))
        if there is None:
            return label if label.startswith("`") else f"{label} (`{_normal(place)}`)"
        return f"[{label}]({relpath(there, Path(page).parent.as_posix())}{anchor})"

    return _LINK.sub(rewritten, text)


def _by_source(pages: Mapping[str, str]) -> dict[str, str]:
    return {source: page for page, source in pages.items()}


def _normal(path: str) -> str:
    parts: list[str] = []
    for part in Path(path).parts:
        if part == "..":
            parts = parts[:-1]
        else:
            parts.append(part)
    return "/".join(parts)


def settings_page() -> str:
    """Return every setting as a page, grouped as `.env.example` is."""
    lines = [
        "# Settings",
        "",
        "Set them as environment variables or in `.env`; every one is optional. Numbers that have",
        "no variable go into a settings file, below. Per run, pass a `Context`.",
        "`memory-graph settings` prints both lists, `memory-graph doctor` names misspelt",
        "variables. Where the numbers come from: [tuning](../lab/tuning.md).",
    ]
    comment: list[str] = []
    for line in describe_variables().splitlines()[3:]:
        text = line.removeprefix("# ")
        if text.startswith("====="):
            lines += ["", f"## {text.strip('= ')}"]
        elif re.match(r"[A-Z][A-Z0-9_]+=", text):
            name, _, default = text.partition("=")
            value = f" = `{default}`" if default else ""
            lines += ["", f"`{name}`{value}  ", *comment]
            comment = []
        else:
            comment = [*comment, text] if text.strip("# ") else []
    lines += ["", "## The settings file", "", "```yaml", describe_file().rstrip(), "```"]
    return "\n".join(lines) + "\n"
