"""The layout of a note: write and read its front matter and sections."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from typing import Generic, TypeVar

import yaml  # type: ignore[import-untyped]
from pydantic import JsonValue, ValidationError

from memory_graph.episodes.rendering import is_numbered, session_title
from memory_graph.errors import NoteError
from memory_graph.records import Episode, Pattern

R = TypeVar("R", Episode, Pattern)
Matter = dict[str, JsonValue]
Sections = Mapping[str, str]  # text by heading, without the blank lines around it
NOTHING = "(none)"  # stands in a section that every note has and this one has nothing for
_FENCE = "---"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]]+)\]\]")
_BREAKS = re.compile("[\n\r\x85\u2028\u2029]")
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
    """Escapes line breaks, some of which YAML otherwise reads as others."""


def _quoted(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if _BREAKS.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _quoted)


def read_note(text: str) -> Note:
    """Return the parts of a note."""
    lines = text.lstrip("\ufeff").split("\n")
    fences = [number for number, line in enumerate(lines) if line.rstrip() == _FENCE][:2]
    if len(fences) < 2 or fences[0] != 0:
        raise NoteError("A note starts with front matter between two lines of `---`.")
    try:
        matter = yaml.safe_load("\n".join(lines[1 : fences[1]]))
    except yaml.YAMLError as error:
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
        added = {heading: "" for heading in record.note if heading not in sections}
        parts = [f"# {title}\n"]
        for heading, text in {**sections, **added}.items():
            own = record.note.get(heading, "")
            own = own if heading in added else own.strip()
            if text or own or heading in self.required:
                told = "\n".join(filter(None, (text, own)))
                parts.append(f"## {heading}\n\n{told or NOTHING}\n")
        body = "\n".join(parts)
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
            places = (".".join(map(str, each["loc"])) or "note" for each in error.errors())
            listed = ", ".join(dict.fromkeys(places))
            raise NoteError(f"The note does not fit: {listed}.") from error


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
