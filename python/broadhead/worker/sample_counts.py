"""Numbers of copies of sampled rows, which the JVM sends over a socket."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from broadhead.worker.jvm_connection import JvmConnection

_BYTES = 4


class SocketCounts:
    """Numbers of copies from the Unix socket `path`: 32-bit integers, little-endian, endless."""

    def __init__(self, path: str) -> None:
        self._connection = JvmConnection(path, "sample counts")

    def take(self, rows: int) -> pa.Array:
        """The next `rows` numbers, int64. Raises `EngineLimit` if the JVM has stopped."""
        data = self._connection.received(rows * _BYTES)
        return pa.array(np.frombuffer(data, "<i4").astype(np.int64))

    def close(self) -> None:
        """Closes the connection; the JVM starts with the first row for the next one."""
        self._connection.close()
