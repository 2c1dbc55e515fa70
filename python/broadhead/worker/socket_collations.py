"""Collation keys of strings, which the JVM sends over a socket."""

from __future__ import annotations

import threading

import numpy as np
import pyarrow as pa

from broadhead.errors import EngineLimit
from broadhead.worker.jvm_connection import JvmConnection

_MOST_TEXTS = 1 << 14
_MOST_BYTES = 1 << 28
_NUMBER = np.dtype(">i4")


class SocketCollations:
    """Collation keys from the Unix socket `path`: see docs/wire-format.md, section 2.

    Threads take turns. The connection is opened for the first key.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._connection: JvmConnection | None = None
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
            if self._connection is None:
                self._connection = JvmConnection(self._path, "collation keys")
            self._connection.send(b"".join([sizes.data, name, lengths.data, content]))
            return _keys(self._connection, len(texts))

    def close(self) -> None:
        """Closes the connection."""
        if self._connection is not None:
            self._connection.close()


def _keys(connection: JvmConnection, count: int) -> pa.Array:
    lengths = np.frombuffer(connection.received(count * _NUMBER.itemsize), _NUMBER)
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    content = connection.received(int(offsets[-1]))
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.binary(), count, buffers)
