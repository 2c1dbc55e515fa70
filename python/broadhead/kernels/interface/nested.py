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
        """The elements of all rows, one after the other, without those of null rows.

        One Array for arrays; two for maps, the keys and the values. `lengths` says how many belong
        to each row. Elements may be null.
        """

    def fields(self, data: Array, data_type: StructType) -> list[Array]:
        """The fields of a struct, an Array for each; null where the struct is null."""

    def struct(self, fields: Sequence[Array], data_type: StructType) -> Array:
        """A struct of these fields in each row, never null itself. There is at least one field."""

    def array(self, offsets: Array, elements: Array, data_type: ArrayType) -> Array:
        """Arrays of consecutive elements, none of them null itself.

        `offsets` are int64, one more than there are rows, from 0 to the number of elements: row i
        has the elements from `offsets[i]` to `offsets[i + 1]` (exclusive). Raises `EngineLimit` for
        more than 2**31 - 1 elements.
        """

    def joined(self, offsets: Array, texts: Array, separator: str) -> Array:
        """Consecutive texts as one string a row, with `separator` between them; '' for no text.

        `offsets` are those of `array`. No text is null. Raises `EngineLimit` if the strings exceed
        2 GiB.
        """

    def unfold(self, counts: Array, start: int, length: int) -> tuple[Array, Array]:
        """Rows repeated as often as `counts` says: `length` of the output rows, from `start` on.

        `counts` are int64 without nulls. Returns, for each output row, the row id of its source
        row, and how many output rows before it have the same source; both int64. Counts of 2, 0, 1
        give the rows 0, 0, 2 and the numbers 0, 1, 0. For `explode` and similar generators.
        """
