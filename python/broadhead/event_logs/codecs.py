"""Decompression of Spark's event logs, block by block.

Spark names the codec in the file's extension. Its frames are those of the Java libraries: zstd has
standard frames, one after the other; lz4 and snappy have formats of their own around raw blocks.
"""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING

import pyarrow as pa
import zstandard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_READ_BYTES = 1 << 20
_COMPRESSED_BYTES = 1 << 16

_LZ4_MAGIC = b"LZ4Block"
_LZ4_STORED = 0x10
_LZ4_COMPRESSED = 0x20

_SNAPPY_MAGIC = b"\x82SNAPPY\x00"
_SNAPPY_HEADER_BYTES = 16

_LZF_MAGIC = b"ZV"


class DamagedError(Exception):
    """Compressed bytes that their format does not allow."""


class CutError(Exception):
    """Compressed bytes that end within a block, as those of a running application do."""


def decompressed(stream: IO[bytes], codec: str) -> Iterator[bytes]:
    """Give the decompressed bytes of a stream, of whose `codec` CODECS has the name."""
    return CODECS[codec](stream)


def _plain(stream: IO[bytes]) -> Iterator[bytes]:
    while block := stream.read(_READ_BYTES):
        yield block


def _zstd(stream: IO[bytes]) -> Iterator[bytes]:
    """Give the content of zstd frames; Spark ends a frame with each flush."""
    frame = zstandard.ZstdDecompressor().decompressobj()
    begun = False
    while content := stream.read(_COMPRESSED_BYTES):
        while content:
            try:
                block = frame.decompress(content)
            except zstandard.ZstdError as error:
                raise DamagedError(str(error)) from error
            if block:
                yield block
            begun, content = not frame.eof, frame.unused_data
            if frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
    if begun:
        raise CutError


def _lz4(stream: IO[bytes]) -> Iterator[bytes]:
    """Give the blocks of Java's LZ4BlockOutputStream: magic, token, lengths, checksum, bytes."""
    codec = pa.Codec("lz4_raw")
    while magic := stream.read(len(_LZ4_MAGIC)):
        _expect(magic, _LZ4_MAGIC)
        header = _exactly(stream, 13)
        method = header[0] & 0xF0
        stored = int.from_bytes(header[1:5], "little")
        length = int.from_bytes(header[5:9], "little")
        content = _exactly(stream, stored)
        if length == 0:
            continue
        if method == _LZ4_STORED:
            yield content
        elif method == _LZ4_COMPRESSED:
            yield _decompress(codec, content, length)
        else:
            message = f"an lz4 block has the unknown method {method:#x}"
            raise DamagedError(message)


def _snappy(stream: IO[bytes]) -> Iterator[bytes]:
    """Give the blocks of Java's SnappyOutputStream: a header, then lengths and raw blocks."""
    codec = pa.Codec("snappy")
    while start := stream.read(4):
        start += _exactly(stream, 4 - len(start))
        if start == _SNAPPY_MAGIC[:4]:
            header = start + _exactly(stream, _SNAPPY_HEADER_BYTES - 4)
            _expect(header[: len(_SNAPPY_MAGIC)], _SNAPPY_MAGIC)
            continue
        content = _exactly(stream, int.from_bytes(start, "big"))
        yield _decompress(codec, content, _varint(content))


def _lzf(stream: IO[bytes]) -> Iterator[bytes]:
    """Give the blocks of Java's LZFOutputStream: magic, type, lengths, bytes."""
    while magic := stream.read(len(_LZF_MAGIC)):
        _expect(magic, _LZF_MAGIC)
        kind = _exactly(stream, 1)[0]
        content_length = int.from_bytes(_exactly(stream, 2), "big")
        if kind == 0:
            yield _exactly(stream, content_length)
            continue
        length = int.from_bytes(_exactly(stream, 2), "big")
        yield _lzf_block(_exactly(stream, content_length), length)


def _lzf_block(content: bytes, length: int) -> bytes:
    result = bytearray()
    at = 0
    try:
        while at < len(content):
            control = content[at]
            at += 1
            if control < 32:
                result += content[at : at + control + 1]
                at += control + 1
                continue
            count = control >> 5
            if count == 7:
                count += content[at]
                at += 1
            start = len(result) - ((control & 0x1F) << 8) - content[at] - 1
            at += 1
            for index in range(start, start + count + 2):
                result.append(result[index])
    except IndexError as error:
        raise DamagedError("an lzf block refers to bytes that it does not have") from error
    if len(result) != length:
        message = f"an lzf block has {len(result)} bytes where its header says {length}"
        raise DamagedError(message)
    return bytes(result)


def _decompress(codec: pa.Codec, content: bytes, length: int) -> bytes:
    try:
        block: bytes = codec.decompress(content, decompressed_size=length, asbytes=True)
    except (pa.ArrowException, OSError) as error:
        raise DamagedError(str(error)) from error
    return block


def _varint(content: bytes) -> int:
    value = 0
    for shift, byte in enumerate(content[:5]):
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value
    raise DamagedError("a snappy block does not begin with its length")


def _exactly(stream: IO[bytes], count: int) -> bytes:
    content = stream.read(count)
    if len(content) < count:
        raise CutError
    return content


def _expect(found: bytes, magic: bytes) -> None:
    if found == magic:
        return
    if magic.startswith(found):
        raise CutError
    message = f"a block begins with {found!r} instead of {magic!r}"
    raise DamagedError(message)


CODECS: dict[str, Callable[[IO[bytes]], Iterator[bytes]]] = {
    "": _plain,
    "zstd": _zstd,
    "zst": _zstd,
    "lz4": _lz4,
    "snappy": _snappy,
    "lzf": _lzf,
}
"""The codecs of Spark's setting `spark.eventLog.compression.codec`, by their extensions."""


class Counted(io.RawIOBase):
    """A stream that reports how many bytes were read from it."""

    def __init__(self, stream: IO[bytes], report: Callable[[int], None]) -> None:
        super().__init__()
        self._stream = stream
        self._report = report

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Give up to `size` bytes."""
        content = self._stream.read(size)
        self._report(len(content))
        return content
