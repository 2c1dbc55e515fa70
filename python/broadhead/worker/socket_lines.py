"""Rows of lines of text, which Spark's own parser sends over a socket."""

from __future__ import annotations

import struct
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.worker.jvm_batches import read_batch
from broadhead.worker.jvm_connection import JvmConnection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HEAD = struct.Struct(">ii")
_NUMBER = struct.Struct(">i")
_OK = -1
_MOST_LINES = 1 << 14
_MOST_BYTES = 16 << 20


class SocketLines:
    """Spark's parser at the Unix socket `path`: see docs/wire-format.md, section 2.

    Threads take turns. The connection is opened for the first line.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._connection: JvmConnection | None = None
        self._lock = threading.Lock()

    def rows(
        self, scan: int, lines: Sequence[bytes], schema: pa.Schema
    ) -> tuple[Any, pa.RecordBatch]:
        """How many rows each line has, an array of numpy, and all rows.

        Raises `EngineLimit` if Spark's parser raises, or the JVM has stopped.
        """
        counts, batches = [], []
        with self._lock:
            for part in _parts(lines):
                found, batch = self._part(scan, part, schema)
                counts.append(found)
                batches.append(batch)
        table = pa.Table.from_batches(batches, schema).combine_chunks()
        empty = pa.RecordBatch.from_pylist([], schema)
        return np.concatenate(counts), next(iter(table.to_batches()), empty)

    def _part(
        self, scan: int, lines: Sequence[bytes], schema: pa.Schema
    ) -> tuple[Any, pa.RecordBatch]:
        if self._connection is None:
            self._connection = JvmConnection(self._path, "rows of lines", patient=True)
        connection = self._connection
        lengths = np.array(list(map(len, lines)), ">i4")
        connection.send(b"".join([_HEAD.pack(scan, len(lines)), lengths.tobytes(), *lines]))
        (status,) = _NUMBER.unpack(connection.received(_NUMBER.size))
        if status != _OK:
            text = bytes(connection.received(status)).decode(errors="replace")
            raise EngineLimit(f"Spark's parser: {text}")
        counts = np.frombuffer(connection.received(4 * len(lines)), ">i4")
        (length,) = _NUMBER.unpack(connection.received(_NUMBER.size))
        return counts, read_batch(connection.received(length), schema)

    def close(self) -> None:
        """Closes the connection."""
        if self._connection is not None:
            self._connection.close()


def _parts(lines: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """The lines in groups of limited size, each of at least one line."""
    group: list[bytes] = []
    size = 0
    for line in lines:
        if group and (len(group) == _MOST_LINES or size + len(line) > _MOST_BYTES):
            yield group
            group, size = [], 0
        group.append(line)
        size += len(line)
    if group:
        yield group
