"""Kernels for elementary functions of doubles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data


class Elementary(Protocol):
    """Functions whose results are those of Java's `StrictMath`, to the last digit.

    NaN outside of their domains. The arguments are doubles, Arrays where they are single ones.
    """

    def exp(self, data: Array) -> Array:
        """E to the power of the number."""

    def expm1(self, data: Array) -> Array:
        """E to the power of the number, minus 1."""

    def log(self, data: Array) -> Array:
        """Natural logarithm, -Infinity of 0."""

    def log10(self, data: Array) -> Array:
        """Logarithm to the base 10, -Infinity of 0."""

    def log1p(self, data: Array) -> Array:
        """Natural logarithm of 1 plus the number, -Infinity of -1."""

    def pow(self, base: Data, exponent: Data) -> Array:
        """The base to the power of the exponent, NaN of 1 and an infinity."""

    def cbrt(self, data: Array) -> Array:
        """Cube root."""

    def hypot(self, left: Data, right: Data) -> Array:
        """Square root of the sum of both squares."""

    def sinh(self, data: Array) -> Array:
        """Hyperbolic sine."""

    def cosh(self, data: Array) -> Array:
        """Hyperbolic cosine."""

    def tanh(self, data: Array) -> Array:
        """Hyperbolic tangent."""

    def asin(self, data: Array) -> Array:
        """Inverse sine."""

    def acos(self, data: Array) -> Array:
        """Inverse cosine."""

    def atan(self, data: Array) -> Array:
        """Inverse tangent."""

    def atan2(self, y: Data, x: Data) -> Array:
        """The angle of the point (x, y)."""
