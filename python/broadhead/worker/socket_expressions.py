"""Values of expressions, which the JVM evaluates and sends over a socket."""

from __future__ import annotations

import struct
import threading
import time
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.errors import EngineLimit, WouldRaise
from broadhead.worker.jvm_batches import read_batch
from broadhead.worker.jvm_connection import JvmConnection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEAD = struct.Struct(">ii")
_NUMBER = struct.Struct(">i")
_END = 0
_FAILED = -1
_MOST_ROWS = 1 << 14
_MOST_BYTES = 32 << 20


class SocketExpressions:
    """Spark's evaluation at the Unix socket `path`: see docs/wire-format.md, section 2.

    Each thread has a connection of its own, opened for its first request.

    Attributes
    ----------
    rows
        Number of values so far.
    nanoseconds
        Time of the requests so far, that of all threads together.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self.rows = 0
        self.nanoseconds = 0
        self._own = threading.local()
        self._connections: list[JvmConnection] = []

    def values(self, number: int, inputs: pa.RecordBatch, data_type: pa.DataType) -> pa.Array:
        """The value of expression `number` for each row of `inputs`.

        Raises `WouldRaise` if Spark raises for a row, `EngineLimit` if the JVM has stopped.
        """
        schema = pa.schema([pa.field("value", data_type)])
        found = self._answers(number, _parts(inputs), schema)
        self.rows += inputs.num_rows
        if not found:
            return pa.array([], data_type)
        try:
            arrays = [batch.column(0) for batch in found]
            return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)
        except pa.ArrowInvalid as error:
            raise EngineLimit(f"values of {inputs.num_rows} rows failed: {error}") from error

    def groups(
        self, number: int, rows: pa.RecordBatch, size: int, schema: pa.Schema
    ) -> pa.RecordBatch:
        """The row of aggregate `number` for each of `size` groups, whose rows follow each other.

        Raises as `values` does.
        """
        # One without rows ends the last group, also that of no rows at all.
        parts = [*_parts(rows), rows.slice(0, 0)] if size else []
        found = self._answers(number, parts, schema)
        self.rows += rows.num_rows
        try:
            table = pa.Table.from_batches(found, schema)
            arrays = [_whole(column) for column in table.columns]
        except pa.ArrowInvalid as error:
            raise EngineLimit(f"results of {size} groups failed: {error}") from error
        if table.num_rows != size:
            raise EngineLimit(f"Spark returned {table.num_rows} results for {size} groups")
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _answers(
        self, number: int, parts: Iterable[pa.RecordBatch], schema: pa.Schema
    ) -> list[pa.RecordBatch]:
        start = time.perf_counter_ns()
        try:
            connection = self._connection()
            return [
                batch for part in parts for batch in self._part(connection, number, part, schema)
            ]
        finally:
            self.nanoseconds += time.perf_counter_ns() - start

    def _part(
        self, connection: JvmConnection, number: int, inputs: pa.RecordBatch, schema: pa.Schema
    ) -> Iterator[pa.RecordBatch]:
        message = inputs.serialize()
        connection.send(_HEAD.pack(number, message.size), message)
        while (length := _number(connection)) > _END:
            yield read_batch(connection.received(length), schema)
        if length == _FAILED:
            text = connection.received(_number(connection))
            raise WouldRaise(text.decode(errors="replace"))

    def _connection(self) -> JvmConnection:
        connection: JvmConnection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = JvmConnection(self._path, "values of expressions", patient=True)
            self._connections.append(connection)
            self._own.connection = connection
        return connection

    def close(self) -> None:
        """Closes the connections of all threads."""
        for connection in self._connections:
            connection.close()


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """The column in one array."""
    whole = column.combine_chunks()
    return whole if isinstance(whole, pa.Array) else pa.concat_arrays(whole.chunks)


def _parts(inputs: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Slices of limited rows and, about, bytes."""
    if inputs.num_rows == 0:
        return
    fitting = _MOST_BYTES * inputs.num_rows // max(inputs.nbytes, 1)
    rows = max(1, min(_MOST_ROWS, fitting))
    for start in range(0, inputs.num_rows, rows):
        yield inputs.slice(start, rows)


def _number(connection: JvmConnection) -> int:
    (number,) = _NUMBER.unpack(connection.received(_NUMBER.size))
    return int(number)
