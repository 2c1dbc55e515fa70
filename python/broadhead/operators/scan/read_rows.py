"""Rows that a file format reads of a scan's splits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def rows_of_blocks(
    blocks: Iterable[tuple[Mapping[int, Array], int]], split: Split, run: Run
) -> Iterator[ReadRows]:
    """The rows of a split's blocks of text, in parts of the size that the device works on.

    A block is small, since its texts shall stay in the processor's caches, but operators have a
    price for each batch. So blocks are joined: first few, so that the first rows come soon.
    """
    most = run.kernels.device.batch_rows(run.settings)
    waiting: list[tuple[Mapping[int, Array], int]] = []
    rows, wanted = 0, 1
    for arrays, count in blocks:
        if waiting and arrays.keys() != waiting[0][0].keys():
            yield from _joined(waiting, split, run)
            waiting, rows = [], 0
        waiting.append((arrays, count))
        rows += count
        if rows >= min(wanted, most):
            yield from _joined(waiting, split, run)
            waiting, rows, wanted = [], 0, 2 * rows
    if waiting:
        yield from _joined(waiting, split, run)


def _joined(
    blocks: Sequence[tuple[Mapping[int, Array], int]], split: Split, run: Run
) -> Iterator[ReadRows]:
    """The rows of blocks with the same columns."""
    columns = run.kernels.columns
    names = list(blocks[0][0])
    arrays = columns.concat([[block[name] for name in names] for block, _ in blocks])
    count = sum(rows for _, rows in blocks)
    most = run.kernels.device.batch_rows(run.settings)
    for start in range(0, count, most):
        rows = min(most, count - start)
        parts = columns.slice(arrays, start, rows)
        yield ReadRows(dict(zip(names, parts, strict=True)), [(split, rows)])
