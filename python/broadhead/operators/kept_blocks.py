"""Shuffle blocks that the process keeps as columns of its kernels, instead of a file."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.columns import Batch, Column
from broadhead.operators.rows.batch_rows import concat_batches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

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

    def _bytes(self, part: _Part) -> int:
        return sum(map(self.kernels.columns.nbytes, part.data))


class KeptBlocks:
    """Map outputs by name. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._outputs: dict[str, MapOutput] = {}

    def put(self, block: str, output: MapOutput) -> None:
        """Keep a complete output until it is dropped."""
        with self._lock:
            self._outputs[block] = output

    def get(self, block: str) -> MapOutput:
        """The output; raises KeyError if the process does not have it."""
        with self._lock:
            return self._outputs[block]

    def drop(self, blocks: Collection[str]) -> None:
        """Forget outputs whose shuffle has been removed."""
        with self._lock:
            for block in blocks:
                self._outputs.pop(block, None)


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
