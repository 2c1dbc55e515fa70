"""Rows that a file format reads of a scan's splits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Split


@dataclass(frozen=True, slots=True)
class ReadRows:
    """Some rows of adjacent splits.

    Attributes
    ----------
    arrays
        Physical data by the ordinal of the data column. A column that is missing is null in all
        rows.
    splits
        Each split with the number of its rows, in order.
    """

    arrays: Mapping[int, Array]
    splits: Sequence[tuple[Split, int]]

    @property
    def length(self) -> int:
        """The number of rows."""
        return sum(count for _, count in self.splits)
