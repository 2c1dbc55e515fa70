"""Kernels for sorting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from broadhead.kernels.interface.physical import Array

Order = tuple[bool, bool]
"""Of one key: ascending, and its nulls before all values (true, true) or after them."""


class Sort(Protocol):
    """Sorting in memory.

    Keys, at least one, are of any type but nested ones. Floats have Spark's order; strings and
    binaries are ordered by their bytes.
    """

    def order(self, keys: Sequence[Array], orders: Sequence[Order]) -> Array:
        """The row ids (int64) in the order of the keys; rows with equal keys keep their order.

        `orders` has one entry for each key, which also says whether nulls come first or last. NaN
        is greater than all other floats, -0.0 equals 0.0, as in Spark's ORDER BY.
        """

    def top(self, keys: Sequence[Array], orders: Sequence[Order], limit: int) -> Array:
        """The first `limit` row ids of `order`, int64, or all if there are fewer rows."""

    def merge(
        self, runs: Sequence[Sequence[Array]], orders: Sequence[Order], unfinished: Sequence[bool]
    ) -> tuple[Array, list[int]]:
        """One step of a merge of sorted runs: the rows that no later row can precede.

        Parameters
        ----------
        runs
            The keys of the rows of each run that are in memory, at least one row each.
        orders
            The order of each key, by which the runs are sorted.
        unfinished
            Which of the runs have more rows.

        Returns
        -------
        tuple
            The numbers (int64) of these rows among the concatenated rows of all runs, in order,
            rows with equal keys in the order of their runs; and how many rows of each run they are.
            At least one unfinished run is used up, or all runs if none has more rows.
        """
