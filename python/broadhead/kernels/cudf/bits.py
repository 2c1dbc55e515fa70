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
    constant,
    is_scalar,
    null_scalar,
    value_of,
    with_type,
)

if TYPE_CHECKING:
    from pylibcudf import DataType


def and_(left: Data, right: Data) -> Column:
    """The bits that both have."""
    return binary(left, BinaryOperator.BITWISE_AND, right, left.type())


def or_(left: Data, right: Data) -> Column:
    """The bits that either has."""
    return binary(left, BinaryOperator.BITWISE_OR, right, left.type())


def xor(left: Data, right: Data) -> Column:
    """The bits that one of both has."""
    return binary(left, BinaryOperator.BITWISE_XOR, right, left.type())


def not_(data: Column) -> Column:
    """The bits that it does not have."""
    return plc.unary.unary_operation(data, UnaryOperator.BIT_INVERT)


def shift_left(data: Data, count: Data) -> Column:
    """Moved up by `count` bits, over zeros."""
    return _shift(data, BinaryOperator.SHIFT_LEFT, count)


def shift_right(data: Data, count: Data) -> Column:
    """Moved down by `count` bits, under copies of the sign."""
    return _shift(data, BinaryOperator.SHIFT_RIGHT, count)


def shift_right_unsigned(data: Data, count: Data) -> Column:
    """Moved down by `count` bits, under zeros."""
    return _shift(data, BinaryOperator.SHIFT_RIGHT_UNSIGNED, count)


def _shift(data: Data, op: BinaryOperator, count: Data) -> Column:
    data_type = data.type()
    return binary(data, op, _steps(count, data_type), data_type)


def _steps(count: Data, data_type: DataType) -> Data:
    """The bits of `count` that a shift of the type takes, in that type: C++ leaves others open."""
    last = INTEGER_BITS[data_type.id()] - 1
    if is_scalar(count):
        value = value_of(count)
        return null_scalar(data_type) if value is None else constant(value & last, data_type)
    wide = with_type(count, data_type)
    return binary(wide, BinaryOperator.BITWISE_AND, constant(last, data_type), data_type)
