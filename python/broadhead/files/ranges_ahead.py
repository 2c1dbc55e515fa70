"""Ranges of files in the order of their use: those that come next are loaded in the meantime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from broadhead.files.input_file import InputFile, OpenedFile, Ranges

AHEAD_BYTES = 64 << 20
"""Bytes that are loaded and not read yet; one item may have more."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Ranges of one file that are read together; `ranges` is not called for a local file."""

    file: InputFile
    ranges: Callable[[], Ranges]


@dataclass(slots=True)
class _Item:
    opened: OpenedFile
    ranges: Ranges
    bytes: int


class RangesAhead:
    """Gives the path to read each of the wanted ranges from, in order.

    Adjacent ones of a file have the same path. Use it as a context manager.
    """

    def __init__(self, wanted: Sequence[Wanted], most_bytes: int = AHEAD_BYTES) -> None:
        self._wanted = wanted
        self._most_bytes = most_bytes
        self._items: dict[int, _Item] = {}
        self._next = 0
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for opened in {id(item.opened): item.opened for item in self._items.values()}.values():
            opened.close()
        self._items.clear()

    def wait(self, number: int) -> str:
        """The path of an item, whose ranges are there now. Raises OSError where they are not."""
        self._request(number)
        item = self._items[number]
        item.opened.wait(item.ranges)
        return item.opened.path

    def release(self, number: int) -> None:
        """The item's ranges are not read again; its path holds as long as the next has the same."""
        item = self._items.pop(number)
        self._bytes -= item.bytes
        following = self._items.get(number + 1)
        if following is None or following.opened is not item.opened:
            item.opened.close()
        else:
            item.opened.release(item.ranges)

    def _request(self, number: int) -> None:
        """Ask for the item, and for those after it while there is room."""
        while self._next < len(self._wanted):
            wanted = self._wanted[self._next]
            ranges: Ranges = () if wanted.file.is_local else wanted.ranges()
            size = sum(length for _, length in ranges)
            # the one after an item is opened at least, so that both of a file share what is open
            if self._next > number + 1 and self._bytes + size > self._most_bytes:
                return
            if self._next > number + 1 and wanted.file.is_local:
                return
            opened = self._opened(wanted.file)
            opened.request(ranges)
            self._items[self._next] = _Item(opened, ranges, size)
            self._bytes += size
            self._next += 1

    def _opened(self, file: InputFile) -> OpenedFile:
        before = self._items.get(self._next - 1)
        if before is not None and self._wanted[self._next - 1].file == file:
            return before.opened
        return file.open()
