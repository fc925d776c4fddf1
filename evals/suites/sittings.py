"""Labelled sittings: whole days of exchanges, and what to keep of them."""

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from evals.harness.runner import CASES

FILE = "sittings.yaml"
FIRST_DAY = date(2026, 3, 2)
Label = Literal["opens", "adds", "continues", "repeats", "nothing"]


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolUse(_Written):
    """A tool the assistant called, and what came back."""

    name: str
    result: str
    failed: bool = False


class Line(_Written):
    """One exchange at one moment, and what a careful reader wants of it."""

    at: time
    day: int = 1
    label: Label
    story: str = ""
    user: str
    reply: str
    tools: tuple[ToolUse, ...] = ()

    @property
    def moment(self) -> datetime:
        """When it was said."""
        return datetime.combine(FIRST_DAY + timedelta(days=self.day - 1), self.at, UTC)


class Sitting(_Written):
    """What one user says in a day or two, in one conversation."""

    id: str
    what: str
    lines: tuple[Line, ...]


@cache
def read_sittings() -> list[Sitting]:
    """Return the labelled sittings."""
    rows = yaml.safe_load((CASES / FILE).read_text(encoding="utf-8"))
    for line in (line for row in rows for line in row["lines"]):
        line["label"] = line.pop("is")
    return TypeAdapter(list[Sitting]).validate_python(rows)
