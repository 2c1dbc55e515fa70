"""Rows of table files, in host memory or on the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.arrow_layout import arrow_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.plan.nodes import Attribute


class FileWriter(Protocol):
    """The encoder of one file."""

    def write(self, data: Any) -> Iterator[bytes | memoryview]:
        """Add what `FileRows.data` gives; yields encoded bytes of the file that are complete."""

    def close(self) -> Iterator[bytes | memoryview]:
        """The rest of the file."""


class FileRows(Protocol):
    """Rows that go into files."""

    @property
    def count(self) -> int:
        """The number of rows."""

    def slice(self, start: int, count: int) -> FileRows:
        """Some of the rows."""

    def column(self, ordinal: int) -> pa.Array:
        """A column in host memory."""

    def first(self, ordinals: Sequence[int]) -> pa.RecordBatch:
        """Columns of the first row in host memory."""

    def data(self, ordinals: Sequence[int]) -> Any:
        """Columns, as the writer of the files takes them."""

    def nans(self, ordinal: int) -> int:
        """How many rows are NaN in a column of floats."""

    @property
    def nbytes(self) -> int:
        """The size of all columns in memory."""


@dataclass(frozen=True, slots=True)
class HostRows:
    """Rows of an Arrow batch."""

    batch: pa.RecordBatch

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self.batch.num_rows)

    def slice(self, start: int, count: int) -> HostRows:
        """Some of the rows."""
        return HostRows(self.batch.slice(start, count))

    def column(self, ordinal: int) -> pa.Array:
        """A column."""
        return self.batch.column(ordinal)

    def first(self, ordinals: Sequence[int]) -> pa.RecordBatch:
        """Columns of the first row."""
        return self.batch.slice(0, 1).select(list(ordinals))

    def data(self, ordinals: Sequence[int]) -> pa.RecordBatch:
        """Columns of all rows."""
        return self.batch.select(list(ordinals))

    def nans(self, ordinal: int) -> int:
        """How many rows are NaN in a column of floats."""
        return int(pc.sum(pc.is_nan(self.batch.column(ordinal))).as_py() or 0)

    @property
    def nbytes(self) -> int:
        """The size of all columns."""
        return int(self.batch.nbytes)


@dataclass(frozen=True, slots=True)
class DeviceRows:
    """Rows on the device."""

    kernels: Kernels
    output: Sequence[Attribute]
    columns: Sequence[Array]
    count: int

    def slice(self, start: int, count: int) -> DeviceRows:
        """Some of the rows."""
        if count == self.count:
            return self
        columns = self.kernels.columns.slice(self.columns, start, count)
        return DeviceRows(self.kernels, self.output, columns, count)

    def column(self, ordinal: int) -> pa.Array:
        """A column, copied to the host."""
        return self.kernels.columns.to_arrow(self.columns[ordinal], self.output[ordinal].type)

    def first(self, ordinals: Sequence[int]) -> pa.RecordBatch:
        """Columns of the first row, copied to the host."""
        row = self.slice(0, 1)
        schema = arrow_schema([self.output[ordinal] for ordinal in ordinals])
        return pa.RecordBatch.from_arrays([row.column(n) for n in ordinals], schema=schema)

    def data(self, ordinals: Sequence[int]) -> list[Array]:
        """Columns of all rows, on the device."""
        return [self.columns[ordinal] for ordinal in ordinals]

    def nans(self, ordinal: int) -> int:
        """How many rows are NaN in a column of floats."""
        return HostRows(pa.record_batch([self.column(ordinal)], ["column"])).nans(0)

    @property
    def nbytes(self) -> int:
        """The size of all columns."""
        return sum(map(self.kernels.columns.nbytes, self.columns))
