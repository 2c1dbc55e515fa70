"""Shuffle blocks that the process keeps as columns of its kernels, instead of a file."""

from __future__ import annotations

import shutil
import threading
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.columns import Batch, Column
from broadhead.operators.kept_files import KeptFile, write_kept_file
from broadhead.operators.rows.batch_rows import concat_batches
from broadhead.operators.rows.host_rows import batches_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.operators.context import Run
    from broadhead.types import DataType

_VALUE_BYTES = 8
"""Bytes of a value, or of the position of a text, in an `UnsafeRow`; and of 64 null bits."""
_OFFSET_BYTES = 4


@dataclass(frozen=True, slots=True)
class KeptRange:
    """Partitions `start` to `end`, excluded, of the map output with the name `block`."""

    block: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows in the order of their partitions; partition `i` begins at `offsets[i]`."""

    data: list[Array]
    offsets: Any

    @property
    def length(self) -> int:
        return int(self.offsets[-1])


@dataclass(slots=True)
class MapOutput:
    """The rows of one map task, which any number of its threads add."""

    kernels: Kernels
    types: tuple[DataType, ...]
    partitions: int
    parts: list[_Part] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, data: Sequence[Array], offsets: Any) -> None:
        """Add rows in the order of their partitions, complete for all streams."""
        self.kernels.device.synchronize()
        with self._lock:
            self.parts.append(_Part(list(data), offsets))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(part.length for part in self.parts)

    def lengths(self) -> list[int]:
        """Bytes of each partition: those of its rows in memory, 0 only without rows."""
        total = np.zeros(self.partitions, np.float64)
        for part in self.parts:
            if part.length:
                row = self._bytes(part) / part.length
                total += np.diff(part.offsets) * max(row, 1.0)
        return [int(size) for size in np.ceil(total)]

    def data_size(self) -> int:
        """About the bytes of the rows as Spark's `UnsafeRow`s."""
        fixed = _VALUE_BYTES * (-(-len(self.types) // 64) + len(self.types))
        texts = sum(
            self.kernels.columns.nbytes(data) - _OFFSET_BYTES * part.length
            for part in self.parts
            for data, data_type in zip(part.data, self.types, strict=True)
            if data_type.name in {"string", "binary"}
        )
        return self.rows * fixed + max(texts, 0)

    @property
    def nbytes(self) -> int:
        """Bytes of the rows in the memory of their device."""
        return sum(map(self._bytes, self.parts))

    def _bytes(self, part: _Part) -> int:
        return sum(map(self.kernels.columns.nbytes, part.data))


class KeptBlocks:
    """Map outputs by name, the oldest ones in files if memory is short. Safe for several threads.

    `directory` gives the directory of such a file; without it nothing is ever in a file.
    """

    def __init__(self) -> None:
        self.directory: Callable[[], Path] | None = None
        self._files = count()
        self._lock = threading.Lock()
        self._outputs: dict[str, MapOutput | KeptFile] = {}
        self._sizes: dict[str, int] = {}
        self._moving = threading.Lock()

    def put(self, block: str, output: MapOutput, limit: int) -> bool:
        """Keep a complete output until it is dropped; afterwards its device has `limit` bytes.

        Returns whether its device has more than half of that.
        """
        size = output.nbytes
        with self._lock:
            self._outputs[block] = output
            self._sizes[block] = size
        self.shrink(output.kernels, limit)
        return self._nbytes(output.kernels) > limit // 2

    def get(self, block: str) -> MapOutput | KeptFile:
        """The output; raises KeyError if the process does not have it."""
        with self._lock:
            return self._outputs[block]

    def write(self, block: str, path: Path) -> KeptFile:
        """Write the rows of an output to a shuffle file. Raises KeyError as `get` does."""
        output = self.get(block)
        if isinstance(output, MapOutput):
            return write_kept_file(output, path)
        shutil.copyfile(output.path, path)
        return output

    def drop(self, blocks: Collection[str]) -> None:
        """Forget outputs whose shuffle has been removed."""
        with self._lock:
            dropped = [self._outputs.pop(block, None) for block in blocks]
            for block in blocks:
                self._sizes.pop(block, None)
        for output in dropped:
            if isinstance(output, KeptFile):
                output.path.unlink(missing_ok=True)

    def shrink(
        self, kernels: Kernels, limit: int, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """Move the oldest outputs of a device to files until no more than `limit` bytes are left.

        Tasks that read them meanwhile keep them until they have.
        """
        if self.directory is None:
            return
        while not stopped() and self._nbytes(kernels) > limit:
            with self._moving:
                oldest = next(self._of(kernels), None)
                if oldest is not None:
                    self._move(*oldest, self.directory())

    def _move(self, block: str, output: MapOutput, directory: Path) -> None:
        file = write_kept_file(output, directory / f"kept-{next(self._files)}")
        with self._lock:
            if block in self._outputs:
                self._outputs[block] = file
                return
        file.path.unlink()

    def _nbytes(self, kernels: Kernels) -> int:
        blocks = [block for block, _ in self._of(kernels)]
        with self._lock:
            return sum(self._sizes.get(block, 0) for block in blocks)

    def _of(self, kernels: Kernels) -> Iterator[tuple[str, MapOutput]]:
        with self._lock:
            outputs = list(self._outputs.items())
        for block, output in outputs:
            if isinstance(output, MapOutput) and output.kernels is kernels:
                yield block, output


KEPT = KeptBlocks()
"""Those of the process."""


def kept_batches(
    ranges: Sequence[KeptRange], types: Sequence[DataType], wanted: Sequence[int], run: Run
) -> Iterator[Batch]:
    """The columns `wanted` of all ranges, in batches of up to the device's size."""
    limit = run.kernels.device.batch_rows(run.settings)
    waiting: list[Batch] = []
    count = 0
    for batch in _slices(ranges, types, wanted, limit, run):
        if waiting and count + batch.length > limit:
            yield concat_batches(waiting, run)
            waiting, count = [], 0
        waiting.append(batch)
        count += batch.length
    if waiting:
        yield concat_batches(waiting, run)


def _slices(
    ranges: Sequence[KeptRange],
    types: Sequence[DataType],
    wanted: Sequence[int],
    limit: int,
    run: Run,
) -> Iterator[Batch]:
    for range_ in ranges:
        output = KEPT.get(range_.block)
        if isinstance(output, KeptFile):
            yield from batches_of(output.rows(range_.start, range_.end, wanted, limit), types, run)
            continue
        for part in output.parts:
            first, last = int(part.offsets[range_.start]), int(part.offsets[range_.end])
            data = [part.data[ordinal] for ordinal in wanted]
            for start in range(first, last, limit):
                length = min(limit, last - start)
                rows = output.kernels.columns.slice(data, start, length)
                yield Batch(
                    tuple(
                        Column(_moved(values, data_type, output.kernels, run.kernels), data_type)
                        for values, data_type in zip(rows, types, strict=True)
                    ),
                    length,
                )


def _moved(data: Array, data_type: DataType, source: Kernels, target: Kernels) -> Array:
    """The same values as data of the kernels `target`."""
    if source is target:
        return data
    return target.columns.from_host(source.columns.to_host(data, data_type), data_type)
