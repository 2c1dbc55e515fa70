"""Ranges of files outside the local file system, which the JVM reads with Spark's own access.

See docs/wire-format.md, section 2.
"""

from __future__ import annotations

import queue
import socket
import struct
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mmap

    from broadhead.files.fetched_file import FetchedFile
    from broadhead.files.input_file import Ranges
    from broadhead.operators.context import Metrics

CONNECTIONS = 8
"""Requests of a task that are under way at the same time."""

_HEAD = struct.Struct(">iiqi")
"""Id of the scan, length of the path, length of the file, number of ranges."""

_RANGE = struct.Struct(">qi")
_LENGTH = struct.Struct(">i")
_OK = -1
"""The length of an error's text where there is no error."""


class SocketFiles:
    """Fetches ranges over the Unix socket `path` of a task; its threads share the connections.

    Raises OSError with the JVM's own text if the file system does not give a range.
    """

    def __init__(self, path: str | None, metrics: Metrics) -> None:
        self._path = path
        self._metrics = metrics
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._idle: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()

    def fetch(self, file: FetchedFile, ranges: Ranges, target: mmap.mmap) -> Future[None]:
        """Write the ranges into `target` at their own offsets, in the background."""
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(CONNECTIONS, "broadhead-fetch")
        self._count(file, "requests", 1)
        self._count(file, "bytesFetched", sum(size for _, size in ranges))
        return self._pool.submit(self._fetch, file, ranges, target)

    def waited(self, file: FetchedFile, nanoseconds: int) -> None:
        """Counted as the scan's time of waiting."""
        self._count(file, "fetchWaitTime", nanoseconds)

    def _count(self, file: FetchedFile, name: str, amount: int) -> None:
        with self._lock:
            self._metrics.add(file.scan, name, amount)

    def close(self) -> None:
        """Close all connections, when what is being fetched has ended."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        while not self._idle.empty():
            self._idle.get().close()

    def _fetch(self, file: FetchedFile, ranges: Ranges, target: mmap.mmap) -> None:
        connection = self._connection()
        try:
            path = file.path.encode()
            head = _HEAD.pack(file.scan, len(path), file.size, len(ranges))
            connection.sendall(head + path + b"".join(_RANGE.pack(*part) for part in ranges))
            (length,) = _LENGTH.unpack(_received(connection, _LENGTH.size, file))
            if length != _OK:
                text = _received(connection, length, file).decode(errors="replace")
                raise OSError(f"{file.path}: {text}")
            with memoryview(target) as view:
                for start, size in ranges:
                    with view[start : start + size] as part:
                        _receive(connection, part, file)
        except BaseException:
            connection.close()
            raise
        self._idle.put(connection)

    def _connection(self) -> socket.socket:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            if self._path is None:
                raise OSError("the task's header names no socket for files") from None
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self._path)
            return connection


def _received(connection: socket.socket, size: int, file: FetchedFile) -> bytes:
    data = bytearray(size)
    with memoryview(data) as view:
        _receive(connection, view, file)
    return bytes(data)


def _receive(connection: socket.socket, target: memoryview, file: FetchedFile) -> None:
    done = 0
    while done < len(target):
        with target[done:] as rest:
            received = connection.recv_into(rest)
        if received == 0:
            raise OSError(f"{file.path}: the JVM has closed the connection")
        done += received
