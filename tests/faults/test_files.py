"""What is read from a folder of somebody else's, and what an export writes into."""

import os

import pytest

from memory_graph.errors import ConfigurationError, NoteError
from memory_graph.transfer.files import read_file, write_file
from memory_graph.transfer.notes import read_note


def test_a_plain_file_is_read_and_replaced(tmp_path):
    file = tmp_path / "note.md"
    write_file(file, "old")
    write_file(file, "new")

    assert read_file(file) == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["note.md"]


def odd_files(folder):
    (folder / "target").write_text("kept")
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(folder / "target")
    (folder / "device").symlink_to("/dev/zero")
    with (folder / "large").open("wb") as large:
        large.truncate(8 * 2**30)
    return [folder / name for name in ("pipe", "link", "device", "large")]


def test_pipes_links_devices_and_huge_files_are_refused_at_once(tmp_path):
    for file in odd_files(tmp_path):
        with pytest.raises(ConfigurationError, match=file.name):
            read_file(file)
    with pytest.raises((ConfigurationError, OSError)):
        read_file(tmp_path)


def test_nothing_is_written_through_a_link_or_into_a_pipe(tmp_path):
    pipe, link, device, _ = odd_files(tmp_path)
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "elsewhere")

    for file in (pipe, link, device, dangling):
        with pytest.raises(ConfigurationError, match="nothing was written"):
            write_file(file, "overwritten")
    assert (tmp_path / "target").read_text() == "kept"
    assert not (tmp_path / "elsewhere").exists()


def test_an_alias_bomb_is_refused_at_once():
    levels = "\n".join(f"l{n}: &l{n} [*l{n - 1}, *l{n - 1}, *l{n - 1}]" for n in range(1, 40))

    with pytest.raises(NoteError, match="alias"):
        read_note(f"---\nl0: &l0 [boom]\n{levels}\n---\n\n# t\n")


def test_front_matter_is_bounded_in_length_and_depth():
    for matter in (f"a: {'[' * 20_000}", f"a: {'b' * 1_000_001}"):
        with pytest.raises(NoteError):
            read_note(f"---\n{matter}\n---\n\n# t\n")
