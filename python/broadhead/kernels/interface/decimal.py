"""Kernels for decimals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Checked, Data


class Decimal(Protocol):
    """Decimals as unscaled data: a value is its integer divided by 10 to the power of its scale.

    `left_scale`, `right_scale` and `from_scale` are those of the arguments; `precision` and `scale`
    are those of the result. Rounding is HALF_UP: away from zero at a tie, as in Spark. Results with
    more than `precision` digits fail: null in the result and true in the mask, which is None if no
    row failed. Nulls give null and do not fail. Spark raises for failed rows with ANSI, and has
    null without.
    """

    def fits_long(self, data: Array) -> Array | None:
        """The same unscaled data as int64, or None if a value needs more bits. Nulls always fit."""

    def from_integer(self, data: Array) -> Array:
        """Integers of any width as int64 unscaled data of scale 0; null for null."""

    def add(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The exact sum of each row, rounded to `scale`; null where either side is null.

        Fails if it has more than `precision` digits. Spark's `+`.
        """

    def subtract(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The exact difference of each row, rounded to `scale`; null where either side is null.

        Fails if it has more than `precision` digits. Spark's `-`.
        """

    def multiply(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The exact product of each row, rounded to `scale`; null where either side is null.

        Fails if it has more than `precision` digits. Spark's `*`.
        """

    def divide(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """The quotient of each row, rounded to `scale`; null where a side is null. Spark's `/`.

        Null, and not failed, where `right` is zero. Fails if it has more than `precision` digits.
        As in Spark it is rounded to 38 digits after the point first; both roundings can differ from
        one.
        """

    def quotient(self, left: Data, left_scale: int, right: Data, right_scale: int) -> Checked:
        """The quotient truncated toward zero, as int64 of scale 0; null where either side is null.

        Null, and not failed, where `right` is zero. Fails if it does not fit in int64. Spark's
        `div`.
        """

    def remainder(
        self, left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
    ) -> Checked:
        """Java's BigDecimal.remainder, rounded to `scale`; null where a side is null.

        Spark's `%`. It has the sign of `left`. Null, and not failed, where `right` is zero. Fails
        if the integral quotient has more than 38 digits, which Java may reject, or the result more
        than `precision`.
        """

    def rescale(self, data: Array, from_scale: int, precision: int, to_scale: int) -> Checked:
        """The same values with `to_scale` digits after the point, rounded; null for null.

        Fails for values with more than `precision` digits then. Spark's CAST between decimals.
        """

    def negate(self, data: Array) -> Array:
        """Each value with the other sign; null for null.

        No value overflows: int64 become 128 bits if one needs it.
        """

    def abs(self, data: Array) -> Array:
        """Each value without its sign; null for null.

        No value overflows: int64 become 128 bits if one needs it.
        """

    def is_zero(self, data: Array) -> Array:
        """Whether each value is zero, at any scale; null for null."""

    def exceeds(self, data: Array, precision: int) -> Array | None:
        """Mask of the values with more than `precision` digits; false for null.

        None if no value can have more; a mask may also have no true row.
        """

    def to_integer(self, data: Array, scale: int) -> Checked:
        """The values without their fraction, as int64; null for null.

        Fails for values that do not fit in int64. Spark's CAST to long with ANSI.
        """

    def to_integer_wrapped(self, data: Array, scale: int) -> Array:
        """The low 64 bits of the values without their fraction; null for null.

        As Java's BigDecimal.longValue, and Spark's CAST to long without ANSI.
        """

    def to_double(self, data: Array, scale: int) -> Array:
        """The double nearest to each value, as Java's BigDecimal.doubleValue; null for null.

        Spark's CAST.
        """

    def from_double(self, data: Array, precision: int, scale: int) -> Checked:
        """Decimals of the shortest text of each double, rounded to `scale`; null for null.

        The text is that of Java's Double.toString, so 0.1 is exactly 0.1. NaN, infinities and
        values with more than `precision` digits fail. Spark's CAST.
        """

    def to_string(self, data: Array, scale: int, *, plain: bool) -> Array:
        """Digits with `scale` of them after the point; null for null.

        Java's BigDecimal.toPlainString if `plain`, otherwise toString, which is scientific (`5E-8`)
        if the exponent of the first digit is below -6. Spark's CAST uses the plain text with ANSI.
        """
