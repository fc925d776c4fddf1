"""The public checks hold on every store we certify, and find a store that cannot keep memory."""

import subprocess
import sys

from langgraph.store.base import GetOp
from langgraph.store.memory import InMemoryStore
from langgraph.store.qdrant import AsyncQdrantStore
from qdrant_client import AsyncQdrantClient

from memory_graph.store.backends.protocol import OpenedStore
from memory_graph.testing.store_contract import CHECKS, certify


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


class ForgetfulStore(InMemoryStore):
    """Answers reads by key with nothing, as a store with a lagging index does."""

    async def abatch(self, ops):
        ops = list(ops)
        results = await super().abatch(ops)
        return [
            None if isinstance(op, GetOp) else each for op, each in zip(ops, results, strict=True)
        ]


class BlurredStore(InMemoryStore):
    """Takes namespaces that differ in case for one, as a text index does."""

    async def abatch(self, ops):
        blurred = [
            op._replace(namespace=_lower(op)) if hasattr(op, "namespace") else op for op in ops
        ]
        return await super().abatch(blurred)


def _lower(op) -> tuple[str, ...]:
    return tuple(label.lower() for label in op.namespace)


async def test_a_store_that_reads_nothing_back_fails() -> None:
    problems = {each.name: each.problem for each in await certify(ForgetfulStore()) if each.problem}

    told = problems["A value that was written is read at once, as it was written."]
    assert told == 'does not hold: await bench.read("profile:pet:luna:age") == value'


async def test_a_store_that_mixes_users_up_fails() -> None:
    problems = [each.name for each in await certify(BlurredStore()) if each.problem]

    assert "Users whose ids are alike see only their own values." in problems


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
