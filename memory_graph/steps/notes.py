"""How does memory leave as a folder of notes, and come back from one?"""

from collections.abc import Mapping
from datetime import datetime

from memory_graph.errors import NoteError
from memory_graph.migrate.incoming import Incoming, refused
from memory_graph.notes.episodes import read_episode, write_episode
from memory_graph.notes.layout import read_note
from memory_graph.notes.names import episode_titles, pattern_title, permalink
from memory_graph.notes.patterns import read_pattern, write_pattern
from memory_graph.storage.scope import UserMemory


async def export_notes(memory: UserMemory) -> dict[str, str]:
    """Return every episode and pattern as a note, by the file it belongs in."""
    episodes, patterns = await memory.episodes.all(), await memory.patterns.all()
    titles = episode_titles(episodes)
    notes = {
        _file(titles[each.id]): write_episode(
            each, titles[each.id], titles.get(each.parent_episode_id or "")
        )
        for each in episodes
    }
    return notes | {_file(pattern_title(each)): write_pattern(each, titles) for each in patterns}


def read_notes(files: Mapping[str, str], now: datetime) -> Incoming:
    """Return the records in notes, and why some files hold none.

    What people edited in the readable part counts, so import these with `overwrite`.
    """
    found = Incoming()
    for name, text in files.items():
        try:
            found += _read(text, now)
        except NoteError as error:
            found += refused(name, str(error))
    return found


def _read(text: str, now: datetime) -> Incoming:
    note = read_note(text)
    if note.matter.get("type") == "episode":
        return Incoming(episodes=(read_episode(note),))
    if note.matter.get("type") == "pattern":
        return Incoming(patterns=(read_pattern(note, now),))
    raise NoteError("The note's `type` is neither 'episode' nor 'pattern'.")


def _file(title: str) -> str:
    folder = permalink(title).partition("/")[0]
    return f"{folder}/{title}.md"
