"""The rows of a broadcast file; see docs/wire-format.md, section 5."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.kernels.arrow.arrays import convert
from broadhead.shuffle.block import Rows, concatenate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.types import DataType

_LENGTH = struct.Struct("<q")
_ALIGNMENT = 8


def read_broadcast(
    path: str, types: Sequence[DataType], wanted: Sequence[int], rows: int
) -> Iterator[Rows]:
    """The columns `wanted` as physical data, small batches put together up to `rows` rows.

    The column behind the last one of the file is the place of each row in it.
    What needs no other form stays in the mapped file, which all processes of a host share.
    """
    waiting: list[Rows] = []
    count = 0
    for part in _parts(path, types, wanted):
        if waiting and count + part.length > rows:
            yield concatenate(waiting) if wanted else Rows((), count)
            waiting, count = [], 0
        waiting.append(part)
        count += part.length
    if waiting:
        yield concatenate(waiting) if wanted else Rows((), count)


def _parts(path: str, types: Sequence[DataType], wanted: Sequence[int]) -> Iterator[Rows]:
    schema = pa.schema([pa.field(str(n), arrow_type(t)) for n, t in enumerate(types)])
    with pa.memory_map(path) as file:
        size = file.size()
        content = file.read_buffer(size) if size else pa.py_buffer(b"")
    position = first = 0
    while position < size:
        start = position + _LENGTH.size
        (length,) = _LENGTH.unpack(content[position:start])
        if not 0 <= length <= size - start:
            raise OSError(f"broadcast file {path} is damaged: {length} bytes at {position}")
        message = pa.ipc.read_message(content.slice(start, length))
        batch = pa.ipc.read_record_batch(message, schema)
        end = first + batch.num_rows
        yield Rows(
            tuple(
                _physical(batch.column(ordinal), types[ordinal])
                if ordinal < len(types)
                else pa.array(np.arange(first, end))
                for ordinal in wanted
            ),
            batch.num_rows,
        )
        first = end
        position = start + -(-length // _ALIGNMENT) * _ALIGNMENT


def _physical(array: pa.Array, type_: DataType) -> pa.Array:
    """Physical data as the blocks of a shuffle have them: nested types in Spark's layout."""
    return array if type_.is_nested else convert.to_physical(array, type_)
