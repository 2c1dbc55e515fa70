"""What a library's writer has written of a file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHUNK_BYTES = 256 << 10
"""Encoded bytes that are sent on at once: the JVM's collector starts a cycle for larger arrays."""


class EncodedBytes(io.RawIOBase):
    """A file for a writer that keeps what was written until it is taken."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        """True."""
        return True

    def write(self, data: Any) -> int:
        """Copies the bytes, since the writer uses its buffers again."""
        content = bytes(data)
        self._waiting.append(content)
        self._position += len(content)
        return len(content)

    def tell(self) -> int:
        """The number of bytes written so far."""
        return self._position

    def take(self) -> Iterator[bytes | memoryview]:
        """What was written since the last time, in chunks."""
        waiting, self._waiting = self._waiting, []
        yield from chunks(waiting)


def chunks(buffers: Iterable[bytes]) -> Iterator[bytes | memoryview]:
    """The bytes of the buffers in chunks: small buffers are joined, large ones are not copied."""
    small: list[bytes] = []
    size = 0
    for buffer in buffers:
        if small and size + len(buffer) > CHUNK_BYTES:
            yield b"".join(small)
            small, size = [], 0
        if len(buffer) > CHUNK_BYTES:
            yield from _divided(buffer)
        else:
            small.append(buffer)
            size += len(buffer)
    if small:
        yield b"".join(small)


def _divided(buffer: bytes) -> Iterator[memoryview]:
    view = memoryview(buffer)
    for start in range(0, len(view), CHUNK_BYTES):
        yield view[start : start + CHUNK_BYTES]
