"""Rows that a file format reads of a scan's splits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run, Split


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


def rows_of_block(
    arrays: Mapping[int, Array], count: int, split: Split, run: Run
) -> Iterator[ReadRows]:
    """The rows of a block of a split, in parts of the size that the device works on."""
    most = run.kernels.device.batch_rows(run.settings)
    for start in range(0, count, most):
        rows = min(most, count - start)
        parts = run.kernels.columns.slice(list(arrays.values()), start, rows)
        yield ReadRows(dict(zip(arrays, parts, strict=True)), [(split, rows)])
