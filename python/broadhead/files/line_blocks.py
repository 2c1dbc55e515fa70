"""Blocks of whole lines of a split, divided as Hadoop's `LineRecordReader` divides them.

A split has the lines that start after its first byte, or with the file, and not after its end. So a
line that crosses an end belongs to the split before it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit
from broadhead.files.compressed_bytes import CODECS

if TYPE_CHECKING:
    from broadhead.files.input_file import InputFile, OpenedFile

_FIRST_BYTES_AFTER = 64 << 10
"""Bytes that are read at first after the end of a split, to find the end of its last line."""

_RANGES_AHEAD = 4
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CARRIAGE_RETURN = 0x0D
_LINE_FEED = 0x0A

_OTHER_CODECS = (".zst", ".zstd", ".passthrough", ".lzo")
"""File names by which Hadoop chooses codecs that Python does not have."""


def line_blocks(
    file: InputFile,
    start: int,
    length: int,
    *,
    any_line_end: bool,
    block_bytes: int,
    margin: int = 0,
) -> Iterator[bytes]:
    """The lines of a split, in blocks of about `block_bytes` that end with a whole line.

    With `any_line_end` a line ends with LF, CR or both, otherwise with LF. A byte order mark at the
    start of the file is left out. `margin` zeros stand before each block, and as many after it, so
    that a reader that needs them has not to copy the block. Raises OSError for a file that cannot
    be read, and `EngineLimit` for a codec that Python does not have, or if compressed data are
    damaged.
    """
    decompress = _decompression(file, start, length)
    size = file.length()
    if decompress is None:
        with closing(file.open()) as opened:
            chunks = _chunks(opened, _ranges(start, start + length, size, block_bytes))
            cuts = _Cuts(any_line_end=any_line_end)
            blocks = _divided(chunks, cuts, start, start + length)
            yield from _with_margins(blocks, bytes(margin))
        return
    with closing(file.open()) as opened:
        chunks = decompress(_chunks(opened, _ranges(0, size, size, block_bytes)), block_bytes)
        blocks = _divided(chunks, _Cuts(any_line_end=any_line_end), 0, None)
        yield from _with_margins(blocks, bytes(margin))


def is_compressed(file: InputFile) -> bool:
    """Whether Hadoop takes the file for a compressed one, by its name."""
    return file.path.endswith((*_OTHER_CODECS, *CODECS))


class _Cuts:
    """Positions after the ends of lines."""

    def __init__(self, *, any_line_end: bool) -> None:
        self._any = any_line_end

    def first(self, data: bytes, after: int, *, is_last: bool) -> int | None:
        """After the first end of a line that does not lie before `after`; None for no such end.

        `is_last` says whether no more bytes follow the data.
        """
        feed = data.find(b"\n", after)
        if self._any:
            found = data.find(b"\r", after, feed if feed >= 0 else len(data))
            if found >= 0:
                if found + 1 == len(data):
                    return len(data) if is_last else None
                return found + 2 if data[found + 1] == _LINE_FEED else found + 1
        return feed + 1 if feed >= 0 else None

    def last(self, data: bytes) -> int:
        """After the last end of a line; 0 for none."""
        feed = data.rfind(b"\n") + 1
        if self._any:
            # what follows the last byte may belong to the same end
            return max(feed, data.rfind(b"\r", feed, max(feed, len(data) - 1)) + 1)
        return feed


def _divided(
    chunks: Iterator[bytes], cuts: _Cuts, position: int, end: int | None
) -> Iterator[Sequence[bytes | memoryview]]:
    """Parts of blocks of the lines that start after `position`, or with the file, up to `end`."""
    chunks = _with_ends(chunks)
    rest, marked, partial = b"", position == 0, position > 0
    following = next(chunks, None)
    while following is not None:
        if not (marked or partial):
            cut, after = cuts.last(following), position + len(rest) + len(following)
            if cut and (end is None or after <= end) and (upcoming := next(chunks, None)):
                # the bytes of a block are copied once
                yield rest, memoryview(following)[:cut]
                position, rest = after - (len(following) - cut), following[cut:]
                following = upcoming
                continue
        data, following = rest + following, next(chunks, None)
        is_last = following is None
        if marked:
            if len(data) < len(BYTE_ORDER_MARK) and not is_last:
                rest = data
                continue
            marked = False
            if data.startswith(BYTE_ORDER_MARK):
                data = data[len(BYTE_ORDER_MARK) :]
                position += len(BYTE_ORDER_MARK)
                if is_last and not data:
                    raise EngineLimit("a file has nothing but a byte order mark")
        if partial:
            first = cuts.first(data, 0, is_last=is_last)
            if first is None:
                rest = b"\r" if data.endswith(b"\r") else b""
                position += len(data) - len(rest)
                continue
            partial = False
            data, position = data[first:], position + first
            if end is not None and position > end:
                return
        if end is not None and position + len(data) > end:
            stop = cuts.first(data, max(0, end - position), is_last=is_last)
            if stop is not None:
                yield (data[:stop],)
                return
        cut = len(data) if is_last else cuts.last(data)
        if cut:
            yield (data[:cut],)
        rest, position = data[cut:], position + cut


def _with_margins(blocks: Iterator[Sequence[bytes | memoryview]], margin: bytes) -> Iterator[bytes]:
    """The blocks, of which each is joined once."""
    for parts in blocks:
        yield b"".join((margin, *parts, margin))


def _with_ends(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks, joined so that a line ends in each but the last: a long line is copied once."""
    group: list[bytes] = []
    for chunk in chunks:
        group.append(chunk)
        if b"\n" in chunk or b"\r" in chunk:
            yield b"".join(group)
            group = []
    if group:
        yield b"".join(group)


def _ranges(start: int, end: int, size: int, block_bytes: int) -> Iterator[tuple[int, int]]:
    """Ranges from `start` to the end of the file, small ones at first after `end`."""
    end = min(end, size)
    for position in range(start, end, block_bytes):
        yield position, min(block_bytes, end - position)
    position, step = max(start, end), _FIRST_BYTES_AFTER
    while position < size:
        length = min(step, size - position)
        yield position, length
        position += length
        step = min(2 * step, block_bytes)


def _chunks(opened: OpenedFile, ranges: Iterator[tuple[int, int]]) -> Iterator[bytes]:
    """The bytes of the ranges; some of them are loaded ahead."""
    ahead: deque[tuple[int, int]] = deque()
    descriptor = os.open(opened.path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while True:
            while len(ahead) < _RANGES_AHEAD and (part := next(ranges, None)) is not None:
                opened.request([part])
                ahead.append(part)
            if not ahead:
                return
            part = ahead.popleft()
            opened.wait([part])
            data = os.pread(descriptor, part[1], part[0])
            opened.release([part])
            if not data:
                return
            yield data
    finally:
        os.close(descriptor)


def _decompression(
    file: InputFile, start: int, length: int
) -> Callable[[Iterator[bytes], int], Iterator[bytes]] | None:
    """What decompresses the file, chosen by its name like in Hadoop; None for a plain file."""
    if file.path.endswith(_OTHER_CODECS):
        raise EngineLimit(f"{file.path} is compressed by a codec that Python does not have")
    for suffix, decompress in CODECS.items():
        if file.path.endswith(suffix):
            if start or length != file.length():
                raise EngineLimit(f"{file.path} is compressed and divided into splits")
            return decompress
    return None
