"""The public checks hold on every store we certify, and find a store that cannot keep memory."""

import asyncio
import subprocess
import sys

import pytest
from langgraph.store.base import SearchOp
from langgraph.store.memory import InMemoryStore
from langgraph.store.qdrant import AsyncQdrantStore
from qdrant_client import AsyncQdrantClient

from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.testing import store_contract
from memory_graph.testing.store_contract import CHECKS, certify
from tests.contract import defects


async def test_a_store_we_certify_passes_every_check(backend: OpenedStore) -> None:
    checked = await certify(backend.store)

    assert len(checked) == len(CHECKS)
    assert [each for each in checked if each.problem] == []
    assert [item for item in await backend.store.asearch(("memories",), limit=10)] == []


async def test_qdrant_in_this_process_passes_every_check(tmp_path) -> None:
    client = AsyncQdrantClient(path=str(tmp_path / "qdrant"))
    store = AsyncQdrantStore(client)
    await store.setup()
    try:
        assert [each for each in await certify(store) if each.problem] == []
    finally:
        await client.close()


@pytest.fixture
def hurried(monkeypatch) -> None:
    monkeypatch.setattr(store_contract, "_LATER_S", 0.01)


MEETING = "Users whose ids are alike, or who wrote nothing, see only their own values."
TOLD = "What a user said is recalled for them, and for nobody else."
WHOLE = "Long texts, empty fields and exact numbers come back as they were written."
LISTED = "The users who have memories can be listed: maintenance for all of them needs it."

DEFECTS = [
    (defects.LeakHidden, MEETING, "a list gave what user"),
    (defects.LeakHidden, TOLD, "asked as ben, who said nothing, memory told it"),
    (defects.LeakRemembered, TOLD, "asked as ben, who said nothing, memory told it"),
    (defects.LeakToSilent, MEETING, "a list gave what user"),
    (defects.IgnoresUser, MEETING, "a list gave what user"),
    (defects.PrefixOfText, MEETING, "asked as user '1', a list gave what user '10' wrote under"),
    (defects.GetsOfOthers, MEETING, "a read by key gave what user"),
    (defects.Blurred, MEETING, "gave an item of another namespace"),
    (defects.Truncates, WHOLE, "(250,000 characters), got '0 naïve 👩 1 naïve 👩 '… (100,000 "),
    (defects.Rounds, WHOLE, "`third`: expected 0.3333333333333333, got 0.333333"),
    (defects.DropsNone, WHOLE, "the field `none` (None) is missing"),
    (defects.IgnoresOffset, LISTED, "ignores `offset`"),
    (
        defects.ListsNoNamespaces,
        "The store offers every operation that memory uses.",
        "missing: list namespaces (ListNamespacesOp); ValueError was raised: Unknown operation",
    ),
    (
        defects.OnlySynchronous,
        "The store offers every operation that memory uses.",
        "missing: the asynchronous interface (`abatch`): no operation works; TypeError was raised",
    ),
    (defects.KeepsDeleted, "A deleted value is neither read nor listed.", "it was still read"),
    (
        defects.Forgetful,
        "A value that was written is read at once, as it was written.",
        "read by its key: expected {'text': 'NUL",
    ),
]


@pytest.mark.parametrize(("store", "name", "reason"), DEFECTS)
@pytest.mark.usefixtures("hurried")
async def test_a_defect_is_found_and_named(store, name: str, reason: str) -> None:
    problems = {each.name: each.problem for each in await certify(store()) if each.problem}

    assert reason in problems[name]
    assert not any("assert" in told or "bench." in told for told in problems.values())


async def test_a_store_that_leaves_its_asynchronous_interface_out_is_used_in_threads() -> None:
    checked = await certify(defects.InThreads())

    assert [each for each in checked if each.problem] == []


async def test_a_store_that_evicts_is_found() -> None:
    problems = {each.name: each.problem for each in await certify(defects.Evicts())}

    told = problems["What was written without a time to live is still there later."]
    assert told == "of 3 values written 1.5 s before, 0 are still listed and read"


@pytest.mark.usefixtures("hurried")
async def test_a_store_that_never_answers_one_operation_does_not_hang_the_checks(
    monkeypatch,
) -> None:
    class Hangs(defects.Defective):
        async def one(self, op):
            if isinstance(op, SearchOp) and op.filter == {"category": "home"}:
                await asyncio.Event().wait()
            return await super().one(op)

    monkeypatch.setattr(store_contract, "_PATIENCE_S", 1.0)
    checked = await certify(Hangs())

    problems = {each.name: each.problem for each in checked if each.problem}
    assert len(checked) == len(CHECKS)
    assert problems["A listing can be narrowed by a top-level field that equals a value."] == (
        "the check was not done after 1 s"
    )


STORES = """
import sys
from langgraph.store.memory import InMemoryStore as opened
from langgraph.store.base import BaseStore
from tests.contract import defects

leaks = defects.LeakHidden
truncates = defects.Truncates
no_namespaces = defects.ListsNoNamespaces

class Abstract(BaseStore):
    def batch(self, ops):
        return []

def unreachable():
    raise OSError("connection to port 6399 refused")
"""


@pytest.fixture
def kit(tmp_path, monkeypatch, capsys):
    """Run the command on a store of `STORES`; return its exit code, output and errors."""
    (tmp_path / "planted_stores.py").write_text(STORES)
    monkeypatch.setattr(store_contract, "_LATER_S", 0.01)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def run(name: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["store_contract", f"planted_stores:{name}"])
        code = store_contract.main()
        return code, *capsys.readouterr()

    yield run
    sys.modules.pop("planted_stores", None)


@pytest.mark.parametrize(
    ("name", "closing"),
    [
        ("leaks", "what one user said would be seen by others"),
        ("truncates", "memories would be lost or changed"),
        ("no_namespaces", "memory would not work"),
    ],
)
def test_the_last_line_fits_what_failed(kit, name: str, closing: str) -> None:
    code, out, _ = kit(name)

    assert code == 1
    assert out.splitlines()[-1].startswith("Do not keep memory in this store: ")
    assert out.splitlines()[-1].removeprefix("Do not keep memory in this store: ") == closing + "."


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("unreachable", "could not be opened: OSError was raised: connection to port 6399 refused"),
        ("Abstract", "could not be opened: TypeError was raised: Can't instantiate abstract class"),
    ],
)
def test_a_store_that_cannot_be_opened_is_one_line(kit, name: str, reason: str) -> None:
    code, out, err = kit(name)

    assert (code, out) == (2, "")
    assert reason in err
    assert len(err.splitlines()) == 1


async def test_a_result_is_there_before_the_next_check_begins(monkeypatch) -> None:
    begun = []

    async def first(bench) -> None:
        """First."""
        begun.append("first")

    async def second(bench) -> None:
        """Second."""
        begun.append("second")

    monkeypatch.setattr(store_contract, "CHECKS", [first, second])
    results = store_contract.certified_one_by_one(InMemoryStore())

    assert (await anext(results)).name == "First."
    assert begun == ["first"]
    assert (await anext(results)).name == "Second."
    await results.aclose()


def test_anybody_can_run_the_checks_on_a_store_of_their_own(tmp_path) -> None:
    source = "from langgraph.store.memory import InMemoryStore as opened\n"
    (tmp_path / "my_stores.py").write_text(source)
    command = [sys.executable, "-m", "memory_graph.testing.store_contract"]

    ran = subprocess.run(
        [*command, "my_stores:opened"], cwd=tmp_path, capture_output=True, text=True
    )
    refused = subprocess.run(
        [*command, "my_stores:nope"], cwd=tmp_path, capture_output=True, text=True
    )

    assert ran.returncode == 0, ran.stderr
    assert f"{len(CHECKS)} passed, 0 failed" in ran.stdout
    assert refused.returncode == 2
    assert "names no function" in refused.stderr
