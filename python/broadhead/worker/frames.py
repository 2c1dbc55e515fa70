"""Frames between the JVM and the worker; see docs/wire-format.md, section 2."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from broadhead.worker.latency import send_at_once

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER_BYTES = 16
END_OF_DATA = -1


@dataclass(frozen=True, slots=True)
class Frame:
    """`tag` is one character; `source` the number of a row source; `body` any buffer of bytes."""

    tag: str
    body: Any
    source: int = 0

    def header(self) -> bytes:
        """Tag, source and padding."""
        return bytes((ord(self.tag), self.source)).ljust(HEADER_BYTES, b"\0")


class FrameDeserializer:
    """Reads frames; has the one method that Spark's worker calls on a deserializer."""

    def load_stream(self, stream: BinaryIO) -> Iterator[Frame]:
        """The frames up to the end of the data."""
        send_at_once(stream)
        while True:
            (length,) = struct.unpack(">i", _read(stream, 4))
            if length == END_OF_DATA:
                return
            payload = memoryview(_read(stream, length))
            yield Frame(chr(payload[0]), payload[HEADER_BYTES:], payload[1])


def write_frame(frame: Frame, stream: BinaryIO) -> None:
    """Send a frame. An Arrow message has no header: the JVM passes it on unchanged."""
    body = memoryview(frame.body)
    header = b"" if frame.tag == "A" else frame.header()
    stream.write(struct.pack(">i", len(header) + body.nbytes))
    stream.write(header)
    stream.write(body)
    stream.flush()


def _read(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError(f"the JVM closed the connection after {len(data)} of {length} bytes")
    return data
