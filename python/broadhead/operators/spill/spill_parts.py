"""Rows partitioned into files by the hash of their keys, so that each file fits in memory."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from broadhead.operators.rows.batch_rows import cut_batch, with_data
from broadhead.operators.spill.spill import SpillFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.types import DataType

PARTS = 32
"""Number of files of one division; a file that is still too large is divided again."""


class SpillParts:
    """Files in which rows with equal keys are together, in their original order.

    `seed` must differ from that of the division of these rows: all would have one hash.
    """

    def __init__(
        self, run: Run, node_id: int, name: str, types: Sequence[DataType], seed: int
    ) -> None:
        self._run = run
        self._seed = seed
        self.files = [SpillFile(run, node_id, f"{name}-{part}", types) for part in range(PARTS)]

    def add(self, batch: Batch, keys: Sequence[Array]) -> None:
        """Append rows to the files of their keys."""
        kernels = self._run.kernels
        ids = kernels.group.hash_partition(keys, PARTS, self._seed)
        data, offsets = kernels.hash.partition(
            [column.data for column in batch.columns], ids, PARTS
        )
        rows = with_data(batch.columns, data, batch.length)
        for file, (start, end) in zip(self.files, pairwise(offsets.tolist()), strict=True):
            if end > start:
                file.write(cut_batch(rows, start, end - start, self._run))
