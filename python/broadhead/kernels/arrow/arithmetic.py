"""Arithmetic on integers of one width and floats of one width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views

_LEAST = {8: -(1 << 7), 16: -(1 << 15), 32: -(1 << 31), 64: -(1 << 63)}
_HALF_PRODUCT = pa.decimal128(19, 0)


def add(left: Any, right: Any) -> Any:
    """Sum; integers wrap around."""
    return pc.add(left, right)


def subtract(left: Any, right: Any) -> Any:
    """Difference; integers wrap around."""
    return pc.subtract(left, right)


def multiply(left: Any, right: Any) -> Any:
    """Product; integers wrap around."""
    return pc.multiply(left, right)


def negate(data: Any) -> Any:
    """Negative; the least integer wraps around to itself."""
    return pc.negate(data)


def abs(data: Any) -> Any:
    """Magnitude; the least integer wraps around to itself."""
    return pc.abs(data)


def sqrt(data: Any) -> Any:
    """Square root of floats, NaN of negative ones."""
    return pc.sqrt(data)


def add_checked(left: Any, right: Any) -> tuple[Any, Any]:
    """Sum of integers; fails on overflow."""
    try:
        return pc.add_checked(left, right), None
    except pa.ArrowInvalid:
        result = pc.add(left, right)
        signs = pc.bit_wise_and(pc.bit_wise_xor(left, result), pc.bit_wise_xor(right, result))
        return _failed(result, pc.less(signs, pa.scalar(0, result.type)))


def subtract_checked(left: Any, right: Any) -> tuple[Any, Any]:
    """Difference of integers; fails on overflow."""
    try:
        return pc.subtract_checked(left, right), None
    except pa.ArrowInvalid:
        result = pc.subtract(left, right)
        signs = pc.bit_wise_and(pc.bit_wise_xor(left, right), pc.bit_wise_xor(left, result))
        return _failed(result, pc.less(signs, pa.scalar(0, result.type)))


def multiply_checked(left: Any, right: Any) -> tuple[Any, Any]:
    """Product of integers; fails on overflow."""
    try:
        return pc.multiply_checked(left, right), None
    except pa.ArrowInvalid:
        result = pc.multiply(left, right)
        return _failed(result, _product_overflows(left, right, result))


def divide(left: Any, right: Any) -> Any:
    """Quotient of floats, as IEEE: division by zero gives an infinity or NaN."""
    return pc.divide(left, right)


def quotient(left: Any, right: Any) -> Any:
    """Quotient of integers, truncated toward zero; null where `right` is zero."""
    divisor = _null_zeros(right)
    minus_one = pa.scalar(-1, right.type)
    if isinstance(right, pa.Scalar):
        if right.equals(minus_one):
            return pc.negate(left)
        if not divisor.is_valid:
            return pa.nulls(len(left), right.type)
        return pc.divide(left, divisor)
    result = pc.divide(left, divisor)
    negated = pc.equal(right, minus_one)
    if not logic.any(negated):
        return result
    return logic.if_else(negated, pc.negate(left), result)


def remainder(left: Any, right: Any) -> Any:
    """Java's %: the sign of the dividend; integers are null where `right` is zero."""
    data_type = left.type
    if pa.types.is_floating(data_type):
        with np.errstate(all="ignore"):
            return _binary(np.fmod, left, right, data_type)
    divisor = _null_zeros(right)
    if isinstance(divisor, pa.Scalar):
        if not divisor.is_valid:
            return pa.nulls(len(left), data_type)
        # x % -1 is 0 as x % 1 is, but the least integer % -1 traps in hardware
        safe = pa.scalar(1, data_type) if divisor.as_py() == -1 else divisor
        return _binary(np.fmod, left, safe, data_type)
    raw = views.values(divisor)
    safe = np.where((raw == 0) | (raw == -1), raw.dtype.type(1), raw)
    return _binary(np.fmod, left, views.array(safe, data_type, divisor), data_type)


def least_integer(data: Any) -> Any:
    """Mask of the integers whose negation overflows."""
    least = pa.scalar(_LEAST[data.type.bit_width], data.type)
    return logic.is_true(pc.equal(data, least))


def _failed(result: Any, overflow: Any) -> tuple[Any, Any]:
    mask = logic.is_true(overflow)
    return logic.null_where(result, mask), mask


def _product_overflows(left: Any, right: Any, result: Any) -> Any:
    if result.type.bit_width < 64:
        exact = pc.multiply(left.cast(pa.int64()), right.cast(pa.int64()))
        return pc.not_equal(exact, result.cast(pa.int64()))
    # both have 19 digits, and pyarrow multiplies exactly if declared as 18 and 19 digits
    length = len(result)
    factors = [views.full(side, length).cast(_HALF_PRODUCT) for side in (left, right)]
    exact = pc.multiply(factors[0].view(pa.decimal128(18, 0)), factors[1])
    return pc.not_equal(exact, result.cast(exact.type))


def _null_zeros(right: Any) -> Any:
    zero = pa.scalar(0, right.type)
    if isinstance(right, pa.Scalar):
        return pa.scalar(None, right.type) if right.equals(zero) else right
    zeros = pc.equal(right, zero)
    return logic.null_where(right, zeros) if logic.any(zeros) else right


def _binary(operation: Any, left: Any, right: Any, data_type: pa.DataType) -> Any:
    for side in (left, right):
        if isinstance(side, pa.Scalar) and not side.is_valid:
            return pa.nulls(views.row_count(left, right), data_type)
    return views.array(operation(_operand(left), _operand(right)), data_type, left, right)


def _operand(data: Any) -> Any:
    if isinstance(data, pa.Array):
        return views.values(data)
    return views.dtype(data.type).type(data.as_py())
