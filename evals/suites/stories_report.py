"""Multi-day stories, played through the graph: turns kept, links right, links across stories.

Run `python -m evals.suites.stories_report [PART …] [--titles]`; without a part, all of them.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from evals.harness.runner import CASES, Setup
from evals.harness.stage import Line as StageLine
from evals.harness.stage import Stage
from memory_graph.records import Episode

FOLDER = CASES / "stories"
PARTS = (
    "dev",
    "sealed",
    "other_hand_dev",
    "other_hand_sealed",
    "third_hand_dev",
    "third_hand_sealed",
)
OPEN = ("dev", "other_hand_dev", "third_hand_dev")
"""Parts that policies may be made on; of the others only totals are looked at."""

USER = "ana"
_MONTH = 720
"""Hours: stories go on for weeks, and how well they are linked is measured over all of them."""


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Line(_Written):
    """One message, the story it belongs to, and whether an episode should hold it."""

    at: datetime
    thread: str
    say: str
    story: str = ""
    matters: bool = False


class Story(_Written):
    """What one person tells over some days; it may be more than one story."""

    id: str
    language: str
    zone: str
    what: str = ""
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Told:
    """What became of one story file's entry, in counts."""

    matter: int = 0
    kept: int = 0
    """Turns that matter and are in an episode of their own story."""

    noise: int = 0
    """Turns that do not matter and are in an episode all the same."""

    due: int = 0
    """Links that a reader expects: from each day of a story to its day before."""

    linked: int = 0
    right: int = 0
    across: int = 0
    """Links from one story to another."""

    mixed: int = 0
    """Episodes made of more than one story."""

    titles: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: "Told") -> "Told":
        mine, theirs = vars(self), vars(other)
        return Told(**{name: mine[name] + theirs[name] for name in mine})


def read_stories(part: str) -> list[Story]:
    """Return the stories of one part."""
    rows = yaml.safe_load((FOLDER / f"{part}.yaml").read_text(encoding="utf-8"))
    return TypeAdapter(list[Story]).validate_python(rows)


async def play(story: Story, setup: Setup) -> Told:
    """Play a story through the graph and compare its episodes with what matters."""
    stage = Stage(story.zone, setup, policies={"capture": {"parent_window_hours": _MONTH}})
    for line in story.lines:
        await stage.play(StageLine(at=line.at, say=line.say, user=USER, thread=line.thread))
    return judge(story, await stage.memory(USER).episodes.all())


def judge(story: Story, episodes: Sequence[Episode]) -> Told:
    """Compare episodes with what matters in a story."""
    lines = {f"turn-{number}": line for number, line in enumerate(story.lines, start=1)}
    held = {e.id: [lines[m] for m in e.source.message_ids if m in lines] for e in episodes}
    named = {each: _main_story(told) for each, told in held.items()}
    links = [(e.id, e.parent_episode_id) for e in episodes if e.parent_episode_id in held]
    same = [(one, other) for one, other in links if other and named[one] == named[other]]
    of_story = [(line, named[e]) for e, told in held.items() for line in told]
    return Told(
        matter=sum(line.matters for line in story.lines),
        kept=sum(line.matters and line.story == name for line, name in of_story),
        noise=sum(not line.story for line, _ in of_story),
        due=sum(1 for _ in _due(story)),
        linked=len(links),
        right=sum(_is_day_before(story, held[one], held[other]) for one, other in same if other),
        across=len(links) - len(same),
        mixed=sum(len({line.story for line in told if line.story}) > 1 for told in held.values()),
        titles=tuple((e.title, e.summary) for e in episodes),
    )


def _main_story(lines: Sequence[Line]) -> str:
    counted = Counter(line.story for line in lines if line.story)
    return counted.most_common(1)[0][0] if counted else ""


def _due(story: Story) -> list[tuple[str, str]]:
    days = _days(story)
    return [pair for each in days.values() for pair in pairwise(each)]


def _days(story: Story) -> dict[str, list[str]]:
    days: dict[str, list[str]] = {}
    for line in story.lines:
        if line.matters:
            days.setdefault(line.story, [])
            day = line.at.date().isoformat()
            if day not in days[line.story]:
                days[line.story].append(day)
    return days


def _is_day_before(story: Story, later: Sequence[Line], earlier: Sequence[Line]) -> bool:
    """Say whether two episodes of one story lie on days that follow each other in it."""
    days = _days(story)[_main_story(later)]
    last = max(line.at.date().isoformat() for line in later if line.story)
    first = max(line.at.date().isoformat() for line in earlier if line.story)
    return (first, last) in set(pairwise(days))


async def _play_part(part: str) -> list[tuple[Story, Told]]:
    return [(story, await play(story, Setup())) for story in read_stories(part)]


def _line(name: str, told: Told) -> str:
    return (
        f"{name:16} kept {told.kept:2} of {told.matter:2}  noise {told.noise:2}  "
        f"links right {told.right:2} of {told.due:2} ({told.linked} made)  "
        f"across {told.across}  mixed {told.mixed}"
    )


def main(arguments: Sequence[str]) -> int:
    """Print the totals of each part; single stories and titles of the open parts only."""
    for part in [each for each in arguments if each in PARTS] or PARTS:
        played = asyncio.run(_play_part(part))
        for story, told in played if part in OPEN else ():
            print(_line(story.id, told))
            for title, summary in told.titles if "--titles" in arguments else ():
                print(f"    {title}\n        {summary}")
        print(_line(part.upper(), sum((told for _, told in played), Told())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
