"""Values of the bits of integers: their number, and one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import arrays, both_valid, require
from broadhead.functions.registry import BOOLEAN, INT, INTEGRAL, function
from broadhead.registry import Signature
from broadhead.types import BYTE, INTEGER, INTEGRAL_BITS, LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Data, Kernels

PAIRS, QUADS, OCTETS = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
ONES = 0x0101010101010101


@function("bit_count", spark="BitwiseCount", signatures=[Signature((INTEGRAL | BOOLEAN,), INT)])
def bit_count(k: Kernels, operand: Column) -> Column:
    """The number of bits that are set, of integers in their 64-bit form.

    >>> SELECT bit_count(-1)
    64
    """
    (data,) = arrays(k, [operand])
    if operand.type.name == "boolean":
        return Column(k.cast.widen(data, INTEGER), INTEGER)

    def shifted(bits: Array, count: int) -> Array:
        return k.bits.shift_right_unsigned(bits, k.columns.scalar(count, INTEGER))

    def masked(bits: Array, mask: int) -> Array:
        return k.bits.and_(bits, _long(k, mask))

    bits: Array = k.cast.widen(data, LONG)
    # sums of neighbours: of two bits, of four, of eight
    bits = k.arithmetic.subtract(bits, masked(shifted(bits, 1), PAIRS))
    bits = k.arithmetic.add(masked(bits, QUADS), masked(shifted(bits, 2), QUADS))
    bits = masked(k.arithmetic.add(bits, shifted(bits, 4)), OCTETS)
    # the highest byte of the product is the sum of all bytes
    total = shifted(k.arithmetic.multiply(bits, _long(k, ONES)), 56)
    return Column(k.cast.narrow_integer(total, INTEGER), INTEGER)


def _long(k: Kernels, value: int) -> Data:
    return k.columns.scalar(value, LONG)


@function(
    "getbit",
    spark="BitwiseGet",
    signatures=[Signature((INTEGRAL, INT), frozenset({"byte"}))],
    raises=True,
)
def bit_get(k: Kernels, operand: Column, position: Column) -> Column:
    """One bit, counted from the lowest, which is bit 0.

    >>> SELECT getbit(11, 2)
    0
    """
    data, bit = arrays(k, [operand, position])
    last = k.columns.scalar(INTEGRAL_BITS[operand.type.name] - 1, INTEGER)
    outside = k.logic.or_(
        k.compare.compare("less", bit, k.columns.scalar(0, INTEGER)),
        k.compare.compare("less", last, bit),
    )
    require(
        k,
        both_valid(k, data, bit, k.logic.is_true(outside)),
        "INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE",
    )
    moved = k.bits.shift_right(k.cast.widen(data, LONG), bit)
    return Column(k.cast.narrow_integer(k.bits.and_(moved, _long(k, 1)), BYTE), BYTE)
