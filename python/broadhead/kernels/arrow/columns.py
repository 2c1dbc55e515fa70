"""Creating, moving and measuring columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import convert, nested_literals, views
from broadhead.kernels.arrow.arrays.layout import UNSCALED, physical_type
from broadhead.kernels.arrow.arrays.spread import can_spread, spread
from broadhead.kernels.arrow.decimals import wide
from broadhead.packed import unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.packed import HostArray
    from broadhead.types import DataType

# For selectivities in this range, Arrow's filter takes up to twice the time of take by indices.
_TAKEN_SHARES = (0.15, 0.97)


def scalar(value: Any, data_type: DataType) -> Any:
    """A scalar from the Python form of a literal; None is null."""
    if (
        data_type.is_decimal
        and value is not None
        and not -wide.LONG_LIMIT <= value < wide.LONG_LIMIT
    ):
        return pa.scalar(value, UNSCALED)
    if value is not None and data_type.is_nested:
        return nested_literals.column([value], data_type)[0]
    physical = physical_type(data_type)
    if value is not None and data_type.name == "date":
        return pa.array([value], pa.int32()).view(physical)[0]
    return pa.scalar(value, physical)


def is_scalar(data: Any) -> bool:
    """True for pyarrow's scalars."""
    return isinstance(data, pa.Scalar)


def full(data: Any, length: int) -> Any:
    """`length` copies of a scalar; an Array is returned unchanged."""
    return views.full(data, length)


def sequence(length: int) -> Any:
    """0 to length - 1, int64."""
    return pa.array(np.arange(length, dtype=np.int64))


def first(data: Any) -> Any:
    """The scalar in row 0 of a non-empty Array."""
    return data[0]


def length(data: Any) -> int:
    """Number of rows."""
    return len(data)


def null_count(data: Any) -> int:
    """Number of nulls."""
    return int(data.null_count)


def nbytes(data: Any) -> int:
    """Memory of the rows, in bytes."""
    return int(data.nbytes)


def filter(arrays: Sequence[Any], mask: Any) -> list[Any]:
    """The rows where `mask` (nulls allowed) is true."""
    rows = pc.sum(mask, min_count=0).as_py()
    if not arrays or rows == len(mask):
        return list(arrays)
    if rows == 0:
        return [array.slice(0, 0) for array in arrays]
    if _TAKEN_SHARES[0] < rows / len(mask) < _TAKEN_SHARES[1]:
        chosen = views.values(logic.is_true(mask))
        return take(arrays, pa.array(np.flatnonzero(chosen)))
    # one filter of a batch is a third faster than one filter for each column
    names = [str(number) for number in range(len(arrays))]
    return list(pa.RecordBatch.from_arrays(list(arrays), names=names).filter(mask).columns)


def take(arrays: Sequence[Any], indices: Any) -> list[Any]:
    """Rows `indices` (int32 or int64); a null index gives null."""
    try:
        if 2 * indices.null_count > len(indices):
            return _take_few(arrays, indices)
        return [_taken(array, indices) for array in arrays]
    except pa.ArrowInvalid as error:
        raise EngineLimit(f"gathering {len(indices)} rows failed: {error}") from error


def _taken(array: Any, indices: Any) -> Any:
    return views.contiguous(pc.take(array, indices, boundscheck=False))


def _take_few(arrays: Sequence[Any], indices: Any) -> list[Any]:
    """Rows of which most are null, such as those of an outer join with few matches."""
    positions = np.flatnonzero(views.valid(indices))
    few = pa.array(views.values(indices)[positions])
    return [
        spread(_taken(array, few), positions, len(indices))
        if can_spread(array.type)
        else _taken(array, indices)
        for array in arrays
    ]


def slice(arrays: Sequence[Any], offset: int, length: int) -> list[Any]:
    """`length` rows from `offset`, without a copy."""
    return [array.slice(offset, length) for array in arrays]


def concat(tables: Sequence[Sequence[Any]]) -> list[Any]:
    """The concatenated rows of all tables."""
    if len(tables) == 1:
        return list(tables[0])
    try:
        return [pa.concat_arrays(wide.unify(parts)) for parts in zip(*tables, strict=True)]
    except pa.ArrowInvalid as error:
        raise EngineLimit(f"concatenating {len(tables)} batches failed: {error}") from error


def scatter(data: Any, mask: Any) -> Any:
    """An Array as long as `mask`: the rows of `data` where it is true, null elsewhere."""
    chosen = views.values(mask)
    if len(data) == len(chosen):
        return data
    if not len(data):
        return pa.nulls(len(chosen), data.type)
    if can_spread(data.type):
        return spread(data, np.flatnonzero(chosen), len(chosen))
    rows = np.cumsum(chosen, dtype=np.int64) - 1
    return take([data], pc.if_else(mask, pa.array(rows), pa.scalar(None, pa.int64())))[0]


def put(data: Any, positions: Any, length: int) -> Any:
    """An Array of `length` rows: those of `data` at these positions, null elsewhere."""
    rows = np.zeros(length, np.int64)
    indices = views.values(positions)
    rows[indices] = np.arange(len(data))
    missing = np.ones(length, bool)
    missing[indices] = False
    return take([data], pa.array(rows, mask=missing))[0]


def from_arrow(array: pa.Array, data_type: DataType) -> Any:
    """Physical data of a host array; raises EngineLimit if a value does not fit."""
    return convert.to_physical(array, data_type)


def to_arrow(data: Any, data_type: DataType) -> pa.Array:
    """A host array in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    return convert.to_outside(data, data_type)


def to_host(data: Any, data_type: DataType) -> pa.Array:
    """The unchanged data; nested types in Spark's layout."""
    return convert.to_outside(data, data_type) if data_type.is_nested else data


def from_host(array: HostArray, data_type: DataType) -> Any:
    """The unchanged data, integers unpacked."""
    return unpacked(array)
