import pytest

from memory_graph.errors import NoteError
from memory_graph.transfer.notes import keep_exact, restore
from tests.examples import a_pattern

TWO_LINES = a_pattern(action="first\nsecond")


def test_what_reads_as_it_was_written_is_not_kept_twice():
    assert keep_exact(TWO_LINES, {"action": "first\nsecond"}) == {}


def test_what_reads_differently_is_kept_until_somebody_edits_it():
    matter = keep_exact(TWO_LINES, {"action": "first"})

    assert restore({"action": "first"}, matter) == {"action": "first\nsecond"}
    assert restore({"action": "third"}, matter) == {"action": "third"}


def test_a_tampered_front_matter_is_refused():
    with pytest.raises(NoteError):
        restore({"action": "first"}, {"exact": "nonsense"})
