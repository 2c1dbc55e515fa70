"""Connections to the Unix sockets at which the JVM answers a task's worker."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Callable

SILENCE_SECONDS = 60.0


class JvmConnection:
    """A connection to the socket `path`, at which the JVM sends its `content`.

    A silence of a minute ends it. Where the JVM runs code of unknown duration, a `patient`
    connection waits as long as the socket exists: the JVM deletes it with the task.

    Raises `EngineLimit` wherever the JVM has stopped.
    """

    def __init__(self, path: str | None, content: str, *, patient: bool = False) -> None:
        if path is None:
            raise EngineLimit(f"the task's header names no socket for {content}")
        self._path = Path(path)
        self._content = content
        self._patient = patient
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise self._stopped(error) from error
        self._socket.settimeout(SILENCE_SECONDS)

    def send(self, *parts: Any) -> None:
        """Send the bytes of some buffers."""
        for part in parts:
            self._move(self._socket.send, part)

    def received(self, size: int) -> bytearray:
        """The next `size` bytes."""
        data = bytearray(size)
        self.receive(data)
        return data

    def receive(self, target: Any) -> None:
        """Fill a buffer with the next bytes."""
        self._move(self._socket.recv_into, target)

    def close(self) -> None:
        """Close it; what is under way fails."""
        self._socket.close()

    def _move(self, call: Callable[[memoryview], int], data: Any) -> None:
        with memoryview(data) as view, view.cast("B") as content:
            done = 0
            while done < len(content):
                with content[done:] as rest:
                    moved = self._moved(call, rest)
                if moved == 0:
                    raise self._stopped("the connection has ended")
                done += moved

    def _moved(self, call: Callable[[memoryview], int], rest: memoryview) -> int:
        """The number of bytes that a call has moved."""
        while True:
            try:
                return call(rest)
            except TimeoutError as error:
                if not (self._patient and self._path.exists()):
                    raise self._stopped(error) from error
            except OSError as error:
                raise self._stopped(error) from error

    def _stopped(self, reason: object) -> EngineLimit:
        return EngineLimit(f"the JVM sends no more {self._content}: {reason}")
