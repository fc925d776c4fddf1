"""How does anything reach the terminal? The only module that writes to it.

On a terminal with rich installed, output has colour and drawn tables; in a pipe, or
without rich, it is plain text; with `--json`, commands print one JSON value.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console

Style = Literal["plain", "dim", "bold", "good", "warning", "bad"]
Advance = Callable[[int, int], None]
"""Told how much of how many is done."""

_WHOLE = frozenset({"id", "entry"})
"""Columns people copy from, which are never broken into lines."""

_RICH_STYLES: dict[Style, str] = {
    "plain": "",
    "dim": "dim",
    "bold": "bold",
    "good": "green",
    "warning": "yellow",
    "bad": "bold red",
}


@dataclass(frozen=True)
class Presenter:
    """Plain text, as it suits a pipe, a file and a reader of transcripts."""

    as_json: bool = False

    @property
    def is_interactive(self) -> bool:
        """Whether a person sits at both ends: they can be asked."""
        return sys.stdin.isatty() and sys.stdout.isatty()

    def line(self, text: str = "", style: Style = "plain") -> None:
        """Print one line."""
        self.piece(f"{text}\n", style)

    def piece(self, text: str, style: Style = "plain") -> None:
        """Print part of a line, at once."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def problem(self, text: str) -> None:
        """Say on standard error what went wrong."""
        sys.stderr.write(f"memory-graph: {text}\n")

    def data(self, value: object) -> None:
        """Print a value as JSON."""
        self.piece(json.dumps(value, ensure_ascii=False, indent=2) + "\n")

    def data_line(self, value: object) -> None:
        """Print a value as one line of JSON, for output that goes on."""
        self.piece(json.dumps(value, ensure_ascii=False) + "\n")

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print rows under a title; nothing is cut off."""
        self.line(f"{title} ({len(rows)})", "bold")
        if not rows:
            return
        widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
        for cells in (columns, *rows):
            padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            self.line(f"  {'  '.join(padded)}".rstrip())

    @contextmanager
    def progress(self, label: str) -> Iterator[Advance]:
        """Show on a terminal how far something is."""
        yield lambda done, total: None

    def confirm(self, question: str) -> bool:
        """Ask a person; anything but yes is no."""
        self.piece(f"{question} [y/N] ", "bold")
        return sys.stdin.readline().strip().casefold() in {"y", "yes"}


@dataclass(frozen=True)
class RichPresenter(Presenter):
    """Colour, tables and progress bars, as they suit a person at a terminal."""

    console: "Console | None" = None

    def piece(self, text: str, style: Style = "plain") -> None:
        """Print part of a line, at once."""
        from rich.text import Text  # noqa: PLC0415 — rich is optional

        self._console.print(Text(text, style=_RICH_STYLES[style]), end="", soft_wrap=True)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print rows as a table as wide as the terminal."""
        from rich import box  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        self.line(f"{title} ({len(rows)})", "bold")
        if not rows:
            return
        table = Table(box=box.SIMPLE)
        for column in columns:
            table.add_column(column, overflow="fold", no_wrap=column in _WHOLE)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self._console.print(table)

    @contextmanager
    def progress(self, label: str) -> Iterator[Advance]:
        """Show a progress bar."""
        from rich.progress import Progress  # noqa: PLC0415

        with Progress(console=self._console, transient=True) as bar:
            task = bar.add_task(label, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    @property
    def _console(self) -> "Console":
        assert self.console is not None
        return self.console


def open_presenter(*, as_json: bool) -> Presenter:
    """Return the presenter that fits where standard output goes."""
    if as_json or not sys.stdout.isatty():
        return Presenter(as_json)
    try:
        from rich.console import Console  # noqa: PLC0415 — optional, and slow to import
    except ImportError:
        return Presenter()
    return RichPresenter(console=Console(highlight=False))
