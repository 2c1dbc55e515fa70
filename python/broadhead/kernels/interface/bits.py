"""What kernels do with the bits of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data


class Bits(Protocol):
    """Operations on the two's complement of integers; the result has the type of `data`.

    `left` and `right` are of one width. `data` of a shift are int32 or int64, `count` is int32, of
    which the low 5 or 6 bits count, as in Java.
    """

    def and_(self, left: Data, right: Data) -> Array:
        """The bits that both have."""

    def or_(self, left: Data, right: Data) -> Array:
        """The bits that either has."""

    def xor(self, left: Data, right: Data) -> Array:
        """The bits that one of both has."""

    def not_(self, data: Array) -> Array:
        """The bits that it does not have."""

    def shift_left(self, data: Data, count: Data) -> Array:
        """Moved up by `count` bits, over zeros."""

    def shift_right(self, data: Data, count: Data) -> Array:
        """Moved down by `count` bits, under copies of the sign."""

    def shift_right_unsigned(self, data: Data, count: Data) -> Array:
        """Moved down by `count` bits, under zeros."""
