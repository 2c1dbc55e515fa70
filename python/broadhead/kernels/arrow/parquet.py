"""Reading of row groups."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from broadhead.kernels.arrow import columns, convert
from broadhead.types import DataType

_FOOTERS: OrderedDict[tuple[str, int, int], Any] = OrderedDict()
_MOST_FOOTERS = 64


def read(
    pieces: Sequence[tuple[str, Sequence[int]]],
    names: Sequence[str],
    types: Sequence[DataType],
    batch_rows: int,
) -> Iterator[tuple[list[Any], list[int]]]:
    """Batches of physical data, each with its number of rows from each piece."""
    waiting: list[list[Any]] = []
    rows = [0] * len(pieces)
    for number, group in _row_groups(pieces, names, types):
        length = group.num_rows
        if sum(rows) and sum(rows) + length > batch_rows:
            yield columns.concat(waiting) if names else [], rows
            waiting, rows = [], [0] * len(pieces)
        for offset in range(0, length, batch_rows):
            part = group.slice(offset, batch_rows)
            waiting.append(_physical(part, types))
            rows[number] += part.num_rows
            if offset + batch_rows < length:
                yield columns.concat(waiting) if names else [], rows
                waiting, rows = [], [0] * len(pieces)
    if sum(rows):
        yield columns.concat(waiting) if names else [], rows
