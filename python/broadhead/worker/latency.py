"""Two delays of Spark's Python worker that cost up to 100 ms a task, removed.

1. Before each task Spark's worker calls `importlib.invalidate_caches()`, on which Python 3.11 and
   3.12 read the directory of pyspark.zip again, once for each zip importer (about 50 ms). Here
   an archive is read again only when it has changed.
2. Over TCP two small writes in a row wait 40 ms: Nagle's algorithm keeps the second back until the
   first is acknowledged, and the other side delays that. Here input is acknowledged at once (the
   command, then the first frame), and output is sent at once (batches, then metrics).

Between tasks the worker also runs `gc.collect()`, which takes 5 ms to walk the objects of pyarrow
and of the engine: frozen, they are not walked.
"""

from __future__ import annotations

import gc
import io
import os
import socket
import sys
import zipimport
from functools import cache
from typing import BinaryIO


@cache
def install() -> None:
    """Apply the fix that lasts for the life of the process, once."""
    _keep_archive_directories()


def freeze() -> None:
    """Exclude the existing objects from later collections, after modules were imported."""
    _freeze(len(sys.modules))


@cache
def _freeze(_modules: int) -> None:
    gc.collect()
    gc.freeze()


def _keep_archive_directories() -> None:
    importer = zipimport.zipimporter
    original = importer.invalidate_caches
    seen: dict[str, tuple[int, int]] = {}

    def invalidate_caches(self: zipimport.zipimporter) -> None:
        try:
            status = os.stat(self.archive)  # noqa: PTH116 - a Path object costs more than the call
        except OSError:
            original(self)
            return
        now = (status.st_mtime_ns, status.st_size)
        if seen.setdefault(self.archive, now) != now:
            seen[self.archive] = now
            original(self)

    importer.invalidate_caches = invalidate_caches  # type: ignore[method-assign]


def send_at_once(stream: BinaryIO) -> None:
    """Let neither side of the stream's connection wait for more before it sends."""
    try:
        descriptor = os.dup(stream.fileno())
    except io.UnsupportedOperation:
        # A stream for both directions hides its socket. Workers that no daemon has started have
        # one (`spark.python.use.daemon`), and their start takes longer than these delays.
        return
    with socket.socket(fileno=descriptor) as connection:
        if connection.family not in {socket.AF_INET, socket.AF_INET6}:
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_QUICKACK"):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
