"""How is a note put together from front matter and sections, and taken apart again?"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import yaml  # type: ignore[import-untyped]  # no stubs among our tools
from pydantic import JsonValue, ValidationError

from memory_graph.errors import NoteError

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


def write_body(title: str, sections: Mapping[str, str]) -> str:
    """Return the readable part: the title, and every section that holds something."""
    told = [f"## {heading}\n\n{text}\n" for heading, text in sections.items() if text]
    return "\n".join([f"# {title}\n", *told])


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
    return {
        heading.strip(): text.strip("\n") for heading, text in zip(headings, texts, strict=True)
    }


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
