"""Kernels for comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array, Data
    from broadhead.types import DataType

Comparison = Literal["equal", "less", "less_equal"]


class Compare(Protocol):
    """Comparison in Spark's order.

    Of booleans, integers, floats, unscaled data of one scale, strings and binary (by bytes), dates
    and timestamps.
    """

    def compare(self, op: Comparison, left: Data, right: Data) -> Array:
        """Boolean; null if either side is null."""

    def null_safe_equal(self, left: Data, right: Data) -> Array:
        """Mask: true for two nulls, false for one."""

    def is_in(self, data: Array, values: Sequence[Any], data_type: DataType) -> Array:
        """Mask of the values that equal one of `values`; false for null, and for no `values`.

        `values` are in the Python form of literals, none of them None.
        """

    def normalize(self, data: Array) -> Array:
        """Floats with one NaN for all NaNs and 0.0 for -0.0; other types unchanged.

        Also floats in arrays and structs, which are never on the device.
        """
