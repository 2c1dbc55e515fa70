"""The rows of a broadcast; see docs/wire-format.md, section 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.kernels.arrow.arrays import convert
from broadhead.shuffle.block import Rows, concatenate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from broadhead.types import DataType


def read_broadcast(
    messages: Iterable[pa.Buffer], types: Sequence[DataType], wanted: Sequence[int], rows: int
) -> Iterator[Rows]:
    """The columns `wanted` as physical data, small batches concatenated up to `rows` rows.

    The column after the last one of the broadcast has the row ids.
    """
    waiting: list[Rows] = []
    count = 0
    for part in _parts(messages, types, wanted):
        if waiting and count + part.length > rows:
            yield concatenate(waiting) if wanted else Rows((), count)
            waiting, count = [], 0
        waiting.append(part)
        count += part.length
    if waiting:
        yield concatenate(waiting) if wanted else Rows((), count)


def _parts(
    messages: Iterable[pa.Buffer], types: Sequence[DataType], wanted: Sequence[int]
) -> Iterator[Rows]:
    schema = pa.schema([pa.field(str(n), arrow_type(t)) for n, t in enumerate(types)])
    first = 0
    for message in messages:
        batch = pa.ipc.read_record_batch(pa.ipc.read_message(message), schema)
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


def _physical(array: pa.Array, data_type: DataType) -> pa.Array:
    """Physical data in the form of shuffle blocks: nested types in Spark's layout."""
    return array if data_type.is_nested else convert.to_physical(array, data_type)
