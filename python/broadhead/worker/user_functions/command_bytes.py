"""The parts of the messages with which Spark's JVM tells a worker its functions."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def write_int(value: int, stream: io.BytesIO) -> None:
    """Four bytes."""
    stream.write(struct.pack("!i", value))


def write_long(value: int, stream: io.BytesIO) -> None:
    """Eight bytes."""
    stream.write(struct.pack("!q", value))


def write_bool(value: bool, stream: io.BytesIO) -> None:  # noqa: FBT001 - like its siblings
    """One byte."""
    stream.write(struct.pack("!?", value))


def write_bytes(data: bytes, stream: io.BytesIO) -> None:
    """The length, then the bytes."""
    write_int(len(data), stream)
    stream.write(data)


def write_text(text: str, stream: io.BytesIO) -> None:
    """A text as bytes of UTF-8."""
    write_bytes(text.encode(), stream)


def write_conf(conf: Mapping[str, str], stream: io.BytesIO) -> None:
    """The number of settings, then the name and the value of each."""
    write_int(len(conf), stream)
    for key, value in conf.items():
        write_text(key, stream)
        write_text(value, stream)


def conf_source(conf: Mapping[str, str], version: tuple[int, ...]) -> io.BytesIO | dict[str, str]:
    """Settings as the classes of PySpark's worker take them: Spark 4.2 reads them from a stream."""
    if version >= (4, 3):
        return dict(conf)
    stream = io.BytesIO()
    write_conf(conf, stream)
    stream.seek(0)
    return stream
