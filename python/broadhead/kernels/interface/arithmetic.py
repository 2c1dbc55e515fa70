"""Kernels for arithmetic on integers and floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Checked, Data


class Arithmetic(Protocol):
    """Arithmetic on integers of one width and floats of one width.

    Both arguments have one type, and the result has it, too: one value a row, null where an
    argument is null. What Spark adds to this (ANSI errors, null for division by zero) is in
    `functions`.
    """

    def add(self, left: Data, right: Data) -> Array:
        """Sum of each row; null where either side is null.

        Integers wrap around like Java's `+`, as Spark's `+` does without ANSI. Floats follow IEEE
        754: an overflow is an infinity, Infinity + -Infinity is NaN.
        """

    def subtract(self, left: Data, right: Data) -> Array:
        """Difference of each row; null where either side is null.

        Integers wrap around like Java's `-`, as Spark's `-` does without ANSI. Floats follow IEEE
        754.
        """

    def multiply(self, left: Data, right: Data) -> Array:
        """Product of each row; null where either side is null.

        Integers wrap around like Java's `*`, as Spark's `*` does without ANSI. Floats follow IEEE
        754: 0.0 * Infinity is NaN.
        """

    def negate(self, data: Array) -> Array:
        """Each value with the other sign; null for null.

        The least integer stays what it is, like Java's unary minus. Of floats, the negative of 0.0
        is -0.0, and NaN stays NaN.
        """

    def abs(self, data: Array) -> Array:
        """Each value without its sign; null for null.

        The least integer stays negative, like Java's Math.abs. Of floats, -0.0 gives 0.0.
        """

    def add_checked(self, left: Data, right: Data) -> Checked:
        """Sum of integers, and a mask of the rows whose exact sum does not fit the type.

        The mask is None if every sum fits. A failed row is null in the sum. A row with a null
        argument is null and has not failed. For Spark's `+` with ANSI, and `try_add`.
        """

    def subtract_checked(self, left: Data, right: Data) -> Checked:
        """Difference of integers, and a mask of the rows where it does not fit the type.

        Nulls and failed rows are as in `add_checked`. For Spark's `-` with ANSI, and
        `try_subtract`.
        """

    def multiply_checked(self, left: Data, right: Data) -> Checked:
        """Product of integers, and a mask of the rows where it does not fit the type.

        Nulls and failed rows are as in `add_checked`. For Spark's `*` with ANSI, and
        `try_multiply`.
        """

    def divide(self, left: Data, right: Data) -> Array:
        """Quotient of floats; null where either side is null.

        IEEE 754: a division by 0.0 gives an infinity, 0.0 / 0.0 gives NaN. Spark's `/` has null or
        an error for a zero divisor, which `functions` adds.
        """

    def quotient(self, left: Data, right: Data) -> Array:
        """Quotient of integers, truncated toward zero like Java's `/`.

        Null where either side is null, and where `right` is zero. The least integer divided by -1
        wraps around to itself. For Spark's `div`.
        """

    def remainder(self, left: Data, right: Data) -> Array:
        """Remainder of the division, with the sign of `left`, like Java's `%`.

        Null where either side is null, and for integers where `right` is zero. Floats follow C's
        fmod: NaN where `right` is zero or `left` is infinite. For Spark's `%`.
        """

    def sqrt(self, data: Array) -> Array:
        """Square root of floats, correctly rounded; null for null.

        NaN for negative values, -0.0 for -0.0, as Java's Math.sqrt and Spark's `sqrt`.
        """

    def least_integer(self, data: Array) -> Array:
        """Mask of the rows that have the least integer of their type; false for null.

        Its negative does not fit the type: Spark's unary minus and `abs` raise for it with ANSI.
        """
