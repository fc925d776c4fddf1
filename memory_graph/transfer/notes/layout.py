"""The layout of a note: front matter and sections, written and read."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

import yaml  # type: ignore[import-untyped]
from pydantic import JsonValue, ValidationError

from memory_graph.episodes.rendering import is_numbered, session_title
from memory_graph.errors import NoteError
from memory_graph.records import Episode, Record


def episode_titles(episodes: Iterable[Episode]) -> dict[str, str]:
    """Return what the note of each episode is called, by id: `EPISODE-2026-11-16-session-01`.

    One that has a note keeps its title, and a session its number; of the others, those of a day
    are numbered on as they began.
    """
    known = sorted(episodes, key=lambda each: (each.started_at, each.id))
    titles = {each.id: each.note_title for each in known if each.note_title}
    for each in known:
        session = each.metadata.session_id
        if each.id not in titles and session and is_numbered(session):
            title = session_title(session)
            titles |= {} if title in titles.values() else {each.id: title}
    taken = set(titles.values())
    for each in known:
        if each.id not in titles:
            titles[each.id] = _next_title(each.date_iso, taken)
            taken.add(titles[each.id])
    return titles


def _next_title(day: str, taken: Collection[str]) -> str:
    numbers = (f"EPISODE-{day}-session-{number:02d}" for number in count(1))
    return next(title for title in numbers if title not in taken)


def permalink(title: str) -> str:
    """Return where a note lives: `episodes/episode-2026-11-16-session-01`."""
    folder = "episodes" if title.startswith("EPISODE-") else "patterns"
    return f"{folder}/{title.lower()}"


_FENCE = "---"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]]+)\]\]")
_BREAKS = re.compile("[\n\r\x85\u2028\u2029]")


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # no stubs, as above
    """Escapes line breaks, some of which YAML otherwise reads as others."""


def _quoted(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if _BREAKS.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _quoted)


@dataclass(frozen=True)
class Note:
    """A note in its parts."""

    matter: Mapping[str, JsonValue]
    sections: Mapping[str, str]
    """Text by heading, without the blank lines around it."""


NOTHING = "(none)"
"""Stands in a section that every note has and this one has nothing for."""


def write_body(title: str, sections: Mapping[str, str], required: Collection[str] = ()) -> str:
    """Return the readable part: the title, every section that holds something or has to be."""
    told = [
        f"## {heading}\n\n{text or NOTHING}\n"
        for heading, text in sections.items()
        if text or heading in required
    ]
    return "\n".join([f"# {title}\n", *told])


def with_own_lines(
    sections: Mapping[str, str], note: Mapping[str, str], required: Collection[str]
) -> dict[str, str]:
    """Return the sections with what people wrote into them, and the sections they added."""
    joined = {
        heading: "\n".join(filter(None, (text, note.get(heading, "").strip())))
        for heading, text in sections.items()
    }
    kept = {h: text for h, text in joined.items() if text or h in required or h not in note}
    return kept | {h: text for h, text in note.items() if h not in sections}


def own_lines(
    sections: Mapping[str, str], known: Collection[str], ours: Mapping[str, re.Pattern[str]]
) -> dict[str, str]:
    """Return what people wrote: sections of their own, and lines that are none of ours.

    Args:
        sections: The sections of a note.
        known: Headings whose text fields hold.
        ours: Headings whose lines are written by us, with what such a line looks like.
    """
    found: dict[str, str] = {}
    for heading, text in sections.items():
        if heading in ours:
            lines = [line for line in text.split("\n") if not ours[heading].match(line)]
            text = "\n".join(line for line in lines if line != NOTHING).strip()
        elif heading in known:
            continue
        if text:
            found[heading] = text
    return found


_CHECKSUM = re.compile(r"^checksum: '?(?P<sum>[0-9a-f]{16})'?\n", re.MULTILINE)


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


def write_note(matter: Mapping[str, JsonValue], body: str) -> str:
    """Return a note with its front matter."""
    front = yaml.dump(
        dict(matter), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10**6
    )
    return f"{_FENCE}\n{front}{_FENCE}\n\n{body}"


def read_note(text: str) -> Note:
    """Return the parts of a note.

    Raises:
        NoteError: If it has no front matter, or none that can be read.
    """
    lines = text.lstrip("\ufeff").split("\n")
    if lines[0].rstrip() != _FENCE or _FENCE not in (line.rstrip() for line in lines[1:]):
        raise NoteError("A note starts with front matter between two lines of `---`.")
    end = next(n for n, line in enumerate(lines) if n and line.rstrip() == _FENCE)
    return Note(_read_matter("\n".join(lines[1:end])), read_sections("\n".join(lines[end + 1 :])))


def read_sections(body: str) -> dict[str, str]:
    """Return the text under each second-level heading."""
    _, *parts = _HEADING.split(body.replace("\r\n", "\n"))
    headings, texts = parts[::2], parts[1::2]
    read = {h.strip(): text.strip("\n") for h, text in zip(headings, texts, strict=True)}
    return {heading: "" if text == NOTHING else text for heading, text in read.items()}


def bullets(items: Sequence[str]) -> str:
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


def problems_in(error: ValidationError) -> str:
    """Return what does not fit, by field and without the values."""
    places = (".".join(map(str, each["loc"])) or "note" for each in error.errors())
    return f"The note does not fit: {', '.join(dict.fromkeys(places))}."


def _read_matter(front: str) -> dict[str, JsonValue]:
    try:
        matter = yaml.safe_load(front)
    except yaml.YAMLError as error:
        raise NoteError("The front matter of the note is not YAML.") from error
    if not isinstance(matter, dict):
        raise NoteError("The front matter of the note is not a list of `name: value`.")
    return {str(name): value for name, value in matter.items()}


EXACT = "exact"


def keep_exact(written: Record, read: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return front matter for those fields in `read` that do not say what was written."""
    dumped = written.model_dump(mode="json")
    lossy: dict[str, JsonValue] = {
        field: {"read_as": _mark(said), "value": dumped[field]}
        for field, said in read.items()
        if not _says(written, field, said)
    }
    return {EXACT: lossy} if lossy else {}


def restore(read: Mapping[str, JsonValue], matter: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the readable fields, exact again where nobody edited them.

    Raises:
        NoteError: If the front matter's `exact` was tampered with.
    """
    exact = matter.get(EXACT, {})
    if not isinstance(exact, Mapping):
        raise NoteError("`exact` in the front matter is not a list of `name: value`.")
    fields = dict(read)
    for field, kept in exact.items():
        if isinstance(kept, Mapping) and kept.get("read_as") == _mark(read.get(field)):
            fields[field] = kept.get("value")
    return fields


def _says(written: Record, field: str, said: JsonValue) -> bool:
    try:
        read = type(written).model_validate({**written.model_dump(mode="json"), field: said})
    except ValidationError:
        return False
    return read == written


def _mark(said: JsonValue) -> str:
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]
