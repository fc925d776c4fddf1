"""Several stores as one: each user's memory lives on one shard and can move to another.

The first shard keeps the directory of users who were moved. All other users live on the shard that
their label gives, by rendezvous hashing over the shards that take new users.
"""

import asyncio
import time
from collections import OrderedDict, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from hashlib import sha256
from typing import Any, NamedTuple

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from typing_extensions import override

from memory_graph.embedding import Embedder
from memory_graph.errors import ConfigurationError
from memory_graph.store.backends.protocol import Backend, Namespace, OpenedStore, Vectors
from memory_graph.store.freshness import CHANGES, REVISIONS
from memory_graph.store.values import Candidates, Sought

DIRECTORY = ("memories-shards",)

FRESHNESS_S = 2.0
"""A worker reads the directory again after so long."""

SETTLE_S = 10.0
"""How long a move waits for all workers: a batch that began before may still be under way."""

_KNOWN_PLACES = 50_000
_EVERYTHING = 100_000
_AT_ONCE = 200
_MOST_PASSES = 50
_STEPS = 5
_TOO_FAST = "This user's memory changes too fast to be moved now: try again later."

_Key = tuple[tuple[str, ...], str]
_Value = dict[str, Any] | None


class Place(NamedTuple):
    """Where a user's memory is read, and where it is written as well while it moves."""

    at: str
    also: str | None = None
    to: str | None = None
    """Where the move ends. Until then `at` alone is sure to hold everything."""


class ShardedStore(BaseStore):
    """A store over several: operations go to the shard of the user they are about.

    All workers need the same shards. A batch about one user is as atomic as on that shard.
    """

    def __init__(self, shards: Mapping[str, BaseStore], new_users_on: Sequence[str] = ()) -> None:
        """Take the shards by name; without `new_users_on`, each takes new users.

        Raises:
            ConfigurationError: If there is no shard, or a name is not one of them.
        """
        unknown = sorted({*new_users_on} - {*shards})
        if not shards or unknown:
            raise ConfigurationError(
                f"Unknown shards: {', '.join(unknown)}." if unknown else "Name at least one shard."
            )
        self.shards = dict(shards)
        self.homes = tuple(new_users_on) or tuple(shards)
        self._directory = next(iter(self.shards.values()))
        self._places: OrderedDict[str, tuple[Place, float]] = OrderedDict()

    def home_of(self, label: str, among: Iterable[str] = ()) -> str:
        """Return the shard of a user who was not moved: adding a shard changes few of them."""
        return max(
            among or self.homes,
            key=lambda name: sha256(f"{name}\x00{label}".encode("utf-8", "surrogatepass")).digest(),
        )

    def known_place(self, label: str) -> Place:
        """Return where a user is, as far as this process has read the directory."""
        place, _ = self._places.get(label) or (Place(self.home_of(label)), 0)
        return place

    @override
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        lookups = self._lookups(map(_label, ops))
        self._learn(lookups, self._directory.batch(lookups) if lookups else [])
        plan = self._plan(ops)
        answers = {name: self.shards[name].batch(part.ops) for name, part in plan.items()}
        return _merged(ops, plan, answers)

    @override
    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        await self._look_up(map(_label, ops))
        plan = self._plan(ops)
        answered = await asyncio.gather(
            *(_batch(self.shards[name], part.ops) for name, part in plan.items())
        )
        return _merged(ops, plan, dict(zip(plan, answered, strict=True)))

    async def place_of(self, label: str) -> Place:
        """Return where a user is, as the directory says or said just now."""
        await self._look_up([label])
        return self.known_place(label)

    async def _look_up(self, labels: Iterable[str | None]) -> None:
        lookups = self._lookups(labels)
        self._learn(lookups, await self._directory.abatch(lookups) if lookups else [])

    def _lookups(self, labels: Iterable[str | None]) -> list[GetOp]:
        """Return the reads of the directory that are needed first."""
        oldest = time.monotonic() - FRESHNESS_S
        return [
            GetOp(DIRECTORY, label, refresh_ttl=False)
            for label in dict.fromkeys(labels)
            if label and (label not in self._places or self._places[label][1] <= oldest)
        ]

    def _learn(self, lookups: Sequence[GetOp], found: Sequence[Result]) -> None:
        for lookup, item in zip(lookups, found, strict=True):
            value = item.value if isinstance(item, Item) else {"at": self.home_of(lookup.key)}
            self.remember(lookup.key, _place(value))

    def remember(self, label: str, place: Place) -> None:
        """Use a place until the directory is read again."""
        self._places[label] = (place, time.monotonic())
        self._places.move_to_end(label)
        while len(self._places) > _KNOWN_PLACES:
            self._places.popitem(last=False)

    def _plan(self, ops: Sequence[Op]) -> "dict[str, _Part]":
        plan: dict[str, _Part] = defaultdict(lambda: _Part([], []))
        for number, op in enumerate(ops):
            for name, is_answer in self._targets(op):
                plan[name].ops.append(_whole(op) if _is_about_all(op) else op)
                plan[name].numbers.append(number if is_answer else None)
        return plan

    def _targets(self, op: Op) -> Iterator[tuple[str, bool]]:
        """Yield the shards that an operation goes to, and whether their answer counts."""
        label = _label(op)
        if _is_about_all(op):
            yield from ((name, True) for name in self.shards)
        elif label is None:
            yield next(iter(self.shards)), True
        else:
            place = self.known_place(label)
            yield place.at, True
            if place.also and isinstance(op, PutOp):
                yield place.also, False


class _Part(NamedTuple):
    """What one shard does of a batch, and which operations its answers are for."""

    ops: list[Op]
    numbers: list[int | None]


def _label(op: Op) -> str | None:
    """Return the user's label in an operation's namespace: the second one."""
    if isinstance(op, ListNamespacesOp):
        return None
    namespace = op.namespace_prefix if isinstance(op, SearchOp) else op.namespace
    return namespace[1] if len(namespace) > 1 else None


def _is_about_all(op: Op) -> bool:
    return isinstance(op, ListNamespacesOp) or (
        isinstance(op, SearchOp) and len(op.namespace_prefix) < 2
    )


def _whole(op: Op) -> Op:
    """Return an operation with the pages before it: only all shards together know the page."""
    if isinstance(op, ListNamespacesOp | SearchOp):
        return op._replace(limit=op.offset + op.limit, offset=0)
    return op


def _merged(
    ops: Sequence[Op], plan: Mapping[str, _Part], answers: Mapping[str, Sequence[Result]]
) -> list[Result]:
    given: dict[int, list[Result]] = defaultdict(list)
    for name, part in plan.items():
        for number, answer in zip(part.numbers, answers[name], strict=True):
            if number is not None:
                given[number].append(answer)
    return [
        _joined(op, given[number]) if _is_about_all(op) else given[number][0]
        for number, op in enumerate(ops)
    ]


def _joined(op: Op, answers: Sequence[Result]) -> Result:
    """Return the answers of all shards as one, cut to the page that was asked for."""
    listed = [each for answer in answers if isinstance(answer, list) for each in answer]
    if isinstance(op, ListNamespacesOp):
        names = sorted({tuple(each) for each in listed if not isinstance(each, Item)})
        return names[op.offset : op.offset + op.limit]
    assert isinstance(op, SearchOp)
    hits = {(tuple(each.namespace), each.key): each for each in listed if isinstance(each, Item)}
    best = sorted(hits.values(), key=_order, reverse=True)
    return [each for each in best if isinstance(each, SearchItem)][op.offset :][: op.limit]


def _order(item: Item) -> tuple[float, str]:
    return getattr(item, "score", None) or 0.0, str(item.updated_at)


def _place(value: Mapping[str, object]) -> Place:
    also = value.get("also")
    to = value.get("to") or also
    return Place(str(value["at"]), str(also) if also else None, str(to) if also else None)


async def users_of(store: ShardedStore, *, erased: bool = False) -> dict[str, list[str]]:
    """Return the label of every user, with the shards that hold memories of theirs.

    With `erased`, those of whom only the tokens of an erasure are left.
    """
    found: dict[str, list[str]] = defaultdict(list)
    tokens: dict[str, list[str]] = defaultdict(list)
    for name, shard in store.shards.items():
        for namespace in await _namespaces(shard, ("memories",)):
            holders = tokens if _is_token(namespace) else found
            if len(namespace) > 1 and name not in holders[namespace[1]]:
                holders[namespace[1]].append(name)
    return {label: tokens[label] for label in {*tokens} - {*found}} if erased else found


async def places_of(store: ShardedStore, labels: Iterable[str]) -> dict[str, Place]:
    """Return where users are, as the directory says now."""
    [found] = await _first(store).abatch([SearchOp(DIRECTORY, limit=_EVERYTHING)])
    items = [each for each in found if isinstance(each, Item)] if isinstance(found, list) else []
    moved = {each.key: _place(each.value) for each in items}
    return {label: moved.get(label) or Place(store.home_of(label)) for label in labels}


async def has_memories(store: ShardedStore, label: str) -> bool:
    """Say whether any shard holds more of a user than the tokens of an erasure."""
    for shard in store.shards.values():
        for namespace in await _namespaces(shard, ("memories", label)):
            [found] = await shard.abatch([SearchOp(namespace, limit=1, refresh_ttl=False)])
            if found and not _is_token(namespace):
                return True
    return False


async def move_users(
    store: ShardedStore,
    targets: Mapping[str, str],
    settle_s: float = SETTLE_S,
    update: Callable[[int, int], object] = lambda _done, _steps: None,
) -> int:
    """Move users, by label, to the shards named; return how many moved.

    They may go on talking. While they move, writes go to both shards: first the new one is
    filled until nothing differs, then it is read, then the old one is emptied. A move that was
    broken off is taken up by the next one, or called off by one back. `update` gets progress.

    Raises:
        ConfigurationError: If there is no such shard, or a user is on their way to another.
    """
    moves = [move for label, to in targets.items() if (move := await _begin(store, label, to))]
    if not moves:
        return 0
    update(0, _STEPS)
    await _settle(store, {each.label: each.begun for each in moves}, settle_s)
    update(1, _STEPS)
    for each in moves:
        await _fill(store, each)
    update(2, _STEPS)
    moves = [each for each in moves if await _is_under_way(store, each)]
    ends = {each.label: Place(each.to, each.source, each.to) for each in moves}
    await _settle(store, ends, settle_s)
    update(3, _STEPS)
    await _settle(store, {each.label: Place(each.to) for each in moves}, settle_s)
    update(4, _STEPS)
    for each in moves:
        if (await _read_place(store, each.label)).at == each.to:  # not so after an erasure
            await _bring_along(store, each)
        if not await has_memories(store, each.label):
            await forget_place(store, each.label)
    update(_STEPS, _STEPS)
    return len(moves)


async def forget_place(store: ShardedStore, label: str) -> None:
    """Leave nothing of an erased user but tokens, and no row in the directory.

    The tokens go where the user is sought from now on, and stay where workers still look that
    have not read the directory since: both must know an older turn from a newer one. Nobody
    waits for those workers: what is said to them in the next moment comes with `spread`.
    """
    place, home = await _read_place(store, label), store.home_of(label)
    held = {name: await _items(shard, label) for name, shard in store.shards.items()}
    tokens = {
        key: value
        for items in (*held.values(), held[place.at])  # where the user was read counts most
        for key, value in items.items()
        if key[0][-1] == REVISIONS
    }
    kept = dict.fromkeys((store.home_of(label, store.shards), home), tokens)
    kept[home] = tokens | held[place.at]
    for name, items in held.items():
        stays = kept.get(name) or {key: items[key] for key in tokens if key in items}
        await _write(
            store.shards[name],
            [
                *(_put(key, stays[key]) for key in stays if items.get(key) != stays[key]),
                *(_put(key, None) for key in items if key not in stays),
            ],
        )
    await _first(store).abatch([PutOp(DIRECTORY, label, None)])
    store.remember(label, Place(home))


async def spread(
    store: ShardedStore, found: Mapping[str, Sequence[str]], settle_s: float = SETTLE_S
) -> int:
    """Move users to the shard that their label names among all shards; return how many.

    What a worker with other settings wrote to the wrong shard is brought along first.
    """
    wanted = {label: store.home_of(label, store.shards) for label in found}
    elsewhere: dict[str, str] = {}
    for label, names in found.items():
        place = await _read_place(store, label)
        for stray in {*names} - {place.at, place.also}:
            await _bring_along(store, _Move(label, stray, place.at))
        if place.to and wanted[label] not in {place.at, place.also}:
            elsewhere[label] = place.to
    await move_users(store, elsewhere, settle_s)
    return await move_users(store, wanted, settle_s)


class _Move(NamedTuple):
    label: str
    source: str
    to: str
    is_back: bool = False
    """Whether the user is read on `to` already: a move that was broken off is ended there."""

    @property
    def begun(self) -> Place:
        """The user's place while the other shard is filled."""
        at, also = (self.to, self.source) if self.is_back else (self.source, self.to)
        return Place(at, also, self.to)


async def _begin(store: ShardedStore, label: str, to: str) -> _Move | None:
    if to not in store.shards:
        raise ConfigurationError(f"There is no shard {to!r}, only {', '.join(store.shards)}.")
    place = await _read_place(store, label)
    if place.also not in {None, to} and place.at != to:
        raise ConfigurationError(f"This user is on the way to {place.also!r}: move there first.")
    if place.at == to:
        return _Move(label, place.also, to, is_back=True) if place.also else None
    return _Move(label, place.at, to)


async def _is_under_way(store: ShardedStore, move: _Move) -> bool:
    """Say whether a user is still on the move; not so if everything was forgotten meanwhile."""
    place = await _read_place(store, move.label)
    if place == move.begun:
        return True
    if not await has_memories(store, move.label):
        await forget_place(store, move.label)
    return False


async def _read_place(store: ShardedStore, label: str) -> Place:
    [item] = await _first(store).abatch([GetOp(DIRECTORY, label)])
    return _place(item.value) if isinstance(item, Item) else Place(store.home_of(label))


def _first(store: ShardedStore) -> BaseStore:
    return next(iter(store.shards.values()))


async def _settle(store: ShardedStore, places: Mapping[str, Place], seconds: float) -> None:
    """Write to the directory where users are, and wait until every worker has seen it."""
    await _first(store).abatch(
        [PutOp(DIRECTORY, label, place._asdict(), index=False) for label, place in places.items()]
    )
    for label, place in places.items():
        store.remember(label, place)
    await asyncio.sleep(seconds)


async def _fill(store: ShardedStore, move: _Move) -> None:
    """Copy until a whole pass finds nothing to copy: writes in between go to both shards.

    Raises:
        ConfigurationError: If the user writes faster than their memory can be copied.
    """
    source, target = store.shards[move.begun.at], store.shards[move.begun.also or move.to]
    for _ in range(_MOST_PASSES):
        old, new = await _items(source, move.label), await _items(target, move.label)
        apart = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        if not await _mend(source, target, apart):
            return
    raise ConfigurationError(_TOO_FAST)


async def _mend(source: BaseStore, target: BaseStore, apart: Sequence[_Key]) -> bool:
    """Make items the same on both shards; say whether anything had to be copied.

    What changes from one look to the next is being written to both just now: only what stays
    apart is copied.
    """
    was_copied = False
    before: dict[_Key, _Value] = {}
    for _ in range(_MOST_PASSES):
        old, new = await _values(source, apart), await _values(target, apart)
        still = {key: old[key] for key in apart if old[key] != new[key]}
        if not still:
            return was_copied
        stable = [key for key in still if key in before and before[key] == still[key]]
        await _write(target, [_put(key, still[key]) for key in stable])
        was_copied = was_copied or bool(stable)
        before, apart = still, list(still)
    raise ConfigurationError(_TOO_FAST)


async def _bring_along(store: ShardedStore, move: _Move) -> None:
    """Copy what only the old or wrong shard has, and empty it."""
    source, target = store.shards[move.source], store.shards[move.to]
    known, found = await _items(target, move.label), await _items(source, move.label)
    await _write(target, [_put(key, found[key]) for key in found if key not in known])
    await _write(source, [_put(key, None) for key in found])


async def _items(shard: BaseStore, label: str) -> dict[_Key, _Value]:
    found: dict[_Key, _Value] = {}
    for namespace in await _namespaces(shard, ("memories", label)):
        [items] = await shard.abatch([SearchOp(namespace, limit=_EVERYTHING, refresh_ttl=False)])
        for item in items if isinstance(items, list) else []:
            if isinstance(item, Item) and tuple(item.namespace) == namespace:
                found[namespace, item.key] = item.value
    return found


def _is_token(namespace: tuple[str, ...]) -> bool:
    """Say whether a namespace holds nothing about a user but what an erasure leaves."""
    return namespace[-1] in {REVISIONS, CHANGES}


async def _values(shard: BaseStore, keys: Sequence[_Key]) -> dict[_Key, _Value]:
    found: dict[_Key, _Value] = {}
    for start in range(0, len(keys), _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        items = await shard.abatch([GetOp(*key, refresh_ttl=False) for key in some])
        values = (item.value if isinstance(item, Item) else None for item in items)
        found |= zip(some, values, strict=True)
    return found


async def _namespaces(shard: BaseStore, prefix: tuple[str, ...]) -> list[tuple[str, ...]]:
    below = MatchCondition("prefix", prefix)
    [found] = await shard.abatch([ListNamespacesOp((below,), limit=_EVERYTHING)])
    listed = found if isinstance(found, list) else []
    names = [tuple(each) for each in listed if not isinstance(each, Item)]
    return [each for each in names if each[: len(prefix)] == prefix]


def _put(key: _Key, value: _Value) -> PutOp:
    is_indexed = value is not None and "embedding" in value
    return PutOp(*key, value, index=["text"] if is_indexed else False)


async def _write(shard: BaseStore, puts: Sequence[PutOp]) -> None:
    for start in range(0, len(puts), _AT_ONCE):
        await shard.abatch(puts[start : start + _AT_ONCE])


class ShardedBackend(Backend):
    """Answers for the shards: what one of them needs, holds for all."""

    url_forms = ("sharded:NAME=URL NAME=URL …",)

    @override
    def owns(self, store: BaseStore) -> bool:
        return isinstance(store, ShardedStore)

    @override
    @asynccontextmanager
    async def open(self, url: str, embedder: Embedder) -> AsyncIterator[OpenedStore]:
        from memory_graph.store.backends import open_store  # noqa: PLC0415 — it finds this module

        addresses = _addresses(url)
        async with AsyncExitStack() as stack:
            opened = {
                name.lstrip("+"): await stack.enter_async_context(
                    open_store(address, embedder, threads=number == 0)
                )
                for number, (name, address) in enumerate(addresses.items())
            }
            homes = [name for name in addresses if not name.startswith("+")]
            store = ShardedStore({name: each.store for name, each in opened.items()}, homes)
            first = next(iter(opened.values()))
            notes = tuple(note for each in opened.values() for note in each.notes)
            yield OpenedStore(self, "sharded", store, first.checkpointer, notes)

    @override
    async def reach(self, url: str) -> None:
        from memory_graph.store.backends import reach_store  # noqa: PLC0415 — it finds this module

        for address in _addresses(url).values():
            await reach_store(address)

    @override
    async def fit_vectors(self, store: BaseStore) -> None:
        for each in _sharded(store).shards.values():
            await _backend(each).fit_vectors(each)

    @override
    async def without_vectors(self, store: BaseStore, namespace: Namespace) -> set[str]:
        shard = await _shard_of(store, namespace)
        return await _backend(shard).without_vectors(shard, namespace)

    @override
    def vectors(self, store: BaseStore) -> Vectors:
        first = _first(_sharded(store))
        return _backend(first).vectors(first)

    @override
    def event_loop(self, store: BaseStore) -> asyncio.AbstractEventLoop | None:
        loops = (_backend(each).event_loop(each) for each in _sharded(store).shards.values())
        return next((loop for loop in loops if loop), None)

    @override
    def may_cancel(self, store: BaseStore) -> bool:
        return all(_backend(each).may_cancel(each) for each in _sharded(store).shards.values())

    @override
    def is_contention(self, error: BaseException) -> bool:
        from memory_graph.store.backends.server import BACKEND as ANY_STORE  # noqa: PLC0415

        return ANY_STORE.is_contention(error)

    @override
    def locks_other_processes(self, store: BaseStore) -> bool:
        return all(
            _backend(each).locks_other_processes(each) for each in _sharded(store).shards.values()
        )

    @override
    def lock(self, store: BaseStore, number: int) -> AbstractAsyncContextManager[None]:
        """Lock on a shard that the number names: users keep their lock when they move."""
        sharded = _sharded(store)
        shard = sharded.shards[sharded.homes[number % len(sharded.homes)]]
        return _backend(shard).lock(shard, number)

    @override
    async def reconnect(self, store: BaseStore) -> None:
        for each in _sharded(store).shards.values():
            await _backend(each).reconnect(each)

    @override
    async def forget_user(self, store: BaseStore, label: str) -> None:
        await forget_place(_sharded(store), label)

    @override
    def searches(self, store: BaseStore) -> bool:
        return all(_backend(each).searches(each) for each in _sharded(store).shards.values())

    @override
    async def count(self, store: BaseStore, namespace: Namespace, most: int) -> int:
        shard = await _shard_of(store, namespace)
        return await _backend(shard).count(shard, namespace, most)

    @override
    async def candidates(
        self, store: BaseStore, namespace: Namespace, sought: Sought
    ) -> Candidates:
        shard = await _shard_of(store, namespace)
        return await _backend(shard).candidates(shard, namespace, sought)

    @override
    async def latest(self, store: BaseStore, namespace: Namespace, limit: int) -> list[str]:
        shard = await _shard_of(store, namespace)
        return await _backend(shard).latest(shard, namespace, limit)

    @override
    async def tally(
        self,
        store: BaseStore,
        namespace: Namespace,
        names: Sequence[str],
        where: Mapping[str, object],
    ) -> dict[tuple[str, ...], int]:
        shard = await _shard_of(store, namespace)
        return await _backend(shard).tally(shard, namespace, names, where)


BACKEND = ShardedBackend()


def _addresses(url: str) -> dict[str, str]:
    """Return the shards that a URL names, by name; a `+` marks those without new users.

    Raises:
        ConfigurationError: If it names none, or one twice or without a name.
    """
    pairs = [each.partition("=") for each in url.partition(":")[2].split()]
    names = {name.lstrip("+") for name, _, address in pairs if address} - {""}
    if not names or len(names) < len(pairs):
        raise ConfigurationError(
            "Name the shards as `sharded:a=postgresql://… b=postgresql://…`, each by its own name; "
            "write `+c=…` for one that takes moved users only."
        )
    return {name: address for name, _, address in pairs}


def _sharded(store: BaseStore) -> ShardedStore:
    assert isinstance(store, ShardedStore)
    return store


async def _shard_of(store: BaseStore, namespace: Namespace) -> BaseStore:
    sharded = _sharded(store)
    return sharded.shards[(await sharded.place_of(namespace[1])).at]


async def _batch(shard: BaseStore, ops: Sequence[Op]) -> list[Result]:
    return await _backend(shard).batch(shard, ops)


def _backend(store: BaseStore) -> Backend:
    from memory_graph.store.backends import backend_of  # noqa: PLC0415 — it finds this module

    return backend_of(store)
