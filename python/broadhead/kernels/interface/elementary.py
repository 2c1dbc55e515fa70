"""Kernels for elementary functions of doubles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data


class Elementary(Protocol):
    """Functions whose results are those of Java's `StrictMath` but for the last digits.

    NaN outside of their domains. The arguments are doubles, Arrays where they are single ones.
    """

    def exp(self, data: Array) -> Array:
        """The number e to the power of each double; null for null.

        Infinity from about 709.78 on, 0.0 from about -745.13 down. Spark's `exp`.
        """

    def expm1(self, data: Array) -> Array:
        """The number e to the power of each double, minus 1, exact near 0; null for null.

        -1.0 for -Infinity. Spark's `expm1`.
        """

    def log(self, data: Array) -> Array:
        """Natural logarithm of each double; null for null.

        -Infinity for 0.0 and NaN for negative values. Spark's `ln` is null for both, which
        `functions` adds.
        """

    def log10(self, data: Array) -> Array:
        """Logarithm to the base 10; null for null.

        -Infinity for 0.0 and NaN for negative values; Spark's `log10` is null for both.
        """

    def log1p(self, data: Array) -> Array:
        """Natural logarithm of 1 plus each double, exact near 0; null for null.

        -Infinity for -1.0 and NaN below; Spark's `log1p` is null for both.
        """

    def pow(self, base: Data, exponent: Data) -> Array:
        """`base` to the power of `exponent`; null where either is null.

        Java's rules where C differs: NaN for 1.0 and an infinite or NaN exponent. 1.0 for the
        exponent 0.0, also of NaN. NaN for a negative base and a fraction. Spark's `pow`.
        """

    def cbrt(self, data: Array) -> Array:
        """Cube root of each double, negative for negative ones; null for null. Spark's `cbrt`."""

    def hypot(self, left: Data, right: Data) -> Array:
        """Square root of the sum of both squares, without overflow in between; null for null.

        Infinity if either side is infinite, even beside NaN. Spark's `hypot`.
        """

    def sinh(self, data: Array) -> Array:
        """Hyperbolic sine of each double; null for null.

        Infinite from about 710.48 on, with the sign of the double. Spark's `sinh`.
        """

    def cosh(self, data: Array) -> Array:
        """Hyperbolic cosine of each double; null for null.

        Infinity from about 710.48 on, of both signs. Spark's `cosh`.
        """

    def tanh(self, data: Array) -> Array:
        """Hyperbolic tangent of each double, from -1.0 to 1.0; null for null. Spark's `tanh`."""

    def asin(self, data: Array) -> Array:
        """Inverse sine in radians, from -pi/2 to pi/2; null for null.

        NaN outside of -1.0 to 1.0. Spark's `asin`.
        """

    def acos(self, data: Array) -> Array:
        """Inverse cosine in radians, from 0 to pi; null for null.

        NaN outside of -1.0 to 1.0. Spark's `acos`.
        """

    def atan(self, data: Array) -> Array:
        """Inverse tangent in radians, from -pi/2 to pi/2; null for null. Spark's `atan`."""

    def atan2(self, y: Data, x: Data) -> Array:
        """Angle of the point (x, y) in radians, from -pi to pi; null where either is null.

        The sign of a zero counts: `atan2(-0.0, -1.0)` is -pi. Spark's `atan2`, which adds 0.0 to
        both sides first.
        """

    def sin(self, data: Array) -> Array:
        """Sine of each double in radians; NaN of infinities, null for null. Spark's `sin`."""

    def cos(self, data: Array) -> Array:
        """Cosine of each double in radians; NaN of infinities, null for null. Spark's `cos`."""

    def tan(self, data: Array) -> Array:
        """Tangent of each double in radians; NaN of infinities, null for null. Spark's `tan`."""
