"""Kernels for the bits of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data


class Bits(Protocol):
    """Operations on the two's complement of integers; the result has the type of `data`.

    `left` and `right` have the same width. `data` of a shift are int32 or int64, `count` is int32,
    of which the low 5 or 6 bits count, as in Java.
    """

    def and_(self, left: Data, right: Data) -> Array:
        """Bitwise and."""

    def or_(self, left: Data, right: Data) -> Array:
        """Bitwise or."""

    def xor(self, left: Data, right: Data) -> Array:
        """Bitwise exclusive or."""

    def not_(self, data: Array) -> Array:
        """Bitwise not."""

    def shift_left(self, data: Data, count: Data) -> Array:
        """Shifted left by `count` bits."""

    def shift_right(self, data: Data, count: Data) -> Array:
        """Shifted right by `count` bits, filled with the sign."""

    def shift_right_unsigned(self, data: Data, count: Data) -> Array:
        """Shifted right by `count` bits, filled with zeros."""

    def leading_zeros(self, data: Array) -> Array:
        """The number of zeros above the highest bit of int64 `data`; 64 for 0."""
