"""The rows of an aggregation whose functions need all rows of a group at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.aggregate.aggregate_table import MAX_DEPTH
from broadhead.operators.rows.batch_rows import batch_bytes, concat_batches, divide_batch
from broadhead.operators.spill.spill import SpillPartitions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.nodes import HashAggregate


class GroupedRows:
    """Rows of keys and arguments, in the order of the input.

    `operator_memory` limits the rows in memory. Beyond it the rows go to files by the hash of their
    keys, so that a group is in one file.
    """

    def __init__(self, node: HashAggregate, run: Run, depth: int = 0) -> None:
        self._node = node
        self._run = run
        self._depth = depth
        self._rows: list[Batch] = []
        self._bytes = 0
        self._partitions: SpillPartitions | None = None

    @property
    def is_empty(self) -> bool:
        """True before the first batch."""
        return not self._rows and self._partitions is None

    def add(self, rows: Batch) -> None:
        """Add rows."""
        self._rows.append(rows)
        self._bytes += batch_bytes(rows, self._run)
        divisible = bool(self._node.grouping) and self._depth < MAX_DEPTH
        if divisible and self._run.must_spill(self._bytes):
            self._spill()

    def drain(self) -> Iterator[Batch]:
        """All rows; those of a group are in one batch."""
        if self._partitions is None:
            if self._rows:
                yield concat_batches(self._rows, self._run)
            return
        self._spill()
        for file in self._partitions.files:
            part = GroupedRows(self._node, self._run, self._depth + 1)
            for rows in file.read():
                part.add(rows)
            yield from part.drain()

    def _spill(self) -> None:
        rows, self._rows, self._bytes = self._rows, [], 0
        for batch in rows:
            if self._partitions is None:
                types = [column.type for column in batch.columns]
                name = f"rows-{self._node.id}-{self._depth}-{id(self)}"
                self._partitions = SpillPartitions(
                    self._run, self._node.id, name, types, seed=self._depth
                )
            for part in divide_batch(batch, self._run):
                keys = [column.data for column in part.columns[: len(self._node.grouping)]]
                self._partitions.add(part, keys)
