"""The event logs at a path: single files, rolling folders, and folders of many applications."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from broadhead.event_logs.codecs import CODECS
from broadhead.event_logs.hadoop import HadoopStorage
from broadhead.event_logs.storage import (
    EventLogError,
    LocalStorage,
    is_remote,
    local_path,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from broadhead.event_logs.storage import Entry, Storage

_ROLLING = "eventlog_v2_"
_IN_PROGRESS = ".inprogress"
_COMPACT = ".compact"
_ROLLED_FILE = re.compile(r"events_(\d+)_")


@dataclass(frozen=True)
class LogFile:
    """One file of an event log."""

    path: str
    size: int
    storage: Storage

    @property
    def codec(self) -> str:
        """The name of its codec in CODECS; an application's name may have dots, too."""
        name = self.path.removesuffix(_IN_PROGRESS).removesuffix(_COMPACT)
        extension = name.rpartition("/")[2].rpartition(".")[2]
        return extension if extension in CODECS else ""

    def open(self) -> IO[bytes]:
        """Open it for reading."""
        return self.storage.open(self.path)


@dataclass(frozen=True)
class EventLog:
    """The event log of one application: its files in their order.

    `named` says whether the user has named it, rather than a folder around it.
    """

    path: str
    files: tuple[LogFile, ...]
    named: bool

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def find_logs(paths: Iterable[str], settings: Mapping[str, str]) -> list[EventLog]:
    """Give the event logs at these paths, in their order, each once."""
    remote = HadoopStorage(settings)
    found: dict[str, EventLog] = {}
    for path in paths:
        storage = remote if is_remote(path) else LocalStorage()
        for log in _logs_at(storage, path if is_remote(path) else local_path(path)):
            found.setdefault(log.path, log)
    return list(found.values())


def _logs_at(storage: Storage, path: str) -> list[EventLog]:
    entry = storage.entry(path)
    if not entry.is_folder:
        return [_single(storage, entry, named=True)]
    children = [child for child in storage.children(path) if child.name[0] not in "._"]
    if any(_ROLLED_FILE.match(child.name) for child in children):
        return [_rolling(storage, path, children, named=True)]
    logs = [log for child in children if (log := _log_of(storage, child)) is not None]
    if not logs:
        raise EventLogError(
            f"{path} has no event logs: name a log, or the folder of spark.eventLog.dir"
        )
    return logs


def _log_of(storage: Storage, entry: Entry) -> EventLog | None:
    if not entry.is_folder:
        return _single(storage, entry, named=False)
    if not entry.name.startswith(_ROLLING):
        return None
    files = storage.children(entry.path)
    if not any(_ROLLED_FILE.match(file.name) for file in files):
        return None
    return _rolling(storage, entry.path, files, named=False)


def _single(storage: Storage, entry: Entry, *, named: bool) -> EventLog:
    return EventLog(entry.path, (LogFile(entry.path, entry.size, storage),), named)


def _rolling(storage: Storage, path: str, entries: Iterable[Entry], *, named: bool) -> EventLog:
    """Give a rolling log; a compacted file stands for itself and all files before it."""
    files = sorted(
        (int(match[1]), not entry.name.endswith(_COMPACT), entry.name, entry)
        for entry in entries
        if (match := _ROLLED_FILE.match(entry.name))
    )
    compacted = max((at for at, (_, plain, *_) in enumerate(files) if not plain), default=0)
    first = files[compacted][0]
    kept = [
        entry
        for number, plain, _, entry in files[compacted:]
        if number > first or not plain or files[compacted][1]
    ]
    return EventLog(path, tuple(LogFile(e.path, e.size, storage) for e in kept), named)
