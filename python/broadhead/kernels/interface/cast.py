"""Kernels for conversions between booleans, integers and floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.physical import Array, Checked, Data
    from broadhead.types import DataType


class Cast(Protocol):
    """Conversion between booleans, integers and floats. `to` is one of Spark's types."""

    def widen(self, data: Data, to: DataType) -> Data:
        """To a type that represents every value, or to a float type (integers round to nearest).

        Booleans become 0 and 1. Scalars stay scalars.
        """

    def narrow_integer(self, data: Array, to: DataType) -> Array:
        """Integers to fewer bits, wrapping around."""

    def narrow_integer_checked(self, data: Array, to: DataType) -> Checked:
        """Integers to fewer bits; fails if the value does not fit."""

    def float_to_integer(self, data: Array, to: DataType) -> Array:
        """Java's (int) or (long), for byte and short then wrapped.

        Truncates, NaN is 0, out of range is the nearest end.
        """

    def float_to_integer_checked(self, data: Array, to: DataType) -> Checked:
        """Truncated; fails for NaN and if the truncated value does not fit."""

    def to_boolean(self, data: Array) -> Array:
        """True for values other than zero (NaN is true)."""

    def integer_to_string(self, data: Array) -> Array:
        """Decimal digits, with a minus sign for negative numbers."""

    def integer_to_grouped_string(self, data: Array) -> Array:
        """Decimal digits of longs that are not negative, with commas between groups of three."""

    def digits_to_string(self, numbers: Sequence[Array], layout: Sequence[str | int]) -> Array:
        """Texts of a layout, which has ASCII texts and the number of digits of each of `numbers`.

        The numbers are longs, at least one, that are not negative and have no more digits, which
        zeros precede; null if one is null.
        """

    def boolean_to_string(self, data: Array) -> Array:
        """`true` or `false`."""

    def float_to_string(self, data: Array, *, shortest: bool) -> Array:
        """The text of Java's Double.toString or Float.toString.

        `shortest`: with as few digits as tell the value apart, as Java does since version 19.
        Raises `EngineLimit` for the rare values whose digits are not known, as of subnormal ones.
        """

    def reinterpret(self, data: Data, to: DataType) -> Data:
        """The same bits as another type.

        Integer (int32) and date; long, timestamp and timestamp_ntz; string as binary
        and binary as string, which may then not be valid UTF-8.
        """
