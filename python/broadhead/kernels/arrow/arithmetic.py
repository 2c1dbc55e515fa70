"""Arithmetic on integers and floats of one width."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.physical import as_array

Array = Any
Data = Any
Checked = tuple[Array, Array | None]


def add(left: Data, right: Data) -> Array:
    """Sum; integers wrap around."""
    return as_array(pc.add(left, right))


def subtract(left: Data, right: Data) -> Array:
    """Difference; integers wrap around."""
    return as_array(pc.subtract(left, right))


def multiply(left: Data, right: Data) -> Array:
    """Product; integers wrap around."""
    return as_array(pc.multiply(left, right))


def negate(data: Array) -> Array:
    """Negative; the least integer wraps around to itself."""
    return as_array(pc.negate(data))


def abs(data: Array) -> Array:  # noqa: A001 - the interface's name
    """Magnitude; the least integer wraps around to itself."""
    return as_array(pc.abs(data))


def sqrt(data: Array) -> Array:
    """Square root of floats, NaN of negative ones."""
    return as_array(pc.sqrt(data))


def add_checked(left: Data, right: Data) -> Checked:
    """Sum of integers; fails on overflow."""
    try:
        return as_array(pc.add_checked(left, right)), None
    except pa.ArrowInvalid:
        result = add(left, right)
        # the sum of two numbers of one sign has another sign
        signs = pc.bit_wise_and(pc.bit_wise_xor(left, result), pc.bit_wise_xor(right, result))
        return _failed(result, pc.less(signs, pa.scalar(0, result.type)))


def subtract_checked(left: Data, right: Data) -> Checked:
    """Difference of integers; fails on overflow."""
    try:
        return as_array(pc.subtract_checked(left, right)), None
    except pa.ArrowInvalid:
        result = subtract(left, right)
        signs = pc.bit_wise_and(pc.bit_wise_xor(left, right), pc.bit_wise_xor(left, result))
        return _failed(result, pc.less(signs, pa.scalar(0, result.type)))


def multiply_checked(left: Data, right: Data) -> Checked:
    """Product of integers; fails on overflow."""
    try:
        return as_array(pc.multiply_checked(left, right)), None
    except pa.ArrowInvalid:
        result = multiply(left, right)
        bits = result.type.bit_width
        exact = pc.multiply(_exact(left, bits), _exact(right, bits))
        return _failed(result, pc.not_equal(pc.cast(exact, pa.decimal256(76, 0)), _exact_result(result)))


def _exact(data: Data, bits: int) -> Data:
    """Integers in a form whose products are exact."""
    del bits
    return pc.cast(pc.cast(data, pa.int64()), pa.decimal256(37, 0))


def _exact_result(data: Array) -> Array:
    return pc.cast(pc.cast(data, pa.int64()), pa.decimal256(76, 0))


def _failed(result: Array, overflow: Any) -> Checked:
    mask = as_array(pc.fill_null(overflow, fill_value=False))
    return as_array(pc.if_else(mask, pa.scalar(None, result.type), result)), mask


def divide(left: Data, right: Data) -> Array:
    """Quotient of floats, as IEEE."""
    return as_array(pc.divide(left, right))


def quotient(left: Data, right: Data) -> Array:
    """Quotient of integers, truncated toward zero; null where `right` is zero."""
    divisor = _nonzero(right)
    minus_one = pa.scalar(-1, divisor.type)
    # pyarrow gives 0 for the least integer / -1
    return as_array(
        pc.if_else(
            pc.fill_null(pc.equal(divisor, minus_one), fill_value=False),
            pc.if_else(pc.is_valid(divisor), pc.negate(left), pa.scalar(None, divisor.type)),
            pc.divide(left, divisor),
        )
    )


def remainder(left: Data, right: Data) -> Array:
    """Java's %: the sign of the dividend; integers: null where `right` is zero."""
    if pa.types.is_floating(left.type):
        return _fmod(left, right)
    divisor = _nonzero(right)
    one = pa.scalar(1, divisor.type)
    minus_one = pc.fill_null(pc.equal(divisor, pa.scalar(-1, divisor.type)), fill_value=False)
    safe = pc.if_else(minus_one, one, divisor)
    return as_array(pc.subtract(left, pc.multiply(pc.divide(left, safe), safe)))


def _nonzero(divisor: Data) -> Data:
    return pc.if_else(
        pc.equal(divisor, pa.scalar(0, divisor.type)), pa.scalar(None, divisor.type), divisor
    )


def _fmod(left: Data, right: Data) -> Array:
    length = len(right) if isinstance(left, pa.Scalar) else len(left)
    arrays = [pa.repeat(d, length) if isinstance(d, pa.Scalar) else d for d in (left, right)]
    with np.errstate(invalid="ignore"):
        result = np.fmod(*(array.to_numpy(zero_copy_only=False) for array in arrays))
    valid = pc.and_(pc.is_valid(arrays[0]), pc.is_valid(arrays[1]))
    data = pa.array(result, arrays[0].type, from_pandas=False)
    return as_array(pc.if_else(valid, data, pa.scalar(None, data.type)))


def least_integer(data: Array) -> Array:
    """Mask of the integers that have no negative in their width."""
    least = pa.scalar(-(2 ** (data.type.bit_width - 1)), data.type)
    return as_array(pc.fill_null(pc.equal(data, least), fill_value=False))
