"""`MemoryBackend`: memory as files for agents made with `deepagents.create_deep_agent`."""

import re
from collections.abc import Mapping
from fnmatch import fnmatch

from langgraph.config import get_config
from langgraph.runtime import get_runtime
from langgraph.store.base import BaseStore
from typing_extensions import override

try:
    from deepagents.backends.protocol import (
        BackendProtocol,
        DeleteResult,
        EditResult,
        FileInfo,
        GlobResult,
        GrepMatch,
        GrepResult,
        LsResult,
        ReadResult,
        WriteResult,
    )
except ModuleNotFoundError as error:
    if error.name and not error.name.startswith("deepagents"):
        raise
    raise ImportError(
        "MemoryBackend needs deepagents: pip install 'langgraph-memory-nodes[deepagents]'."
    ) from error

from memory_graph import clock
from memory_graph.background import run_sync
from memory_graph.context import Context
from memory_graph.curation.forget import forget
from memory_graph.episodes.rendering import render_detail
from memory_graph.facts.direct import tell_fact
from memory_graph.keys import stable_id
from memory_graph.records import Change, Episode, Fact, FactCandidate, Pattern, Source
from memory_graph.store.owner import Owner
from memory_graph.store.scope import UserMemory, memory_of, open_memory

_NOTES = "/notes/"
_NOTE = "note:"
_LONGEST_LINE = 500
_MOST_FOUND = 10
_READ_ONLY = (
    "This file is memory's own and changes as the user talks. Write what should be remembered to "
    "a file below /notes/, one statement a line."
)


class MemoryBackend(BackendProtocol):
    """The memory of the run's user as files; what is written below `/notes/` is remembered.

    CompositeBackend(default=StateBackend(), routes={"/memories/": MemoryBackend()})

    `profile.md` holds what is known, `instructions.md` how the user wants the agent to work,
    `episodes/` a file for each story, `patterns/` one for each pattern. Each line of a note is
    one fact, whose source is the note.
    """

    def __init__(self, store: BaseStore | None = None, *, user_id: str | None = None) -> None:
        """Use the store and the user of the run, or those given for use outside of one."""
        if (store is None) != (user_id is None):
            raise ValueError(
                "Give both `store` and `user_id`, or neither: then the run's are used."
            )
        self._outside = (store, user_id)

    @property
    def _memory(self) -> UserMemory:
        store, user_id = self._outside
        if store is not None and user_id is not None:
            return memory_of(Owner(user_id), store)
        return open_memory(get_runtime(Context), get_config())

    # — reading —

    @override
    async def als(self, path: str) -> LsResult:
        files = await _files(self._memory)
        folder = f"{path.rstrip('/')}/"
        inside = [each.removeprefix(folder) for each in files if each.startswith(folder)]
        names = sorted({each.partition("/")[0] + ("/" if "/" in each else "") for each in inside})
        return LsResult(entries=[_entry(f"{folder}{name}", files) for name in names])

    @override
    async def aread(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        text = (await _files(self._memory)).get(file_path)
        if text is None:
            return ReadResult(error=f"File '{file_path}' not found")
        if limit <= 0:
            return ReadResult(file_data={"content": "", "encoding": "utf-8"})
        lines, start = text.splitlines(), max(offset, 0)
        shown = lines[start : start + limit]
        if not shown:
            return ReadResult(file_data={"content": "", "encoding": "utf-8"})
        end = start + len(shown)
        return ReadResult(
            file_data={"content": "\n".join(shown), "encoding": "utf-8"},
            total_lines=len(lines),
            start_line=start + 1,
            end_line=end,
            next_offset=end if end < len(lines) else None,
        )

    @override
    async def aglob(self, pattern: str, path: str | None = None) -> GlobResult:
        folder = f"{(path or '/').rstrip('/')}/"
        files = await _files(self._memory)
        named = [each for each in sorted(files) if each.startswith(folder)]
        found = [each for each in named if _fits(each.removeprefix(folder), pattern)]
        return GlobResult(matches=[_entry(each, files) for each in found])

    @override
    async def agrep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        """Find lines that hold the words; where there is none, those that mean the same."""
        memory = self._memory
        within = (path or "/").rstrip("/")
        files = {
            name: text
            for name, text in (await _files(memory)).items()
            if (name == within or name.startswith(f"{within}/"))
            and (glob is None or _fits(name.lstrip("/"), glob))
        }
        matches = _lines_with([pattern], files) or _lines_with(await _alike(memory, pattern), files)
        most = len(matches) if max_count is None else max_count
        return GrepResult(matches=matches[:most], truncated=len(matches) > most)

    # — writing —

    @override
    async def awrite(self, file_path: str, content: str) -> WriteResult:
        if not file_path.startswith(_NOTES):
            return WriteResult(error=_READ_ONLY)
        memory = self._memory
        wanted = _statements(content)
        known = {
            fact.statement: fact
            for fact in await memory.facts.current()
            if file_path in _notes_of(fact)
        }
        for statement in known.keys() - set(wanted):
            await forget(memory, known[statement], clock.utc_now())
        for statement in wanted:
            if statement not in known and (why := await _keep(memory, file_path, statement)):
                return WriteResult(error=f"Not kept ({why}): {statement[:60]!r}")
        return WriteResult(path=file_path)

    @override
    async def aedit(
        self, file_path: str, old_string: str, new_string: str, replace_all: bool = False
    ) -> EditResult:
        text = (await _files(self._memory)).get(file_path)
        if text is None:
            return EditResult(error=f"Error: File '{file_path}' not found")
        count = text.count(old_string)
        if not count or (count > 1 and not replace_all):
            why = "not found in file" if not count else f"appears {count} times in file"
            return EditResult(error=f"Error: String {why}: '{old_string}'")
        done = await self.awrite(file_path, text.replace(old_string, new_string))
        return EditResult(error=done.error, path=done.path, occurrences=count)

    @override
    async def adelete(self, file_path: str) -> DeleteResult:
        if not f"{file_path}/".startswith(_NOTES):
            return DeleteResult(error=_READ_ONLY)
        memory = self._memory
        facts = [fact for fact in await memory.facts.current() if _is_of(fact, file_path)]
        for fact in facts:
            await forget(memory, fact, clock.utc_now())
        return DeleteResult(path=file_path) if facts else DeleteResult(error="No such note.")

    # — the same, for synchronous agents —

    @override
    def ls(self, path: str) -> LsResult:
        return run_sync(lambda: self.als(path))

    @override
    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        return run_sync(lambda: self.aread(file_path, offset, limit))

    @override
    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        return run_sync(lambda: self.aglob(pattern, path))

    @override
    def grep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        return run_sync(lambda: self.agrep(pattern, path, glob, max_count=max_count))

    @override
    def write(self, file_path: str, content: str) -> WriteResult:
        return run_sync(lambda: self.awrite(file_path, content))

    @override
    def edit(
        self, file_path: str, old_string: str, new_string: str, replace_all: bool = False
    ) -> EditResult:
        return run_sync(lambda: self.aedit(file_path, old_string, new_string, replace_all))

    @override
    def delete(self, file_path: str) -> DeleteResult:
        return run_sync(lambda: self.adelete(file_path))


async def _files(memory: UserMemory) -> dict[str, str]:
    """Return every file by its path."""
    facts = await memory.facts.current()
    today = clock.utc_now().date()
    wishes = await memory.instructions.in_force(today)
    files = {
        "/profile.md": _page(
            "What is known about the user",
            [f"- {f.statement} (since {f.valid_from:%Y-%m-%d})" for f in facts],
        ),
        "/instructions.md": _page(
            "How the user wants you to work", [f"- {w.wish} ({w.when})" for w in wishes]
        ),
    }
    files |= {_episode_path(each): render_detail(each, []) for each in await memory.episodes.all()}
    files |= {f"/patterns/{each.name}.md": _pattern(each) for each in await memory.patterns.all()}
    for path in sorted({note for fact in facts for note in _notes_of(fact)}):
        noted = [fact.statement for fact in reversed(facts) if path in _notes_of(fact)]
        files[path] = "\n".join(noted)
    return files


def _page(title: str, lines: list[str]) -> str:
    return "\n".join([f"# {title}", "", *(lines or ["Nothing yet."])])


def _episode_path(episode: Episode) -> str:
    words = re.sub(r"[^\w]+", "-", episode.title.casefold()).strip("-")[:60]
    return f"/episodes/{episode.date_iso}-{words or episode.id}.md"


def _pattern(pattern: Pattern) -> str:
    tried = f"worked {pattern.successes:g} of {pattern.occurrences} times"
    return "\n".join(
        [f"# {pattern.name}", "", f"When: {pattern.trigger}", f"Do: {pattern.action}", tried]
    )


def _notes_of(fact: Fact) -> list[str]:
    return [
        each.removeprefix(_NOTE).rpartition("#")[0]
        for each in fact.source.message_ids
        if each.startswith(_NOTE)
    ]


def _is_of(fact: Fact, path: str) -> bool:
    return any(each == path or each.startswith(f"{path}/") for each in _notes_of(fact))


def _statements(content: str) -> list[str]:
    lines = (re.sub(r"^[-*#>\s]+", "", line).strip() for line in content.splitlines())
    return list(dict.fromkeys(line[:_LONGEST_LINE] for line in lines if line))


async def _keep(memory: UserMemory, path: str, statement: str) -> str | None:
    """Keep one line of a note; return why it was refused, if it was."""
    named = f"{_NOTE}{path}#{stable_id(statement)[:8]}"
    now = clock.utc_now()
    change = Change(id=named, by="note", at=now, source=Source(message_ids=(named,)))
    policy = Context().policies.admission
    decisions = await tell_fact(memory, FactCandidate(statement=statement), change, policy)
    return next((each.reason for each in decisions if each.action == "skip"), None)


async def _alike(memory: UserMemory, words: str) -> list[str]:
    """Return the texts of the facts and episodes that some words mean."""
    query = await memory.query(words, clock.utc_now())
    facts = [each.record.statement for each in await memory.facts.search(query, _MOST_FOUND)]
    episodes = [each.record.summary for each in await memory.episodes.search(query, _MOST_FOUND)]
    return [*facts, *episodes]


def _lines_with(words: list[str], files: Mapping[str, str]) -> list[GrepMatch]:
    wanted = [each.casefold() for each in words if each.strip()]
    return [
        GrepMatch(path=path, line=number, text=line)
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if any(each in line.casefold() for each in wanted)
    ]


def _fits(name: str, pattern: str) -> bool:
    wanted = pattern.lstrip("/")
    if "/" not in pattern:
        return fnmatch(name.rpartition("/")[2], wanted)
    return fnmatch(name, wanted) or fnmatch(name, wanted.replace("**/", ""))


def _entry(path: str, files: Mapping[str, str]) -> FileInfo:
    text = files.get(path)
    return FileInfo(path=path, is_dir=text is None, size=len((text or "").encode()))
