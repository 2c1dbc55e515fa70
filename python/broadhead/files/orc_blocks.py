"""Compressed parts of ORC files: blocks of a few hundred kilobytes, each with its length.

https://orc.apache.org/specification/ORCv1/#compression
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.files.compressed_bytes import unsnapped

if TYPE_CHECKING:
    from collections.abc import Callable

_HEADER_BYTES = 3
_RAW_DEFLATE = -15
_LONGEST_NIBBLE = 15
_SHORTEST_MATCH = 4


def decompressed(data: bytes, compression: int) -> bytes:
    """The content of adjacent blocks. Raises ValueError for a compression that nobody uses."""
    if not compression:
        return data
    if compression not in _CODECS:
        raise ValueError(f"ORC's compression number {compression} is not supported")
    parts = []
    position = 0
    while position < len(data):
        header = int.from_bytes(data[position : position + _HEADER_BYTES], "little")
        position += _HEADER_BYTES
        length, is_original = header >> 1, header & 1
        block = data[position : position + length]
        parts.append(block if is_original else _CODECS[compression](block))
        position += length
    return b"".join(parts)


def as_original_blocks(content: bytes, compression: int, block_bytes: int) -> bytes:
    """The content as blocks that are not compressed, in a file of this compression."""
    if not compression:
        return content
    parts = []
    for start in range(0, len(content), block_bytes):
        block = content[start : start + block_bytes]
        parts += [(len(block) << 1 | 1).to_bytes(_HEADER_BYTES, "little"), block]
    return b"".join(parts)


def _zlib(block: bytes) -> bytes:
    return zlib.decompress(block, _RAW_DEFLATE)


def _lz4(block: bytes) -> bytes:
    content: bytes = pa.decompress(block, _lz4_length(block), "lz4_raw", asbytes=True)
    return content


def _lz4_length(block: bytes) -> int:
    """The length of the content, which neither the block nor the file has."""
    position = total = 0
    while position < len(block):
        token = block[position]
        literals, position = _lz4_extended(block, token >> 4, position + 1)
        position += literals
        total += literals
        if position < len(block):  # a match follows, but for the last literals
            match, position = _lz4_extended(block, token & 15, position + 2)
            total += match + _SHORTEST_MATCH
    return total


def _lz4_extended(block: bytes, length: int, position: int) -> tuple[int, int]:
    """A length whose first four bits are known, and the position after it."""
    if length == _LONGEST_NIBBLE:
        while True:
            byte = block[position]
            length, position = length + byte, position + 1
            if byte != 0xFF:
                break
    return length, position


def _zstd(block: bytes) -> bytes:
    with pa.CompressedInputStream(pa.BufferReader(block), "zstd") as stream:
        content: bytes = stream.read()
        return content


_CODECS: dict[int, Callable[[bytes], bytes]] = {1: _zlib, 2: unsnapped, 4: _lz4, 5: _zstd}
"""By their numbers in `CompressionKind`; 0 is none."""
