"""Kernels for the partition numbers of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array
    from broadhead.types import DataType

Order = tuple[bool, bool]
"""Of one key: ascending, and its nulls before all values (true, true) or after them."""


class Hash(Protocol):
    """Spark's hash, partition numbers by range bounds, and rows sorted by partition."""

    def murmur3(
        self, columns: Sequence[Array], types: Sequence[DataType], length: int, seed: int
    ) -> Array:
        """Spark's `hash` of each row, int32 without nulls: Murmur3, bit for bit.

        The hash of a column is the seed of the next one; a null keeps the seed; no columns give
        `seed`. Unscaled data of either width are hashed by their decimal type. Structs, arrays and
        maps, which are never on the device, are hashed by their fields, elements and entries.
        """

    def xxhash64(
        self, columns: Sequence[Array], types: Sequence[DataType], length: int, seed: int
    ) -> Array:
        """Spark's `xxhash64` of each row, int64 without nulls, with the same rules."""

    def modulo(self, hashes: Array, partitions: int) -> Array:
        """`pmod(hash, partitions)` of int32 without nulls, int32."""

    def search_sorted(
        self, bounds: Sequence[Array], keys: Sequence[Array], orders: Sequence[Order]
    ) -> Array:
        """The number of rows of `bounds` before each row of `keys`, int32.

        `bounds` are sorted by `orders`, one for each key. Floats have Spark's order, nulls are
        equal to each other, strings and binaries are compared by bytes.
        """

    def partition(
        self, arrays: Sequence[Array], ids: Array, partitions: int
    ) -> tuple[list[Array], Any]:
        """The rows of partition 0, then those of partition 1 and so on, in their original order.

        `ids` are int32 in [0, partitions), without nulls. The second result is a numpy array of
        `partitions + 1` int64: the offset of each partition, and the number of rows.
        """
