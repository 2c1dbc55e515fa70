"""The events of a log, read line by line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from broadhead.event_logs.codecs import Counted, CutError, DamagedError, decompressed
from broadhead.event_logs.storage import EventLogError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from broadhead.event_logs.logs import EventLog, LogFile

Event = dict[str, Any]

_NAME = re.compile(rb'\{"Event":"([^"]*)"')
_START = "SparkListenerLogStart"
_OLDEST = (3, 0)
_SHOWN = 60


class NoEventLogError(EventLogError):
    """A file is no event log at all."""


class EventReader:
    """Gives the events of a log whose names are wanted, and remembers where the log ends early."""

    def __init__(
        self, log: EventLog, wanted: Collection[str], progress: Callable[[int], None]
    ) -> None:
        self._log = log
        self._wanted = {name.encode(): name for name in wanted}
        self._progress = progress
        self.spark_version = ""
        self.notes: list[str] = []
        self._file, self._number = log.path, 0

    @property
    def at(self) -> str:
        """File and line of the event that was given last."""
        return f"{self._file}, line {self._number}"

    def events(self) -> Iterator[tuple[str, Event]]:
        """Give name and content of each wanted event."""
        for file in self._log.files:
            yield from self._events_of(file)

    def _events_of(self, file: LogFile) -> Iterator[tuple[str, Event]]:
        last = file is self._log.files[-1]
        for number, line, ended in self._lines(file, last=last):
            if not self.spark_version:
                self._begin(file, line)
                continue
            match = _NAME.match(line)
            name = self._wanted.get(match[1]) if match else None
            if match and name is None and ended:
                continue
            try:
                event = json.loads(line)
            except ValueError as error:
                if last and not ended:
                    self._note_end(file, number)
                    return
                message = f"{file.path}, line {number} is no event of Spark: {_shown(line)}"
                raise EventLogError(message) from error
            name = name or self._wanted.get(str(event.get("Event")).encode())
            if name is not None:
                self._file, self._number = file.path, number
                yield name, event

    def _lines(self, file: LogFile, *, last: bool) -> Iterator[tuple[int, bytes, bool]]:
        """Give the number of each line, the line, and whether it ends with a line break."""
        number, rest = 1, b""
        try:
            with file.open() as stream:
                for block in decompressed(_counted(stream, self._progress), file.codec):
                    lines = (rest + block).split(b"\n")
                    rest = lines.pop()
                    for line in lines:
                        yield number, line, True
                        number += 1
        except CutError as error:
            if not last:
                message = f"{file.path} ends within line {number}, before the log's next file"
                raise EventLogError(message) from error
            self._note_end(file, number)
            return
        except DamagedError as error:
            kind = file.codec or "plain"
            message = f"{file.path} is damaged after line {number - 1} ({kind}): {error}"
            raise EventLogError(message) from error
        if rest:
            yield number, rest, False

    def _note_end(self, file: LogFile, number: int) -> None:
        note = f"{file.path} ends within line {number}; the events before it are used"
        if note not in self.notes:
            self.notes.append(note)

    def _begin(self, file: LogFile, line: bytes) -> None:
        """Read the first line, which has the version of Spark."""
        try:
            event = json.loads(line)
            name, version = event["Event"], event["Spark Version"]
        except (ValueError, KeyError, TypeError) as error:
            message = (
                f"{file.path}, line 1 is not the start of an event log of Spark "
                f"({_START}): {_shown(line)}"
            )
            raise NoEventLogError(message) from error
        numbers = tuple(int(part) for part in re.findall(r"\d+", str(version))[:2])
        if name != _START or numbers < _OLDEST:
            message = (
                f"{file.path}, line 1 is of Spark {version}; "
                "logs of Spark 3.0 and later can be read"
            )
            raise EventLogError(message)
        self.spark_version = str(version)


def _counted(stream: Any, progress: Callable[[int], None]) -> Any:
    return Counted(stream, progress)


def _shown(line: bytes) -> str:
    text = line[:_SHOWN].decode(errors="replace")
    return repr(text + "..." if len(line) > _SHOWN else text)
