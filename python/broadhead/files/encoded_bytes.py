"""What a library's writer has written of a file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    def take(self) -> Iterator[bytes]:
        """What was written since the last time, in chunks."""
        whole = b"".join(self._waiting)
        self._waiting.clear()
        yield from chunks(whole)


def chunks(content: bytes) -> Iterator[bytes]:
    """The bytes in chunks."""
    for start in range(0, len(content), CHUNK_BYTES):
        yield content[start : start + CHUNK_BYTES]
