"""The substrings of strings between the occurrences of a delimiter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.occurrences import apart
from broadhead.kernels.arrow.text.substrings import substrings

if TYPE_CHECKING:
    from broadhead.types import ArrayType

Array = Any
Numbers = np.ndarray[Any, Any]


class Delimited:
    """Strings and the offsets of a delimiter in them.

    `starts` and `ends` are the offsets of the substrings of all rows, `first` the number of each
    row's first substring, and `counts` says how many substrings it has.
    """

    def __init__(self, data: Array, delimiter: bytes) -> None:
        self._data = data
        bounds = views.offsets(data)
        found, rows = apart(data, delimiter)
        self.counts = np.bincount(rows, minlength=len(data)) + 1
        ends = np.cumsum(self.counts)
        self.first = ends - self.counts
        self.starts = _merged(bounds[:-1], self.first, found + len(delimiter))
        self.ends = _merged(bounds[1:], ends - 1, found)

    def part(self, numbers: Array) -> Array:
        """Substring number ... of each row, from 1, or from the last one if it is negative."""
        wanted = views.values(numbers).astype(np.int64)
        indices = np.where(wanted > 0, wanted - 1, self.counts + wanted)
        there = (indices >= 0) & (indices < self.counts)
        pick = self.first + np.where(there, indices, 0)
        starts = self.starts[pick]
        ends = np.where(there, self.ends[pick], starts)
        found = substrings(self._data, starts, ends)
        if not numbers.null_count:
            return found
        buffers = [views.validity([found, numbers]), *found.buffers()[1:]]
        return pa.Array.from_buffers(found.type, len(found), buffers, -1, found.offset)

    def lists(self, data_type: ArrayType) -> Array:
        """All substrings of each row."""
        return listed(self._data, self.starts, self.ends, self.counts, data_type)


def listed(
    data: Array, starts: Numbers, ends: Numbers, counts: Numbers, data_type: ArrayType
) -> Array:
    """Lists of so many substrings of each row, null where the row is null."""
    bounds = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=bounds[1:])
    every = _without_nulls(data, starts, ends)
    buffers = [views.validity([data]), pa.py_buffer(bounds)]
    return pa.Array.from_buffers(arrow_type(data_type), len(counts), buffers, children=[every])


def _without_nulls(data: Array, starts: Numbers, ends: Numbers) -> Array:
    count = len(starts)
    if not count:
        return data.slice(0, 0)
    bounds = np.empty(2 * count, np.int32)
    bounds[0::2], bounds[1::2] = starts, ends
    memory = data.buffers()[2] or pa.py_buffer(b"")
    both = pa.Array.from_buffers(data.type, 2 * count - 1, [None, pa.py_buffer(bounds), memory], 0)
    return both.take(pa.array(np.arange(0, 2 * count, 2)))


def _merged(of_rows: Numbers, indices: Numbers, others: Numbers) -> Numbers:
    """The values of rows at these indices, the others between them."""
    result = np.empty(len(of_rows) + len(others), np.int64)
    free = np.ones(len(result), bool)
    free[indices] = False
    result[indices] = of_rows
    result[free] = others
    return result
