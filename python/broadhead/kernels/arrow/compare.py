"""Comparison in Spark's order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.physical import as_array, is_wide, physical_type, same_width, to_wide
from broadhead.types import DataType, DecimalType

Array = Any
Data = Any

FUNCTIONS = {"equal": pc.equal, "less": pc.less, "less_equal": pc.less_equal}


def compare(op: str, left: Data, right: Data) -> Array:
    """Boolean; null where either side is null."""
    left, right = same_width(left, right)
    if pa.types.is_floating(left.type) and (_may_be_nan(left) or _may_be_nan(right)):
        return _compare_with_nan(op, left, right)
    return as_array(FUNCTIONS[op](left, right))


def _may_be_nan(data: Data) -> bool:
    if isinstance(data, pa.Scalar):
        return bool(data.is_valid and math.isnan(data.as_py()))
    return bool(pc.any(pc.is_nan(data), min_count=0).as_py())


def _compare_with_nan(op: str, left: Data, right: Data) -> Array:
    """IEEE's answer, corrected where NaN stands: equal to itself, greater than all else."""
    ordered = FUNCTIONS[op](left, right)
    left_nan, right_nan = pc.is_nan(left), pc.is_nan(right)
    if op == "equal":
        return as_array(pc.or_kleene(ordered, pc.and_kleene(left_nan, right_nan)))
    if op == "less":
        return as_array(pc.or_(ordered, pc.and_(right_nan, pc.invert(left_nan))))
    return as_array(pc.or_(ordered, _broadcast(right_nan, left)))


def _broadcast(data: Data, like: Data) -> Data:
    """`data` with null where `like` is null."""
    return pc.and_(data, pc.or_kleene(pc.is_valid(like), pa.scalar(None, pa.bool_())))


def null_safe_equal(left: Data, right: Data) -> Array:
    """Mask: true for two nulls, false for one."""
    equal = pc.fill_null(compare("equal", left, right), fill_value=False)
    both_null = pc.and_(pc.is_null(left), pc.is_null(right))
    return as_array(pc.or_(equal, both_null))


def is_in(data: Array, values: Sequence[Any], type: DataType) -> Array:  # noqa: A002
    """Mask of the values of `data` that equal one of `values`; false for null."""
    arrow_type = physical_type(type)
    if isinstance(type, DecimalType):
        arrow_type = pa.decimal128(38, 0) if _needs_wide(data, values) else pa.int64()
        data = to_wide(data) if pa.types.is_decimal(arrow_type) else data
    if type.is_floating:
        # -0.0 and 0.0 are two values to `is_in`
        values = [*values, *(zero for value in values if value == 0 for zero in (0.0, -0.0))]
    wanted = pa.array(list(values), arrow_type)
    return as_array(pc.is_in(data, value_set=wanted, skip_nulls=True))


def _needs_wide(data: Array, values: Sequence[Any]) -> bool:
    return is_wide(data) or any(not -(2**63) <= value < 2**63 for value in values)


def normalize(data: Array) -> Array:
    """Floats with one NaN and one zero; other types as they are."""
    if not pa.types.is_floating(data.type):
        return data
    zero, nan = pa.scalar(0.0, data.type), pa.scalar(math.nan, data.type)
    data = pc.if_else(pc.equal(data, zero), zero, data)
    return as_array(pc.if_else(pc.is_nan(data), nan, data))
