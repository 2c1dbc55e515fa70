"""What kernels make of keys that are nested, or that are strings with a collation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.collations import Collations
    from broadhead.kernels.interface.physical import Array
    from broadhead.types import ArrayType, DataType, StructType


class Keys(Protocol):
    """Values made keys that can be grouped, joined and sorted by."""

    def comparable(self, data: Array, data_type: ArrayType | StructType) -> Array:
        """Binaries that are equal, or less (by bytes), exactly where Spark says it of the values.

        Null for null. Within a value, null is less than anything and equals null, floats have
        Spark's order, and an array is greater than one that it begins with. The bytes of a value
        are the same in every batch. Nothing of the type is a map.
        """

    def collated(
        self, data: Array, data_type: DataType, target: DataType, collations: Collations
    ) -> Array:
        """The values converted to `target`, which has binaries instead of some strings.

        `collations` computes the binaries, once for each distinct string. `data_type` is a string
        with a collation, or a nested type that contains such strings.
        """
