"""Collation keys of strings, which the JVM sends over a socket."""

from __future__ import annotations

import socket
import threading

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.worker.socket_bytes import received

_TIMEOUT_SECONDS = 60.0
"""The JVM computes a million keys a second: such a long silence means that it has failed."""

_MOST_TEXTS = 1 << 14
_MOST_BYTES = 1 << 28
_NUMBER = np.dtype(">i4")
_CONTENT = "collation keys"


class SocketCollations:
    """Collation keys from the Unix socket `path`: see docs/wire-format.md, section 2.

    Threads take turns. The connection is opened for the first key.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()

    def keys(self, collation: str, texts: pa.Array) -> pa.Array:
        """The binary of each of `texts`, strings without nulls.

        Raises `EngineLimit` if the JVM has stopped, or if the strings are too long together.
        """
        parts = [
            self._part(collation, texts.slice(start, _MOST_TEXTS))
            for start in range(0, len(texts), _MOST_TEXTS)
        ]
        try:
            return pa.concat_arrays(parts) if parts else pa.array([], pa.binary())
        except pa.ArrowInvalid as error:
            raise EngineLimit(f"collation keys of {len(texts)} strings failed: {error}") from error

    def _part(self, collation: str, texts: pa.Array) -> pa.Array:
        offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: len(texts) + 1]
        first, last = int(offsets[0]), int(offsets[-1])
        if last - first > _MOST_BYTES:
            raise EngineLimit(
                f"{len(texts)} strings with collation {collation} are too long for one request"
            )
        name = collation.encode()
        sizes = np.array([len(name), len(texts)], _NUMBER)
        content = memoryview(texts.buffers()[2] or b"")[first:last]
        lengths = np.diff(offsets).astype(_NUMBER)
        with self._lock:
            try:
                connection = self._connection()
                connection.sendall(b"".join([sizes.data, name, lengths.data, content]))
                return _keys(connection, len(texts))
            except OSError as error:
                raise EngineLimit(f"the JVM sends no collation keys: {error}") from error

    def _connection(self) -> socket.socket:
        if self._socket is None:
            if self._path is None:
                raise EngineLimit("the task's header names no socket for collation keys")
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.settimeout(_TIMEOUT_SECONDS)
            self._socket.connect(self._path)
        return self._socket

    def close(self) -> None:
        """Closes the connection."""
        if self._socket is not None:
            self._socket.close()


def _keys(connection: socket.socket, count: int) -> pa.Array:
    lengths = np.frombuffer(received(connection, count * _NUMBER.itemsize, _CONTENT), _NUMBER)
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    content = received(connection, int(offsets[-1]), _CONTENT)
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.binary(), count, buffers)
