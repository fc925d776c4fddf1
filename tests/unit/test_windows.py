"""What only Unix has is not needed to import the package."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.server

_WITHOUT = """
import os
del os.register_at_fork, os.fork
import memory_graph, memory_graph.memory, memory_graph.graph
"""


def test_the_package_imports_where_nothing_forks() -> None:
    done = subprocess.run([sys.executable, "-c", _WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
