"""Kernels for the bits of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data


class Bits(Protocol):
    """Operations on the two's complement of integers, one value a row, in the type of `data`.

    `left` and `right` have one width. `data` of a shift are int32 or int64, and `count` is int32:
    only its low 5 or 6 bits are used, as in Java. Null where an argument is null.
    """

    def and_(self, left: Data, right: Data) -> Array:
        """Bits that are set on both sides; null where either side is null. Spark's `&`."""

    def or_(self, left: Data, right: Data) -> Array:
        """Bits that are set on one side at least; null where either side is null. Spark's `|`."""

    def xor(self, left: Data, right: Data) -> Array:
        """Bits that are set on exactly one side; null where either side is null. Spark's `^`."""

    def not_(self, data: Array) -> Array:
        """All bits inverted, that is -x - 1; null for null. Spark's `~`."""

    def shift_left(self, data: Data, count: Data) -> Array:
        """The bits moved up by `count`, zeros below; null where an argument is null.

        Java's and Spark's `<<`. A count of 32 moves an int32 by nothing, a count of -1 by 31 bits.
        """

    def shift_right(self, data: Data, count: Data) -> Array:
        """The bits moved down by `count`, copies of the sign above; null where an argument is null.

        Java's and Spark's `>>`, which rounds toward minus infinity.
        """

    def shift_right_unsigned(self, data: Data, count: Data) -> Array:
        """The bits moved down by `count`, zeros above; null where an argument is null.

        Java's and Spark's `>>>`: -1 moved by one bit is the greatest integer.
        """

    def leading_zeros(self, data: Array) -> Array:
        """Number of zeros above the highest set bit of int64 `data`, int64; null for null.

        64 for 0 and 0 for negative values, as Java's Long.numberOfLeadingZeros.
        """
