"""Kernels for decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Checked, Data


class Decimal(Protocol):
    """Decimals as unscaled data.

    Rounding is HALF_UP (away from zero at a tie). Results that do not fit `precision` digits
    fail.
    """

    def fits_long(self, data: Array) -> Array | None:
        """The same data as int64, or None if a value does not fit."""

    def from_integer(self, data: Array) -> Array:
        """Integers of any width as int64 unscaled data of scale 0."""

    def add(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The exact sum, rounded to `scale`."""

    def subtract(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The exact difference, rounded to `scale`."""

    def multiply(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The exact product, rounded to `scale`."""

    def divide(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The quotient, rounded to `scale`; null (not failed) if `right` is zero.

        If it affects the result, it is first rounded to 38 digits after the point, as in Spark.
        """

    def quotient(self, left: Data, left_scale: int, right: Data, right_scale: int) -> Checked:
        """The quotient truncated toward zero, as int64 (scale 0).

        Null if `right` is zero; fails if it does not fit in int64.
        """

    def remainder(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """Java's BigDecimal.remainder (sign of the dividend), rounded to `scale`.

        Null if `right` is zero. Fails if the integral quotient has more than 38 digits.
        """

    def rescale(self, data: Array, from_scale: int, precision: int, to_scale: int) -> Checked:
        """The same value with `to_scale` digits after the point."""

    def negate(self, data: Array) -> Array:
        """Negative."""

    def abs(self, data: Array) -> Array:
        """Magnitude."""

    def is_zero(self, data: Array) -> Array:
        """Boolean; null for null."""

    def exceeds(self, data: Array, precision: int) -> Array | None:
        """Mask of the values with more than `precision` digits, or None if there are none."""

    def to_integer(self, data: Array, scale: int) -> Checked:
        """Truncated to int64; fails if it does not fit."""

    def to_integer_wrapped(self, data: Array, scale: int) -> Array:
        """The low 64 bits of the truncated value, as Java's BigDecimal.longValue."""

    def to_double(self, data: Array, scale: int) -> Array:
        """The nearest double, as Java's BigDecimal.doubleValue."""

    def from_double(self, data: Array, precision: int, scale: int) -> Checked:
        """The shortest decimal text of a double (Java's Double.toString), rounded to `scale`.

        NaN and infinities fail.
        """

    def to_string(self, data: Array, scale: int, *, plain: bool) -> Array:
        """Java's BigDecimal.toPlainString, or toString if not `plain`.

        toString is scientific for tiny values: if the exponent of the first digit is below -6.
        """
