"""Decimals as unscaled data, int64 or 128 bits.

Each operation uses the narrowest of three types that cannot overflow, by the greatest magnitude of
the arguments: int64, 128 bits, or (beyond 38 digits) Python's integers on the host.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.strings.convert import convert_fixed_point
from pylibcudf.unary import UnaryOperator

from broadhead.kernels.arrow import decimal as arrow_decimal
from broadhead.kernels.cudf.host import on_host, on_host_checked
from broadhead.kernels.cudf.physical import (
    DECIMAL128,
    FLOAT64,
    HUGE_MAX,
    INT64,
    LONG_MAX,
    LONG_MIN,
    Column,
    Data,
    binary,
    bounds,
    cast,
    choose,
    compact,
    constant,
    expand,
    failed,
    is_scalar,
    is_true,
    length_of,
    null_scalar,
    null_where,
    relabel,
    test,
    value_of,
    with_type,
)
from broadhead.types import MAX_LONG_DIGITS, MAX_PRECISION

if TYPE_CHECKING:
    from collections.abc import Callable

Checked = tuple[Column, Column | None]

# Doubles represent these integers and powers of ten exactly, so that one division rounds correctly.
_EXACT_DOUBLE, _EXACT_POWER = 1 << 53, 22


def _magnitude(data: Data) -> int:
    low, high = bounds(data)
    return max(-low, high)


def _type_for(limit: int) -> plc.DataType | None:
    """The type for numbers up to `limit` in magnitude; None if there is none."""
    if limit <= LONG_MAX:
        return INT64
    return DECIMAL128 if limit <= HUGE_MAX else None


def _scaled(data: Data, digits: int, data_type: plc.DataType) -> Data:
    """`data` in `data_type`, times 10 ** digits."""
    data = with_type(data, data_type)
    if digits == 0 or _type_for(10**digits) not in {INT64, data_type}:
        # a factor beyond the range of the type means, by the caller's limit, that all values are
        # zero
        return data
    if is_scalar(data):
        value = value_of(data)
        return data if value is None else constant(int(value) * 10**digits, data_type)
    return binary(data, BinaryOperator.MUL, constant(10**digits, data_type), data_type)


def _room(digits: int) -> int:
    """The factor by which the intermediate values of `_rounded` exceed its result."""
    return 10**digits if digits > 0 else 0


def _rounded(data: Column, digits: int) -> Column:
    """`data` / 10 ** digits, HALF_UP."""
    data_type = data.type()
    half = 10**digits // 2
    negative = test(data, BinaryOperator.LESS, constant(0, data_type))
    towards = choose(negative, constant(-half, data_type), constant(half, data_type))
    raised = binary(data, BinaryOperator.ADD, towards, data_type)
    return binary(raised, BinaryOperator.DIV, constant(10**digits, data_type), data_type)


def _finished(data: Column, limit: int, digits: int, precision: int) -> Checked:
    """`data`, at most `limit`, times 10 ** digits, rounded, with a check for `precision`."""
    if digits > 0:
        limit *= 10**digits
        data_type = _type_for(limit)
        if data_type is None:
            return on_host_checked(arrow_decimal.rescale, data, 0, precision, digits)
        data = _scaled(data, digits, data_type)
    elif digits < 0:
        limit += _room(-digits)
        data = _rounded(with_type(data, _type_for(limit) or DECIMAL128), -digits)
        limit //= 10**-digits
    wrong = None if limit < 10**precision else exceeds(data, precision)
    if wrong is not None:
        data = null_where(data, wrong)
    return (with_type(data, INT64) if precision <= MAX_LONG_DIGITS else compact(data)), wrong


def _sum(
    op: BinaryOperator,
    host: Callable[..., Checked],
    left: Data,
    left_scale: int,
    right: Data,
    right_scale: int,
    precision: int,
    scale: int,
) -> Checked:
    common = max(left_scale, right_scale)
    up_left, up_right = common - left_scale, common - right_scale
    limit = _magnitude(left) * 10**up_left + _magnitude(right) * 10**up_right
    room = _room(common - scale)
    data_type = _type_for(limit + room)
    if data_type is None:
        return on_host_checked(host, left, left_scale, right, right_scale, precision, scale)
    result = binary(
        _scaled(left, up_left, data_type), op, _scaled(right, up_right, data_type), data_type
    )
    return _finished(result, limit, scale - common, precision)


def fits_long(data: Column) -> Column | None:
    """The same data as int64, or None if a value does not fit."""
    data = compact(data)
    return data if data.type() == INT64 else None


def from_integer(data: Column) -> Column:
    """Integers of any width as int64 unscaled data of scale 0."""
    return cast(data, INT64)


def add(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """The exact sum, rounded to `scale`."""
    return _sum(
        BinaryOperator.ADD,
        arrow_decimal.add,
        left,
        left_scale,
        right,
        right_scale,
        precision,
        scale,
    )


def subtract(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """The exact difference, rounded to `scale`."""
    return _sum(
        BinaryOperator.SUB,
        arrow_decimal.subtract,
        left,
        left_scale,
        right,
        right_scale,
        precision,
        scale,
    )


def multiply(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """The exact product, rounded to `scale`."""
    limit = _magnitude(left) * _magnitude(right)
    digits = scale - left_scale - right_scale
    data_type = _type_for(max(limit, _magnitude(left), _magnitude(right)) + _room(-digits))
    if data_type is None:
        return on_host_checked(
            arrow_decimal.multiply, left, left_scale, right, right_scale, precision, scale
        )
    result = binary(
        with_type(left, data_type), BinaryOperator.MUL, with_type(right, data_type), data_type
    )
    return _finished(result, limit, digits, precision)


def _no_zero(right: Data, length: int) -> Data:
    """The divisors with null for zero."""
    if is_scalar(right):
        return expand(null_scalar(right.type()), length) if value_of(right) == 0 else right
    zero = test(right, BinaryOperator.EQUAL, constant(0, right.type()))
    return null_where(right, zero)


def divide(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """The quotient, rounded like Spark's; null (not failed) if `right` is zero."""
    shift = scale - left_scale + right_scale
    dividend = _magnitude(left) * 10 ** max(shift, 0)
    divisor = _magnitude(right) * 10 ** max(-shift, 0)
    data_type = _type_for(dividend + 2 * divisor)
    # A quotient this close below a tie becomes a tie when it is first rounded to 38 digits.
    twice_rounded = divisor >= 10 ** max(MAX_PRECISION - scale, 0)
    if data_type is None or twice_rounded:
        return on_host_checked(
            arrow_decimal.divide, left, left_scale, right, right_scale, precision, scale
        )
    right = _no_zero(right, length_of(left, right))
    result = _quotient_half_up(
        _scaled(left, max(shift, 0), data_type),
        _scaled(right, max(-shift, 0), data_type),
        data_type,
    )
    return _finished(result, dividend, 0, precision)


def _quotient_half_up(left: Data, right: Data, data_type: plc.DataType) -> Column:
    length = length_of(left, right)
    left, right = expand(left, length), expand(right, length)
    zero = constant(0, data_type)
    quotient_ = binary(left, BinaryOperator.DIV, right, data_type)
    rest = _absolute(binary(left, BinaryOperator.MOD, right, data_type))
    twice = binary(rest, BinaryOperator.ADD, rest, data_type)
    up = test(twice, BinaryOperator.GREATER_EQUAL, _absolute(right))
    negative = test(
        test(left, BinaryOperator.LESS, zero),
        BinaryOperator.NOT_EQUAL,
        test(right, BinaryOperator.LESS, zero),
    )
    step = choose(negative, constant(-1, data_type), constant(1, data_type))
    return binary(quotient_, BinaryOperator.ADD, choose(up, step, zero), data_type)


def quotient(left: Data, left_scale: int, right: Data, right_scale: int) -> Checked:
    """The quotient truncated to int64; null where `right` is zero; fails where it does not fit."""
    common = max(left_scale, right_scale)
    up_left, up_right = common - left_scale, common - right_scale
    dividend = _magnitude(left) * 10**up_left
    data_type = _type_for(max(dividend, _magnitude(right) * 10**up_right))
    if data_type is None:
        return on_host_checked(arrow_decimal.quotient, left, left_scale, right, right_scale)
    right = _no_zero(right, length_of(left, right))
    result = binary(
        _scaled(left, up_left, data_type),
        BinaryOperator.DIV,
        _scaled(right, up_right, data_type),
        data_type,
    )
    return _as_long(result, dividend)


def _as_long(data: Column, limit: int) -> Checked:
    """`data`, up to `limit` in magnitude, as int64; fails if it does not fit."""
    if limit <= LONG_MAX:
        return with_type(data, INT64), None
    data_type = data.type()
    wrong = test(
        test(data, BinaryOperator.LESS, constant(LONG_MIN, data_type)),
        BinaryOperator.LOGICAL_OR,
        test(data, BinaryOperator.GREATER, constant(LONG_MAX, data_type)),
    )
    return failed(cast(data, INT64), wrong)


def remainder(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """Java's BigDecimal.remainder, rounded to `scale`; null where `right` is zero."""
    common = max(left_scale, right_scale)
    up_left, up_right = common - left_scale, common - right_scale
    dividend, divisor = _magnitude(left) * 10**up_left, _magnitude(right) * 10**up_right
    data_type = _type_for(max(dividend, divisor) + _room(common - scale))
    if data_type is None:
        return on_host_checked(
            arrow_decimal.remainder, left, left_scale, right, right_scale, precision, scale
        )
    right = _no_zero(right, length_of(left, right))
    result = binary(
        _scaled(left, up_left, data_type),
        BinaryOperator.MOD,
        _scaled(right, up_right, data_type),
        data_type,
    )
    return _finished(result, min(dividend, divisor), scale - common, precision)


def rescale(data: Column, from_scale: int, precision: int, to_scale: int) -> Checked:
    """The same value with `to_scale` digits after the point."""
    limit = _magnitude(data)
    if _type_for(limit + _room(from_scale - to_scale)) is None:
        return on_host_checked(arrow_decimal.rescale, data, from_scale, precision, to_scale)
    return _finished(data, limit, to_scale - from_scale, precision)


def negate(data: Column) -> Column:
    """Negative."""
    data = _negatable(data)
    return compact(binary(constant(0, data.type()), BinaryOperator.SUB, data, data.type()))


def _negatable(data: Column) -> Column:
    """`data` in a type that can hold its negation: int64 cannot for its least value."""
    return cast(data, DECIMAL128) if data.type() == INT64 and bounds(data)[0] == LONG_MIN else data


def _absolute(data: Column) -> Column:
    return plc.unary.unary_operation(data, UnaryOperator.ABS)


def abs(data: Column) -> Column:
    """Magnitude."""
    return compact(_absolute(_negatable(data)))


def is_zero(data: Column) -> Column:
    """Boolean; null for null."""
    return test(data, BinaryOperator.EQUAL, constant(0, data.type()))


def exceeds(data: Column, precision: int) -> Column | None:
    """Mask of the values with more than `precision` digits, or None if there are none."""
    if _magnitude(data) < 10**precision:
        return None
    data_type = data.type()
    most = 10**precision - 1
    over = test(data, BinaryOperator.GREATER, constant(most, data_type))
    under = test(data, BinaryOperator.LESS, constant(-most, data_type))
    return is_true(test(over, BinaryOperator.LOGICAL_OR, under))


def _truncated(data: Column, scale: int) -> Column:
    if scale == 0:
        return data
    if scale >= MAX_PRECISION:
        return binary(data, BinaryOperator.MUL, constant(0, data.type()), data.type())
    if data.type() == INT64 and scale > MAX_LONG_DIGITS:
        data = cast(data, DECIMAL128)
    return binary(data, BinaryOperator.DIV, constant(10**scale, data.type()), data.type())


def to_integer(data: Column, scale: int) -> Checked:
    """Truncated to int64; fails if it does not fit."""
    if data.type() == INT64:
        return with_type(_truncated(data, scale), INT64), None
    return _as_long(_truncated(data, scale), _magnitude(data) // 10**scale)


def to_integer_wrapped(data: Column, scale: int) -> Column:
    """The low 64 bits of the truncated value, as Java's BigDecimal.longValue."""
    return cast(_truncated(data, scale), INT64)


def to_double(data: Column, scale: int) -> Column:
    """The nearest double, as Java's BigDecimal.doubleValue."""
    if scale > _EXACT_POWER or _magnitude(data) > _EXACT_DOUBLE:
        return on_host(arrow_decimal.to_double, data, scale)
    doubles = cast(with_type(data, INT64), FLOAT64)
    if scale == 0:
        return doubles
    return binary(doubles, BinaryOperator.DIV, constant(float(10**scale), FLOAT64), FLOAT64)


def from_double(data: Column, precision: int, scale: int) -> Checked:
    """From the shortest decimal text of a double, rounded to `scale`. NaN and infinities fail."""
    return on_host_checked(arrow_decimal.from_double, data, precision, scale)


def to_string(data: Column, scale: int, *, plain: bool) -> Column:
    """Java's BigDecimal.toPlainString, or toString (scientific for tiny values)."""
    # toString differs from toPlainString only if the first digit may be below 1e-6
    if not plain and scale > 6:
        return on_host(partial(arrow_decimal.to_string, plain=plain), data, scale)
    width = TypeId.DECIMAL64 if data.type() == INT64 else TypeId.DECIMAL128
    return convert_fixed_point.from_fixed_point(relabel(data, plc.DataType(width, -scale)))
