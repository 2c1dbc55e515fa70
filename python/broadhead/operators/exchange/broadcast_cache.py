"""Cache of the broadcasts that this process has received and decoded."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable

Part = TypeVar("Part")


@dataclass(slots=True)
class _Entry:
    """A value that one thread loads while others wait for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    parts: tuple[Any, ...] | None = None
    bytes: int = 0


Key: TypeAlias = "tuple[str, Hashable]"
"""The name of a broadcast, and the form of its rows."""


class BroadcastCache:
    """Batches or messages by key, least recently used ones removed first.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[Key, _Entry] = OrderedDict()

    def get(
        self,
        key: Key,
        load: Callable[[], tuple[Part, ...]],
        size: Callable[[Part], int],
        limit: int,
    ) -> tuple[Part, ...]:
        """The value of `key`, loaded with `load` if missing; then up to `limit` bytes are kept."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
        with entry.lock:
            if entry.parts is None:
                try:
                    entry.parts = load()
                except BaseException:
                    self._forget(key, entry)
                    raise
                entry.bytes = sum(map(size, entry.parts))
            parts = entry.parts
        self._shrink(limit)
        return parts

    def keep(self, names: Collection[str]) -> None:
        """Drop the broadcasts with other names, whose queries have ended."""
        with self._lock:
            for key in [key for key in self._entries if key[0] not in names]:
                del self._entries[key]

    def _forget(self, key: Key, entry: _Entry) -> None:
        with self._lock:
            if self._entries.get(key) is entry:
                del self._entries[key]

    def _shrink(self, limit: int) -> None:
        with self._lock:
            total = sum(entry.bytes for entry in self._entries.values())
            loaded = [key for key, entry in self._entries.items() if entry.parts is not None]
            for key in loaded:
                if total <= limit:
                    return
                total -= self._entries.pop(key).bytes


CACHE = BroadcastCache()
"""The process's cache."""
