"""Episodes and patterns as Markdown notes that people can read, link and edit."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from memory_graph.errors import NoteError
from memory_graph.keys import stable_id
from memory_graph.patterns.search import pattern_title
from memory_graph.records import Episode
from memory_graph.store.scope import UserMemory, decision_for
from memory_graph.store.values import clean_text
from memory_graph.transfer.incoming import Incoming, refused
from memory_graph.transfer.notes import layout
from memory_graph.transfer.notes.episodes import continued_title, read_episode, write_episode
from memory_graph.transfer.notes.patterns import read_pattern, write_pattern

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
        f"{layout.permalink(title).partition('/')[0]}/{safe_file_name(title)}.md": layout.seal(note)
        for title, note in notes.items()
    }


async def _titled(memory: UserMemory, now: datetime) -> list[Episode]:
    episodes = await memory.episodes.all()
    titles = layout.episode_titles(episodes)
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
        and not layout.is_as_written(text)
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
    titles = layout.episode_titles(await memory.episodes.all())
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
    found = Incoming()
    notes: dict[str, layout.Note] = {}
    for name, text in files.items():
        try:
            notes[name] = layout.read_note(text)
        except NoteError as error:
            found += refused(name, str(error))
    titles = {title.casefold(): each for title, each in {**(known or {}), **_ids(notes)}.items()}
    for name, note in notes.items():
        try:
            read = _read(note, now, titles)
        except NoteError as error:
            found += refused(name, str(error))
        else:
            ids = frozenset((*(e.id for e in read.episodes), *(p.name for p in read.patterns)))
            found += replace(read, unedited=ids) if layout.is_as_written(files[name]) else read
    return found


def _ids(notes: Mapping[str, layout.Note]) -> dict[str, str]:
    """Return the ids of the episodes among notes, by title; unreadable ones have none."""
    ids: dict[str, str] = {}
    for note in notes.values():
        if note.matter.get("type") == "episode":
            try:
                ids[str(note.matter.get("title"))] = read_episode(note).id
            except NoteError:
                continue
    return ids


def _read(note: layout.Note, now: datetime, titles: Mapping[str, str]) -> Incoming:
    if note.matter.get("type") == "pattern":
        return Incoming(patterns=(read_pattern(note, now, titles),))
    if note.matter.get("type") != "episode":
        raise NoteError("The note's `type` is neither 'episode' nor 'pattern'.")
    episode = read_episode(note)
    if "id" not in note.matter and (before := continued_title(note)):
        parent = titles.get(before.strip().casefold())
        episode = episode.model_copy(update={"parent_episode_id": parent})
    return Incoming(episodes=(episode,))
