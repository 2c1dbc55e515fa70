"""Ranges of files outside the local file system, which the JVM reads with Spark's own access.

See docs/wire-format.md, section 2.
"""

from __future__ import annotations

import queue
import struct
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit
from broadhead.worker.jvm_connection import JvmConnection

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
        self._idle: queue.SimpleQueue[JvmConnection] = queue.SimpleQueue()

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
        try:
            connection = self._connection()
            try:
                self._receive(connection, file, ranges, target)
            except BaseException:
                connection.close()
                raise
        except EngineLimit as error:
            raise OSError(f"{file.path}: {error}") from error
        self._idle.put(connection)

    def _receive(
        self, connection: JvmConnection, file: FetchedFile, ranges: Ranges, target: mmap.mmap
    ) -> None:
        path = file.path.encode()
        head = _HEAD.pack(file.scan, len(path), file.size, len(ranges))
        connection.send(head + path + b"".join(_RANGE.pack(*part) for part in ranges))
        (length,) = _LENGTH.unpack(connection.received(_LENGTH.size))
        if length != _OK:
            text = connection.received(length).decode(errors="replace")
            raise OSError(f"{file.path}: {text}")
        with memoryview(target) as view:
            for start, size in ranges:
                with view[start : start + size] as part:
                    connection.receive(part)

    def _connection(self) -> JvmConnection:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return JvmConnection(self._path, "ranges of files", patient=True)
