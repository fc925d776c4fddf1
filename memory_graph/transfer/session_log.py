"""Read the log of a session as an episode: task, outcome, decisions, events, lessons."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from memory_graph.errors import ConfigurationError
from memory_graph.records import Decision, EventType, Outcome
from memory_graph.transfer.notes import read_decisions

_SESSION = re.compile(r"\b(\d{4}-\d{2}-\d{2}-session-\w+)", re.IGNORECASE)
_DAY = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b")
_FIELD = re.compile(r"^[-*\s]*\**(?P<name>[A-Za-z ]{3,24}?)\**\s*:\**\s+(?P<text>\S.*)$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<text>.+)$")
_BULLET = re.compile(r"^\s*(?:[-*]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.+)$")
_MOMENT = re.compile(
    r"^\s*(?:[-*]\s+|\d+[.)]\s+)?\[?(?P<at>\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?"
    r"(?:Z|[+-]\d{2}:?\d{2})?|\d{1,2}:\d{2}(?::\d{2})?)\]?\s*[-–|:]?\s+(?P<text>.+)$"
)
_DETAILED = re.compile(r"^### [^:\n]+: .*\n(?:\s*- \*\*\w+\*\*: .*\n?)+", re.MULTILINE)
"""A decision as notes have it: `### d001: title`, then `- **Chosen**: …` and the like."""
_TAG = re.compile(r"\s#(?P<tag>\w+)\s*$")
_TASK = frozenset({"task", "objective", "goal"})
_ENDED = frozenset({"outcome", "result", "status"})
_DECIDED = frozenset({"decision", "decisions", "decided"})
_LEARNT = frozenset({"lesson", "lessons", "lesson learned", "lessons learned", "learned", "learnt"})
_OUTCOMES: Mapping[str, Outcome] = {
    "success": "success",
    "succeeded": "success",
    "complete": "success",
    "completed": "success",
    "done": "success",
    "partial": "partial",
    "partly": "partial",
    "failure": "failure",
    "failed": "failure",
    "ongoing": "ongoing",
}
_SIGNS: Mapping[EventType, re.Pattern[str]] = {
    "error": re.compile(r"\b(?:error|failed|failure|exception|crash\w*)\b", re.IGNORECASE),
    "commit": re.compile(r"\b(?:commit\w*|pushed|merged)\b", re.IGNORECASE),
    "test": re.compile(r"\b(?:tests?|pytest|test suite)\b", re.IGNORECASE),
    "handoff": re.compile(r"\b(?:hand(?:ed)?[ -]?(?:off|over)|delegated)\b", re.IGNORECASE),
    "tool_call": re.compile(r"\b(?:ran|called|executed|invoked)\b", re.IGNORECASE),
}
_METRICS = frozenset(
    {"duration_minutes", "tool_calls", "errors", "recoveries", "commits", "files_changed"}
)


def read_session_log(text: str) -> dict[str, object]:
    """Return a log as arguments of `store_episode`; a JSON log already is.

    It reads `Task:`, `Outcome:`, `Decision:` and `Lesson:`, bullets under such headings, and lines
    that begin with a time. The whole log also becomes the content.
    """
    if text.lstrip().startswith("{"):
        try:
            return {str(name): value for name, value in json.loads(text).items()}
        except ValueError as error:
            raise ConfigurationError(f"The session log is not JSON: {error}") from error
    if not text.strip():
        raise ConfigurationError("The session log is empty.")
    log = _Log(text.strip())
    for line in _DETAILED.sub(log.read_detailed, log.text).splitlines():
        log.read_line(line)
    task = next((log.fields[name] for name in _TASK if name in log.fields), log.title)
    ended = next((log.fields[name] for name in _ENDED if name in log.fields), "")
    words = re.findall(r"[a-z]+", ended.casefold())
    session = _SESSION.search(text)
    return {
        "content": log.text,
        "task": task or log.text.splitlines()[0][:120],
        "outcome": next((_OUTCOMES[word] for word in words if word in _OUTCOMES), "unknown"),
        **({"session_id": session[1]} if session else {}),
        "decisions": log.decisions,
        "events": log.events,
        "lessons": log.lessons,
        "metrics": log.metrics,
    }


@dataclass
class _Log:
    """A log, read line by line."""

    text: str
    section: str = ""
    title: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    decisions: list[dict[str, object]] = field(default_factory=list)
    lessons: list[str] = field(default_factory=list)
    events: list[dict[str, object]] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)

    def read_detailed(self, decision: re.Match[str]) -> str:
        """Keep a decision in the form of notes, and leave its lines out of the rest."""
        [read] = read_decisions(decision[0])
        assert isinstance(read, dict)
        self.decisions.append({n: v for n, v in read.items() if n in Decision.model_fields})
        return ""

    def read_line(self, line: str) -> None:
        """Keep what a line says, if it says anything."""
        if heading := _HEADING.match(line):
            self.section = heading["text"].strip().casefold()
            self.title = self.title or heading["text"].strip()
        elif moment := _MOMENT.match(line):
            self.events.append(self._event(moment["at"], moment["text"]))
        elif named := _FIELD.match(line):
            self._field(named["name"].strip().casefold(), named["text"].strip())
        elif self.section in _DECIDED | _LEARNT and (bullet := _BULLET.match(line)):
            self._field(self.section, bullet["text"].strip())

    def _field(self, name: str, text: str) -> None:
        if name in _DECIDED:
            self.decisions.append({"chosen": text})
        elif name in _LEARNT:
            self.lessons.append(text)
        elif name.replace(" ", "_") in _METRICS and (number := re.match(r"\d+(?:\.\d+)?", text)):
            self.metrics[name.replace(" ", "_")] = float(number[0])
        else:
            self.fields.setdefault(name, text)

    def _event(self, at: str, text: str) -> dict[str, object]:
        tag = _TAG.search(text)
        named = tag["tag"] if tag and tag["tag"] in get_args(EventType) else ""
        content = _TAG.sub("", text) if named else text
        signs = (kind for kind, sign in _SIGNS.items() if sign.search(content))
        event: dict[str, object] = {
            "type": named or next(signs, "milestone"),
            "content": content.strip(),
        }
        if len(at) > len("00:00:00"):
            event["timestamp"] = at.replace(" ", "T")
        elif day := _DAY.search(self.text):
            event["timestamp"] = f"{day[1]}T{at.rjust(5, '0')}"
        return event
