"""Files that scans read by ranges.

A local file is read by its own path. Of any other the wanted ranges are loaded first: into a file
in memory that has them at their own offsets, so that readers of local files can open it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    Ranges: TypeAlias = Sequence[tuple[int, int]]
    """Offset and length of each range, in bytes."""


class OpenedFile(Protocol):
    """A file that is being read."""

    @property
    def path(self) -> str:
        """Readers of local files open it; only ranges that were waited for have their bytes."""

    def request(self, ranges: Ranges) -> None:
        """Start to load the ranges; returns at once."""

    def wait(self, ranges: Ranges) -> None:
        """Return when the ranges can be read. Raises OSError where they cannot be had."""

    def release(self, ranges: Ranges) -> None:
        """Give up the memory of ranges that nobody reads again."""

    def close(self) -> None:
        """Give up everything."""


class InputFile(Protocol):
    """A file, as Spark's split names it."""

    @property
    def path(self) -> str:
        """Its path or URI."""

    @property
    def is_local(self) -> bool:
        """Whether readers open it by its own path, so that nothing has to be loaded."""

    def version(self) -> Hashable:
        """Equal only as long as the content is the same. Raises OSError for a missing file."""

    def length(self) -> int:
        """The number of its bytes. Raises OSError for a missing file."""

    def open(self) -> OpenedFile:
        """Open it; the caller closes it."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file in this host's file system."""

    path: str
    is_local = True

    def version(self) -> Hashable:
        """Time of the last change, and length."""
        status = Path(self.path).stat()
        return status.st_mtime_ns, status.st_size

    def length(self) -> int:
        """The number of its bytes."""
        return Path(self.path).stat().st_size

    def open(self) -> OpenedFile:
        """The path itself."""
        return _OpenedLocalFile(self.path)


@dataclass(frozen=True, slots=True)
class _OpenedLocalFile:
    path: str

    def request(self, ranges: Ranges) -> None:
        """The operating system reads ahead."""

    def wait(self, ranges: Ranges) -> None:
        """All bytes are there."""

    def release(self, ranges: Ranges) -> None:
        """They are in no memory of ours."""

    def close(self) -> None:
        """Nothing is open."""


def read_range(path: str, offset: int, length: int) -> bytes:
    """The bytes of a range of a local file, fewer at its end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(descriptor, length, offset)
    finally:
        os.close(descriptor)
