"""Operations on the two's complement of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pylibcudf as plc
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.unary import UnaryOperator

from broadhead.kernels.cudf.physical import (
    INTEGER_BITS,
    Column,
    Data,
    binary,
    cast,
    constant,
    is_scalar,
    null_scalar,
    test,
    value_of,
    with_type,
)

if TYPE_CHECKING:
    from pylibcudf import DataType


def and_(left: Data, right: Data) -> Column:
    """Bitwise and."""
    return binary(left, BinaryOperator.BITWISE_AND, right, left.type())


def or_(left: Data, right: Data) -> Column:
    """Bitwise or."""
    return binary(left, BinaryOperator.BITWISE_OR, right, left.type())


def xor(left: Data, right: Data) -> Column:
    """Bitwise exclusive or."""
    return binary(left, BinaryOperator.BITWISE_XOR, right, left.type())


def not_(data: Column) -> Column:
    """Bitwise not."""
    return plc.unary.unary_operation(data, UnaryOperator.BIT_INVERT)


def shift_left(data: Data, count: Data) -> Column:
    """Shifted left by `count` bits."""
    return _shift(data, BinaryOperator.SHIFT_LEFT, count)


def shift_right(data: Data, count: Data) -> Column:
    """Shifted right by `count` bits, filled with the sign."""
    return _shift(data, BinaryOperator.SHIFT_RIGHT, count)


def shift_right_unsigned(data: Data, count: Data) -> Column:
    """Shifted right by `count` bits, filled with zeros."""
    return _shift(data, BinaryOperator.SHIFT_RIGHT_UNSIGNED, count)


def leading_zeros(data: Column) -> Column:
    """The number of zeros above the highest bit of int64 `data`; 64 for 0."""
    data_type = data.type()
    zero = constant(0, data_type)
    # The zeros of a number of one bit, and one more if there is none.
    zeros = cast(test(data, BinaryOperator.EQUAL, zero), data_type)
    for width in (32, 16, 8, 4, 2, 1):
        high = shift_right_unsigned(data, constant(64 - width, data_type))
        clear = cast(test(high, BinaryOperator.EQUAL, zero), data_type)
        moves = binary(clear, BinaryOperator.MUL, constant(width, data_type), data_type)
        zeros = binary(zeros, BinaryOperator.ADD, moves, data_type)
        data = shift_left(data, moves)
    return zeros


def _shift(data: Data, op: BinaryOperator, count: Data) -> Column:
    data_type = data.type()
    return binary(data, op, _steps(count, data_type), data_type)


def _steps(count: Data, data_type: DataType) -> Data:
    """The bits of `count` that count for a shift of the type: others are undefined in C++."""
    last = INTEGER_BITS[data_type.id()] - 1
    if is_scalar(count):
        value = value_of(count)
        return null_scalar(data_type) if value is None else constant(value & last, data_type)
    wide = with_type(count, data_type)
    return binary(wide, BinaryOperator.BITWISE_AND, constant(last, data_type), data_type)
