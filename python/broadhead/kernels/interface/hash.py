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

        The hash of a column is the seed of the next one. A null keeps the seed, and no columns give
        `seed`. Unscaled data of either width are hashed by their decimal type. NaNs have one hash,
        and -0.0 has that of 0.0. Structs, arrays and maps, which are never on a GPU, are hashed by
        their fields, elements and entries.
        """

    def xxhash64(
        self, columns: Sequence[Array], types: Sequence[DataType], length: int, seed: int
    ) -> Array:
        """Spark's `xxhash64` of each row, int64 without nulls, by the rules of `murmur3`."""

    def modulo(self, hashes: Array, partitions: int) -> Array:
        """The partition of each hash, int32 from 0 to `partitions` - 1: Spark's `pmod`.

        `hashes` are int32 without nulls.
        """

    def search_sorted(
        self, bounds: Sequence[Array], keys: Sequence[Array], orders: Sequence[Order]
    ) -> Array:
        """The range partition of each row: how many rows of `bounds` come before it, int32.

        Parameters
        ----------
        bounds
            The columns of the bounds, sorted by `orders`. A bound that equals a row is not before
            it.
        keys
            The columns of the rows, of the same types.
        orders
            One for each key. Floats have Spark's order, nulls are equal to each other, strings and
            binaries are compared byte by byte.
        """

    def partition(
        self, arrays: Sequence[Array], ids: Array, partitions: int
    ) -> tuple[list[Array], Any]:
        """The rows of partition 0, then those of partition 1 and so on, in their order.

        Parameters
        ----------
        arrays
            The columns of the rows.
        ids
            The partition of each row, int32 from 0 to `partitions` - 1 without nulls.
        partitions
            How many partitions there are; some may be empty.

        Returns
        -------
        tuple
            The columns, and a numpy array of `partitions + 1` int64: the offset of each partition,
            and the number of rows.
        """
