"""The table files of a task, encoded here and written by the JVM under Spark's commit protocol."""

from __future__ import annotations

import struct
import time
from collections import deque
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.arrow_layout import arrow_schema
from broadhead.errors import Unsupported
from broadhead.files.csv_writer import CsvForm
from broadhead.files.json_writer import JsonForm
from broadhead.files.line_writer import LineWriter, TextForm
from broadhead.files.orc_writer import OrcWriter
from broadhead.files.parquet_writer import DeviceParquetWriter, ParquetWriter
from broadhead.operators.exchange.text_extremes import text_extremes
from broadhead.worker.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from broadhead.kernels.interface import Kernels
    from broadhead.operators.context import Metrics, Run
    from broadhead.plan.file_write import FileWrite
    from broadhead.worker.file_rows import FileRows, FileWriter


def host_writers(node: FileWrite) -> Callable[[], FileWriter]:
    """What makes the writer of the next file, for rows of the host."""
    options = node.options
    whole = arrow_schema(node.output)
    schema = pa.schema([whole.field(ordinal) for ordinal in node.data_columns])
    match node.format:
        case "parquet":
            ordinals = [found.column for found in text_extremes(node).values()]
            return partial(ParquetWriter, schema, options, ordinals)
        case "orc":
            return partial(OrcWriter, schema, options)
        case "csv":
            return partial(LineWriter, CsvForm(options))
        case "json":
            return partial(LineWriter, JsonForm(options))
        case "text":
            return partial(LineWriter, TextForm(options))
    raise Unsupported(f"files of the format {node.format}")


BEGIN, DATA, END, STATISTICS = range(4)
"""What a frame `W` has, in its field `source`: see docs/wire-format.md, section 2."""

_ROWS = struct.Struct(">q")


def device_writers(node: FileWrite, kernels: Kernels) -> Callable[[], FileWriter] | None:
    """The same for rows of the device; None if the kernels do not encode such files."""
    columns = [node.output[ordinal] for ordinal in node.data_columns]
    if node.format != "parquet" or not kernels.parquet.can_encode(columns, node.options):
        return None
    return partial(DeviceParquetWriter, kernels, columns, node.options)


def write_table_files(
    node: FileWrite,
    batches: Iterator[FileRows],
    new_writer: Callable[[], FileWriter],
    context: Run,
) -> Iterator[Frame]:
    """The frames `W` of all files, one file after the other."""
    files = _Files(node, new_writer, context.metrics)
    for batch in batches:
        for start, end in _runs(batch, node):
            yield from files.write(batch.slice(start, end - start))
    # Without partitions there is at most one file then, which has not ended.
    yield from files.end(context.file_statistics)


def sent_after_permit(
    frames: Iterator[Frame], permit: AbstractContextManager[None], most: int
) -> Iterator[Frame]:
    """The frames, the last `most` bytes of them when the permit for the device is given back.

    So the JVM writes the end of a file while another task computes.
    """
    held: deque[Frame] = deque()
    size = 0
    with permit:
        for frame in frames:
            held.append(frame)
            size += len(frame.body)
            while size > most:
                first = held.popleft()
                size -= len(first.body)
                yield first
    while held:
        yield held.popleft()


def _runs(batch: FileRows, node: FileWrite) -> Iterator[tuple[int, int]]:
    """The ranges of rows that are equal in the partition columns."""
    changes = np.zeros(max(batch.count - 1, 0), bool)
    for ordinal in node.partition_columns:
        column = batch.column(ordinal)
        changes |= _differ(column.slice(0, len(changes)), column.slice(1))
    bounds = [0, *(np.flatnonzero(changes) + 1).tolist(), batch.count]
    return ((start, end) for start, end in pairwise(bounds) if start < end)


def _differ(left: pa.Array, right: pa.Array) -> np.ndarray:
    """Whether the values at each position differ; nulls are equal to each other."""
    values = pc.fill_null(pc.not_equal(left, right), False)
    nulls = pc.not_equal(pc.is_null(left), pc.is_null(right))
    return np.asarray(pc.or_(values, nulls).to_numpy(zero_copy_only=False), bool)


class _Files:
    """The file that is being written, and the rules for the next one."""

    def __init__(
        self, node: FileWrite, new_writer: Callable[[], FileWriter], metrics: Metrics
    ) -> None:
        self._node = node
        self._metrics = metrics
        self._new_writer = new_writer
        self._key: pa.RecordBatch | None = None
        self._writer: FileWriter | None = None
        self._rows = 0
        self._nans: list[int] = []
        self._size = _FileSize(node.target_bytes)

    def write(self, rows: FileRows) -> Iterator[Frame]:
        """Frames for rows of one partition."""
        key = rows.first(self._node.partition_columns)
        if self._key is not None and not key.equals(self._key):
            yield from self.end()
        self._key = key
        while rows.count:
            if self._writer is None:
                yield from self._begin(rows)
            count = self._size.most_rows(rows)
            if self._node.max_records > 0:
                count = min(count, self._node.max_records - self._rows)
            yield from self._encoded(rows.slice(0, count))
            rows = rows.slice(count, rows.count - count)
            if self._rows == self._node.max_records or self._size.is_full:
                yield from self.end()

    def _begin(self, rows: FileRows) -> Iterator[Frame]:
        self._writer = self._new_writer()
        self._rows = 0
        self._nans = [0] * len(self._node.nan_columns)
        self._size.begin()
        yield Frame("W", rows.first(self._node.first_columns).serialize(), BEGIN)

    def _encoded(self, rows: FileRows) -> Iterator[Frame]:
        assert self._writer is not None
        self._rows += rows.count
        self._size.add(rows)
        for position, ordinal in enumerate(self._node.nan_columns):
            self._nans[position] += rows.nans(ordinal)
        yield from self._sent(self._writer.write(rows.data(self._node.data_columns)))

    def end(self, statistics: Sequence[pa.RecordBatch] = ()) -> Iterator[Frame]:
        """The frames that end the current file, if there is one, and those of statistics."""
        writer = self._writer
        if writer is not None:
            yield from self._sent(writer.close())
        for found in statistics:
            whole = found
            if isinstance(writer, ParquetWriter):
                whole = _with_text_extremes(found, self._node, writer)
            for row in range(whole.num_rows):
                yield Frame("W", whole.slice(row, 1).serialize(), STATISTICS)
        if writer is not None:
            if self._nans:
                yield Frame("W", _counts(self._nans).serialize(), STATISTICS)
            yield Frame("W", _ROWS.pack(self._rows), END)
            self._writer = None

    def _sent(self, chunks: Iterator[bytes | memoryview]) -> Iterator[Frame]:
        while True:
            start = time.perf_counter_ns()
            chunk = next(chunks, None)
            spent = time.perf_counter_ns() - start
            self._metrics.add(self._node.id, "encodeTime", spent)
            if chunk is None:
                return
            self._metrics.add(self._node.id, "bytesWritten", len(chunk))
            self._size.encoded(chunk)
            yield Frame("W", chunk, DATA)


def _with_text_extremes(
    row: pa.RecordBatch, node: FileWrite, writer: ParquetWriter
) -> pa.RecordBatch:
    """Statistics of a file with those that its footer has, where the engine has left them out."""
    columns = list(row.columns)
    for position, found in text_extremes(node).items():
        buffer = sum(len(call.buffers) for call in node.statistics[:position])
        least, greatest = writer.text_extremes(found.column)
        chosen = least if found.extreme == "least" else greatest
        columns[buffer] = pa.array([chosen], pa.binary()).view(pa.string())
    return pa.RecordBatch.from_arrays(columns, schema=row.schema)


def _counts(counts: Sequence[int]) -> pa.RecordBatch:
    fields = [pa.field(f"count{n}", pa.int64(), nullable=False) for n in range(len(counts))]
    return pa.RecordBatch.from_arrays(
        [pa.array([count], pa.int64()) for count in counts], schema=pa.schema(fields)
    )


class _FileSize:
    """The size that the current file will have, if it has to end at a target."""

    _LEAST_ROWS = 1000
    """Iceberg looks at the size of a file after as many rows."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._encoded = 0
        self._waiting = 0
        # Of all files, so that the size of rows that are not encoded yet can be estimated.
        self._all_encoded = 0
        self._all_in_memory = 0

    def begin(self) -> None:
        """A file without rows."""
        self._encoded = 0
        self._waiting = 0

    def most_rows(self, rows: FileRows) -> int:
        """How many of the rows are encoded before the size is looked at again."""
        if self._target <= 0:
            return rows.count
        share = self._target / 8 / max(rows.nbytes, 1)
        return min(rows.count, max(int(rows.count * share), self._LEAST_ROWS))

    def add(self, rows: FileRows) -> None:
        """Rows that the writer gets."""
        if self._target > 0:
            self._waiting += rows.nbytes

    def encoded(self, chunk: bytes | memoryview) -> None:
        """Bytes that the writer has given for all rows that it has got."""
        self._encoded += len(chunk)
        self._all_encoded += len(chunk)
        self._all_in_memory += self._waiting
        self._waiting = 0

    @property
    def is_full(self) -> bool:
        """Whether the file ends here."""
        ratio = self._all_encoded / self._all_in_memory if self._all_in_memory else 1.0
        return 0 < self._target <= self._encoded + self._waiting * ratio
