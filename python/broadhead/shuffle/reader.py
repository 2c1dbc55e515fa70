"""The rows of shuffle blocks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.errors import ShuffleBlockError
from broadhead.shuffle.block import HEADER, MAGIC, Rows, concatenate, decode
from broadhead.shuffle.buffers import DamagedBlock

if TYPE_CHECKING:
    from broadhead.types import DataType


@dataclass(frozen=True, slots=True)
class Segment:
    """Any number of whole blocks: a range of a local file, or bytes from another host (`data`)."""

    path: str | None
    offset: int
    length: int
    data: pa.Buffer | None = None


def read_rows(
    segments: Iterable[Segment],
    types: Sequence[DataType],
    wanted: Sequence[int],
    rows: int,
    size: int = sys.maxsize,
    *,
    keep_packed: bool = False,
) -> Iterator[Rows]:
    """The columns `wanted` of all blocks in their order, small blocks concatenated.

    A batch has up to `rows` rows and `size` bytes, or is one larger block. `keep_packed`: integers
    may be `PackedIntegers`. Raises ShuffleBlockError if a block is missing or damaged.
    """
    waiting: list[Rows] = []
    count = held = 0
    for block in _blocks(segments, types, wanted, keep_packed=keep_packed):
        if waiting and (count + block.length > rows or held + block.nbytes > size):
            yield _together(waiting, wanted)
            waiting, count, held = [], 0, 0
        waiting.append(block)
        count += block.length
        held += block.nbytes
    if waiting:
        yield _together(waiting, wanted)


def _together(parts: Sequence[Rows], wanted: Sequence[int]) -> Rows:
    if not wanted:
        return Rows((), sum(part.length for part in parts))
    return concatenate(parts)


def _blocks(
    segments: Iterable[Segment],
    types: Sequence[DataType],
    wanted: Sequence[int],
    *,
    keep_packed: bool,
) -> Iterator[Rows]:
    for segment in segments:
        content = _content(segment)
        position = 0
        while position < content.size:
            offset = segment.offset + position
            try:
                header = _header(content, position)
                start = position + HEADER.size
                position = start + header[2]
                if position > content.size:
                    raise DamagedBlock(f"{position - content.size} bytes are missing at its end")
                body = content.slice(start, header[2])
                yield decode(header, body, types, wanted, keep_packed=keep_packed)
            except DamagedBlock as error:
                raise ShuffleBlockError(segment.path, offset, str(error)) from error


def _header(content: pa.Buffer, position: int) -> tuple[bytes, int, int, int, int, int]:
    if content.size - position < HEADER.size:
        raise DamagedBlock("its header is truncated")
    header = HEADER.unpack(content[position : position + HEADER.size])
    if header[0] != MAGIC:
        raise DamagedBlock(f"it begins with {header[0]!r} instead of {MAGIC!r}")
    return header


def _content(segment: Segment) -> pa.Buffer:
    if segment.data is not None:
        return segment.data
    if segment.length == 0:
        return pa.py_buffer(b"")
    assert segment.path is not None
    try:
        with pa.memory_map(segment.path) as file:
            # a read beyond the end of a mapped file is not an error but a signal that kills the
            # process
            if file.size() < segment.offset + segment.length:
                raise ShuffleBlockError(
                    segment.path, segment.offset, f"the file has only {file.size()} bytes"
                )
            file.seek(segment.offset)
            return file.read_buffer(segment.length)
    except (OSError, pa.ArrowException) as error:
        raise ShuffleBlockError(segment.path, segment.offset, str(error)) from error
