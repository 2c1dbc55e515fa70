"""The shuffle file of one map task."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from broadhead.shuffle.block import encode
from broadhead.shuffle.buffers import LZ4
from broadhead.shuffle.row_bytes import partition_bytes, unsafe_row_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from broadhead.shuffle.block import Rows
    from broadhead.types import DataType

BLOCK_BYTES = 8 << 20
"""Maximal size of a block before compression, except for a block of one larger row."""

_COPIED_AT_ONCE = 8 << 20


@dataclass(frozen=True, slots=True)
class ShuffleWriteResult:
    """Sizes of the partitions in the file, number of rows, and their size as `UnsafeRow`s."""

    lengths: list[int]
    rows: int
    data_size: int


@dataclass(slots=True)
class _Held:
    """Rows in the order of their partitions; partition `i` begins at `offsets[i]`."""

    rows: Rows
    offsets: Any
    sizes: Any


@dataclass(slots=True)
class _Spill:
    """A file of all partitions; partition `i` begins at `offsets[i]`."""

    path: Path
    offsets: list[int] = field(default_factory=lambda: [0])


class ShuffleWriter:
    """Receives rows with their partitions from any number of threads, then writes one file.

    Rows are held in memory up to `memory` bytes, then encoded as blocks. Blocks are held up to as
    many bytes again, then written to files in the spill directory, partition after partition. The
    last step copies them unchanged.
    """

    def __init__(
        self,
        path: Path,
        types: Sequence[DataType],
        partitions: int,
        *,
        memory: int,
        block_rows: int,
        spill_directory: Callable[[], Path],
        threads: int = 1,
        codec: int = LZ4,
    ) -> None:
        self._path = path
        self._types = types
        self._partitions = partitions
        self._memory = memory
        self._block_rows = block_rows
        self._spill_directory = spill_directory
        self._threads = threads
        self._codec = codec
        self._lock = threading.Lock()
        self._encoding = threading.Lock()
        self._held: list[_Held] = []
        self._held_bytes = 0
        self._kept: list[list[bytes]] = []
        self._kept_bytes = 0
        self._spills: list[_Spill] = []
        self._rows = 0
        self._data_size = 0

    def add(self, rows: Rows, offsets: Any) -> int:
        """Add rows in the order of their partitions; returns the spilled bytes.

        `offsets`: the offset of each partition, and the number of rows.
        """
        if not rows.length:
            return 0
        added = _Held(rows, offsets, partition_bytes(rows, offsets))
        data_size = unsafe_row_bytes(rows, self._types)
        with self._lock:
            self._rows += rows.length
            self._data_size += data_size
            self._held.append(added)
            self._held_bytes += rows.nbytes
            if self._held_bytes <= self._memory:
                return 0
            held, self._held, self._held_bytes = self._held, [], 0
        # other threads add the next rows in the meantime, up to the same limit
        with self._encoding:
            return self._put_away(held)

    def finish(self) -> ShuffleWriteResult:
        """Write the file; no more rows can be added."""
        lengths = []
        sources = [spill.path.open("rb") for spill in self._spills]
        try:
            with self._path.open("wb") as file:
                for partition, buffers in enumerate(self._encoded(self._held)):
                    start = file.tell()
                    file.writelines(kept[partition] for kept in self._kept)
                    for spill, source in zip(self._spills, sources, strict=True):
                        _copy(source, file, *spill.offsets[partition : partition + 2])
                    file.writelines(buffers)
                    lengths.append(file.tell() - start)
        finally:
            for source in sources:
                source.close()
        for spill in self._spills:
            spill.path.unlink()
        return ShuffleWriteResult(lengths, self._rows, self._data_size)

    def _put_away(self, held: Sequence[_Held]) -> int:
        """Encode rows as blocks, kept in memory or in a file; returns the file's bytes."""
        # one buffer: the stored block must not keep the rows alive
        encoded = [b"".join(buffers) for buffers in self._encoded(held)]
        size = sum(map(len, encoded))
        if not self._spills and self._kept_bytes + size <= self._memory:
            self._kept.append(encoded)
            self._kept_bytes += size
            return 0
        path = self._spill_directory() / f"shuffle-{len(self._spills)}"
        path.touch(mode=0o600)
        spill = _Spill(path)
        with path.open("wb") as file:
            for blocks in encoded:
                file.write(blocks)
                spill.offsets.append(file.tell())
        self._spills.append(spill)
        return spill.offsets[-1]

    def _encoded(self, held: Sequence[_Held]) -> Iterator[list[Any]]:
        """The blocks of each partition, as buffers."""
        if self._threads == 1:
            for partition in range(self._partitions):
                yield self._encode(held, partition)
            return
        with ThreadPoolExecutor(self._threads, "broadhead-shuffle") as pool:
            ahead: deque[Any] = deque()
            for partition in range(self._partitions):
                ahead.append(pool.submit(self._encode, held, partition))
                if len(ahead) > 2 * self._threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def _encode(self, held: Sequence[_Held], partition: int) -> list[Any]:
        parts = []
        size = 0
        for added in held:
            start, end = added.offsets[partition : partition + 2].tolist()
            if end > start:
                parts.append(added.rows.slice(start, end - start))
                size += int(added.sizes[partition])
        buffers: list[Any] = []
        for block in self._blocks(parts, size):
            buffers += encode(block, self._codec)
        return buffers

    def _blocks(self, parts: Sequence[Rows], size: int) -> Iterator[list[Rows]]:
        """The rows, `size` bytes, in blocks of about the same size."""
        total = sum(part.length for part in parts)
        count = max(1, -(-size // BLOCK_BYTES), -(-total // self._block_rows))
        limit = -(-total // count)
        block: list[Rows] = []
        room = limit
        for part in parts:
            start = 0
            while start < part.length:
                length = min(room, part.length - start)
                whole = length == part.length
                block.append(part if whole else part.slice(start, length))
                start += length
                room -= length
                if not room:
                    yield block
                    block, room = [], limit
        if block:
            yield block


def _copy(source: BinaryIO, target: BinaryIO, start: int, end: int) -> None:
    source.seek(start)
    while start < end:
        data = source.read(min(end - start, _COPIED_AT_ONCE))
        if not data:
            raise OSError(f"{source.name} ends at {start}, {end} bytes were written")
        target.write(data)
        start += len(data)
