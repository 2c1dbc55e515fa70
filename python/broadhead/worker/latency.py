"""Two delays of Spark's Python worker that cost up to 100 ms a task, removed.

1. Before each task Spark's worker calls `importlib.invalidate_caches()`, on which Python 3.11 and
   3.12 read the directory of pyspark.zip again, once for each zip importer (about 50 ms). Here
   an archive is read again only when it has changed.
2. Over TCP the command and the first frame are two small writes; Nagle's algorithm and the
delayed
   acknowledgement then wait 40 ms for each other. An immediate acknowledgement ends that.

Between tasks the worker also runs `gc.collect()`, which walks all of pyarrow's objects: frozen,
they are not walked.
"""

from __future__ import annotations

import gc
import os
import socket
import zipimport
from functools import cache
from typing import BinaryIO


@cache
def install() -> None:
    """Apply the fixes that last for the life of the process, once."""
    _keep_archive_directories()
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


def acknowledge_at_once(stream: BinaryIO) -> None:
    """Acknowledge what the JVM has sent so far, so that it sends the next frame without delay."""
    if not hasattr(socket, "TCP_QUICKACK"):
        return
    with socket.socket(fileno=os.dup(stream.fileno())) as connection:
        if connection.family in {socket.AF_INET, socket.AF_INET6}:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
