"""Arithmetic on integers of one width and floats of one width; results have that type too."""

from __future__ import annotations

import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.unary import UnaryOperator

from broadhead.kernels.cudf.physical import (
    DECIMAL128,
    FLOATS,
    INT64,
    INTEGER_BITS,
    Column,
    Data,
    any_true,
    binary,
    bounds,
    cast,
    choose,
    constant,
    expand,
    failed,
    is_scalar,
    is_true,
    length_of,
    null_scalar,
    null_where,
    test,
    value_of,
    with_type,
)

Checked = tuple[Column, Column | None]


def add(left: Data, right: Data) -> Column:
    """Sum; integers wrap around."""
    return binary(left, BinaryOperator.ADD, right, left.type())


def subtract(left: Data, right: Data) -> Column:
    """Difference; integers wrap around."""
    return binary(left, BinaryOperator.SUB, right, left.type())


def multiply(left: Data, right: Data) -> Column:
    """Product; integers wrap around."""
    return binary(left, BinaryOperator.MUL, right, left.type())


def negate(data: Column) -> Column:
    """Negative; the least integer wraps around to itself."""
    return plc.unary.unary_operation(data, UnaryOperator.NEGATE)


def abs(data: Column) -> Column:
    """Magnitude; the least integer wraps around to itself."""
    return plc.unary.unary_operation(data, UnaryOperator.ABS)


def add_checked(left: Data, right: Data) -> Checked:
    """Sum of integers; fails on overflow."""
    return _checked(BinaryOperator.ADD, left, right)


def subtract_checked(left: Data, right: Data) -> Checked:
    """Difference of integers; fails on overflow."""
    return _checked(BinaryOperator.SUB, left, right)


def multiply_checked(left: Data, right: Data) -> Checked:
    """Product of integers; fails on overflow."""
    return _checked(BinaryOperator.MUL, left, right)


def _checked(op: BinaryOperator, left: Data, right: Data) -> Checked:
    data_type = left.type()
    limit = 1 << INTEGER_BITS[data_type.id()] - 1
    low, high = _interval(op, bounds(left), bounds(right))
    if -limit <= low and high < limit:
        return binary(left, op, right, data_type), None
    wide = INT64 if data_type.id() != TypeId.INT64 else DECIMAL128
    exact = binary(with_type(left, wide), op, with_type(right, wide), wide)
    wrong = test(
        test(exact, BinaryOperator.LESS, constant(-limit, wide)),
        BinaryOperator.LOGICAL_OR,
        test(exact, BinaryOperator.GREATER, constant(limit - 1, wide)),
    )
    return failed(cast(exact, data_type), wrong)


def _interval(op: BinaryOperator, left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """Bounds of the exact results."""
    if op == BinaryOperator.ADD:
        return left[0] + right[0], left[1] + right[1]
    if op == BinaryOperator.SUB:
        return left[0] - right[1], left[1] - right[0]
    corners = [a * b for a in left for b in right]
    return min(corners), max(corners)


def divide(left: Data, right: Data) -> Column:
    """Quotient of floats, as IEEE: division by zero gives an infinity or NaN."""
    return binary(left, BinaryOperator.DIV, right, left.type())


def sqrt(data: Column) -> Column:
    """Square root of floats; NaN for negative numbers."""
    return plc.unary.unary_operation(data, UnaryOperator.SQRT)


def quotient(left: Data, right: Data) -> Column:
    """Quotient of integers, truncated toward zero; null where `right` is zero.

    The least integer / -1 wraps around.
    """
    data_type = left.type()
    if is_scalar(right):
        return _quotient_by_constant(left, right)
    divisor, minus_one = _safe_divisor(right)
    result = binary(left, BinaryOperator.DIV, divisor, data_type)
    if any_true(minus_one):
        dividend = expand(left, length_of(right))
        result = choose(minus_one, negate(dividend), result)
    return result


def _quotient_by_constant(left: Column, right: plc.Scalar) -> Column:
    value = value_of(right)
    if value is None or value == 0:
        return expand(null_scalar(left.type()), left.size())
    return negate(left) if value == -1 else binary(left, BinaryOperator.DIV, right, left.type())


def _safe_divisor(right: Column) -> tuple[Column, Column]:
    """The divisors with null for 0 and 1 for -1, and a mask of those that were -1.

    The device's division by 0, and of the least integer by -1, is undefined.
    """
    data_type = right.type()
    one, minus = constant(1, data_type), constant(-1, data_type)
    minus_one = test(right, BinaryOperator.EQUAL, minus)
    divisor = choose(minus_one, one, right)
    zero = test(right, BinaryOperator.EQUAL, constant(0, data_type))
    return (null_where(divisor, zero) if any_true(zero) else divisor), is_true(minus_one)


def remainder(left: Data, right: Data) -> Column:
    """Java's %: the sign of the dividend. Integers: null if `right` is zero. Floats: fmod."""
    data_type = left.type()
    if data_type.id() in FLOATS:
        return binary(left, BinaryOperator.MOD, right, data_type)
    if is_scalar(right):
        value = value_of(right)
        if value is None or value == 0:
            return expand(null_scalar(data_type), left.size())
        divisor = constant(1, data_type) if value == -1 else right
    else:
        divisor = _safe_divisor(right)[0]
    return binary(left, BinaryOperator.MOD, divisor, data_type)


def least_integer(data: Column) -> Column:
    """Mask of the integers whose negation overflows."""
    least = -(1 << INTEGER_BITS[data.type().id()] - 1)
    return is_true(test(data, BinaryOperator.EQUAL, constant(least, data.type())))
