"""Writes `docs/events.md`: the events, reasons and log lines, read off the code (`make docs`)."""

import ast
import inspect
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

from memory_graph import telemetry
from memory_graph.curation.audit import FixReason
from memory_graph.curation.forget import ForgetReason
from memory_graph.episodes.capture import KeepReason, SkipReason
from memory_graph.episodes.upkeep import UpkeepReason
from memory_graph.episodes.writing import DeclineReason
from memory_graph.errors import ExtractionError, OffReason
from memory_graph.facts.checks import CheckReason
from memory_graph.facts.reading import GateReason
from memory_graph.facts.reconcile import ReconcileReason
from memory_graph.instructions.wishes import WishReason
from memory_graph.nodes._reading import WaitReason
from memory_graph.records import Action, MemoryKind

PAGE = Path(__file__).with_suffix(".md")
PACKAGE = Path(telemetry.__file__).parent

REASON_TYPES = {
    "facts/checks.py": CheckReason,
    "facts/reading.py": GateReason,
    "facts/reconcile.py": ReconcileReason,
    "instructions/wishes.py": WishReason,
    "nodes/_reading.py": WaitReason,
    "episodes/capture.py": KeepReason | SkipReason,
    "episodes/writing.py": DeclineReason,
    "episodes/upkeep.py": UpkeepReason,
    "curation/audit.py": FixReason,
    "errors.py": OffReason,
    "curation/forget.py": ForgetReason,
}
"""The reasons that are listed as types; the others are found where decisions are made."""

TEXTS = PACKAGE / "server" / "inspector" / "texts.json"
MEANINGS: dict[str, str] = json.loads(TEXTS.read_text(encoding="utf-8"))["reasons"]
"""What each reason means, in the words of the pages."""

MAKERS = {
    "skip": 0,
    "decision_for": 1,
    "decided": 0,
    "_save": -1,
    "decide_pattern": 2,
    "_change_evidence": -1,
    "save_patterns": -1,
    "ExtractionError": 1,
}
"""Functions that make decisions, and which of their arguments is the reason."""

TOP = """# Events, reasons and log lines

Written by `make docs` from the code; do not edit it by hand.

Every decision about memory is one event. Events go to the logger `memory_graph` and to the graph's
custom stream (`stream_mode="custom"`). They hold ids, counts, scores and reasons, never what a user
said. Each names whom it is about where that is known: `user_id` (the label of the user's
namespace), `thread_id` and `turn_id`. A log record has the event's name in `record.event` and its
fields in `record.fields`. There `memory_id` is a digest, because ids are made of words
(`health:allergy:peanut`): `memory-graph why DIGEST` names the memory. `memory.gave_up` and
`memory.off` are warnings, all other events are informational. On the stream an
event has one more field, `event`: its name.
"""
ACTIONS = f"`ACTION` is one of {', '.join(f'`{each}`' for each in get_args(Action))}.\n"


def page() -> str:
    """Return the whole page.

    Raises:
        ValueError: If a reason has no meaning here, or a meaning no reason.
    """
    found = dict(_reasons())
    unknown, obsolete = (
        sorted(found.keys() - MEANINGS.keys()),
        sorted(MEANINGS.keys() - found.keys()),
    )
    if unknown or obsolete:
        raise ValueError(f"`reasons` in {TEXTS.name}: add {unknown}, remove {obsolete}.")
    reasons = ((f"`{each}`", MEANINGS[each], _code(found[each])) for each in MEANINGS)
    return "\n".join(
        (
            TOP,
            "## Events\n",
            _table(("Event", "When", "Fields"), _events()),
            ACTIONS,
            "## Reasons\n",
            "The field `reason` of a decision; `memory-graph why ID` shows it for one memory.\n",
            _table(("Reason", "Meaning", "Decided in"), reasons),
            "## Other log lines\n",
            "Warnings and errors that are not events. `%s` and `%d` stand for what is filled in.\n",
            _table(("Level", "Text", "Written in"), sorted(_log_lines())),
        )
    )


def _events() -> Iterator[tuple[str, str, str]]:
    for event in telemetry.Event.__subclasses__():
        when = " ".join((event.__doc__ or "").split())
        yield _code(_names(event)), when, ", ".join(_fields(event))


def _names(event: type[telemetry.Event]) -> list[str]:
    """Return what an event may be called; a decision by its kind and action."""
    if event is telemetry.Considered:
        return ["memory.decide", "episodic.decide"]
    if event is not telemetry.MemoryDecided:
        return [object.__new__(event).name]
    families = (_decided(kind, "ACTION").name for kind in get_args(MemoryKind))
    return list(dict.fromkeys(families))


def _decided(kind: str, action: str) -> telemetry.MemoryDecided:
    return telemetry.MemoryDecided(node="", kind=kind, action=action, reason="", memory_id=None)


def _fields(event: type[telemetry.Event]) -> Iterator[str]:
    hints = get_type_hints(event)
    for field in fields(event):
        values = get_args(hints[field.name]) if get_origin(hints[field.name]) is Literal else ()
        listed = f" ({' / '.join(map(str, values))})" if values else ""
        yield f"`{field.name}`{listed}"


def _reasons() -> dict[str, list[str]]:
    """Return every reason and the modules that give it."""
    found: dict[str, list[str]] = {}
    for place, listed in REASON_TYPES.items():
        for reason in _literals(listed):
            found.setdefault(reason, []).append(place)
    default = inspect.signature(ExtractionError).parameters["reason"].default
    found.setdefault(default, []).append("errors.py")
    for place, call in _calls():
        for reason in _given(call):
            found.setdefault(reason, []).append(place)
    return {reason: list(dict.fromkeys(places)) for reason, places in found.items()}


def _literals(listed: object) -> Iterator[str]:
    for each in get_args(listed):
        yield from [each] if isinstance(each, str) else _literals(each)


def _calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield place, node


def _given(call: ast.Call) -> Iterable[str]:
    """Return the reasons that a call writes out, if it makes a decision."""
    name = _called(call)
    if name == "MemoryDecision":
        given = [each.value for each in call.keywords if each.arg == "reason"]
    elif name in MAKERS and call.args:
        given = call.args[MAKERS[name] :][:1]
    else:
        return ()
    return [text for each in given for text in _texts(each)]


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp(body=body, orelse=orelse):
            return [*_texts(body), *_texts(orelse)]
        case ast.Name(id=name):
            return _constants().get(name, [])
    return []


def _constants() -> dict[str, list[str]]:
    """Return the texts that modules name in capitals."""
    named = re.compile(r'^([A-Z]+) = "(\w+)"$', re.MULTILINE)
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    return {name: [value] for text in texts for name, value in named.findall(text)}


def _log_lines() -> Iterator[tuple[str, str, str]]:
    for place, call in _calls():
        level = {"alarm": "error"}.get(_called(call), _called(call))
        is_log = ast.unparse(call.func).startswith(("logger.", "telemetry.alarm"))
        if is_log and level in {"warning", "error"}:
            for text in _texts(call.args[0]):
                yield level, text, _code([place])


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
