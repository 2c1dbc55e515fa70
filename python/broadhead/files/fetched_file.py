"""Files outside the local file system: their ranges are fetched into a file in memory."""

from __future__ import annotations

import mmap
import os
import time
from concurrent import futures
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from concurrent.futures import Future

    from broadhead.files.input_file import OpenedFile, Ranges

MOST_GAP = 1 << 19
"""Ranges with fewer bytes between them are asked for together: one more request takes longer."""

REQUEST_BYTES = 4 << 20
"""Longer ranges are divided, so that several connections work on them."""


class Fetcher(Protocol):
    """Fetches ranges of a task's files, several at a time."""

    def fetch(self, file: FetchedFile, ranges: Ranges, target: mmap.mmap) -> Future[None]:
        """Write the ranges into `target`, which is as long as the file, at their own offsets.

        The result is an OSError where they cannot be had.
        """

    def waited(self, file: FetchedFile, nanoseconds: int) -> None:
        """A reader had to wait for bytes of the file."""


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file of a split, by its URI; `scan` is the id of the node that reads it."""

    scan: int
    path: str
    size: int
    modified: int
    fetcher: Fetcher = field(compare=False, repr=False)
    is_local = False

    def version(self) -> Hashable:
        """Time of the last change and length, as Spark listed them."""
        return self.modified, self.size

    def length(self) -> int:
        """The number of its bytes."""
        return self.size

    def open(self) -> OpenedFile:
        """A file in memory of the same length, without any bytes yet."""
        return _OpenedFetchedFile(self)


class _OpenedFetchedFile:
    """An anonymous file that has the fetched ranges, and holes elsewhere.

    No other process can open it, and it is gone with this object.
    """

    def __init__(self, file: FetchedFile) -> None:
        if file.size <= 0:
            raise OSError(f"{file.path} has no bytes")
        self._file = file
        self._descriptor = os.memfd_create("broadhead-file", os.MFD_CLOEXEC)
        os.ftruncate(self._descriptor, file.size)
        self._memory = mmap.mmap(self._descriptor, file.size)
        self._asked: set[tuple[int, int]] = set()
        self._fetches: list[tuple[Ranges, Future[None]]] = []

    @property
    def path(self) -> str:
        """The path of the descriptor, which only this process has."""
        return f"/proc/self/fd/{self._descriptor}"

    def request(self, ranges: Ranges) -> None:
        """Ask for all ranges that were not asked for before."""
        missing = [part for part in ranges if part not in self._asked]
        self._asked.update(missing)
        for together in requests(missing):
            fetch = self._file.fetcher.fetch(self._file, together, self._memory)
            self._fetches.append((together, fetch))

    def wait(self, ranges: Ranges) -> None:
        """Return when the ranges have arrived. Raises OSError where they cannot be had."""
        self.request(ranges)
        start = time.perf_counter_ns()
        for together, fetch in self._fetches:
            if any(_overlap(part, other) for part in ranges for other in together):
                fetch.result()
        self._file.fetcher.waited(self._file, time.perf_counter_ns() - start)

    def release(self, ranges: Ranges) -> None:
        """Give the memory of the ranges back, but for pages that they share with others."""
        for start, size in ranges:
            first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
            length = (start + size) // mmap.PAGESIZE * mmap.PAGESIZE - first
            if length > 0:
                self._memory.madvise(mmap.MADV_REMOVE, first, length)

    def close(self) -> None:
        """Give all memory back, when what is being fetched has ended."""
        for _, fetch in self._fetches:
            fetch.cancel()
        futures.wait([fetch for _, fetch in self._fetches])
        self._memory.close()
        os.close(self._descriptor)


def requests(ranges: Ranges) -> Iterator[Ranges]:
    """The ranges, long ones divided, in groups that are near each other and small together."""
    group: list[tuple[int, int]] = []
    for start, size in sorted(_parts(ranges)):
        if group:
            end = group[-1][0] + group[-1][1]
            if start - end > MOST_GAP or start + size - group[0][0] > REQUEST_BYTES:
                yield group
                group = []
        group.append((start, size))
    if group:
        yield group


def _parts(ranges: Ranges) -> Iterator[tuple[int, int]]:
    for start, size in ranges:
        for offset in range(0, size, REQUEST_BYTES):
            yield start + offset, min(REQUEST_BYTES, size - offset)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[0] + other[1] and other[0] < one[0] + one[1]
