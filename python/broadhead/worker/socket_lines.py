"""Rows of lines of text, which Spark's own parser sends over a socket."""

from __future__ import annotations

import socket
import struct
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.worker.jvm_batches import read_batch
from broadhead.worker.socket_bytes import received

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HEAD = struct.Struct(">ii")
_NUMBER = struct.Struct(">i")
_OK = -1
_CONTENT = "rows of lines"
_MOST_LINES = 1 << 14
_MOST_BYTES = 16 << 20


class SocketLines:
    """Spark's parser at the Unix socket `path`: see docs/wire-format.md, section 2.

    Threads take turns. The connection is opened for the first line.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()

    def rows(
        self, scan: int, lines: Sequence[bytes], schema: pa.Schema
    ) -> tuple[Any, pa.RecordBatch]:
        """How many rows each line has, an array of numpy, and all rows.

        Raises `EngineLimit` if Spark's parser raises, or the JVM has stopped.
        """
        counts, batches = [], []
        with self._lock:
            try:
                for part in _parts(lines):
                    found, batch = self._part(scan, part, schema)
                    counts.append(found)
                    batches.append(batch)
            except OSError as error:
                raise EngineLimit(f"the JVM parses no lines: {error}") from error
        table = pa.Table.from_batches(batches, schema).combine_chunks()
        empty = pa.RecordBatch.from_pylist([], schema)
        return np.concatenate(counts), next(iter(table.to_batches()), empty)

    def _part(
        self, scan: int, lines: Sequence[bytes], schema: pa.Schema
    ) -> tuple[Any, pa.RecordBatch]:
        connection = self._connection()
        lengths = np.array(list(map(len, lines)), ">i4")
        connection.sendall(b"".join([_HEAD.pack(scan, len(lines)), lengths.tobytes(), *lines]))
        (status,) = _NUMBER.unpack(received(connection, _NUMBER.size, _CONTENT))
        if status != _OK:
            text = bytes(received(connection, status, _CONTENT)).decode(errors="replace")
            raise EngineLimit(f"Spark's parser: {text}")
        counts = np.frombuffer(received(connection, 4 * len(lines), _CONTENT), ">i4")
        (length,) = _NUMBER.unpack(received(connection, _NUMBER.size, _CONTENT))
        return counts, read_batch(received(connection, length, _CONTENT), schema)

    def _connection(self) -> socket.socket:
        if self._socket is None:
            if self._path is None:
                raise EngineLimit("the task's header names no socket for lines")
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(self._path)
        return self._socket

    def close(self) -> None:
        """Closes the connection."""
        if self._socket is not None:
            self._socket.close()


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
