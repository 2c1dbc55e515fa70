"""The groups of an aggregation so far: merged in memory, spilled by partition beyond a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.aggregates.registry import aggregates
from broadhead.columns import Batch, Column
from broadhead.operators.aggregate_rounds import run_rounds
from broadhead.operators.batch_rows import batch_bytes, concat_batches, with_data
from broadhead.operators.spill import SpillFile
from broadhead.types import INTEGER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.context import Run
    from broadhead.plan.nodes import HashAggregate

PARTITIONS = 16
"""Parts that a spill makes; each that is still too large is parted again."""

MAX_DEPTH = 6
"""Spills within spills: 16^6 parts of one hash each cannot be made smaller by another."""

MERGE_ROWS = 2_000_000
"""Rows of buffers that may wait before they are merged: each merge groups the same keys again."""

SAMPLE_ROWS = 100_000
"""Input rows after which a partial aggregation decides whether it reduces its input at all."""

MIN_REDUCTION = 0.75
"""A partial aggregation that keeps more groups than this share of its rows passes them on."""


class AggregateTable:
    """Rows of keys and buffers, which are merged as they come.

    `operator_memory` bounds what is held: beyond it the rows go to `PARTITIONS` files by the
    hash of their keys, and each file is merged by itself in the end.
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
        self._files: list[SpillFile] = []
        self._rows_in = 0
        self._groups_out = 0
        self._only_partial = bool(node.aggregates) and all(
            call.mode == "Partial" for call in node.aggregates
        )

    @property
    def is_empty(self) -> bool:
        """True before the first row."""
        return not self._pending and not self._files

    def passes_through(self, rows: int, groups: int) -> bool:
        """Whether a batch of so many rows and groups had better go on unmerged.

        Only where a later phase merges the buffers anyway, and the input has hardly any equal keys.
        """
        self._rows_in += rows
        self._groups_out += groups
        return (
            self._only_partial
            and bool(self._node.grouping)
            and not self._files
            and self._rows_in >= SAMPLE_ROWS
            and self._groups_out > MIN_REDUCTION * self._rows_in
        )

    def add(self, rows: Batch, *, grouped: bool) -> None:
        """Take in rows of keys and buffers; `grouped` where no two of them have equal keys."""
        self._pending.append(rows)
        self._grouped = self._grouped and grouped
        self._pending_rows += rows.length
        self._pending_bytes += batch_bytes(rows, self._run)
        memory = self._run.settings.operator_memory
        limit = max(MERGE_ROWS, 2 * self._merged_rows)
        if self._pending_rows > limit or self._pending_bytes > memory:
            self._merge()
            if self._pending_bytes > memory and self._may_spill():
                self._spill()

    def take(self) -> list[Batch]:
        """The rows held in memory, which the table gives up."""
        taken, self._pending = self._pending, []
        self._pending_rows = self._pending_bytes = self._merged_rows = 0
        self._grouped = True
        return taken

    def drain(self) -> Iterator[Batch]:
        """All groups, each in one row."""
        if not self._files:
            self._merge()
            yield from self.take()
            return
        self._spill()
        for file in self._files:
            part = AggregateTable(self._node, self._run, self._depth + 1)
            for rows in file.read():
                part.add(rows, grouped=False)
            yield from part.drain()

    def _may_spill(self) -> bool:
        return bool(self._node.grouping) and self._depth < MAX_DEPTH

    def _merge(self) -> None:
        if len(self._pending) > 1 or not self._grouped:
            self._pending = [self._merged(self._pending)]
            self._grouped = True
            self._pending_rows = self._pending[0].length
            self._pending_bytes = batch_bytes(self._pending[0], self._run)
        self._merged_rows = self._pending_rows

    def _merged(self, tables: Sequence[Batch]) -> Batch:
        rows = concat_batches(tables, self._run)
        keys = rows.columns[: len(self._node.grouping)]
        kernels = self._run.kernels
        grouping = kernels.group.group([key.data for key in keys], rows.length)
        rounds = []
        position = len(keys)
        for call in self._node.aggregates:
            buffers = rows.columns[position : position + len(call.buffers)]
            position += len(call.buffers)
            implementation = aggregates()[call.name].implementation
            rounds.append(implementation.merge(kernels, grouping, call, buffers))
        merged = run_rounds(rounds, grouping)
        grouped = zip(grouping.keys, keys, strict=True)
        return Batch((*(Column(data, key.type) for data, key in grouped), *merged), grouping.size)

    def _spill(self) -> None:
        """Move what is held into the partitions' files."""
        kernels = self._run.kernels
        for rows in self.take():
            if not self._files:
                types = [column.type for column in rows.columns]
                name = f"aggregate-{self._node.id}-{self._depth}-{id(self)}"
                self._files = [
                    SpillFile(self._run, f"{name}-{part}", types) for part in range(PARTITIONS)
                ]
            keys = [column.data for column in rows.columns[: len(self._node.grouping)]]
            parts = kernels.group.hash_partition(keys, PARTITIONS, seed=self._depth)
            for number, file in enumerate(self._files):
                self._spill_part(rows, parts, number, file)

    def _spill_part(self, rows: Batch, parts: object, number: int, file: SpillFile) -> None:
        kernels = self._run.kernels
        mask = kernels.compare.compare("equal", parts, kernels.columns.scalar(number, INTEGER))
        kept = kernels.columns.filter([column.data for column in rows.columns], mask)
        length = kernels.columns.length(kept[0])
        if length:
            before = file.bytes
            file.write(with_data(rows.columns, kept, length))
            self._run.metrics.add(self._node.id, "spilledBytes", file.bytes - before)
