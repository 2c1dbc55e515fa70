"""Functions of the bits of integers: & | ^ ~ and shifts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.registry import INT, INTEGRAL, SAME, function
from broadhead.registry import Signature

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

BOTH = (Signature((INTEGRAL, SAME), INTEGRAL),)
SHIFT = tuple(Signature((kind, INT), kind) for kind in (INT, frozenset({"long"})))


@function("&", spark="BitwiseAnd", signatures=BOTH)
def and_(k: Kernels, left: Column, right: Column) -> Column:
    """Bitwise and.

    >>> SELECT 3 & 5
    1
    """
    return Column(k.bits.and_(left.data, right.data), left.type)


@function("|", spark="BitwiseOr", signatures=BOTH)
def or_(k: Kernels, left: Column, right: Column) -> Column:
    """Bitwise or.

    >>> SELECT 3 | 5
    7
    """
    return Column(k.bits.or_(left.data, right.data), left.type)


@function("^", spark="BitwiseXor", signatures=BOTH)
def xor(k: Kernels, left: Column, right: Column) -> Column:
    """Bitwise exclusive or.

    >>> SELECT 3 ^ 5
    6
    """
    return Column(k.bits.xor(left.data, right.data), left.type)


@function("~", spark="BitwiseNot", signatures=[Signature((INTEGRAL,), INTEGRAL)])
def not_(k: Kernels, operand: Column) -> Column:
    """Bitwise not.

    >>> SELECT ~ 0
    -1
    """
    return Column(k.bits.not_(operand.data), operand.type)


@function("shiftleft", spark="ShiftLeft", signatures=SHIFT)
def shift_left(k: Kernels, operand: Column, count: Column) -> Column:
    """Shift left.

    >>> SELECT shiftleft(3, 33)
    6
    """
    return Column(k.bits.shift_left(operand.data, count.data), operand.type)


@function("shiftright", spark="ShiftRight", signatures=SHIFT)
def shift_right(k: Kernels, operand: Column, count: Column) -> Column:
    """Shift right, filled with the sign.

    >>> SELECT shiftright(-8, 1)
    -4
    """
    return Column(k.bits.shift_right(operand.data, count.data), operand.type)


@function("shiftrightunsigned", spark="ShiftRightUnsigned", signatures=SHIFT)
def shift_right_unsigned(k: Kernels, operand: Column, count: Column) -> Column:
    """Shift right, filled with zeros.

    >>> SELECT shiftrightunsigned(-8, 28)
    15
    """
    return Column(k.bits.shift_right_unsigned(operand.data, count.data), operand.type)
