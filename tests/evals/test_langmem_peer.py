import pytest

pytest.importorskip("langmem", exc_type=ImportError)


@pytest.mark.filterwarnings("ignore")  # langmem and trustcall use deprecated names of LangGraph
async def test_both_systems_are_measured_offline_on_the_same_pairs() -> None:
    from evals.suites.langmem_peer import COLUMNS, compare

    rows = [dict(zip(COLUMNS, row, strict=True)) for row in await compare(limit=3)]

    ours, theirs, _, hasty = rows
    assert (ours["system"], theirs["system"]) == ("memory_graph", "LangMem")
    assert theirs["updates made"] != "0 of 3"
    assert hasty["updates made"].startswith("0 of")
    assert float(ours["tokens / turn"]) < float(theirs["tokens / turn"])
    assert float(ours["calls / routine turn"]) < float(theirs["calls / routine turn"]) == 1.0
