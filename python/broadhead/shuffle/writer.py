"""The shuffle file of one map task."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow import wide
from broadhead.shuffle.block import Rows, encode, unsafe_row_bytes
from broadhead.shuffle.buffers import LZ4

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from broadhead.types import DataType

BLOCK_BYTES = 8 << 20
"""Bytes of a block before compression, at most: of one row if that is larger."""

_COPIED_AT_ONCE = 8 << 20


@dataclass(frozen=True, slots=True)
class ShuffleWriteResult:
    """Bytes of each partition in the file, rows in all, their bytes as Spark's `UnsafeRow`s."""

    lengths: list[int]
    rows: int
    data_size: int


@dataclass(slots=True)
class _Held:
    """Rows in the order of their partitions; partition `i` begins at `offsets[i]`."""

    rows: pa.RecordBatch
    offsets: Any


@dataclass(slots=True)
class _Spill:
    """A file of all partitions; partition `i` begins at `offsets[i]`."""

    path: Path
    offsets: list[int] = field(default_factory=lambda: [0])


@dataclass(slots=True)
class _Encoded:
    """The blocks of one partition."""

    pieces: list[Any] = field(default_factory=list)
    rows: int = 0
    data_size: int = 0


class ShuffleWriter:
    """Takes rows with their partitions from any number of threads, then writes one file.

    Rows are held in memory up to `memory` bytes, then they are made blocks. Blocks are held up to
    as many bytes again, then they go to files in the spill directory, partition after partition;
    the last step copies them as they are.
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
        self._row_counts = np.zeros(partitions, np.int64)
        self._kept: list[list[_Encoded]] = []
        self._kept_bytes = 0
        self._spills: list[_Spill] = []
        self._rows = 0
        self._data_size = 0

    def add(self, rows: Rows, offsets: Any) -> int:
        """Take in rows in the order of their partitions; the bytes that this made spill.

        `offsets`: where each partition begins, and the number of rows.
        """
        if not rows.length:
            return 0
        if not self._types:
            with self._lock:
                self._row_counts += np.diff(offsets)
            return 0
        names = [str(number) for number in range(len(rows.arrays))]
        batch = pa.RecordBatch.from_arrays(list(rows.arrays), names=names)
        size = batch.nbytes
        with self._lock:
            self._held.append(_Held(batch, offsets))
            self._held_bytes += size
            if self._held_bytes <= self._memory:
                return 0
            held, self._held, self._held_bytes = self._held, [], 0
        # other threads go on with the next rows meanwhile, up to the same limit
        with self._encoding:
            return self._put_away(held)

    def finish(self) -> ShuffleWriteResult:
        """Write the file; no more rows can be added."""
        lengths = []
        sources = [spill.path.open("rb") for spill in self._spills]
        try:
            with self._path.open("wb") as file:
                for partition, encoded in enumerate(self._encoded(self._held)):
                    start = file.tell()
                    for kept in self._kept:
                        _write(kept[partition], file)
                    for spill, source in zip(self._spills, sources, strict=True):
                        _copy(source, file, *spill.offsets[partition : partition + 2])
                    _write(encoded, file)
                    lengths.append(file.tell() - start)
        finally:
            for source in sources:
                source.close()
        for spill in self._spills:
            spill.path.unlink()
        return ShuffleWriteResult(lengths, self._rows, self._data_size)

    def _put_away(self, held: Sequence[_Held]) -> int:
        """Make rows blocks and keep those, in memory or in a file; the bytes of the file."""
        encoded = list(self._encoded(held))
        size = sum(len(piece) for partition in encoded for piece in partition.pieces)
        if not self._spills and self._kept_bytes + size <= self._memory:
            self._kept.append(encoded)
            self._kept_bytes += size
            return 0
        path = self._spill_directory() / f"shuffle-{len(self._spills)}"
        path.touch(mode=0o600)
        spill = _Spill(path)
        with path.open("wb") as file:
            for partition in encoded:
                _write(partition, file)
                spill.offsets.append(file.tell())
        self._spills.append(spill)
        return spill.offsets[-1]

    def _encoded(self, rows: Sequence[_Held]) -> Iterator[_Encoded]:
        """The blocks of each partition, which are counted."""
        for encoded in self._blocks_of(_of_one_layout(rows)):
            self._rows += encoded.rows
            self._data_size += encoded.data_size
            yield encoded

    def _blocks_of(self, held: Sequence[_Held]) -> Iterator[_Encoded]:
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

    def _encode(self, held: Sequence[_Held], partition: int) -> _Encoded:
        encoded = _Encoded()
        if not self._types:
            count = int(self._row_counts[partition])
            if count:
                _append(encoded, Rows((), count), self._types, self._codec)
            return encoded
        parts = []
        for batch in held:
            start, end = batch.offsets[partition : partition + 2].tolist()
            if end > start:
                parts.append(batch.rows.slice(start, end - start))
        if parts:
            for rows in self._blocks(pa.Table.from_batches(parts)):
                _append(encoded, rows, self._types, self._codec)
        return encoded

    def _blocks(self, table: pa.Table) -> Iterator[Rows]:
        """The rows in blocks of about the same size."""
        count = max(1, -(-table.nbytes // BLOCK_BYTES), -(-table.num_rows // self._block_rows))
        step = -(-table.num_rows // count)
        for start in range(0, table.num_rows, step):
            piece = table.slice(start, step).combine_chunks()
            yield Rows(tuple(column.chunk(0) for column in piece.columns), piece.num_rows)


def _write(encoded: _Encoded, file: BinaryIO) -> None:
    for piece in encoded.pieces:
        file.write(piece)


def _append(encoded: _Encoded, rows: Rows, types: Sequence[DataType], codec: int) -> None:
    encoded.pieces += encode(rows, codec)
    encoded.rows += rows.length
    encoded.data_size += unsafe_row_bytes(rows, types)


def _of_one_layout(held: Sequence[_Held]) -> list[_Held]:
    """The same rows; a column that is 128 bits wide in one batch is that in all."""
    if len({batch.rows.schema for batch in held}) <= 1:
        return list(held)
    columns = [wide.unify(parts) for parts in zip(*(b.rows.columns for b in held), strict=True)]
    names = held[0].rows.schema.names
    return [
        _Held(pa.RecordBatch.from_arrays(list(arrays), names=names), batch.offsets)
        for arrays, batch in zip(zip(*columns, strict=True), held, strict=True)
    ]


def _copy(source: BinaryIO, target: BinaryIO, start: int, end: int) -> None:
    source.seek(start)
    while start < end:
        data = source.read(min(end - start, _COPIED_AT_ONCE))
        if not data:
            raise OSError(f"{source.name} ends at {start}, {end} bytes were written")
        target.write(data)
        start += len(data)
