"""Kernels for keys that are nested or strings with a collation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.collations import Collations
    from broadhead.kernels.interface.physical import Array
    from broadhead.types import ArrayType, DataType, StructType


class Keys(Protocol):
    """Conversion of values to keys for groups, joins and sorts."""

    def comparable(self, data: Array, data_type: ArrayType | StructType) -> Array:
        """Binaries with the equality and order (by bytes) of the values in Spark.

        Null for null. Within a value, null is less than all values and equals null, floats have
        Spark's order, and an array is greater than its prefixes. The bytes of a value are the same
        in every batch. The type contains no map.
        """

    def collated(
        self, data: Array, data_type: DataType, target: DataType, collations: Collations
    ) -> Array:
        """The values converted to `target`, which has binaries instead of some strings.

        `collations` computes the binaries, once for each distinct string. `data_type` is a string
        with a collation, or a nested type that contains such strings.
        """
