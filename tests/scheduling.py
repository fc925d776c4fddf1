"""Which tests run in the same worker.

On pytest 9.2, pytest-xdist 3.8 ignores `xdist_group` (pytest-xdist issue 1386): every worker starts
every server. Here the group of a test is read from its file.
"""

import re
from functools import cache
from pathlib import Path

from xdist.scheduler import LoadGroupScheduling

_MARK = re.compile(r'xdist_group\("([\w-]+)"\)')


class GroupScheduling(LoadGroupScheduling):
    """Groups tests by the mark in their file, whichever pytest runs them."""

    def _split_scope(self, nodeid: str) -> str:
        return _group(nodeid.partition("::")[0]) or nodeid


@cache
def _group(file: str) -> str:
    found = _MARK.search((Path(__file__).parents[1] / file).read_text(encoding="utf-8"))
    return found[1] if found else ""
