"""Episodes and patterns as Markdown notes that people can read, link and edit."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Generic, TypeVar

import yaml  # type: ignore[import-untyped]
from pydantic import JsonValue, ValidationError

from memory_graph.episodes.building import dated
from memory_graph.episodes.rendering import is_numbered, session_title
from memory_graph.errors import NoteError
from memory_graph.keys import stable_id
from memory_graph.patterns.evidence import normalise_name, success_rate
from memory_graph.patterns.search import pattern_title, render_record
from memory_graph.records import Decision, Episode, Observation, Pattern
from memory_graph.store.changes import decision_for
from memory_graph.store.scope import UserMemory
from memory_graph.store.values import clean_text
from memory_graph.transfer.imports import Incoming, misfits, read_moment, refused

R = TypeVar("R", Episode, Pattern)
Matter = dict[str, JsonValue]
Sections = Mapping[str, str]  # text by heading, without the blank lines around it
NOTHING = "(none)"  # stands in a section that every note has and this one has nothing for
_FENCE = "---"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]]+)\]\]")
_LONGEST_FRONT = 1_000_000
_BREAKS = re.compile("[\n\r\x85\u2028\u2029]")
_PICTURE = re.compile(
    r"!(?=\[[^\]\n]{0,500}\](?:\(\s{0,9}<?\s{0,9}(?:\w{1,20}:)?//|\[|\(\s{0,9}<?data:)|\[\[\w{1,20}://)"
)
_EMBEDDED = re.compile(
    r"(?i)<(?=/?(?:img|iframe|video|audio|source|object|embed|link|picture|svg|script|style|base|form|input)\b)"
)
_CHECKSUM = re.compile(r"^checksum: '?(?P<sum>[0-9a-f]{16})'?\n", re.MULTILINE)


def episode_titles(episodes: Iterable[Episode]) -> dict[str, str]:
    """Return what the note of each episode is called, by id: `EPISODE-2026-11-16-session-01`.

    One that has a note keeps its title, and a session its number; of the others, those of a day
    are numbered on as they began.
    """
    known = sorted(episodes, key=lambda each: (each.started_at, each.id))
    titles = {each.id: each.note_title for each in known if each.note_title}
    taken = set(titles.values())
    for each in known:
        session = each.metadata.session_id
        if each.id not in titles and session and is_numbered(session):
            title = session_title(session)
            titles |= {} if title in taken else {each.id: title}
            taken.add(title)
    for each in known:
        if each.id not in titles:
            numbered = (f"EPISODE-{each.date_iso}-session-{number:02d}" for number in count(1))
            titles[each.id] = next(title for title in numbered if title not in taken)
            taken.add(titles[each.id])
    return titles


def permalink(title: str) -> str:
    """Return where a note lives: `episodes/episode-2026-11-16-session-01`."""
    folder = "episodes" if title.startswith("EPISODE-") else "patterns"
    return f"{folder}/{title.lower()}"


@dataclass(frozen=True)
class Note:
    """A note in its parts."""

    matter: Mapping[str, JsonValue]
    sections: Sections


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # no stubs, as above
    """Escapes line breaks, some of which YAML otherwise reads as others; writes no aliases."""

    def ignore_aliases(self, data: object) -> bool:
        """Write what comes twice twice."""
        return True


def _quoted(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if _BREAKS.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _quoted)


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # no stubs, as above
    """Reads no aliases: a few lines of them stand for gigabytes."""

    def compose_node(self, parent: object, index: object) -> object:
        """Return the next node.

        Raises:
            NoteError: If it stands for another one.
        """
        if self.check_event(yaml.AliasEvent):
            raise NoteError("The front matter of the note has an alias (`*name`); write it out.")
        return super().compose_node(parent, index)


def _as_links(body: str) -> str:
    """Return a text whose pictures from elsewhere are links: showing it fetches nothing."""
    return _EMBEDDED.sub("&lt;", _PICTURE.sub("", body))


def read_note(text: str) -> Note:
    """Return the parts of a note."""
    lines = text.lstrip("\ufeff").split("\n")
    fences = [number for number, line in enumerate(lines) if line.rstrip() == _FENCE][:2]
    if len(fences) < 2 or fences[0] != 0:
        raise NoteError("A note starts with front matter between two lines of `---`.")
    front = "\n".join(lines[1 : fences[1]])
    if len(front) > _LONGEST_FRONT:
        raise NoteError(
            f"The front matter of the note is longer than {_LONGEST_FRONT:,} characters."
        )
    try:
        matter = yaml.load(front, Loader=_Loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise NoteError("The front matter of the note is not YAML.") from error
    if not isinstance(matter, dict):
        raise NoteError("The front matter of the note is not a list of `name: value`.")
    sections = read_sections("\n".join(lines[fences[1] + 1 :]))
    return Note({str(name): value for name, value in matter.items()}, sections)


def read_sections(body: str) -> dict[str, str]:
    """Return the text under each second-level heading."""
    _, *parts = _HEADING.split(body.replace("\r\n", "\n"))
    read = {h.strip(): text.strip("\n") for h, text in zip(parts[::2], parts[1::2], strict=True)}
    return {heading: "" if text == NOTHING else text for heading, text in read.items()}


def seal(text: str) -> str:
    """Return a note with a checksum, by which an edit is recognised."""
    mark = f"checksum: '{_digest(text)}'\n"
    return text.replace(f"\n{_FENCE}\n\n# ", f"\n{mark}{_FENCE}\n\n# ", 1)


def is_as_written(text: str) -> bool:
    """Return whether nobody changed a note since it was written."""
    found = _CHECKSUM.search(text)
    return found is not None and found["sum"] == _digest(_CHECKSUM.sub("", text, count=1))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def bullets(items: Iterable[str]) -> str:
    """Return a list, one line each."""
    return "\n".join(f"- {item}" for item in items)


def read_bullets(text: str) -> list[str]:
    """Return the items of a list; lines that are none of it are passed over."""
    return [line[2:] for line in text.split("\n") if line.startswith("- ")]


def links(names: Sequence[str]) -> str:
    """Return names as WikiLinks."""
    return ", ".join(f"[[{name}]]" for name in names)


def read_links(text: str) -> list[str]:
    """Return the names that WikiLinks lead to."""
    return _LINK.findall(text)


@dataclass(frozen=True)
class Form(Generic[R]):
    """How the records of one kind are laid out as notes."""

    record: type[R]
    required: frozenset[str]  # headings that every note has
    known: frozenset[str]  # further headings whose text fields hold
    ours: Mapping[str, re.Pattern[str]]  # lines that follow from other fields, by heading
    shown: frozenset[str]
    """Fields that a note shows as text, or under another name, and not in the front matter."""

    read: Callable[[Sections], Matter]  # return the fields that sections carry

    def write(self, record: R, title: str, sections: Sections, matter: Matter) -> str:
        """Return a record as a note, with what people wrote into its sections or added as such.

        What the sections would not bring back stays in `exact`.
        """
        parts = [f"# {title}\n"]
        for heading in dict.fromkeys((*sections, *record.note)):
            text, own = sections.get(heading, ""), record.note.get(heading, "")
            told = "\n".join(filter(None, (text, own.strip() if heading in sections else own)))
            if told or heading in self.required:
                parts.append(f"## {heading}\n\n{told or NOTHING}\n")
        body = _as_links("\n".join(parts))
        dumped = record.model_dump(mode="json")
        front = {
            **matter,
            **{name: value for name, value in dumped.items() if name not in {*self.shown, *matter}},
            **keep_exact(record, self.read_fields(read_sections(body))),
        }
        written = yaml.dump(front, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**6)
        return f"{_FENCE}\n{written}{_FENCE}\n\n{body}"

    def read_fields(self, sections: Sections) -> Matter:
        """Return the fields that sections carry, and what people wrote beside them."""
        own: Matter = {}
        for heading, text in sections.items():
            if heading in self.ours:
                lines = [li for li in text.split("\n") if not self.ours[heading].match(li)]
                text = "\n".join(line for line in lines if line != NOTHING).strip()
            elif heading in self.required | self.known:
                continue
            if text:
                own[heading] = text
        return {**self.read(sections), "note": own}

    def read_note(self, note: Note) -> Matter:
        """Return the fields of a note, exact again where nobody edited them."""
        return {**note.matter, **restore(self.read_fields(note.sections), note.matter)}

    def validate(self, fields: Matter) -> R:
        """Return a record."""
        try:
            return self.record.model_validate(fields)
        except ValidationError as error:
            raise NoteError(f"The note does not fit: {misfits(error, 'note')}.") from error


EXACT = "exact"


def keep_exact(written: Episode | Pattern, read: Mapping[str, JsonValue]) -> Matter:
    """Return front matter for those fields in `read` that do not say what was written."""
    dumped = written.model_dump(mode="json")
    try:
        as_read = type(written).model_validate({**dumped, **read})
    except ValidationError:
        as_read = None
    lossy: Matter = {
        field: {"read_as": _mark(said), "value": dumped[field]}
        for field, said in read.items()
        if as_read is None or getattr(as_read, field) != getattr(written, field)
    }
    return {EXACT: lossy} if lossy else {}


def restore(read: Mapping[str, JsonValue], matter: Mapping[str, JsonValue]) -> Matter:
    """Return the readable fields, exact again where nobody edited them."""
    exact = matter.get(EXACT, {})
    if not isinstance(exact, Mapping):
        raise NoteError("`exact` in the front matter is not a list of `name: value`.")
    fields = dict(read)
    for field, kept in exact.items():
        if isinstance(kept, Mapping) and kept.get("read_as") == _mark(read.get(field)):
            fields[field] = kept.get("value")
    return fields


def _mark(said: JsonValue) -> str:
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]


# — an episode as a note —
_DECISION = re.compile(r"^### (?P<id>[^:\n]+): (?P<title>.*)$", re.MULTILINE)
_DECISION_FIELD = re.compile(r"^\*\*(\w+)\*\*: (.*)$")
_EVENT = re.compile(
    r"^(?P<number>\d+)\. (?:\[(?P<timestamp>[^\]]*)\] )?(?P<content>.*?)"
    r"(?: #(?P<type>\w+))?(?: \^(?P<id>\S+))?$"
)
_CAUSE = re.compile(r"^\[\[(?P<id>[^\]]+)\]\] (?P<field>caused_by|leads_to) (?P<ends>.+)$")
_EPISODE_TITLE = re.compile(r"EPISODE-(?P<day>\d{4}-\d{2}-\d{2})")
_BETWEEN_OPTIONS = "; "
_TAG = "episodic"
_TODO = "[ ] "


def read_decisions(text: str) -> list[JsonValue]:
    """Return decisions as they can be validated; a heading is a title, or what was chosen."""
    heads = list(_DECISION.finditer(text))
    ends = [*(head.start() for head in heads), len(text)][1:]
    decisions: list[JsonValue] = []
    for head, end in zip(heads, ends, strict=True):
        lines = map(_DECISION_FIELD.match, read_bullets(text[head.end() : end]))
        fields: Matter = {line[1].lower(): line[2] for line in lines if line}
        chosen, options = fields.setdefault("chosen", head["title"]), fields.get("options")
        if isinstance(options, str):
            between = _BETWEEN_OPTIONS if _BETWEEN_OPTIONS in options else ", "
            fields["options"] = [*options.split(between)]
        if "effects" in fields:
            fields["effects"] = [*read_links(str(fields["effects"]))]
        title = "" if head["title"] == chosen else head["title"]
        decisions.append({**fields, "id": head["id"], "title": title})
    return decisions


def _read_events(timeline: str, causes: str) -> list[JsonValue]:
    """Return events as they can be validated; an unnamed one is named by its number."""
    stated: dict[str, Matter] = {}
    for line in read_bullets(causes):
        if cause := _CAUSE.match(line):
            stated.setdefault(cause["id"], {})[cause["field"]] = [*read_links(cause["ends"])]
    events: list[JsonValue] = []
    for line in timeline.split("\n"):
        if event := _EVENT.match(line):
            name = event["id"] or f"e{int(event['number']):03d}"
            fields = {key: event[key] for key in ("timestamp", "type") if event[key]}
            events.append(
                {"id": name, "content": event["content"], **fields, **stated.get(name, {})}
            )
    return events


def _read_episode_sections(sections: Sections) -> Matter:
    steps = read_bullets(sections.get("Next Steps", ""))
    timeline, causes = sections.get("Events Timeline", ""), sections.get("Causal Relationships", "")
    return {
        "summary": sections.get("Context", ""),
        "decisions": read_decisions(sections.get("Decisions", "")),
        "events": _read_events(timeline, causes),
        "lessons": [*read_bullets(sections.get("Lessons Learned", ""))],
        "next_steps": [step.removeprefix(_TODO) for step in steps],
    }


EPISODES = Form(
    record=Episode,
    required=frozenset(
        {"Context", "Observations", "Decisions", "Events Timeline", "Lessons Learned", "Relations"}
    ),
    known=frozenset({"Causal Relationships", "Next Steps"}),
    ours={
        "Observations": re.compile(r"- \[(?:decision|event):[^\]]*\] "),
        "Relations": re.compile(r"- continues \[\["),
    },
    shown=frozenset(
        {"title", "summary", "decisions", "events", "lessons", "next_steps", "note", "note_title"}
    ),
    read=_read_episode_sections,
)


def write_episode(episode: Episode, title: str, parent_title: str | None = None) -> str:
    """Return an episode as a note called `title`."""
    span = (episode.ended_at - episode.started_at).total_seconds()
    matter: Matter = {
        "title": title,
        "type": "episode",
        "tags": [_TAG, *episode.metadata.tags],
        "permalink": permalink(title),
        "outcome": episode.outcome,
        "task": episode.title,
        "duration_minutes": episode.metrics.get("duration_minutes", round(span / 60)),
        "metadata": episode.metadata.model_dump(mode="json", exclude={"tags"}),
    }
    seen = [f"[decision:{each.id}] {each.chosen} #{each.type}" for each in episode.decisions]
    seen += [f"[event:{each.id}] {each.content} #{each.type}" for each in episode.events]
    timeline = []  # numbered; `^e001` names an event for links
    for number, each in enumerate(episode.events, 1):
        when = f"[{each.timestamp.isoformat()}] " if each.timestamp else ""
        timeline.append(f"{number}. {when}{each.content} #{each.type} ^{each.id}")
    parent = parent_title or episode.parent_episode_id
    sections = {
        "Context": episode.summary,
        "Observations": bullets(seen),
        "Decisions": "\n\n".join(map(_write_decision, episode.decisions)),
        "Events Timeline": "\n".join(timeline),
        "Causal Relationships": bullets(
            f"[[{each.id}]] {field} {links(ends)}"
            for each in episode.events
            for field, ends in (("caused_by", each.caused_by), ("leads_to", each.leads_to))
            if ends
        ),
        "Lessons Learned": bullets(episode.lessons),
        "Next Steps": bullets(f"{_TODO}{step}" for step in episode.next_steps),
        "Relations": bullets([f"continues {links([parent])}"] if parent else []),
    }
    return EPISODES.write(episode, title, sections, matter)


def _write_decision(decision: Decision) -> str:
    said = {
        "Timestamp": decision.timestamp.isoformat() if decision.timestamp else "",
        "Type": decision.type,
        "Context": decision.context,
        "Options": _BETWEEN_OPTIONS.join(decision.options),
        "Chosen": decision.chosen,
        "Rationale": decision.rationale,
        "Outcome": decision.outcome,
        "Effects": links(decision.effects),
    }
    lines = bullets(f"**{name}**: {text}" for name, text in said.items() if text)
    return f"### {decision.id}: {decision.title or decision.chosen}\n{lines}"


def read_episode(note: Note) -> Episode:
    """Return the episode in a note, ours or one written by hand in the same shape.

    What only our own notes say, the title of another one tells.

    Raises:
        NoteError: If something in it does not fit an episode.
    """
    matter, title = note.matter, str(note.matter.get("title"))
    named = _EPISODE_TITLE.match(title)
    start = read_moment(named["day"]) if named else None
    if start is None:
        raise NoteError("The title of an episode starts with `EPISODE-` and a date.")
    minutes, tags, metadata = map(matter.get, ("duration_minutes", "tags", "metadata"))
    end = start + timedelta(minutes=minutes if isinstance(minutes, int | float) else 0)
    listed = list(tags) if isinstance(tags, list) else []
    if _TAG in listed:  # only ours; a person may tag an episode so, too
        listed.remove(_TAG)
    session = title.removeprefix("EPISODE-")
    fields: Matter = {
        "id": str(matter.get("permalink") or title).rpartition("/")[2].lower(),
        **dated(start, str(matter.get("task"))),
        **dict.fromkeys(("started_at", "created_at"), start.isoformat()),
        **dict.fromkeys(("ended_at", "updated_at"), end.isoformat()),
        "summariser": "note/1",
        **EPISODES.read_note(note),
        "title": matter.get("task"),
        "note_title": matter.get("title"),
        "metadata": {
            "session_id": session if "id" not in matter and is_numbered(session) else None,
            **(metadata if isinstance(metadata, dict) else {}),
            "tags": listed,
        },
    }
    return EPISODES.validate(fields)


# — a pattern as a note —
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_RELATION = re.compile(r"^(?P<type>causes|enables|prevents|correlates) (?P<target>\[\[.+\]\])$")


def _read_pattern_sections(sections: Sections) -> Matter:
    stated = map(_RELATION.match, read_bullets(sections.get("Causal Relationships", "")))
    return {
        "description": sections.get("Context", ""),
        "trigger": sections.get("Trigger", ""),
        "action": sections.get("Action", ""),
        "relations": [
            {"type": each["type"], "target": target}
            for each in stated
            if each
            for target in map(normalise_name, read_links(each["target"]))
        ],
    }


PATTERNS = Form(
    record=Pattern,
    required=frozenset({"Context", "Trigger", "Action", "Relations"}),
    known=frozenset({"Causal Relationships", "Anti-Pattern Warning"}),
    ours={
        "Observations": re.compile(r"- \[evidence\] .* #metrics$"),
        "Evidence Episodes": re.compile(r"- \[\[[^\]]+\]\](?: (?:worked|failed|\d+% worked))?$"),
        "Relations": re.compile(r"- part_of \[\[causal memory\]\]$"),
    },
    shown=frozenset({"trigger", "action", "description", "relations", "note"}),
    read=_read_pattern_sections,
)


def write_pattern(pattern: Pattern, titles: Mapping[str, str]) -> str:
    """Return a pattern as a note that links to its relations and to where it was seen.

    Args:
        pattern: The pattern.
        titles: What the notes of episodes, by id, and of patterns, by name, are called.
    """
    title, last, rate = pattern_title(pattern), pattern.last_validated_at, success_rate(pattern)
    matter: Matter = {
        "title": title,
        "type": "pattern",
        "tags": ["causal", "pattern"],
        "permalink": permalink(title),
        "trigger": pattern.trigger,
        "success_rate": round(rate or 0.0, 3),
        "occurrences": pattern.occurrences,
        "last_validated": last.date().isoformat() if last else None,
    }
    related = [
        f"{each.type} {links([titles.get(each.target) or f'PATTERN-{each.target}'])}"
        for each in pattern.relations
    ]
    seen = []
    for each in pattern.evidence:
        if each.episode_id:
            went = "worked" if each.success else "failed"
            went = went if each.rate is None else f"{each.rate:.0%} worked"
            seen.append(f"{links([titles.get(each.episode_id, each.episode_id)])} {went}")
    counted = [f"{pattern.occurrences} occurrences documented"]
    counted += [] if rate is None else [f"{rate:.0%} success rate"]
    counted.append(render_record(pattern))
    warning = f"Avoid this: {render_record(pattern)}." if pattern.kind == "antipattern" else ""
    sections = {
        "Context": pattern.description,
        "Trigger": pattern.trigger,
        "Action": pattern.action,
        "Observations": bullets(f"[evidence] {each} #metrics" for each in counted),
        "Causal Relationships": bullets(related),
        "Evidence Episodes": bullets(seen),
        "Anti-Pattern Warning": warning,
        "Relations": bullets([f"part_of {links(['causal memory'])}"]),
    }
    return PATTERNS.write(pattern, title, sections, matter)


def read_pattern(note: Note, now: datetime, titles: Mapping[str, str] | None = None) -> Pattern:
    """Return the pattern in a note, ours or one written by hand in the same shape.

    Args:
        note: The note.
        now: When it is read.
        titles: The ids of episodes by title, in lower case, for the evidence that a note written
            by hand names.

    Raises:
        NoteError: If something in it does not fit a pattern.
    """
    matter, title = note.matter, str(note.matter.get("title"))
    last = read_moment(matter.get("last_validated"))
    rate = _number(matter.get("success_rate"))
    fields: Matter = {
        "name": normalise_name(title),
        "kind": "antipattern" if title.startswith("ANTIPATTERN-") else "pattern",
        "successes": round(rate * _number(matter.get("occurrences"))),
        "last_validated_at": last.isoformat() if last else None,
        **dict.fromkeys(("created_at", "updated_at"), now.isoformat()),
        **PATTERNS.read_note(note),
    }
    fields["trigger"] = fields["trigger"] or matter.get("trigger")
    pattern = PATTERNS.validate(fields)
    if titles is None or "evidence" in matter:
        return pattern
    return _with_evidence(pattern, note, now, titles)


def _with_evidence(
    pattern: Pattern, note: Note, now: datetime, titles: Mapping[str, str]
) -> Pattern:
    """Return the episodes that a note names, with counts that hold them, if it counts less."""
    lines = read_bullets(note.sections.get("Evidence Episodes", ""))
    named = {each: "failed" not in line for line in lines for each in read_links(line)[:1]}
    evidence = tuple(
        Observation(
            id=stable_id(pattern.name, title),
            success=worked,
            at=(read_moment(day[0]) if (day := _DAY.search(title)) else None)
            or pattern.last_validated_at
            or now,
            episode_id=titles.get(title.strip().casefold()) or title,
        )
        for title, worked in named.items()
    )
    failures = sum(not each.success for each in evidence)
    failed = max(pattern.occurrences - pattern.successes, failures)
    worked = max(pattern.successes, len(evidence) - failures)
    counts = {"evidence": evidence, "successes": worked, "occurrences": int(worked + failed)}
    return pattern.model_copy(update=counts) if evidence else pattern


def _number(value: JsonValue) -> float:
    return value if isinstance(value, int | float) else 0


# — all notes —
_UNSAFE = re.compile(r"[^\w .()+-]|^[ .]+|[ .]+$")
_LONGEST_NAME = 120


async def export_notes(memory: UserMemory, now: datetime) -> dict[str, str]:
    """Return every episode and pattern as a note, by the file it belongs in.

    An episode that has no note yet gets its title now, and keeps it.
    """
    episodes = await _titled(memory, now)
    patterns = await memory.patterns.all()
    titles = {each.id: each.note_title or "" for each in episodes}
    named = titles | {each.name: pattern_title(each) for each in patterns}
    notes = {
        titles[each.id]: write_episode(
            each, titles[each.id], titles.get(each.parent_episode_id or "")
        )
        for each in episodes
    } | {named[each.name]: write_pattern(each, named) for each in patterns}
    return {
        f"{permalink(title).partition('/')[0]}/{safe_file_name(title)}.md": seal(note)
        for title, note in notes.items()
    }


async def _titled(memory: UserMemory, now: datetime) -> list[Episode]:
    episodes = await memory.episodes.all()
    titles = episode_titles(episodes)
    titled = [each.model_copy(update={"note_title": titles[each.id]}) for each in episodes]
    pairs = [(old, new) for old, new in zip(episodes, titled, strict=True) if old != new]
    if pairs:
        decisions = [decision_for("update", "titled", before=old, after=new) for old, new in pairs]
        puts = await memory.episodes.puts([new for _, new in pairs], now)
        await memory.apply("notes", decisions, puts, at=now)
    return titled


def safe_file_name(title: str) -> str:
    """Return a title as a file name; a title that has to be changed gets a unique mark."""
    name = _UNSAFE.sub("-", clean_text(title))[:_LONGEST_NAME]
    return name if name == title else f"{name}-{stable_id(title)[:8]}"


def unsaved_edits(
    existing: Mapping[str, str], notes: Mapping[str, str], now: datetime
) -> list[str]:
    """Return the files whose edits would be lost if they were overwritten.

    A file has no such edits if nobody changed it since it was written, or if memory holds the
    same.
    """
    return [
        name
        for name, text in existing.items()
        if name in notes
        and not is_as_written(text)
        and _content(text, now) != _content(notes[name], now)
    ]


def _content(text: str, now: datetime) -> object:
    """Return the content of a note without its dates; for an unreadable one its text."""
    found = read_notes({"note": text}, now)
    times = {"created_at": now, "updated_at": now}
    records = [*found.episodes, *found.patterns]
    return [each.model_copy(update=times) for each in records] or text


async def known_titles(memory: UserMemory) -> dict[str, str]:
    """Return the ids of stored episodes by the titles of their notes."""
    titles = episode_titles(await memory.episodes.all())
    return {title: episode_id for episode_id, title in titles.items()}


def read_notes(
    files: Mapping[str, str], now: datetime, known: Mapping[str, str] | None = None
) -> Incoming:
    """Return the records in notes, and why some files hold none.

    Edits in the readable part count, so import these with `overwrite`.

    Args:
        files: The notes by file.
        now: When they are read.
        known: Ids of stored episodes by the titles of their notes.
    """
    titles = {title.casefold(): each for title, each in (known or {}).items()}
    found, notes = Incoming(), dict[str, tuple[Note, Episode | None]]()
    for name, text in files.items():
        try:
            note = read_note(text)
            kind = note.matter.get("type")
            episode = read_episode(note) if kind == "episode" else None
            if episode:
                titles[str(note.matter.get("title")).casefold()] = episode.id
            elif kind != "pattern":
                raise NoteError("The note's `type` is neither 'episode' nor 'pattern'.")
            notes[name] = note, episode
        except NoteError as error:
            found += refused(name, str(error))
    for name, (note, episode) in notes.items():
        try:
            own = _continuing(episode, note, titles) if episode else None
            record = own or read_pattern(note, now, titles)
        except NoteError as error:
            found += refused(name, str(error))
            continue
        found += Incoming(
            episodes=(record,) if isinstance(record, Episode) else (),
            patterns=(record,) if isinstance(record, Pattern) else (),
            unedited=frozenset({record.id} if is_as_written(files[name]) else ()),
        )
    return found


def _continuing(episode: Episode, note: Note, titles: Mapping[str, str]) -> Episode:
    """Return an episode with the one that its note says it continues, if the note is not ours."""
    lines = read_bullets(note.sections.get("Relations", ""))
    named = [read_links(line)[:1] for line in lines if line.startswith("continues ")]
    if "id" in note.matter or not named or not named[0]:
        return episode
    parent = titles.get(named[0][0].strip().casefold())
    return episode.model_copy(update={"parent_episode_id": parent})
