"""The content of a shuffle block: buffers after a directory; see docs/wire-format.md, section 4.

A buffer is compressed only if that reduces its size: for dense integers, compression would take
most of the time of a block and save nothing.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

NONE, LZ4, ZSTD = 0, 1, 2

_CODEC_NAMES = {LZ4: "lz4_raw", ZSTD: "zstd"}
_ENTRY = struct.Struct("<BB2xIq")
_ALIGNMENT = 8
_PADDING = bytes(_ALIGNMENT)
_LEAST_COMPRESSED = 64
"""Buffers of fewer bytes are not compressed."""
_SAMPLE_BYTES = 72 << 10
"""More than 64 KiB: LZ4 compresses the start of a buffer better than the rest."""
_LARGEST_SHARE = 0.9
"""A buffer is not compressed if its compressed sample exceeds this fraction."""


class DamagedBlock(Exception):
    """The bytes are not the written block."""


@dataclass(slots=True)
class BlockBuffer:
    """One buffer of a column before compression.

    `width` and `number` describe the encoding of `data`; their meaning depends on the kind of
    buffer.
    """

    data: Any
    width: int = 1
    number: int = 0


def encode_buffers(buffers: Sequence[BlockBuffer], codec: int) -> list[Any]:
    """The directory of the buffers, then each buffer with its padding."""
    directory = bytearray(_ENTRY.size * len(buffers))
    chunks: list[Any] = [directory]
    for number, part in enumerate(buffers):
        used, data = _compressed(part.data, codec)
        size = len(data)
        _ENTRY.pack_into(directory, number * _ENTRY.size, used, part.width, size, part.number)
        if size:
            chunks.append(data)
            if size % _ALIGNMENT:
                chunks.append(_PADDING[size % _ALIGNMENT :])
    return chunks


def _compressed(data: Any, codec: int) -> tuple[int, Any]:
    """The data, and the codec of their compression."""
    size = len(data)
    if codec == NONE or size < _LEAST_COMPRESSED:
        return NONE, data
    compress = _codec(codec).compress
    if size > _SAMPLE_BYTES:
        sample = compress(data[:_SAMPLE_BYTES], asbytes=False)
        if len(sample) > _SAMPLE_BYTES * _LARGEST_SHARE:
            return NONE, data
    packed = compress(data, asbytes=False)
    return (codec, packed) if len(packed) <= size * _LARGEST_SHARE else (NONE, data)


@cache
def _codec(number: int) -> pa.Codec:
    level = 1 if number == ZSTD else None
    return pa.Codec(_CODEC_NAMES[number], compression_level=level)


class BufferReader:
    """Reads the content of a block, buffer by buffer."""

    def __init__(self, content: pa.Buffer, count: int) -> None:
        end = count * _ENTRY.size
        if end > content.size:
            raise DamagedBlock("it ends before its first column")
        self._entries = _ENTRY.iter_unpack(content[:end])
        self._content = content
        self._end = end
        self._codec = NONE
        self._start = self._stored = 0

    def next(self) -> tuple[int, int]:
        """The width and the number of the next buffer."""
        entry = next(self._entries, None)
        if entry is None:
            raise DamagedBlock("it ends before its last column")
        self._codec, width, self._stored, number = entry
        self._start = self._end + -self._end % _ALIGNMENT
        self._end = self._start + self._stored
        if self._end > self._content.size:
            raise DamagedBlock(f"it holds a buffer of {self._stored} bytes")
        return width, number

    def data(self, size: int) -> pa.Buffer:
        """The bytes of the buffer announced by `next`, whose size is `size` before compression."""
        data = self._content.slice(self._start, self._stored)
        if self._codec != NONE and size > 0:
            try:
                data = _codec(self._codec).decompress(data, size, asbytes=False)
            except (KeyError, OSError, MemoryError, OverflowError, pa.ArrowException) as error:
                raise DamagedBlock(f"it cannot be decompressed: {error}") from error
        if data.size != size:
            raise DamagedBlock(f"a buffer has {data.size} bytes instead of {size}")
        return data
