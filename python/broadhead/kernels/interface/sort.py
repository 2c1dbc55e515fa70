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
        """The numbers of the rows (int64) in order; rows with equal keys stay as they are."""

    def top(self, keys: Sequence[Array], orders: Sequence[Order], limit: int) -> Array:
        """The first `limit` ids of `order`, or all if there are fewer."""

    def merge(
        self, runs: Sequence[Sequence[Array]], orders: Sequence[Order], unfinished: Sequence[bool]
    ) -> tuple[Array, list[int]]:
        """One step of a merge of sorted runs: the rows that no later row can precede.

        `runs` are the keys of each run's rows in memory, at least one row each, and `unfinished`
        says which runs have more rows. Returns the numbers (int64) of these rows among the
        concatenated rows of all runs, in order, rows with equal keys in the order of their runs;
        and the number of rows of each run. At least one run with more rows is used up, or all runs
        if none has more.
        """
