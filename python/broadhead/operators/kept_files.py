"""Files of map outputs that the process has kept in memory: in the layout of a shuffle file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from broadhead.plan.nodes import DEFAULT_BATCH_ROWS
from broadhead.shuffle.block import Rows
from broadhead.shuffle.reader import Segment, read_rows
from broadhead.shuffle.writer import ShuffleWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.kept_blocks import MapOutput
    from broadhead.types import DataType

_WRITERS = 4
"""Threads that compress: the rows are a task's whole output, and nothing else is done meanwhile."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """The rows of a map output in a file; partition `i` begins at `offsets[i]`."""

    path: Path
    types: tuple[DataType, ...]
    offsets: tuple[int, ...]

    def lengths(self) -> list[int]:
        """Bytes of each partition."""
        return [end - start for start, end in zip(self.offsets, self.offsets[1:], strict=False)]

    def rows(self, start: int, end: int, wanted: Sequence[int], rows: int) -> Iterator[Rows]:
        """The columns `wanted` of partitions `start` to `end`, excluded."""
        first = self.offsets[start]
        segment = Segment(str(self.path), first, self.offsets[end] - first)
        return read_rows([segment], self.types, wanted, rows)


def write_kept_file(output: MapOutput, path: Path) -> KeptFile:
    """Write the rows of a map output to a shuffle file."""
    # gives a thread without a task the device's context
    output.kernels.device.synchronize()
    columns = output.kernels.columns
    writer = ShuffleWriter(
        path,
        output.types,
        output.partitions,
        memory=sys.maxsize,
        block_rows=DEFAULT_BATCH_ROWS,
        spill_directory=_no_spill,
        threads=_WRITERS,
    )
    for part in output.parts:
        arrays = tuple(map(columns.to_host, part.data, output.types))
        writer.add(Rows(arrays, part.length), part.offsets)
    offsets = tuple(accumulate(writer.finish().lengths, initial=0))
    return KeptFile(path, output.types, offsets)


def _no_spill() -> Path:
    raise AssertionError("a writer without a memory limit does not spill")
