"""Find the prompts, which are Markdown files in `prompts/`, and fill in their slots.

A folder of one's own (`MEMORY_GRAPH_PROMPTS`) overrides any of them, file by file.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Literal

from memory_graph.errors import ConfigurationError, PromptError
from memory_graph.settings import get_settings

_PACKAGED = Path(__file__).parent / "_prompts"
_IN_REPOSITORY = Path(__file__).parent.parent / "prompts"
_AUTHOR_NOTE = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_INCLUDED = re.compile(r"^\{\{(\w+)\}\}$", re.MULTILINE)  # another prompt's text, on its own line

PromptState = Literal["as packaged", "changed", "wrong slots", "no such prompt"]


@dataclass(frozen=True)
class OwnPrompt:
    """One file of a folder of one's own, beside the packaged one."""

    name: str
    state: PromptState
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Whether it can take the place of the packaged one."""
        return self.state in {"as packaged", "changed"}


def render(name: str, **slots: str) -> str:
    """Return prompt `name` with every `$slot` filled.

    Raises:
        PromptError: If the file is missing, or `slots` are not exactly the ones it uses.
    """
    template = Template(_read(name, get_settings().prompts))
    expected = set(template.get_identifiers())
    if expected != slots.keys():
        raise PromptError(f"Prompt {name!r} takes {sorted(expected)}, got {sorted(slots)}.")
    return template.substitute(slots).strip()


def version(name: str) -> str:
    """Return a mark of a prompt's text, which changes when the text does."""
    return sha256(_read(name, get_settings().prompts).encode()).hexdigest()[:8]


def packaged() -> dict[str, str]:
    """Return the prompts of the package as they are written, by name."""
    files = sorted(_home().glob("*.md"))
    return {file.stem: file.read_text(encoding="utf-8") for file in files}


def compare(folder: Path) -> list[OwnPrompt]:
    """Return how each prompt of a folder stands to the packaged one."""
    known = packaged()
    return [
        _compared(file.stem, file.read_text(encoding="utf-8"), known.get(file.stem))
        for file in sorted(folder.glob("*.md"))
    ]


def check_own() -> None:
    """Refuse a folder of one's own whose prompts cannot be filled in.

    Raises:
        ConfigurationError: If a file has other slots than the packaged one, or no prompt has its
            name.
    """
    folder = get_settings().prompts
    wrong = [each for each in compare(folder) if not each.is_usable] if folder else []
    if wrong:
        raise ConfigurationError(f"MEMORY_GRAPH_PROMPTS: {'; '.join(map(problem_of, wrong))}.")


def problem_of(own: OwnPrompt) -> str:
    """Return what is wrong with a prompt of one's own, in words."""
    if own.state == "no such prompt":
        return f"there is no prompt `{own.name}`; there are: {', '.join(packaged())}"
    lacks = f"lacks {', '.join(f'${each}' for each in own.missing)}" if own.missing else ""
    has = f"has an unknown {', '.join(f'${each}' for each in own.unknown)}" if own.unknown else ""
    return f"`{own.name}.md` {' and '.join(filter(None, (lacks, has)))}"


def _compared(name: str, text: str, original: str | None) -> OwnPrompt:
    if original is None:
        return OwnPrompt(name, "no such prompt")
    if text == original:
        return OwnPrompt(name, "as packaged")
    own, theirs = (_slots(each) for each in (text, original))
    missing, unknown = tuple(sorted(theirs - own)), tuple(sorted(own - theirs))
    state: PromptState = "wrong slots" if missing or unknown else "changed"
    return OwnPrompt(name, state, missing, unknown)


def _slots(text: str) -> set[str]:
    return set(Template(_AUTHOR_NOTE.sub("", text)).get_identifiers())


def _home() -> Path:
    return _PACKAGED if _PACKAGED.is_dir() else _IN_REPOSITORY


@cache
def _read(name: str, own: Path | None) -> str:
    folder = own if own and (own / f"{name}.md").is_file() else _home()
    try:
        text = (folder / f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PromptError(f"No prompt file {name!r} in {folder}.") from error
    text = _AUTHOR_NOTE.sub("", text)
    return _INCLUDED.sub(lambda line: _read(line[1], own).rstrip(), text)


def fitting(
    heading: str, lines: Iterable[str], budget: int, count: Callable[[str], int]
) -> tuple[list[str], int]:
    """Return a heading with the lines that fit below it, and what they leave of the budget."""
    kept = [heading] if heading else []
    least, left = len(kept), budget - sum(count(each) + 1 for each in kept)
    for line in lines:
        cost = count(line) + 1
        if cost > left:
            break
        kept.append(line)
        left -= cost
    return (kept, left) if len(kept) > least else ([], budget)
