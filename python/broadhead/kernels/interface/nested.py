"""Kernels for arrays, maps and structs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface.physical import Array
    from broadhead.types import ArrayType, MapType, StructType


class Nested(Protocol):
    """Splitting of arrays, maps and structs, and creation of structs."""

    def lengths(self, data: Array) -> Array:
        """Number of elements of each array or entries of each map, int64; 0 for null."""

    def elements(self, data: Array, data_type: ArrayType | MapType) -> list[Array]:
        """The concatenated elements of all rows.

        One Array for arrays, two for maps: the keys and the values.
        """

    def fields(self, data: Array, data_type: StructType) -> list[Array]:
        """Each field of a struct, null where the struct is null."""

    def struct(self, fields: Sequence[Array], data_type: StructType) -> Array:
        """Structs of these fields, none of them null; there is at least one field."""

    def array(self, offsets: Array, elements: Array, data_type: ArrayType) -> Array:
        """Arrays of the elements from each offset (int64, the first is 0) up to the next one.

        None of them is null. Raises EngineLimit for too many elements.
        """

    def joined(self, offsets: Array, texts: Array, separator: str) -> Array:
        """The texts from each offset (int64, the first is 0) up to the next one, as one string.

        The separator stands between two of them. Raises EngineLimit for too long strings.
        """

    def unfold(self, counts: Array, start: int, length: int) -> tuple[Array, Array]:
        """Rows repeated as often as `counts` (int64, no nulls) says: the output rows from `start`.

        For each of `length` output rows, the number of its source row, and the number of output
        rows before it with the same source row; both int64. Counts of 2, 0, 1 give the rows 0, 0, 2
        and the numbers 0, 1, 0.
        """
