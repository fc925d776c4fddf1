"""The geometry of the charts; the templates draw it as inline SVG."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from memory_graph.episodes.rendering import causal_links, decision_sequence
from memory_graph.records import Episode, Fact
from memory_graph.server.inspector.wording import fact_value, shown

_NARROWEST = 24.0
"""Smallest width of a value in percent of the line, so that it can be read; less for many."""


@dataclass(frozen=True)
class Span:
    """One value on the line of a fact, in percent of its width."""

    value: str
    start: datetime
    end: datetime | None
    x: float
    width: float

    @property
    def is_current(self) -> bool:
        """Whether it is true now."""
        return self.end is None


def value_line(fact: Fact, now: datetime) -> list[Span]:
    """Return the values a fact had, one after the other, by how long each was true."""
    held = [(fact_value(each), each.valid_from, each.valid_to) for each in fact.history]
    held.append((fact_value(fact), fact.valid_from, fact.valid_to))
    lengths = [max((end or now) - start, timedelta(hours=1)) for _, start, end in held]
    widths = _at_least(_NARROWEST, [each / sum(lengths, timedelta()) * 100 for each in lengths])
    spans, x = [], 0.0
    for (value, start, end), width in zip(held, widths, strict=True):
        spans.append(Span(shown(value, 40), start, end, round(x, 2), round(width, 2)))
        x += width
    return spans


def _at_least(least: float, shares: Sequence[float]) -> list[float]:
    """Return shares in percent, none of them too small to be seen."""
    least = min(least, 80 / len(shares))
    lifted = [max(each, least) for each in shares]
    return [each / sum(lifted) * 100 for each in lifted]


@dataclass(frozen=True)
class Segment:
    """What one signal adds to the score of a memory, in percent of the longest bar."""

    name: str
    value: float
    x: float
    width: float


def signal_bar(parts: Mapping[str, float], longest: float) -> list[Segment]:
    """Return the signals that add something, strongest first, as one bar on a common scale."""
    told = sorted(parts.items(), key=lambda part: -part[1])
    segments, x = [], 0.0
    for name, value in told:
        if value >= _SEEN:
            width = value / longest * 100
            segments.append(Segment(name, value, round(x, 2), round(width, 2)))
            x += width
    return segments


def legend(bars: Iterable[Sequence[Segment]]) -> list[str]:
    """Return the signals that any bar shows, the strongest first."""
    added: Counter[str] = Counter()
    for bar in bars:
        added.update({each.name: each.value for each in bar})
    return [name for name, _ in added.most_common()]


_SEEN = 0.005
"""Smaller signals are not drawn."""


@dataclass(frozen=True)
class Column:
    """One turn in the chart of milliseconds."""

    x: float
    y: float
    width: float
    height: float
    is_marked: bool


def columns(values: Sequence[float], marked: Iterable[int], height: int = 48) -> list[Column]:
    """Return a column per value; one far above the others, such as a first turn, is cut."""
    usual = median(values) if values else 0.0
    most, marks = min(max(values, default=0.0), _FAR * usual) or 1.0, set(marked)
    step = 100 / max(len(values), 12)
    return [
        Column(
            round(place * step, 2),
            round(height - high, 1),
            round(step * 0.7, 2),
            round(high, 1),
            place in marks,
        )
        for place, value in enumerate(values)
        for high in [min(max(value / most * height, 2), height)]
    ]


_FAR = 3
"""How many times the usual value the chart shows."""


_BOX_WIDTH, _LINE, _GAP_X, _GAP_Y, _PADDING = 190, 17, 26, 40, 10
_LETTERS, _MOST_LINES = 23, 4
_WIDEST = 60
"""Steps that are drawn; an episode with more is only listed."""


@dataclass(frozen=True)
class Box:
    """A decision or an event in the drawing, with its text in lines."""

    id: str
    lines: tuple[str, ...]
    is_decision: bool
    x: int
    y: int
    height: int
    width: int = _BOX_WIDTH


@dataclass(frozen=True)
class Arrow:
    """From a cause to its effect."""

    path: str


@dataclass(frozen=True)
class Drawing:
    """The causes and effects in an episode."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def decision_drawing(episode: Episode) -> Drawing | None:
    """Return the causes and effects of an episode in layers, causes above; nothing without any."""
    texts = {each.id: each.chosen for each in decision_sequence(episode)}
    decisions = set(texts)
    texts |= {each.id: each.content for each in episode.events}
    links = [link for link in causal_links(episode) if set(link) <= texts.keys()]
    linked = [name for name in texts if any(name in link for link in links)]
    if not links or len(linked) > _WIDEST:
        return None
    boxes = _boxes(_layers(linked, links), texts, decisions)
    return Drawing(
        width=max(box.x + box.width for box in boxes.values()) + 1,
        height=max(box.y + box.height for box in boxes.values()) + 1,
        boxes=tuple(boxes.values()),
        arrows=tuple(_arrow(boxes[cause], boxes[effect]) for cause, effect in links),
    )


def _layers(names: Sequence[str], links: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return steps by their distance from a first cause; a cycle is cut where it closes."""
    depth = dict.fromkeys(names, 0)
    for _ in names:
        for cause, effect in links:
            if cause != effect and depth[effect] <= depth[cause] < len(names) - 1:
                depth[effect] = depth[cause] + 1
    deepest = sorted(set(depth.values()))
    return [[name for name in names if depth[name] == each] for each in deepest]


def _boxes(
    layers: Sequence[Sequence[str]], texts: Mapping[str, str], decisions: set[str]
) -> dict[str, Box]:
    boxes: dict[str, Box] = {}
    top, step = 1, _BOX_WIDTH + _GAP_X
    widest = max(map(len, layers))
    for layer in layers:
        left = 1 + (widest - len(layer)) * step // 2
        lines = {name: _lines(texts[name]) for name in layer}
        height = max(map(len, lines.values())) * _LINE + 2 * _PADDING
        for place, name in enumerate(layer):
            x = left + place * step
            boxes[name] = Box(name, lines[name], name in decisions, x, top, height)
        top += height + _GAP_Y
    return boxes


def _lines(text: str) -> tuple[str, ...]:
    lines = textwrap.wrap(shown(text, 200), _LETTERS) or [""]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1][: _LETTERS - 1]}…"]
    return tuple(lines)


def _arrow(cause: Box, effect: Box) -> Arrow:
    x1, y1 = cause.x + cause.width // 2, cause.y + cause.height
    x2, y2 = effect.x + effect.width // 2, effect.y
    bend = (y1 + y2) // 2
    return Arrow(f"M{x1} {y1} C{x1} {bend} {x2} {bend} {x2} {y2 - 4}")
