from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.runtime import Runtime, ServerInfo
from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from memory_graph.context import Context
from memory_graph.errors import MemoryOffError, NoUserError
from memory_graph.keys import stable_id
from memory_graph.records import LedgerEntry, MemoryDecision
from memory_graph.settings import Settings
from memory_graph.store.labels import user_label
from memory_graph.store.owner import Owner, resolve_owner
from memory_graph.store.scope import memory_of, open_memory
from tests.conftest import NOON
from tests.examples import a_fact

NAMED = Context(user_id="bob")


def server(identity: str | None = None, *permissions: str) -> ServerInfo:
    user = SimpleNamespace(identity=identity, permissions=permissions) if identity else None
    return ServerInfo(assistant_id="a", graph_id="g", user=user)


@pytest.mark.parametrize(
    ("who", "context", "settings", "owner"),
    [
        pytest.param(None, NAMED, {}, Owner("bob"), id="a library call names its user"),
        pytest.param(None, Context(), {}, None, id="a library call names nobody"),
        pytest.param(server("ana"), Context(), {}, Owner("ana"), id="signed in"),
        pytest.param(server("ana"), NAMED, {}, Owner("ana"), id="a client cannot name another"),
        pytest.param(
            server("svc", "memory:act_as"), NAMED, {}, Owner("bob", "svc"), id="may act as another"
        ),
        pytest.param(server(), NAMED, {}, None, id="a server without auth trusts nobody"),
        pytest.param(
            server(), NAMED, {"trust_client_user_id": True}, Owner("bob"), id="unless told to"
        ),
        pytest.param(
            server(), NAMED, {"api_variant": "local_dev"}, Owner("bob"), id="or under langgraph dev"
        ),
        pytest.param(
            server(),
            NAMED,
            {"api_variant": "local_dev", "trust_client_user_id": False},
            None,
            id="unless told not to",
        ),
        pytest.param(server(""), NAMED, {}, None, id="an empty identity is nobody"),
        pytest.param(server(), Context(), {"user": "ana"}, Owner("ana"), id="one person's server"),
        pytest.param(server(), NAMED, {"user": "ana"}, None, id="where a client names another"),
    ],
)
def test_whose_memory_a_run_may_use(who, context, settings, owner) -> None:
    given = Settings(**settings)
    if owner is None:
        with pytest.raises(NoUserError, match="user_id"):
            resolve_owner(who, context, given)
    else:
        assert resolve_owner(who, context, given) == owner


def test_a_missing_store_says_how_to_get_one() -> None:
    with pytest.raises(MemoryOffError, match="Compile it with one"):
        open_memory(Runtime(context=NAMED))


def test_a_run_without_a_user_has_no_memory() -> None:
    with pytest.raises(NoUserError):
        open_memory(Runtime(store=InMemoryStore()))


@given(st.text(min_size=1, max_size=400))
def test_a_label_is_one_that_every_store_takes(user_id: str) -> None:
    label = user_label(user_id)

    assert label
    assert len(label) <= 120
    assert not set(label) & set(".%_*/\\\x00 ")


def test_ids_keep_their_parts_apart() -> None:
    assert stable_id("a", "bc") != stable_id("ab", "c")
    assert stable_id("a", "b") == stable_id("a", "b")


async def test_the_oldest_decisions_go_unread_when_there_are_too_many(store):
    ledger = replace(memory_of(Owner("ana"), store).ledger, max_entries=3)
    entries = [
        LedgerEntry(id=f"{number:08x}", at=NOON + timedelta(seconds=number), node="memory_hotpath")
        for number in range(1, 6)
    ]
    await ledger.gateway.write([put for each in entries for put in ledger.puts(each)])
    unreadable = PutOp(ledger.namespace, "a", {"of": "another version"})
    await ledger.gateway.write([unreadable])

    writes = await ledger.keep(LedgerEntry(id=f"{0:08x}", at=NOON, node="memory_hotpath"))

    gone = {put.key for put in writes if put.value is None and put.namespace == ledger.namespace}
    assert gone == {"a", "00000001", "00000002"}


async def test_details_that_an_older_version_kept_as_fields_are_read(store):
    ledger = memory_of(Owner("ana"), store).ledger
    decision = MemoryDecision(
        kind="fact", action="create", reason="new", memory_id="f", after={"id": "f"}
    )
    entry = LedgerEntry(id="00000001", at=NOON, node="memory_hotpath", decisions=(decision,))
    brief, changes = ledger.puts(entry)
    assert [*changes.value] == ["json"]
    older = {"0": {"before": None, "after": {"id": "f"}}}
    await ledger.gateway.write([brief, changes._replace(value=older)])

    assert await ledger.find([entry.id]) == {entry.id: entry}


async def test_the_memory_of_one_user_spells_out_nobodys_words(store):
    for user in ("ana", "ben"):
        memory = memory_of(Owner(user), store)
        await memory.commit(
            await memory.facts.puts([a_fact(statement=f"{user} lives in Porto.")], NOON)
        )
        await memory.facts.search(await memory.query("Porto", NOON), 3)

    assert "lives in Porto" not in repr(memory)
    assert len(repr(memory)) < 20_000
