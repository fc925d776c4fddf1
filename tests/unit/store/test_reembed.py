from dataclasses import replace

import pytest

from memory_graph.embedding import load_embedder
from memory_graph.errors import EmbedderMismatchError
from memory_graph.store.configured import check_or_record_embedder
from memory_graph.store.owner import Owner
from memory_graph.store.reembed import reembed, repair_vectors
from memory_graph.store.scope import memory_of
from tests.examples import a_turn
from tests.unit.conftest import AGE, LATER


async def test_every_record_of_every_user_gets_a_vector_of_the_new_embedder(memory, store, updated):
    ben = memory_of(Owner("ben"), store)
    await ben.commit(await ben.facts.puts([updated], LATER))
    gateway = memory.scope.gateway
    await check_or_record_embedder(gateway, load_embedder("use"))
    other = replace(load_embedder("use"), name="other")

    progress = [each async for each in reembed(gateway, other, LATER)]

    assert progress[-1].records == 2
    for user in (memory, ben):
        [item] = await gateway.get(user.facts.namespace, [AGE])
        assert item.value["embedding"]["model"] == "other"
        assert await user.facts.get(AGE) == updated
    await check_or_record_embedder(gateway, other)
    with pytest.raises(EmbedderMismatchError):
        await check_or_record_embedder(gateway, load_embedder("use"))


async def test_what_is_not_searched_lacks_no_vector(memory):
    answer = a_turn("You told me today: “Luna is 4.”", echoes=True)
    await memory.commit(await memory.turns.puts([answer], LATER))

    assert await repair_vectors(memory, LATER) == 0


async def test_a_run_that_broke_off_is_taken_up(memory, store, updated):
    ben = memory_of(Owner("ben"), store)
    await ben.commit(await ben.facts.puts([updated], LATER))
    gateway, other = memory.scope.gateway, replace(load_embedder("use"), name="other")
    async for progress in reembed(gateway, other, LATER):
        if progress.records == 1:
            break

    rest = [each async for each in reembed(gateway, other, LATER, only_missing=True)]

    assert rest[-1].records == 1
    await check_or_record_embedder(gateway, other)
