"""Comparison in Spark's order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.unary import UnaryOperator

from broadhead.kernels.cudf.host import from_host
from broadhead.kernels.cudf.physical import (
    BOOL,
    FLOATS,
    INTEGER_BITS,
    Column,
    Data,
    arrow_type,
    constant,
    expand,
    is_scalar,
    is_true,
    python_value,
    same_type,
    test,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.types import DataType

_OPERATORS = {
    "equal": BinaryOperator.EQUAL,
    "less": BinaryOperator.LESS,
    "less_equal": BinaryOperator.LESS_EQUAL,
}


def compare(op: Literal["equal", "less", "less_equal"], left: Data, right: Data) -> Column:
    """Boolean; null if either side is null."""
    left, right = same_type(left, right)
    plain = test(left, _OPERATORS[op], right)
    if left.type().id() not in FLOATS:
        return plain
    # IEEE comparisons with NaN are false; these are the rows where Spark's order is true
    right_nan = _nan(right)
    if right_nan is None:
        return plain
    if op == "less_equal":
        return _or(plain, right_nan)
    left_nan = _nan(left)
    if op == "less":
        return _or(plain, right_nan if left_nan is None else _and(_not(left_nan), right_nan))
    return plain if left_nan is None else _or(plain, _and(left_nan, right_nan))


def _nan(data: Data) -> Data | None:
    """Mask of the NaNs; None if it is known that there are none."""
    if is_scalar(data):
        value = python_value(data)
        return constant(True, BOOL) if value is not None and math.isnan(value) else None
    return is_true(plc.unary.is_nan(data))


def _and(left: Data, right: Data) -> Data:
    if is_scalar(left) and is_scalar(right):
        return constant(bool(python_value(left) and python_value(right)), BOOL)
    return test(left, BinaryOperator.LOGICAL_AND, right)


def _or(left: Column, right: Data) -> Column:
    return test(left, BinaryOperator.LOGICAL_OR, right)


def _not(data: Data) -> Data:
    if is_scalar(data):
        return constant(not python_value(data), BOOL)
    return plc.unary.unary_operation(data, UnaryOperator.NOT)


def null_safe_equal(left: Data, right: Data) -> Column:
    """Mask: true for two nulls, false for one."""
    left, right = same_type(left, right)
    plain = is_true(test(left, BinaryOperator.NULL_EQUALS, right))
    if left.type().id() not in FLOATS:
        return plain
    left_nan, right_nan = _nan(left), _nan(right)
    if left_nan is None or right_nan is None:
        return plain
    return _or(plain, _and(left_nan, right_nan))


_DATE_BITS = 32


def is_in(data: Column, values: Sequence[Any], data_type: DataType) -> Column:
    """Mask of the values of `data` that equal one of `values`; false for null."""
    kind = data.type().id()
    bits = _DATE_BITS if kind == TypeId.TIMESTAMP_DAYS else INTEGER_BITS.get(kind)
    if bits is not None:
        limit = 1 << bits - 1
        values = [value for value in values if -limit <= value < limit]
    nan = kind in FLOATS and any(math.isnan(value) for value in values)
    if nan:
        values = [value for value in values if not math.isnan(value)]
    if values:
        result = is_true(plc.search.contains(_haystack(data, values, data_type), data))
    else:
        result = expand(constant(False, BOOL), data.size())
    return _or(result, is_true(plc.unary.is_nan(data))) if nan else result


def _haystack(data: Column, values: Sequence[Any], data_type: DataType) -> Column:
    huge = data.type().id() == TypeId.DECIMAL128
    return from_host(pa.array(values, pa.decimal128(38, 0) if huge else arrow_type(data_type)))


def normalize(data: Column) -> Column:
    """Floats with one NaN for all NaNs and 0.0 for -0.0; other types unchanged."""
    if data.type().id() not in FLOATS:
        return data
    return plc.replace.normalize_nans_and_zeros(data)
