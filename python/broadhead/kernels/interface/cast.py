"""Kernels for conversions between booleans, integers and floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.physical import Array, Checked, Data
    from broadhead.types import DataType


class Cast(Protocol):
    """Conversion between booleans, integers, floats and their texts.

    `to` is one of Spark's types. The result has one value a row, null for null.
    """

    def widen(self, data: Data, to: DataType) -> Data:
        """The same values in a type that has them all, or in a float type; null for null.

        Booleans become 0 and 1. Integers that a float cannot represent are rounded to the nearest
        one, as in Java. A scalar stays a scalar.
        """

    def narrow_integer(self, data: Array, to: DataType) -> Array:
        """The low bits of integers, in the narrower type `to`; null for null.

        Values that do not fit wrap around, as in Java and in Spark's CAST without ANSI.
        """

    def narrow_integer_checked(self, data: Array, to: DataType) -> Checked:
        """Integers in the narrower type `to`, and a mask of the rows that do not fit it.

        Failed rows are null in the result; the mask is None if there are none. Nulls do not fail.
        For Spark's CAST with ANSI, and `try_cast`.
        """

    def float_to_integer(self, data: Array, to: DataType) -> Array:
        """Floats without their fraction, in the integer type `to`; null for null.

        Java's `(int)` or `(long)`: NaN is 0, values out of range are the nearest end. Byte and
        short are the low bits of the int. Spark's CAST without ANSI.
        """

    def float_to_integer_checked(self, data: Array, to: DataType) -> Checked:
        """Floats without their fraction, and a mask of the rows with NaN or a value out of range.

        Failed rows are null in the result; the mask is None if there are none. Nulls do not fail.
        For Spark's CAST with ANSI, and `try_cast`.
        """

    def to_boolean(self, data: Array) -> Array:
        """Whether each number is other than zero; null for null.

        True for NaN, false for 0.0 and -0.0, as Spark's CAST.
        """

    def integer_to_string(self, data: Array) -> Array:
        """Each integer as decimal digits, with a minus sign if it is negative; null for null."""

    def integer_to_grouped_string(self, data: Array) -> Array:
        """Each int64 as decimal digits with a comma before each group of three; null for null.

        The values are not negative. For the whole digits of Spark's `format_number`.
        """

    def digits_to_string(self, numbers: Sequence[Array], layout: Sequence[str | int]) -> Array:
        """Texts made of numbers and fixed texts; null where one of the numbers is null.

        Parameters
        ----------
        numbers
            At least one Array of int64, not negative, with no more digits than the layout says.
        layout
            ASCII texts, and for each of `numbers` its number of digits; shorter numbers get zeros
            in front. `[2, ":", 3]` and the numbers 7 and 5 give `07:005`.
        """

    def boolean_to_string(self, data: Array) -> Array:
        """`true` or `false`; null for null."""

    def float_to_string(self, data: Array, *, shortest: bool) -> Array:
        """Texts of floats as by Java's Double.toString or Float.toString; null for null.

        `shortest`: with as few digits as tell the value apart, as Java does since version 19. The
        JVM says which it is, since Spark's CAST uses its own. Raises `EngineLimit` for the rare
        values whose digits are not known, such as subnormal ones.
        """

    def reinterpret(self, data: Data, to: DataType) -> Data:
        """The same bits as another type, without a copy where the library can; null for null.

        Between integer (int32) and date; between long, timestamp and timestamp_ntz; between string
        and binary. A binary read as string may not be valid UTF-8, which is not checked.
        """
