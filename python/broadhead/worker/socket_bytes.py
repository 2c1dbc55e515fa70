"""Bytes of the answers that the JVM sends over a socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.errors import EngineLimit

if TYPE_CHECKING:
    import socket


def received(connection: socket.socket, size: int, content: str) -> bytearray:
    """The next `size` bytes. Raises `EngineLimit` if the JVM sends no more of its `content`."""
    data = bytearray(size)
    left: Any = memoryview(data)
    while left:
        count = connection.recv_into(left)
        if count == 0:
            raise EngineLimit(f"the JVM sends no more {content}")
        left = left[count:]
    return data
