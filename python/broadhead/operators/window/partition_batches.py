"""Sorted rows in batches of whole partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from broadhead.operators.rows.batch_rows import batch_bytes, concat_batches, cut_batch
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.plan.expressions import Expression


class Oversized(Protocol):
    """A partition that exceeds the memory limit."""

    def add(self, batch: Batch) -> None:
        """Add the partition's next rows."""


Large = TypeVar("Large", bound=Oversized)


class PartitionBatches(Generic[Large]):
    """Splits batches between partitions, and concatenates the rows of a partition.

    The partitions that end in an input batch form one output batch, or two if the first of them
    began long before. A partition that exceeds `operator_memory` is added to the result of
    `oversized`, if it is given.
    """

    def __init__(
        self,
        partition: Sequence[Expression],
        run: Run,
        oversized: Callable[[], Large] | None,
    ) -> None:
        self._run = run
        self._keys = run.compile(partition)
        self._oversized = oversized
        self._large: Large | None = None
        self._open: list[Batch] = []
        self._bytes = 0
        self._last: list[Array] = []

    def gather(self, child: Iterator[Batch]) -> Iterator[Batch | Large]:
        """Batches of whole partitions, and partitions that are too large for one batch."""
        for batch in child:
            if not batch.length:
                continue
            first, last, goes_on = self._starts(batch)
            if self._is_open and not goes_on:
                yield self._close()
            if last:
                yield from self._ended(batch, first, last)
            self._add(cut_batch(batch, last, batch.length - last, self._run))
        if self._is_open:
            yield self._close()

    def _ended(self, batch: Batch, first: int, last: int) -> Iterator[Batch | Large]:
        """The open partition, which ends at row `first`, and those that end up to row `last`."""
        ended = cut_batch(batch, 0, last, self._run)
        if not self._is_open:
            yield ended
        elif self._large is None and self._fits(ended):
            self._open.append(ended)
            yield self._close()
        else:
            # the partition alone: several small ones that exceed the limit together are not a large
            # one
            self._add(cut_batch(batch, 0, first, self._run))
            yield self._close()
            if last > first:
                yield cut_batch(batch, first, last - first, self._run)

    def _fits(self, batch: Batch) -> bool:
        """Whether the open rows stay within the limit with these rows."""
        size = self._bytes + batch_bytes(batch, self._run)
        return self._oversized is None or not self._run.must_spill(size)

    @property
    def _is_open(self) -> bool:
        return bool(self._open) or self._large is not None

    def _add(self, batch: Batch) -> None:
        if self._large is not None:
            self._large.add(batch)
            return
        self._open.append(batch)
        self._bytes += batch_bytes(batch, self._run)
        if self._oversized is not None and self._run.must_spill(self._bytes):
            self._large = self._oversized()
            for part in self._open:
                self._large.add(part)
            self._open = []

    def _close(self) -> Batch | Large:
        large, self._large = self._large, None
        self._bytes = 0
        if large is not None:
            return large
        gathered = concat_batches(self._open, self._run)
        self._open = []
        return gathered

    def _starts(self, batch: Batch) -> tuple[int, int, bool]:
        """Starts of the batch's second and last partitions, and whether row 0 is in the last.

        Both are 0 if the batch has one partition.
        """
        k = self._run.kernels
        keys = [column.data for column in self._keys.evaluate(batch)]
        starts = k.window.runs(k.window.changes(keys, batch.length)).starts
        count = k.columns.length(starts)
        goes_on = True
        if keys and self._last:
            pair = k.columns.concat([self._last, k.columns.slice(keys, 0, 1)])
            goes_on = not k.logic.all(k.window.changes(pair, 2))
        self._last = k.columns.slice(keys, batch.length - 1, 1)
        last = value_at(starts, count - 1, self._run)
        first = value_at(starts, 1, self._run) if count > 1 else 0
        return first, last, goes_on


def value_at(positions: Array, row: int, run: Run) -> int:
    """One of the positions as a Python integer."""
    columns = run.kernels.columns
    (one,) = columns.slice([positions], row, 1)
    return int(columns.to_arrow(one, LONG)[0].as_py())
