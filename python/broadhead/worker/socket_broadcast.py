"""Rows of a broadcast, which the JVM sends over a socket."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    from collections.abc import Iterator

_LENGTH = struct.Struct(">q")
_TIMEOUT_SECONDS = 60.0
"""The JVM has the rows before the task starts: such a long silence means that it has failed."""


@dataclass(frozen=True, slots=True)
class SocketBroadcast:
    """A broadcast of a task's header; see docs/wire-format.md, section 5."""

    name: str
    bytes: int
    path: str

    def messages(self) -> Iterator[pa.Buffer]:
        """The rows as Arrow record batch messages. Raises `EngineLimit` if the JVM stops early."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_TIMEOUT_SECONDS)
            connection.connect(self.path)
            connection.sendall(self.name.encode())
            while (length := self._length(connection)) >= 0:
                yield self._received(connection, length)

    def _length(self, connection: socket.socket) -> int:
        (length,) = _LENGTH.unpack(self._received(connection, _LENGTH.size))
        return int(length)

    def _received(self, connection: socket.socket, size: int) -> pa.Buffer:
        data = pa.allocate_buffer(size)
        left = memoryview(data)
        while left:
            received = connection.recv_into(left)
            if received == 0:
                raise EngineLimit(f"the JVM did not send all rows of broadcast {self.name}")
            left = left[received:]
        return data
