"""Numbers of copies of sampled rows, which the JVM sends over a socket."""

from __future__ import annotations

import socket

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit

_BYTES = 4
_TIMEOUT_SECONDS = 60.0
"""The JVM draws millions of numbers a second: such a long silence means that it has failed."""


class SocketCounts:
    """Numbers of copies from the Unix socket `path`: 32-bit integers, little-endian, endless."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(_TIMEOUT_SECONDS)
        self._socket.connect(path)

    def take(self, rows: int) -> pa.Array:
        """The next `rows` numbers, int64. Raises `EngineLimit` if the JVM has stopped."""
        data = bytearray(rows * _BYTES)
        left = memoryview(data)
        while left:
            received = self._socket.recv_into(left)
            if received == 0:
                raise EngineLimit(f"the JVM sends no more sample counts at {self._path}")
            left = left[received:]
        return pa.array(np.frombuffer(data, "<i4").astype(np.int64))

    def close(self) -> None:
        """Closes the connection; the JVM starts with the first row for the next one."""
        self._socket.close()
