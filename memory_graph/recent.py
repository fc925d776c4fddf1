"""A bounded mapping that keeps what was put last, for all threads of a process."""

from collections.abc import Hashable
from threading import Lock
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(dict[Key, Value]):
    """Keeps the `most` values that were put last."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._guard = Lock()

    def put(self, key: Key, value: Value) -> Value:
        """Keep a value, drop the oldest one if there are too many, and return it."""
        with self._guard:
            self.pop(key, None)
            self[key] = value
            if len(self) > self._most:
                del self[next(iter(self))]
        return value
