from datetime import UTC, date, datetime

import pytest

from memory_graph.transfer.imports import read_moment

NOON = datetime(2026, 1, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        pytest.param("2026-01-21T12:00:00Z", NOON, id="with a zone"),
        pytest.param("2026-01-21T09:00:00-03:00", NOON, id="in another zone"),
        pytest.param(" 2026-01-21T12:00:00 ", NOON, id="without a zone"),
        pytest.param("2026-01-21", NOON.replace(hour=0), id="a day"),
        pytest.param(date(2026, 1, 21), NOON.replace(hour=0), id="a day that YAML read"),
        pytest.param(NOON.replace(tzinfo=None), NOON, id="a time that YAML read"),
        pytest.param("soon", None, id="no time"),
        pytest.param(None, None, id="nothing"),
        pytest.param(1769000000, None, id="a bare number says no unit"),
    ],
)
def test_read_moment(value, moment):
    assert read_moment(value) == moment
