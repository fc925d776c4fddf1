"""Stores with one defect each, every one of which a check must find."""

from datetime import UTC, datetime, timedelta

from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchItem, SearchOp
from langgraph.store.memory import InMemoryStore


def changed(value, change):
    """Apply `change` to every leaf of a value."""
    if isinstance(value, dict):
        return {name: changed(each, change) for name, each in value.items()}
    if isinstance(value, list):
        return [changed(each, change) for each in value]
    return change(value)


class Defective(InMemoryStore):
    """Asks for each operation alone, so that a defect can be planted in one of them."""

    async def abatch(self, ops):
        return [await self.one(op) for op in ops]

    async def one(self, op):
        [found] = await super().abatch([op])
        return found

    def of_others(self, op):
        """Return the items of other users that are of the kind asked for."""
        namespace = op.namespace_prefix if isinstance(op, SearchOp) else op.namespace
        return [
            item
            for other, items in self._data.items()
            if other[:1] == namespace[:1] and other[2:] == namespace[2:] and other != namespace
            for item in items.values()
        ]


def hit(item, namespace):
    """Return an item as a listing of this namespace gives it."""
    return SearchItem(namespace, item.key, item.value, item.created_at, item.updated_at)


class LeakHidden(Defective):
    """Lists what other users wrote as if it were the asking user's."""

    def leaks(self, item) -> bool:
        return True

    async def one(self, op):
        found = await super().one(op)
        if not isinstance(op, SearchOp):
            return found
        own = {item.key for item in found}
        others = [item for item in self.of_others(op) if item.key not in own and self.leaks(item)]
        return found + [hit(item, op.namespace_prefix) for item in others]


class LeakRemembered(LeakHidden):
    """Lists of other users only what memory itself wrote."""

    def leaks(self, item) -> bool:
        return "text" in item.value


class LeakToSilent(Defective):
    """Lists everybody's items for users who have written nothing."""

    async def one(self, op):
        found = await super().one(op)
        if isinstance(op, SearchOp) and not found:
            return [hit(item, op.namespace_prefix) for item in self.of_others(op)]
        return found


class IgnoresUser(Defective):
    """Lists everybody's items, with the namespaces they are kept under."""

    async def one(self, op):
        found = await super().one(op)
        if isinstance(op, SearchOp):
            found = found + [hit(item, item.namespace) for item in self.of_others(op)]
        return found


class PrefixOfText(Defective):
    """Lists for `ana` what `anabel` wrote."""

    async def one(self, op):
        found = await super().one(op)
        if isinstance(op, SearchOp):
            label = op.namespace_prefix[1]
            found = found + [
                hit(item, item.namespace)
                for item in self.of_others(op)
                if item.namespace[1].startswith(label)
            ]
        return found


class GetsOfOthers(Defective):
    """Answers a read of a missing key with what another user wrote under it."""

    async def one(self, op):
        found = await super().one(op)
        if isinstance(op, GetOp) and found is None:
            same = [item for item in self.of_others(op) if item.key == op.key]
            found = hit(same[0], op.namespace) if same else None
        return found


class Changes(Defective):
    """Changes what is written."""

    def leaf(self, value):
        return value

    async def one(self, op):
        if isinstance(op, PutOp) and op.value is not None:
            op = op._replace(value=changed(op.value, self.leaf))
        return await super().one(op)


class Truncates(Changes):
    def leaf(self, value):
        return value[:100_000] if isinstance(value, str) else value


class Rounds(Changes):
    def leaf(self, value):
        return round(value, 6) if isinstance(value, float) else value


class DropsNone(Defective):
    async def one(self, op):
        if isinstance(op, PutOp) and op.value is not None:
            kept = {name: each for name, each in op.value.items() if each is not None}
            op = op._replace(value=kept)
        return await super().one(op)


class Evicts(Defective):
    """Forgets after a second what was to be kept for good."""

    async def one(self, op):
        long_ago = datetime.now(UTC) - timedelta(seconds=1)
        for items in self._data.values():
            for key in [key for key, item in items.items() if item.updated_at < long_ago]:
                del items[key]
        return await super().one(op)


class IgnoresOffset(Defective):
    async def one(self, op):
        if isinstance(op, ListNamespacesOp):
            op = op._replace(offset=0)
        return await super().one(op)


class ListsNoNamespaces(Defective):
    async def one(self, op):
        if isinstance(op, ListNamespacesOp):
            raise ValueError(f"Unknown operation type: {type(op)}")
        return await super().one(op)


class OnlySynchronous(InMemoryStore):
    def abatch(self, ops):
        return self.batch(ops)


class InThreads(InMemoryStore):
    """No defect: the package calls what is synchronous in a thread."""

    async def abatch(self, ops):
        raise NotImplementedError


class KeepsDeleted(Defective):
    async def one(self, op):
        if isinstance(op, PutOp) and op.value is None:
            return None
        return await super().one(op)


class Forgetful(Defective):
    """Answers reads by key with nothing, as a store with a lagging index does."""

    async def one(self, op):
        return None if isinstance(op, GetOp) else await super().one(op)


class Blurred(Defective):
    """Takes namespaces that differ in case for one, as a text index does."""

    async def one(self, op):
        if hasattr(op, "namespace"):
            op = op._replace(namespace=tuple(label.lower() for label in op.namespace))
        return await super().one(op)
