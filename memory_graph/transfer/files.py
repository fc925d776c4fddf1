"""Read files that others made, and write files, never through a link or into a device."""

import os
import stat
from pathlib import Path
from uuid import uuid4

from memory_graph.errors import ConfigurationError

_MOST_BYTES = 64 * 2**20
"""A larger file is no note and no export of one user."""


def read_file(path: Path) -> bytes:
    """Return the bytes of a plain file.

    Raises:
        ConfigurationError: If it is a link, a pipe, a device, or too large.
        OSError: If it cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if path.is_symlink():
        raise ConfigurationError(f"{path.name!r} is a link; give the file itself.")
    handle = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))
    with open(handle, "rb") as file:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise ConfigurationError(f"{path.name!r} is no plain file.")
        if about.st_size > _MOST_BYTES:
            raise ConfigurationError(
                f"{path.name!r} has {about.st_size:,} bytes; at most {_MOST_BYTES:,} are read."
            )
        return file.read(_MOST_BYTES)


def write_file(path: Path, text: str) -> None:
    """Write a whole file, or none; a plain file that is there is replaced.

    Raises:
        ConfigurationError: If there is something else under its name: a link, a device, a folder.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ConfigurationError(f"{path} is no plain file; nothing was written there.")
    part = path.with_name(f".{path.name[:60]}.{uuid4().hex[:8]}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(part, flags | getattr(os, "O_NOFOLLOW", 0), 0o666), "wb") as file:
            file.write(text.encode("utf-8"))
        part.replace(path)
    except OSError as error:
        error.filename = str(path)  # people know nothing of the other
        raise
    finally:
        part.unlink(missing_ok=True)
