"""Filtering, gathering and scattering rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pylibcudf as plc
from pylibcudf.copying import OutOfBoundsPolicy
from pylibcudf.reduce import ScanType

from broadhead.kernels.cudf.physical import (
    INT32,
    INT64,
    NESTED,
    Column,
    cast,
    choose,
    constant,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

# No column has this many rows, so libcudf returns null for it.
_NO_ROW = (1 << 31) - 1


def filter_rows(arrays: Sequence[Column], mask: Column) -> list[Column]:
    """The rows where `mask` (nulls allowed) is true."""
    if not arrays:
        return []
    return list(plc.stream_compaction.apply_retention_mask(plc.Table(arrays), mask).columns())


def take_rows(arrays: Sequence[Column], indices: Column) -> list[Column]:
    """Rows `indices` (int32 or int64); a null index gives null."""
    if not arrays:
        return []
    if indices.size() == 0:
        return [plc.copying.empty_like(array) for array in arrays]
    if arrays[0].size() == 0:
        return [_nulls_like(array, indices.size()) for array in arrays]
    policy = OutOfBoundsPolicy.DONT_CHECK
    if indices.null_count():
        policy = OutOfBoundsPolicy.NULLIFY
        indices = plc.replace.replace_nulls(indices, constant(_NO_ROW, indices.type()))
    return list(plc.copying.gather(plc.Table(arrays), indices, policy).columns())


def whole(data: Column) -> Column:
    """The rows of a slice, copied, where libcudf would read the first rows of the whole column."""
    return copied(data) if data.offset() else data


def copied(data: Column) -> Column:
    """The same rows in memory of their own."""
    rows = plc.filling.sequence(data.size(), constant(0, INT64), constant(1, INT64))
    (copy,) = take_rows([data], rows)
    return copy


def _nulls_like(data: Column, length: int) -> Column:
    """Nulls of the type of an empty column."""
    if data.type().id() in NESTED:
        # pylibcudf needs a row of such a column to make a null of it
        return plc.Column.from_arrow(pa.nulls(length, data.to_arrow().type))
    return plc.Column.all_null_like(data, length)


def put_rows(data: Column, positions: Column, length: int) -> Column:
    """A column of `length` rows: those of `data` at these positions, null elsewhere."""
    if not data.size():
        return _nulls_like(data, length)
    numbers = plc.Table([plc.filling.sequence(data.size(), constant(0, INT32), constant(1, INT32))])
    none = plc.Table([plc.Column.from_scalar(constant(_NO_ROW, INT32), length)])
    indices = plc.copying.scatter(numbers, positions, none).columns()[0]
    return plc.copying.gather(plc.Table([data]), indices, OutOfBoundsPolicy.NULLIFY).columns()[0]


def spread_rows(data: Column, mask: Column) -> Column:
    """A column as long as `mask`: the rows of `data` where it is true, null elsewhere."""
    if data.size() == 0:
        return _nulls_like(data, mask.size())
    before = plc.reduce.scan(cast(mask, INT32), plc.aggregation.sum(), ScanType.EXCLUSIVE)
    indices = choose(mask, cast(before, INT32), constant(_NO_ROW, INT32))
    return plc.copying.gather(plc.Table([data]), indices, OutOfBoundsPolicy.NULLIFY).columns()[0]
