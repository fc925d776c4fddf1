"""Find the prompts, which are Markdown files in `prompts/`, and fill in their slots."""

import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

from memory_graph.errors import PromptError

_PACKAGED = Path(__file__).parent / "_prompts"
_IN_REPOSITORY = Path(__file__).parent.parent / "prompts"
_AUTHOR_NOTE = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_INCLUDED = re.compile(r"^\{\{(\w+)\}\}$", re.MULTILINE)  # another prompt's text, on its own line


def render(name: str, **slots: str) -> str:
    """Return prompt `name` with every `$slot` filled.

    Raises:
        PromptError: If the file is missing, or `slots` are not exactly the ones it uses.
    """
    template = Template(_read(name))
    expected = set(template.get_identifiers())
    if expected != slots.keys():
        raise PromptError(f"Prompt {name!r} takes {sorted(expected)}, got {sorted(slots)}.")
    return template.substitute(slots).strip()


@cache
def version(name: str) -> str:
    """Return a mark of a prompt's text, which changes when the text does."""
    return sha256(_read(name).encode()).hexdigest()[:8]


@cache
def _read(name: str) -> str:
    folder = _PACKAGED if _PACKAGED.is_dir() else _IN_REPOSITORY
    try:
        text = (folder / f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptError(f"No prompt file {name!r} in {folder}.") from error
    text = _AUTHOR_NOTE.sub("", text)
    return _INCLUDED.sub(lambda line: _read(line[1]).rstrip(), text)
