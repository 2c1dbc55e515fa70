"""Rows of a broadcast, which the JVM sends over a socket."""

from __future__ import annotations

import struct
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.worker.jvm_connection import JvmConnection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.kept_blocks import KeptRange

_LENGTH = struct.Struct(">q")


@dataclass(frozen=True, slots=True)
class SocketBroadcast:
    """A broadcast of a task's header; see docs/wire-format.md, section 5."""

    name: str
    bytes: int
    path: str
    kept: Sequence[KeptRange]

    def messages(self) -> Iterator[pa.Buffer]:
        """The rows as Arrow record batch messages. Raises `EngineLimit` if the JVM stops early."""
        with closing(JvmConnection(self.path, f"rows of broadcast {self.name}")) as connection:
            connection.send(self.name.encode())
            while (length := _length(connection)) >= 0:
                message = pa.allocate_buffer(length)
                connection.receive(message)
                yield message


def _length(connection: JvmConnection) -> int:
    (length,) = _LENGTH.unpack(connection.received(_LENGTH.size))
    return int(length)
