"""External sorting: runs sorted in memory, spilled beyond a limit, and merged."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from broadhead.operators.rows.batch_rows import concat_batches, with_data
from broadhead.operators.spill.spill import SpillFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.columns import Batch
    from broadhead.operators.sort.sort_keys import SortKeys

FAN_IN = 32
"""Number of runs that are merged at once; more runs are first merged into longer ones."""

BLOCKS = 4
"""Least number of blocks of each run in memory during a merge. A merge step ends where the first
run has no more rows in memory. With only one block of each run, whose blocks are used up at
different times, most rows in memory would be sorted again and again."""

COPIES_HELD = 3
"""Memory factor of a merge for its rows in memory: with the block read ahead, and concatenated."""

RUN_COLUMN_BYTES = 1 << 30
"""The longest column that can be concatenated: the offsets of strings have 31 bits."""


class SortedRuns:
    """Rows with their keys, returned in order.

    `operator_memory` limits the rows in memory: beyond it the rows are sorted and written to a
    file, a run. Runs are merged block by block: the blocks in memory together use at most that much
    memory.
    """

    def __init__(self, keys: SortKeys) -> None:
        self._keys = keys
        self._memory = keys.run.settings.operator_memory
        self._batch_rows = keys.run.kernels.device.batch_rows(keys.run.settings)
        self._pending: list[Batch] = []
        self._pending_bytes: list[int] = []
        self._files: deque[SpillFile] = deque()
        self._file_number = 0
        self._row_bytes = 1
        self.rows = 0

    @property
    def has_spilled(self) -> bool:
        """Whether some of the rows are in files."""
        return bool(self._files)

    def add(self, rows: Batch) -> None:
        """Add rows."""
        self.rows += rows.length
        nbytes = self._keys.run.kernels.columns.nbytes
        sizes = [nbytes(column.data) for column in rows.columns]
        held = [sum(s) for s in zip(sizes, self._pending_bytes or [0] * len(sizes), strict=True)]
        must_spill = self._keys.run.must_spill
        if self._pending and (max(held) > RUN_COLUMN_BYTES or must_spill(sum(held))):
            self._spill()
            held = sizes
        self._pending.append(rows)
        self._pending_bytes = held

    def shorten(self, limit: int) -> Batch:
        """Keep only the first `limit` rows (there are more), in one file.

        Returns the last of these rows, at least one.
        """
        if self._pending:
            self._spill()
        merged = self._merged(self._few_files(), self._block_rows())
        file, last = self._write(first_rows(merged, limit, self._keys))
        for longer in self._files:
            longer.delete()
        self._files = deque([file])
        self.rows = limit
        return last

    def drain(self) -> Iterator[Batch]:
        """All rows in order."""
        if not self._files:
            yield from self._sorted_pending(self._batch_rows)
            return
        if self._pending:
            self._spill()
        yield from self._merged(self._few_files(), self._batch_rows)

    def _few_files(self) -> list[SpillFile]:
        """The files, merged into longer ones until they can be merged at once."""
        while len(self._files) > FAN_IN:
            # adjacent files, so that rows with equal keys keep their order
            merged = []
            while self._files:
                count = min(FAN_IN, len(self._files))
                files = [self._files.popleft() for _ in range(count)]
                file, _ = self._write(self._merged(files, self._block_rows()))
                merged.append(file)
            self._files.extend(merged)
        return list(self._files)

    def _merged(self, files: Sequence[SpillFile], size: int) -> Iterator[Batch]:
        return _merge(files, self._keys, size, self._rows_in_memory(len(files)))

    def _rows_in_memory(self, runs: int) -> int:
        """Number of rows of each of so many runs whose merge fits into memory and columns."""
        held = min(self._memory // COPIES_HELD, RUN_COLUMN_BYTES)
        return max(BLOCKS, held // (runs * self._row_bytes))

    def _block_rows(self) -> int:
        return min(self._batch_rows, self._rows_in_memory(FAN_IN) // BLOCKS)

    def _sorted_pending(self, size: int) -> Iterator[Batch]:
        """The waiting rows, in order, in batches of `size`; the list of them is emptied."""
        if not self._pending:
            return
        rows = _joined(self._pending, self._keys)
        kernels = self._keys.run.kernels
        order = self._keys.order(rows)
        for start in range(0, rows.length, size):
            length = min(size, rows.length - start)
            yield self._keys.take(rows, *kernels.columns.slice([order], start, length))

    def _spill(self) -> None:
        rows = sum(batch.length for batch in self._pending)
        self._row_bytes = max(self._row_bytes, sum(self._pending_bytes) // max(1, rows))
        file, _ = self._write(self._sorted_pending(self._block_rows()))
        self._files.append(file)

    def _write(self, blocks: Iterator[Batch]) -> tuple[SpillFile, Batch]:
        """A file of the blocks, at least one, and the last of them."""
        run = self._keys.run
        file: SpillFile | None = None
        for block in blocks:
            if file is None:
                types = [column.type for column in block.columns]
                name = f"sort-{self._keys.node_id}-{id(self)}-{self._file_number}"
                file = SpillFile(run, self._keys.node_id, name, types)
                self._file_number += 1
            file.write(block)
        assert file is not None, "a run has rows"
        file.finish()
        return file, block


def first_rows(batches: Iterator[Batch], limit: int, keys: SortKeys) -> Iterator[Batch]:
    """The first `limit` rows (at least one) of the batches; later batches are not requested."""
    left = limit
    for rows in batches:
        yield keys.cut(rows, 0, min(left, rows.length))
        left -= rows.length
        if left <= 0:
            return


def _joined(batches: list[Batch], keys: SortKeys) -> Batch:
    """The concatenated rows of all batches, by column, so that only one column is held twice."""
    length = sum(batch.length for batch in batches)
    columns = batches[0].columns
    data = [[column.data for column in batch.columns] for batch in batches]
    batches.clear()
    joined = []
    for number in range(len(columns)):
        column = [[table[number]] for table in data]
        for table in data:
            table[number] = None
        joined += keys.run.kernels.columns.concat(column)
    return with_data(columns, joined, length)


class _RunReader:
    """The rows of one run in memory, in blocks."""

    def __init__(self, file: SpillFile) -> None:
        self._unread = file.read()
        self._next = next(self._unread, None)
        self.blocks: list[Batch] = []

    def fill(self, rows: int) -> bool:
        """Read until so many rows are in memory; false if the run has no more rows."""
        missing = rows - sum(block.length for block in self.blocks)
        while missing > 0 and self._next is not None:
            self.blocks.append(self._next)
            missing -= self._next.length
            self._next = next(self._unread, None)
        return bool(self.blocks)

    def unfinished(self) -> list[bool]:
        """For each block, whether its run has more rows that are not in memory."""
        return [False] * (len(self.blocks) - 1) + [self._next is not None]

    def drop(self, counts: Sequence[int], keys: SortKeys) -> None:
        """Drop the first rows of each block."""
        self.blocks = [
            keys.cut(block, count, block.length - count) if count else block
            for block, count in zip(self.blocks, counts, strict=True)
            if count < block.length
        ]


def _merge(
    files: Sequence[SpillFile], keys: SortKeys, size: int, rows_in_memory: int
) -> Iterator[Batch]:
    """The rows of sorted files in order, in batches of at most `size`."""
    readers = [_RunReader(file) for file in files]
    kernels = keys.run.kernels
    while readers := [reader for reader in readers if reader.fill(rows_in_memory)]:
        in_memory = [block for reader in readers for block in reader.blocks]
        indices, counts = kernels.sort.merge(
            [keys.of(rows) for rows in in_memory],
            keys.orders,
            [more for reader in readers for more in reader.unfinished()],
        )
        together = concat_batches(in_memory, keys.run)
        length = kernels.columns.length(indices)
        for start in range(0, length, size):
            yield keys.take(
                together, *kernels.columns.slice([indices], start, min(size, length - start))
            )
        of_blocks = iter(counts)
        for reader in readers:
            reader.drop(list(islice(of_blocks, len(reader.blocks))), keys)
