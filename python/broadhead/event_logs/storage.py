"""Where event logs lie: local folders, or any file system of the user's Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol
from urllib.parse import unquote, urlsplit

from broadhead.jar import LaunchError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


class EventLogError(LaunchError):
    """An event log cannot be read; the message is one sentence that names the file."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder: its full path, its size in bytes, and whether it is a folder."""

    path: str
    size: int
    is_folder: bool

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2]


class Storage(Protocol):
    """A file system: its entries and the content of its files."""

    def entry(self, path: str) -> Entry:
        """Give the file or folder with this path."""

    def children(self, folder: str) -> list[Entry]:
        """Give the files and folders in a folder, by name."""

    def open(self, path: str) -> IO[bytes]:
        """Open a file for reading."""


@dataclass(frozen=True, slots=True)
class LocalStorage:
    """The files of this machine."""

    def entry(self, path: str) -> Entry:
        """Give the file or folder with this path."""
        try:
            found = Path(path).stat()
        except OSError as error:
            raise _unreadable(path, error) from error
        return Entry(path, found.st_size, Path(path).is_dir())

    def children(self, folder: str) -> list[Entry]:
        """Give the files and folders in a folder, by name."""
        try:
            paths = sorted(Path(folder).iterdir())
        except OSError as error:
            raise _unreadable(folder, error) from error
        return [self.entry(str(path)) for path in paths]

    def open(self, path: str) -> IO[bytes]:
        """Open a file for reading."""
        try:
            return Path(path).open("rb")
        except OSError as error:
            raise _unreadable(path, error) from error


def is_remote(path: str) -> bool:
    """Say whether a path is a URI of another file system than this machine's."""
    return _SCHEME.match(path) is not None and not path.startswith("file:")


def local_path(path: str) -> str:
    """Give the path of a `file:` URI; other paths are unchanged."""
    return unquote(urlsplit(path).path) if path.startswith("file:") else path


def _unreadable(path: str, error: OSError) -> EventLogError:
    return EventLogError(f"cannot read {path}: {error.strerror}")
