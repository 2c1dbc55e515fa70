"""The order in which Spark's sorter leaves rows with equal keys, where it sorts by radix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.types import BOOLEAN, LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels

    Mask = np.ndarray[Any, np.dtype[np.bool_]]
    Longs = np.ndarray[Any, np.dtype[np.int64]]


def inserted_rows(key: Array, kernels: Kernels) -> Array | None:
    """The numbers of the rows (int64) as such a sorter holds them; None if they stay as they are.

    Its order of rows with equal keys is this one.
    """
    if not kernels.columns.null_count(key):
        return None
    valid = kernels.columns.to_arrow(kernels.logic.is_valid(key), BOOLEAN)
    order = inserted_order(~valid.to_numpy(zero_copy_only=False))
    return kernels.columns.from_arrow(pa.array(order), LONG)


def inserted_order(nulls: Mask) -> Longs:
    """The rows as `UnsafeInMemorySorter` holds them, by whether their key is null.

    It inserts a row with a null key behind the other nulls, and the row that stood there goes to
    the end. So the other rows are a queue, whose first row each null moves to its end.
    """
    others = np.flatnonzero(~nulls)
    start = others[0] if len(others) else len(nulls)
    moves = nulls[start:]
    moved: Longs = np.cumsum(moves) - moves
    source = np.where(moves, moved, np.arange(len(moves)))
    while not np.array_equal(further := source[source], source):
        source = further
    queue = start + source[int(moves.sum()) :]
    return np.concatenate([np.flatnonzero(nulls), queue])
