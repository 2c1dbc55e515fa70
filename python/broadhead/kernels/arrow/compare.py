"""Comparison in Spark's order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays.layout import UNSCALED, physical_type
from broadhead.kernels.arrow.decimals import wide
from broadhead.types import INTEGRAL_BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.types import DataType

_INTEGER_BITS = {
    **INTEGRAL_BITS,
    "date": 32,
    "timestamp": 64,
    "timestamp_ntz": 64,
    "year_month_interval": 32,
    "day_time_interval": 64,
}
_OPERATIONS = {"equal": pc.equal, "less": pc.less, "less_equal": pc.less_equal}


def compare(op: str, left: Any, right: Any) -> Any:
    """Boolean; null if either side is null."""
    left, right = wide.unify([left, right])
    result = _OPERATIONS[op](left, right)
    if not pa.types.is_floating(left.type) or not (_may_be_nan(left) or _may_be_nan(right)):
        return result
    if op == "equal":
        return pc.or_(result, pc.and_(pc.is_nan(left), pc.is_nan(right)))
    if op == "less":
        return pc.or_(result, pc.and_not(pc.is_nan(right), pc.is_nan(left)))
    return pc.or_(result, pc.is_nan(right))


def null_safe_equal(left: Any, right: Any) -> Any:
    """Mask: true for two nulls, false for one."""
    equal = logic.is_true(compare("equal", left, right))
    return pc.or_(equal, pc.and_(pc.is_null(left), pc.is_null(right)))


def is_in(data: Any, values: Sequence[Any], data_type: DataType) -> Any:
    """Mask of the values that equal one of `values`; false for null."""
    if not values:
        return pa.repeat(False, len(data))
    if (bits := _value_bits(data, data_type)) is not None:
        # values outside the range of the type equal none of the data
        values = [v for v in values if -(1 << bits - 1) <= v < 1 << bits - 1]
    if data_type.is_decimal:
        haystack = pa.array(values, UNSCALED if wide.is_wide(data) else pa.int64())
    elif data_type.name == "date":
        haystack = pa.array(values, pa.int32()).view(pa.date32())
    else:
        haystack = pa.array(values, physical_type(data_type))
    if data_type.is_floating:
        data, haystack = normalize(data), normalize(haystack)
    return pc.is_in(data, value_set=haystack, skip_nulls=True)


def normalize(data: Any) -> Any:
    """Floats with one NaN for all NaNs and 0.0 for -0.0; other types unchanged."""
    if pa.types.is_nested(data.type):
        return _normalize_nested(data)
    if not pa.types.is_floating(data.type):
        return data
    data = pc.add(data, pa.scalar(0.0, data.type))
    if not _may_be_nan(data):
        return data
    return pc.if_else(pc.is_nan(data), pa.scalar(float("nan"), data.type), data)


def _normalize_nested(data: Any) -> Any:
    if pa.types.is_struct(data.type):
        parts = [normalize(data.field(number)) for number in range(data.type.num_fields)]
        if not parts:
            return data
        missing = pc.is_null(data) if data.null_count else None
        return pa.StructArray.from_arrays(parts, fields=list(data.type), mask=missing)
    if not pa.types.is_list(data.type):
        return data
    return pa.Array.from_buffers(
        data.type, len(data), data.buffers()[:2], -1, data.offset, [normalize(data.values)]
    )


def _value_bits(data: Any, data_type: DataType) -> int | None:
    if data_type.is_decimal:
        return None if wide.is_wide(data) else INTEGRAL_BITS["long"]
    return _INTEGER_BITS.get(data_type.name)


def _may_be_nan(data: Any) -> bool:
    if isinstance(data, pa.Scalar):
        value = data.as_py()
        return value is not None and math.isnan(value)
    return bool(pc.any(pc.is_nan(data), min_count=0).as_py())
