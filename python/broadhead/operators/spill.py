"""Tables moved to private files by an operator that has passed its memory limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from broadhead.operators.context import Run
    from broadhead.types import DataType


class SpillFile:
    """Batches of one schema, written one after the other and read back in that order.

    The file is made on the first write, readable by the user alone, and is deleted when it has
    been read.
    """

    def __init__(self, run: Run, name: str, types: Sequence[DataType]) -> None:
        self._run = run
        self._name = name
        self._types = types
        self._path: Path | None = None
        self._writer: pa.ipc.RecordBatchStreamWriter | None = None
        self.bytes = 0

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
        self.bytes += record_batch.nbytes

    def read(self) -> Iterator[Batch]:
        """The batches; the file is gone when they have all been read."""
        import pyarrow as pa

        if self._writer is None or self._path is None:
            return
        self._writer.close()
        columns = self._run.kernels.columns
        with pa.OSFile(str(self._path)) as file:
            for record_batch in pa.ipc.open_stream(file):
                arrays = zip(record_batch.columns, self._types, strict=True)
                yield Batch(
                    tuple(Column(columns.from_arrow(array, t), t) for array, t in arrays),
                    record_batch.num_rows,
                )
        self._path.unlink()
