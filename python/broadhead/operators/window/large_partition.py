"""A partition too large for memory: spilled in blocks, and computed block by block."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.columns import Batch
from broadhead.operators.rows.batch_rows import batch_bytes, concat_batches, cut_batch
from broadhead.operators.spill.spill import SpillFile
from broadhead.operators.window.block_columns import BlockColumns
from broadhead.operators.window.partition_batches import value_at
from broadhead.window_functions.block import BlockPosition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.operators.window.window_columns import WindowColumns
    from broadhead.plan.windows import Window
    from broadhead.window_functions.reach import Reach

BLOCKS_IN_MEMORY = 4
"""Number of parts of the memory limit: a block, its neighbours and its computed columns."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows and peers of one block of the file."""

    rows: int
    groups: int


class LargePartition:
    """The rows of one partition in a file, in blocks that end between peers."""

    def __init__(self, node: Window, columns: WindowColumns, reach: Reach, run: Run) -> None:
        self._node = node
        self._columns = BlockColumns(node, columns, run)
        self._reach = reach
        self._run = run
        types = [attribute.type for attribute in node.child.output]
        self._file = SpillFile(run, node.id, f"window-{node.id}-{id(self)}", types)
        self._blocks: list[Block] = []
        self._open: list[Batch] = []
        self._bytes = 0
        self._block_bytes = run.settings.operator_memory // BLOCKS_IN_MEMORY
        self._limit = self._block_bytes

    def add(self, batch: Batch) -> None:
        """Add the partition's next rows."""
        self._open.append(batch)
        self._bytes += batch_bytes(batch, self._run)
        if self._bytes > self._limit:
            rows = concat_batches(self._open, self._run)
            cut, groups = self._cut(rows)
            if cut:
                self._write(cut_batch(rows, 0, cut, self._run), groups)
            self._open = [cut_batch(rows, cut, rows.length - cut, self._run)]
            self._bytes = self._bytes * (rows.length - cut) // rows.length
            # peers that fill a block are searched again when there are twice as many
            self._limit = max(self._block_bytes, 2 * self._bytes)

    def _cut(self, rows: Batch) -> tuple[int, int]:
        """The row at which a block may end, and the number of groups of peers before it."""
        if not self._reach.peers:
            return rows.length, 0
        starts = self._columns.peer_starts(rows)
        count = self._run.kernels.columns.length(starts)
        return value_at(starts, count - 1, self._run), count - 1

    def _write(self, rows: Batch, groups: int) -> None:
        self._file.write(rows)
        self._blocks.append(Block(rows.length, groups))
        self._columns.add(rows)

    def results(self) -> Iterator[tuple[Batch, Batch]]:
        """Each block's rows, and the columns of the functions for it."""
        rest = concat_batches(self._open, self._run)
        self._open = []
        if rest.length:
            # no later block needs its groups
            self._write(rest, 0)
        self._columns.close()
        total = sum(block.rows for block in self._blocks)
        begin = groups = 0
        blocks = zip(self._blocks, self._neighbours(), strict=True)
        for number, (block, (before, rows, after)) in enumerate(blocks):
            in_memory = concat_batches(
                [part for part in (before, rows, after) if part.length], self._run
            )
            start = before.length
            position = BlockPosition(
                start=start,
                end=start + rows.length,
                first=start - begin,
                last=start - begin + total,
                groups=groups,
            )
            columns = self._columns.evaluate(number, in_memory, position)
            yield rows, Batch(tuple(columns), rows.length)
            begin += block.rows
            groups += block.groups

    def _neighbours(self) -> Iterator[tuple[Batch, Batch, Batch]]:
        """Each block of the file, with the neighbouring rows that its functions read."""
        blocks = self._file.read()
        coming: deque[Batch] = deque()
        last: Batch | None = None
        while True:
            wanted = self._reach.after + 1
            while sum(b.length for b in coming) < wanted + (coming[0].length if coming else 0):
                block = next(blocks, None)
                if block is None:
                    break
                coming.append(block)
            if not coming:
                return
            rows = coming.popleft()
            before = last if last is not None else cut_batch(rows, 0, 0, self._run)
            yield before, rows, self._head(rows, coming)
            last = self._tail([before, rows])

    def _head(self, rows: Batch, coming: deque[Batch]) -> Batch:
        following = concat_batches([cut_batch(rows, 0, 0, self._run), *coming], self._run)
        return cut_batch(following, 0, min(self._reach.after, following.length), self._run)

    def _tail(self, parts: list[Batch]) -> Batch:
        behind = concat_batches(parts, self._run)
        length = min(self._reach.before, behind.length)
        return cut_batch(behind, behind.length - length, length, self._run)
