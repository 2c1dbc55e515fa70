"""Division of a task's batches into the batches sent to the JVM."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FRAME_BYTES = 384 << 10
"""Batches for Spark's operators and broadcasts: larger arrays start a cycle of Java's collector."""

RESULT_BYTES = 64 << 20
"""Batches that the user gets: larger ones are divided, and a frame cannot exceed 2 GiB."""

_ROWS_OF_BYTE = 8


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """The limits of batches sent, and whether strings and binaries have 64-bit offsets."""

    rows: int | None = None
    bytes: int = FRAME_BYTES
    large_strings: bool = False

    @classmethod
    def of_header(cls, asked: Mapping[str, int] | None) -> BatchLimits:
        """The limits in the task header."""
        if asked is None:
            return cls()
        return cls(asked["rows"], min(asked["bytes"], RESULT_BYTES), bool(asked["largeStrings"]))

    def of(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The batch, divided by the limits; an empty batch gives one empty batch."""
        if self.large_strings:
            batch = _with_large_strings(batch)
        count = max(1, -(-batch.nbytes // self.bytes))
        rows = max(1, -(-batch.num_rows // count))
        if rows > _ROWS_OF_BYTE:
            # Slices that begin at whole bytes of their bitmaps are not copied.
            rows -= rows % _ROWS_OF_BYTE
        if self.rows is not None:
            rows = min(rows, self.rows)
        for start in range(0, max(1, batch.num_rows), rows):
            yield batch.slice(start, rows)


def held_back(
    batches: Iterator[pa.RecordBatch], limit: int, *, whole: bool = False
) -> Iterator[pa.RecordBatch]:
    """The batches, held back until the last one exists or they exceed `limit` bytes.

    With `whole`, more bytes raise EngineLimit: an operator that may not spill can still fail.

    After a failure before the first row, Spark's own operators can still run the task.
    """
    held: deque[pa.RecordBatch] = deque()
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.nbytes
        if size > limit and whole:
            raise EngineLimit(
                f"a task that cannot spill needs more than {limit} bytes for its rows: raise "
                "spark.broadhead.operatorMemory"
            )
        if size > limit:
            break
    while held:
        yield held.popleft()
    yield from batches


def _with_large_strings(batch: pa.RecordBatch) -> pa.RecordBatch:
    schema = pa.schema([field.with_type(_large(field.type)) for field in batch.schema])
    arrays = [
        array.cast(data_type) for array, data_type in zip(batch.columns, schema.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _large(data_type: pa.DataType) -> pa.DataType:
    if pa.types.is_string(data_type):
        return pa.large_string()
    if pa.types.is_binary(data_type):
        return pa.large_binary()
    if pa.types.is_struct(data_type):
        return pa.struct([field.with_type(_large(field.type)) for field in data_type])
    if pa.types.is_map(data_type):
        key, item = (
            f.with_type(_large(f.type)) for f in (data_type.key_field, data_type.item_field)
        )
        return pa.map_(key, item)
    if pa.types.is_list(data_type):
        return pa.list_(data_type.value_field.with_type(_large(data_type.value_type)))
    return data_type
