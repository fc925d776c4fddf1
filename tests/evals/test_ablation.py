"""The table of what memory is worth without a piece of the package."""

import json
from pathlib import Path

import pytest

from evals import ablation

CONVERSATION = [
    {
        "id": "ana",
        "zone": "UTC",
        "turns": [
            {"at": "2026-03-02 08:10", "say": "I live in Graz.", "fact": [{"expect": ["Graz"]}]},
            {"at": "2026-03-02 08:11", "say": "Where do I live?", "ask": {"expect": ["Graz"]}},
        ],
    }
]
PATCH = """--- a/memory_graph/memory_hotpath_is_gone.txt
+++ b/memory_graph/memory_hotpath_is_gone.txt
@@ -0,0 +1 @@
+gone
"""


def test_a_package_is_played_beside_the_one_that_a_patch_makes_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people, patch = tmp_path / "people.json", tmp_path / "patch"
    people.write_text(json.dumps(CONVERSATION))
    patch.write_text(PATCH)

    assert ablation.main(["--people", str(people), "--patch", str(patch)]) == 0

    heading, *rows = capsys.readouterr().out.splitlines()
    assert "reply right" in heading
    assert [row.split()[:2] for row in rows] == [["as", "it"], ["without", "1/1"]]
