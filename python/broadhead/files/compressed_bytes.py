"""Compressed files as Hadoop's codecs write them: the content of a file's bytes."""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

import pyarrow as pa

from broadhead.errors import EngineLimit

_LENGTH_BYTES = 4
_MOST_BLOCK_BYTES = 256 << 20


def _gunzipped(parts: Iterator[bytes], most: int) -> Iterator[bytes]:
    """The content of all members of a gzip file."""
    window = 16 + zlib.MAX_WBITS
    member, is_open = zlib.decompressobj(window), False
    try:
        for data in parts:
            while data:
                is_open = True
                if found := member.decompress(data, most):
                    yield found
                if member.eof:
                    data = member.unused_data
                    member, is_open = zlib.decompressobj(window), False
                else:
                    data = member.unconsumed_tail
        if is_open and (found := member.flush()):
            yield found
    except zlib.error as error:
        raise EngineLimit(f"a gzip file is damaged: {error}") from error
    if is_open and not member.eof:
        raise EngineLimit("a gzip file ends early")


def _inflated(parts: Iterator[bytes], most: int) -> Iterator[bytes]:
    """The content of a file that is one zlib stream."""
    stream = zlib.decompressobj()
    try:
        for data in parts:
            while data:
                if found := stream.decompress(data, most):
                    yield found
                if stream.eof:
                    break
                data = stream.unconsumed_tail
            if stream.eof:
                break
        if found := stream.flush():
            yield found
    except zlib.error as error:
        raise EngineLimit(f"a .deflate file is damaged: {error}") from error
    if not stream.eof or stream.unused_data or next(parts, b""):
        raise EngineLimit("a .deflate file is not one zlib stream")


def _bunzipped(parts: Iterator[bytes], most: int) -> Iterator[bytes]:
    """The content of all streams of a bzip2 file."""
    stream, is_open = bz2.BZ2Decompressor(), False
    try:
        for data in parts:
            while data or (is_open and not stream.needs_input):
                is_open = True
                if found := stream.decompress(data, most):
                    yield found
                data = b""
                if stream.eof:
                    data = stream.unused_data
                    stream, is_open = bz2.BZ2Decompressor(), False
    except (OSError, ValueError) as error:
        raise EngineLimit(f"a bzip2 file is damaged: {error}") from error
    if is_open:
        raise EngineLimit("a bzip2 file ends early")


def _unsnapped(parts: Iterator[bytes], _: int) -> Iterator[bytes]:
    """The content of Hadoop's blocks of Snappy."""
    return _of_blocks(parts, lambda chunk, _: unsnapped(chunk))


def _of_lz4(parts: Iterator[bytes], _: int) -> Iterator[bytes]:
    """The content of Hadoop's blocks of LZ4."""
    return _of_blocks(parts, _lz4_chunk)


def _of_blocks(
    parts: Iterator[bytes], decompress: Callable[[bytes, int], bytes]
) -> Iterator[bytes]:
    """The content of blocks: each has its length, then chunks of compressed bytes after theirs.

    `decompress` gives the content of a chunk, which is at most so many bytes long.
    """
    stream = _Bytes(parts)
    while head := stream.take(_LENGTH_BYTES):
        left = _length(head)
        while left:
            compressed = _length(stream.take(_LENGTH_BYTES))
            chunk = stream.take(compressed)
            if len(chunk) < compressed:
                raise EngineLimit("a compressed file ends early")
            try:
                content = decompress(chunk, left)
            except (OSError, IndexError, pa.ArrowException) as error:
                raise EngineLimit(f"a compressed file is damaged: {error}") from error
            if not 0 < len(content) <= left:
                raise EngineLimit("a compressed file has a chunk of another length than its block")
            yield content
            left -= len(content)


def _length(head: bytes) -> int:
    length = int.from_bytes(head, "big")
    if len(head) < _LENGTH_BYTES or not 0 < length <= _MOST_BLOCK_BYTES:
        raise EngineLimit("a compressed file has an incomplete, empty or very long block")
    return length


def unsnapped(block: bytes) -> bytes:
    """The content of a block of Snappy, which has its length in groups of seven bits first.

    Raises IndexError or OSError for a damaged one.
    """
    length = shift = position = 0
    while (byte := block[position]) & 128:
        length |= (byte & 127) << shift
        shift, position = shift + 7, position + 1
    content: bytes = pa.decompress(block, length | byte << shift, "snappy", asbytes=True)
    return content


def _lz4_chunk(chunk: bytes, length: int) -> bytes:
    """The content of a chunk if it has this length, which the chunk itself does not say."""
    codec = pa.Codec("lz4_raw")
    with suppress(OSError):
        codec.decompress(chunk, length - 1)
        raise EngineLimit("a block of LZ4 has several chunks")
    content: bytes = codec.decompress(chunk, length, asbytes=True)
    return content


class _Bytes:
    """The bytes of a file's parts, one part after the other."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._current = memoryview(b"")

    def take(self, count: int) -> bytes:
        """The next bytes; fewer at the end."""
        found = []
        while count:
            if not self._current:
                self._current = memoryview(next(self._parts, b""))
                if not self._current:
                    break
            part = self._current[:count]
            found.append(part)
            self._current = self._current[len(part) :]
            count -= len(part)
        return b"".join(found)


CODECS: Mapping[str, Callable[[Iterator[bytes], int], Iterator[bytes]]] = {
    ".gz": _gunzipped,
    ".bz2": _bunzipped,
    ".deflate": _inflated,
    ".snappy": _unsnapped,
    ".lz4": _of_lz4,
}
"""What decompresses files, by the end of their names.

Each takes parts of a file and how many bytes it may give at once. Raises `EngineLimit` for bytes
that are damaged, or that Hadoop may read in another way.
"""
