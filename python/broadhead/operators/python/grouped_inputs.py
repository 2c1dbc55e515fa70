"""Groups of sorted rows, as Python functions get them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from broadhead.columns import Batch, Column
from broadhead.errors import HostNeeded
from broadhead.operators.python.function_inputs import in_batches
from broadhead.operators.rows.batch_rows import cut_batch
from broadhead.operators.user_functions import GroupedRows
from broadhead.operators.window.partition_batches import PartitionBatches
from broadhead.types import BINARY, LONG, StructField, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.kernels.interface import Kernels
    from broadhead.operators.context import Run
    from broadhead.operators.python.function_inputs import FunctionInputs
    from broadhead.operators.user_functions import DeviceRows
    from broadhead.operators.window.large_partition import LargePartition
    from broadhead.plan.expressions import Expression
    from broadhead.plan.python_nodes import DeviceCalls


class Ranges(NamedTuple):
    """The first rows of the groups of a batch, and the rows after their last."""

    starts: list[int]
    ends: list[int]


DEVICE_GROUP_ROWS = 200_000
"""Rows of a group from which on a GPU is faster than pandas on the CPU.

Measured on an H100, where a group takes 8 to 10 ms whatever its size: a function of sums is as fast
on the CPU for 400,000 rows, one that ranks its rows for 40,000.
"""


@dataclass(frozen=True)
class GroupedBatch:
    """Rows of whole groups, one group after the other, with the functions' inputs for them.

    `keys` are the grouping values of each row, `first_keys` those of each group, `columns` the
    inputs of each row, made by `source`.
    """

    rows: Batch
    keys: list[Column]
    first_keys: list[Column]
    columns: Batch
    source: FunctionInputs
    ranges: Ranges
    run: Run

    @property
    def kernels(self) -> Kernels:
        """The kernels of the columns."""
        return self.run.kernels

    @property
    def mean_rows(self) -> int:
        """Rows of a group on average."""
        return self.rows.length // max(len(self.ranges.starts), 1)

    @cached_property
    def inputs(self) -> pa.RecordBatch:
        """The functions' inputs in the host's memory."""
        return self.source.on_host(self.columns)

    def device_group(self, number: int) -> DeviceRows:
        """The rows of a group on the device."""
        start, end = self.ranges.starts[number], self.ranges.ends[number]
        part = cut_batch(self.columns, start, end - start, self.run)
        return self.source.device_rows(part, lambda: self.inputs.slice(start, end - start))

    def comparable_keys(self) -> list[bytes]:
        """The key of each group, as bytes with the equality and order of the keys in Spark."""
        if not self.first_keys:
            return [b""] * len(self.ranges.starts)
        k = self.kernels
        fields = [StructField(f"_{n}", c.type, True) for n, c in enumerate(self.first_keys)]
        struct = pa.StructArray.from_arrays(
            [k.columns.to_arrow(column.data, column.type) for column in self.first_keys],
            [field.name for field in fields],
        )
        key_type = StructType("struct", tuple(fields))
        keys = k.keys.comparable(k.columns.from_arrow(struct, key_type), key_type)
        found: list[bytes] = k.columns.to_arrow(keys, BINARY).to_pylist()
        return found

    @property
    def grouped_rows(self) -> GroupedRows:
        """The functions' inputs with the limits of the groups."""
        return GroupedRows(self.inputs, *self.ranges)

    def group(self, number: int, rows: int | None) -> Iterator[pa.RecordBatch]:
        """The batches of a group, of at most that many rows."""
        return cut_group(self.inputs, self.ranges.starts[number], self.ranges.ends[number], rows)


def cut_group(
    inputs: pa.RecordBatch, start: int, end: int, rows: int | None
) -> Iterator[pa.RecordBatch]:
    """The batches of a group among others, of at most that many rows."""
    return in_batches([inputs.slice(start, end - start)], rows)


def is_large(rows: int) -> bool:
    """Whether a group of so many rows suits a GPU."""
    return rows >= DEVICE_GROUP_ROWS


def require_large(mean: int, calls: DeviceCalls | None) -> None:
    """Raise HostNeeded if groups of so many rows do not suit a GPU and need not run there."""
    if calls is not None and not calls.required and not is_large(mean):
        raise HostNeeded(f"groups have {mean} rows")


class GroupedInputs:
    """The groups of an operator's sorted input."""

    def __init__(self, grouping: Sequence[Expression], inputs: FunctionInputs, run: Run) -> None:
        self._grouping = grouping
        self._keys = run.compile(grouping)
        self._inputs = inputs
        self._run = run

    def of(self, child: Iterator[Batch]) -> Iterator[GroupedBatch]:
        """Batches of whole groups; without grouping, all rows are one group."""
        whole: PartitionBatches[LargePartition] = PartitionBatches(self._grouping, self._run, None)
        for batch in whole.gather(child):
            assert isinstance(batch, Batch)
            keys = self._keys.evaluate(batch)
            ranges = self._ranges(keys, batch.length)
            first = self._first_rows(keys, ranges)
            columns = self._inputs.columns(batch)
            yield GroupedBatch(batch, keys, first, columns, self._inputs, ranges, self._run)

    def large(self, child: Iterator[Batch], calls: DeviceCalls | None) -> Iterator[GroupedBatch]:
        """Like `of`, for functions on a GPU.

        Raises HostNeeded if the groups of the first batch are too small for it, before a function
        is called. Small groups of later batches are given to pandas one by one.
        """
        batches = self.of(child)
        for number, batch in enumerate(batches):
            if number == 0:
                require_large(batch.mean_rows, calls)
            yield batch

    def on_device(self, child: Iterator[Batch], calls: DeviceCalls | None) -> Iterator[DeviceRows]:
        """The groups, one after the other, on a GPU."""
        for batch in self.large(child, calls):
            for number in range(len(batch.ranges.starts)):
                yield batch.device_group(number)

    def _first_rows(self, keys: Sequence[Column], ranges: Ranges) -> list[Column]:
        columns = self._run.kernels.columns
        if not keys:
            return []
        starts = columns.from_arrow(pa.array(ranges.starts, pa.int64()), LONG)
        data = columns.take([column.data for column in keys], starts)
        return [Column(d, key.type) for d, key in zip(data, keys, strict=True)]

    def _ranges(self, keys: Sequence[Column], length: int) -> Ranges:
        k = self._run.kernels
        starts = k.window.changes([column.data for column in keys], length)
        runs = k.window.runs(starts)
        found = (k.columns.to_arrow(rows, LONG).to_pylist() for rows in (runs.starts, runs.ends))
        return Ranges(*found)
