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
        """Binaries with the equality and order of the values in Spark; null for null.

        They are compared byte by byte. Within a value, null is less than all values and equals
        null, floats have Spark's order, and an array is greater than its prefixes. A value has the
        same bytes in every batch. The type contains no map. Raises `EngineLimit` if the binaries
        exceed 2 GiB.
        """

    def collated(
        self, data: Array, data_type: DataType, target: DataType, collations: Collations
    ) -> Array:
        """The values with a binary key instead of each string that has a collation; null for null.

        Parameters
        ----------
        data
            Strings with a collation, or values of a nested type that contains such strings.
        data_type
            Their type.
        target
            The type of the result, which has `binary` where `data_type` has such strings.
        collations
            Computes the keys, once for each distinct string. Equal keys mean equal strings in the
            collation, and their order byte by byte is Spark's.
        """
