"""The events of a log, read line by line."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a log, parsed only if its event is needed: plans are most of a log's bytes."""

    file: str
    number: int
    content: bytes

    @property
    def at(self) -> str:
        """File and number."""
        return f"{self.file}, line {self.number}"

    def event(self) -> Event:
        """Give the event of the line."""
        try:
            event: Event = json.loads(self.content)
        except ValueError as error:
            message = f"{self.at} is no event of Spark: {_shown(self.content)}"
            raise EventLogError(message) from error
        return event


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

    def events(self) -> Iterator[tuple[str, Line]]:
        """Give the name of each wanted event, and its line."""
        for file in self._log.files:
            yield from self._events_of(file)

    def _events_of(self, file: LogFile) -> Iterator[tuple[str, Line]]:
        last = file is self._log.files[-1]
        for number, content, ended in self._lines(file, last=last):
            if not self.spark_version:
                self._begin(file, content)
                continue
            line = Line(file.path, number, content)
            match = _NAME.match(content)
            if match is None or not ended:
                try:
                    line.event()
                except EventLogError:
                    if ended or not last:
                        raise
                    self._note_end(file, number)
                    return
            name = self._wanted.get(match[1]) if match else None
            if name is not None:
                yield name, line

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
