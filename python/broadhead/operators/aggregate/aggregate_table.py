"""The groups of an aggregation: merged in memory, spilled by partition beyond a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.aggregate.aggregate_calls import merge_rounds, run_rounds
from broadhead.operators.aggregate.partial_reduction import MIN_REDUCTION
from broadhead.operators.rows.batch_rows import batch_bytes, concat_batches, divide_batch
from broadhead.operators.spill.spill import SpillPartitions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.context import Run
    from broadhead.plan.nodes import HashAggregate

MAX_DEPTH = 6
"""Limit of nested spills: rows with one hash after so many divisions cannot be divided further."""

LOOKS = 8
"""Number of spills after which the table checks whether merging the waiting rows reduces them."""

SAMPLE_SHARE = 4
"""Fraction of the waiting rows that this check reads."""

MERGE_ROWS = 2_000_000
"""Rows of buffers that may wait before they are merged: each merge groups the same keys again."""


class AggregateTable:
    """Rows of keys and buffers, merged as they arrive.

    `operator_memory` limits the rows in memory. Beyond it the rows go to files by the hash of their
    keys, and each file is merged separately at the end.
    """

    def __init__(self, node: HashAggregate, run: Run, depth: int = 0) -> None:
        self._node = node
        self._run = run
        self._depth = depth
        self._pending: list[Batch] = []
        self._pending_rows = 0
        self._pending_bytes = 0
        self._merged_rows = 0
        self._grouped = True
        self._partitions: SpillPartitions | None = None
        self._spills = 0
        self._reduces = True

    @property
    def is_empty(self) -> bool:
        """True before the first row."""
        return not self._pending and self._partitions is None

    @property
    def has_spilled(self) -> bool:
        """True once groups are in files, which `drain` reads."""
        return self._partitions is not None

    def add(self, rows: Batch, *, grouped: bool) -> None:
        """Add rows of keys and buffers; `grouped` if no two of them have equal keys."""
        self._pending.append(rows)
        self._grouped = self._grouped and grouped
        self._pending_rows += rows.length
        self._pending_bytes += batch_bytes(rows, self._run)
        limit = max(MERGE_ROWS, 2 * self._merged_rows)
        full = self._run.must_spill(self._pending_bytes)
        if full and self._may_spill() and not self._merging_pays():
            self._spill()
        elif full or self._pending_rows > limit:
            self._merge()
            if self._may_spill() and self._run.must_spill(self._pending_bytes):
                self._spill()

    def take(self) -> list[Batch]:
        """The rows in memory, which the table gives up."""
        taken, self._pending = self._pending, []
        self._pending_rows = self._pending_bytes = self._merged_rows = 0
        self._grouped = True
        return taken

    def drain(self) -> Iterator[Batch]:
        """All groups, each as one row."""
        if self._partitions is None:
            self._merge()
            yield from self.take()
            return
        self._spill()
        for file in self._partitions.files:
            part = AggregateTable(self._node, self._run, self._depth + 1)
            for rows in file.read():
                part.add(rows, grouped=False)
            yield from part.drain()

    def _may_spill(self) -> bool:
        return bool(self._node.grouping) and self._depth < MAX_DEPTH

    def _merging_pays(self) -> bool:
        """Whether rows with equal keys wait; a merge takes several times the memory of its rows."""
        if not self._merged_rows and self._spills % LOOKS == 0:
            keys = self._some_keys()
            grouping = self._run.kernels.group.group(
                [key.data for key in keys.columns], keys.length
            )
            self._reduces = grouping.size <= MIN_REDUCTION * keys.length
        return self._reduces

    def _some_keys(self) -> Batch:
        batches: list[Batch] = []
        rows = 0
        for batch in self._pending:
            batches.append(Batch(batch.columns[: len(self._node.grouping)], batch.length))
            rows += batch.length
            if rows * SAMPLE_SHARE >= self._pending_rows:
                break
        return concat_batches(batches, self._run)

    def _merge(self) -> None:
        if len(self._pending) > 1 or not self._grouped:
            rows = self._pending_rows
            self._pending = [self._merged(self._pending)]
            self._reduces = self._pending[0].length <= MIN_REDUCTION * rows
            self._grouped = True
            self._pending_rows = self._pending[0].length
            self._pending_bytes = batch_bytes(self._pending[0], self._run)
        self._merged_rows = self._pending_rows

    def _merged(self, tables: Sequence[Batch]) -> Batch:
        rows = concat_batches(tables, self._run)
        keys = rows.columns[: len(self._node.grouping)]
        grouping = self._run.kernels.group.group([key.data for key in keys], rows.length)
        rounds = merge_rounds(self._node, rows, grouping, self._run)
        merged = run_rounds(rounds, grouping)
        grouped = zip(grouping.keys, keys, strict=True)
        return Batch((*(Column(data, key.type) for data, key in grouped), *merged), grouping.size)

    def _spill(self) -> None:
        """Move the rows in memory to the files of their keys."""
        self._spills += 1
        for rows in self.take():
            if self._partitions is None:
                types = [column.type for column in rows.columns]
                name = f"aggregate-{self._node.id}-{self._depth}-{id(self)}"
                self._partitions = SpillPartitions(
                    self._run, self._node.id, name, types, seed=self._depth
                )
            for batch in divide_batch(rows, self._run):
                keys = [column.data for column in batch.columns[: len(self._node.grouping)]]
                self._partitions.add(batch, keys)
