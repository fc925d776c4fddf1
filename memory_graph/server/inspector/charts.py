"""The geometry of the charts; the templates draw it as inline SVG."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from memory_graph.episodes.rendering import causal_links, decision_sequence
from memory_graph.records import Episode, Fact, FactVersion
from memory_graph.server.inspector.wording import fact_value, shown

Shape = dict[str, Any]
"""Where something is drawn, and its text."""

_NARROWEST = 24.0
"""Smallest width of a value in percent of the line, so that it can be read; less for many."""

_SEEN = 0.005
"""Smaller signals are not drawn."""

_FAR = 3
"""How many times the usual value the chart of milliseconds shows."""

_BOX_WIDTH, _LINE, _GAP_X, _GAP_Y, _PADDING = 190, 17, 26, 40, 10
_LETTERS, _MOST_LINES = 23, 4
_WIDEST = 60
"""Steps that are drawn; an episode with more is only listed."""


def value_line(fact: Fact, now: datetime) -> list[Shape]:
    """Return the values a fact had, by how long each was true, in percent of the line."""
    held: list[Fact | FactVersion] = [*fact.history, fact]
    lengths = [
        max((each.valid_to or now) - each.valid_from, timedelta(hours=1)) / timedelta(hours=1)
        for each in held
    ]
    least = min(_NARROWEST, 80 / len(held))
    lifted = [max(each / sum(lengths) * 100, least) for each in lengths]
    spans, x = [], 0.0
    for each, lift in zip(held, lifted, strict=True):
        width = lift / sum(lifted) * 100
        spans.append(
            {
                "value": shown(fact_value(each), 40),
                "start": each.valid_from,
                "is_current": each.valid_to is None,
                "x": round(x, 2),
                "width": round(width, 2),
            }
        )
        x += width
    return spans


def signal_bar(parts: Mapping[str, float], longest: float) -> list[Shape]:
    """Return what signals add to a score, strongest first, in percent of the longest bar."""
    segments, x = [], 0.0
    for name, value in sorted(parts.items(), key=lambda part: -part[1]):
        if value >= _SEEN:
            width = value / longest * 100
            place = {"x": round(x, 2), "width": round(width, 2)}
            segments.append({"name": name, "value": value, **place})
            x += width
    return segments


def legend(bars: Iterable[Sequence[Shape]]) -> list[str]:
    """Return the signals that any bar shows, the strongest first."""
    added: Counter[str] = Counter()
    for bar in bars:
        added.update({each["name"]: each["value"] for each in bar})
    return [name for name, _ in added.most_common()]


def columns(values: Sequence[float], marked: Iterable[int], height: int = 48) -> list[Shape]:
    """Return a column per value; one far above the others, such as a first turn, is cut."""
    usual = median(values) if values else 0.0
    most, marks = min(max(values, default=0.0), _FAR * usual) or 1.0, set(marked)
    step = 100 / max(len(values), 12)
    heights = [min(max(value / most * height, 2), height) for value in values]
    return [
        {
            "x": round(place * step, 2),
            "y": round(height - high, 1),
            "width": round(step * 0.7, 2),
            "height": round(high, 1),
            "is_marked": place in marks,
        }
        for place, high in enumerate(heights)
    ]


def decision_drawing(episode: Episode) -> Shape | None:
    """Return the causes and effects of an episode in layers, causes above; nothing without any."""
    texts = {each.id: each.chosen for each in decision_sequence(episode)}
    decisions = set(texts)
    texts |= {each.id: each.content for each in episode.events}
    links = [link for link in causal_links(episode) if set(link) <= texts.keys()]
    linked = [name for name in texts if any(name in link for link in links)]
    if not links or len(linked) > _WIDEST:
        return None
    boxes = _boxes(_layers(linked, links), {name: _lines(texts[name]) for name in linked})
    for name in decisions & boxes.keys():
        boxes[name]["is_decision"] = True
    return {
        "width": max(box["x"] + box["width"] for box in boxes.values()) + 1,
        "height": max(box["y"] + box["height"] for box in boxes.values()) + 1,
        "boxes": list(boxes.values()),
        "arrows": [_arrow(boxes[cause], boxes[effect]) for cause, effect in links],
    }


def _layers(names: Sequence[str], links: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return steps by their distance from a first cause; a cycle is cut where it closes."""
    depth = dict.fromkeys(names, 0)
    for _ in names:
        for cause, effect in links:
            if cause != effect and depth[effect] <= depth[cause] < len(names) - 1:
                depth[effect] = depth[cause] + 1
    deepest = sorted(set(depth.values()))
    return [[name for name in names if depth[name] == each] for each in deepest]


def _boxes(layers: Sequence[Sequence[str]], texts: Mapping[str, Sequence[str]]) -> dict[str, Shape]:
    boxes: dict[str, Shape] = {}
    top, step = 1, _BOX_WIDTH + _GAP_X
    widest = max(map(len, layers))
    for layer in layers:
        left = 1 + (widest - len(layer)) * step // 2
        height = max(len(texts[name]) for name in layer) * _LINE + 2 * _PADDING
        size = {"y": top, "width": _BOX_WIDTH, "height": height, "is_decision": False}
        for place, name in enumerate(layer):
            boxes[name] = {"lines": texts[name], "x": left + place * step, **size}
        top += height + _GAP_Y
    return boxes


def _lines(text: str) -> list[str]:
    lines = textwrap.wrap(shown(text, 200), _LETTERS) or [""]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1][: _LETTERS - 1]}…"]
    return lines


def _arrow(cause: Shape, effect: Shape) -> str:
    """Return the path from a cause to its effect."""
    x1, y1 = cause["x"] + cause["width"] // 2, cause["y"] + cause["height"]
    x2, y2 = effect["x"] + effect["width"] // 2, effect["y"]
    bend = (y1 + y2) // 2
    return f"M{x1} {y1} C{x1} {bend} {x2} {bend} {x2} {y2 - 4}"
