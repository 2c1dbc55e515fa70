"""Kernels for arithmetic on integers and floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Checked, Data


class Arithmetic(Protocol):
    """Arithmetic on integers of one width and floats of one width.

    The result has the type of the arguments.
    """

    def add(self, left: Data, right: Data) -> Array:
        """Sum; integers wrap around."""

    def subtract(self, left: Data, right: Data) -> Array:
        """Difference; integers wrap around."""

    def multiply(self, left: Data, right: Data) -> Array:
        """Product; integers wrap around."""

    def negate(self, data: Array) -> Array:
        """Negative; the least integer wraps around to itself."""

    def abs(self, data: Array) -> Array:
        """Magnitude; the least integer wraps around to itself."""

    def add_checked(self, left: Data, right: Data) -> Checked:
        """Sum of integers; fails on overflow."""

    def subtract_checked(self, left: Data, right: Data) -> Checked:
        """Difference of integers; fails on overflow."""

    def multiply_checked(self, left: Data, right: Data) -> Checked:
        """Product of integers; fails on overflow."""

    def divide(self, left: Data, right: Data) -> Array:
        """Quotient of floats, as IEEE: division by zero gives an infinity or NaN."""

    def quotient(self, left: Data, right: Data) -> Array:
        """Quotient of integers, truncated toward zero.

        Null if `right` is zero; the least integer / -1 wraps around.
        """

    def remainder(self, left: Data, right: Data) -> Array:
        """Java's %: the sign of the dividend.

        Integers: null if `right` is zero. Floats: like C's fmod.
        """

    def sqrt(self, data: Array) -> Array:
        """Square root of floats, NaN of negative ones."""

    def least_integer(self, data: Array) -> Array:
        """Mask of the integers whose negation overflows."""
