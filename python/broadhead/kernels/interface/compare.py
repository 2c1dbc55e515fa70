"""Kernels for comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data
    from broadhead.types import DataType

Comparison = Literal["equal", "less", "less_equal"]


class Compare(Protocol):
    """Comparison in Spark's order: one boolean a row.

    Both sides have one type: booleans, integers, floats, unscaled data of one scale, strings and
    binary (compared byte by byte, unsigned), dates or timestamps. NaN equals NaN and is greater
    than all other floats; -0.0 equals 0.0.
    """

    def compare(self, op: Comparison, left: Data, right: Data) -> Array:
        """Whether `left` equals, is less than, or is at most `right`; null where a side is null.

        Spark's `=`, `<` and `<=`; the caller turns the sides around for `>` and `>=`.
        """

    def null_safe_equal(self, left: Data, right: Data) -> Array:
        """Mask of the rows with equal values or with two nulls; false where one side is null.

        Spark's `<=>`.
        """

    def is_in(self, data: Array, values: Sequence[Any], data_type: DataType) -> Array:
        """Mask of the rows that equal one of `values`; false for null, and for no `values`.

        `values` have the Python form of literals, none is None. Spark's IN is null where the value
        or the list has a null, which `functions` adds.
        """

    def normalize(self, data: Array) -> Array:
        """Floats with one NaN for all NaNs, and 0.0 for -0.0; null for null.

        For keys of groups, joins and partitions, as Spark's NormalizeFloatingNumbers. Also floats
        in arrays and structs, which are never on a GPU. Other types are returned unchanged.
        """
