"""Private files for the batches of an operator that has exceeded its memory limit."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.rows.batch_rows import cut_batch, with_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.types import DataType

PARTITIONS = 32
"""Number of files of one division; a file that is still too large is divided again."""


class SpillFile:
    """Batches of one schema, written one after the other and read back in that order.

    The file is created on the first write, readable by the user alone, and deleted after it has
    been read, or by `delete`. Its bytes count as spilled by the node.
    """

    def __init__(self, run: Run, node_id: int, name: str, types: Sequence[DataType]) -> None:
        self._run = run
        self._node_id = node_id
        self._name = name
        self._types = types
        self._path: Path | None = None
        self._writer: pa.ipc.RecordBatchStreamWriter | None = None
        self.rows = 0

    def write(self, batch: Batch) -> None:
        """Append a batch."""
        import pyarrow as pa

        columns = self._run.kernels.columns
        arrays = [columns.to_arrow(column.data, column.type) for column in batch.columns]
        record_batch = pa.RecordBatch.from_arrays(arrays, [str(i) for i in range(len(arrays))])
        if self._writer is None:
            self._path = self._run.spill_directory() / self._name
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._path.touch(mode=0o600)
            self._writer = pa.ipc.new_stream(str(self._path), record_batch.schema, options=options)
        self._writer.write_batch(record_batch)
        self._run.metrics.add(self._node_id, "spilledBytes", record_batch.nbytes)
        self.rows += record_batch.num_rows

    def finish(self) -> None:
        """Close the file until it is read: a process may have few open files."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def read(self, *, keep: bool = False) -> Iterator[Batch]:
        """The batches; the file is deleted after they have all been read, unless it is kept."""
        import pyarrow as pa

        self.finish()
        if self._path is None:
            return
        columns = self._run.kernels.columns
        with pa.OSFile(str(self._path)) as file:
            for record_batch in pa.ipc.open_stream(file):
                arrays = zip(record_batch.columns, self._types, strict=True)
                yield Batch(
                    tuple(Column(columns.from_arrow(array, t), t) for array, t in arrays),
                    record_batch.num_rows,
                )
        if not keep:
            self.delete()

    def delete(self) -> None:
        """Remove the file, if there is one."""
        if self._path is not None:
            self.finish()
            self._path.unlink()
            self._path = None


class SpillPartitions:
    """Files in which rows with equal keys are together, in their original order.

    `seed` must differ from that of the division of these rows: all would have one hash.
    """

    def __init__(
        self, run: Run, node_id: int, name: str, types: Sequence[DataType], seed: int
    ) -> None:
        self._run = run
        self._seed = seed
        self.files = [
            SpillFile(run, node_id, f"{name}-{number}", types) for number in range(PARTITIONS)
        ]

    def add(self, batch: Batch, keys: Sequence[Array]) -> None:
        """Append rows to the files of their keys."""
        kernels = self._run.kernels
        ids = kernels.group.hash_partition(keys, PARTITIONS, self._seed)
        data, offsets = kernels.hash.partition(
            [column.data for column in batch.columns], ids, PARTITIONS
        )
        rows = with_data(batch.columns, data, batch.length)
        for file, (start, end) in zip(self.files, pairwise(offsets.tolist()), strict=True):
            if end > start:
                file.write(cut_batch(rows, start, end - start, self._run))
