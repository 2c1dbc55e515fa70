"""Making, moving and measuring columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.conversion import from_arrow, to_arrow
from broadhead.kernels.arrow.physical import as_array, is_wide, physical_type, to_wide
from broadhead.types import DataType, DecimalType

Array = Any
Data = Any

__all__ = [
    "concat", "filter", "first", "from_arrow", "full", "is_scalar", "length", "nbytes",
    "null_count", "scalar", "scatter", "sequence", "slice", "take", "to_arrow",
]  # fmt: skip


def scalar(value: Any, type: DataType) -> Data:  # noqa: A002 - the interface's name
    """A scalar from the Python form of a literal; None is null."""
    arrow_type = physical_type(type) if not type.is_nested else pa.null()
    if isinstance(type, DecimalType) and value is not None and -(2**63) <= value < 2**63:
        return pa.scalar(value, pa.int64())
    return pa.scalar(value, arrow_type)


def is_scalar(data: Data) -> bool:
    """True for Arrow's scalars."""
    return isinstance(data, pa.Scalar)


def full(data: Data, length: int) -> Array:
    """`length` copies of a scalar; an Array is given back as it is."""
    return pa.repeat(data, length) if isinstance(data, pa.Scalar) else data


def sequence(length: int) -> Array:
    """0 to length - 1, int64."""
    return pa.array(np.arange(length, dtype=np.int64))


def first(data: Array) -> Data:
    """The scalar in row 0 of a non-empty Array."""
    return data[0]


def length(data: Array) -> int:
    """Number of rows."""
    return len(data)


def null_count(data: Array) -> int:
    """Number of nulls."""
    return int(data.null_count)


def nbytes(data: Array) -> int:
    """Bytes of memory that the rows take."""
    return int(data.nbytes)


def filter(arrays: Sequence[Array], mask: Array) -> list[Array]:  # noqa: A001 - the interface's name
    """The rows where `mask` (nulls allowed) is true."""
    if len(arrays) == 1:
        return [arrays[0].filter(mask)]
    indices = pc.indices_nonzero(mask.fill_null(False) if mask.null_count else mask)  # noqa: FBT003
    if len(indices) == len(mask):
        return list(arrays)
    return [array.take(indices) for array in arrays]


def take(arrays: Sequence[Array], indices: Array) -> list[Array]:
    """Rows `indices`; a null index gives null."""
    return [array.take(indices) for array in arrays]


def slice(arrays: Sequence[Array], offset: int, length: int) -> list[Array]:  # noqa: A001
    """`length` rows from `offset`, without a copy."""
    return [array.slice(offset, length) for array in arrays]


def concat(tables: Sequence[Sequence[Array]]) -> list[Array]:
    """The rows of all tables, one after the other."""
    return [_concat(list(arrays)) for arrays in zip(*tables, strict=True)]


def _concat(arrays: list[Array]) -> Array:
    if len(arrays) == 1:
        return arrays[0]
    if any(map(is_wide, arrays)) and not all(map(is_wide, arrays)):
        arrays = [to_wide(array) for array in arrays]
    return pa.concat_arrays(arrays)


def scatter(data: Array, mask: Array) -> Array:
    """An Array as long as `mask`, with the rows of `data` in order where it is true."""
    chosen = np.asarray(mask, dtype=bool) if not mask.null_count else np.asarray(mask.fill_null(False))  # noqa: FBT003
    places = np.cumsum(chosen) - 1
    return as_array(data.take(pa.array(places, mask=~chosen)))
