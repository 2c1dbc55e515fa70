"""The host half of a task: frames, files and sockets around the device half.

It decompresses shuffle blocks, encodes batches for the wire, and writes the shuffle file.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from broadhead.operators.context import Run
from broadhead.operators.task_memory import TaskMemory
from broadhead.plan.exchanges import ShuffleWrite
from broadhead.plan.file_write import FileWrite
from broadhead.plan.nodes import DEFAULT_BATCH_ROWS
from broadhead.worker.file_rows import DeviceRows, HostRows
from broadhead.worker.frames import Frame
from broadhead.worker.read_ahead import ReadAhead
from broadhead.worker.results import held_back
from broadhead.worker.shuffle_file import shuffle_output
from broadhead.worker.socket_collations import SocketCollations
from broadhead.worker.socket_expressions import SocketExpressions
from broadhead.worker.socket_lines import SocketLines
from broadhead.worker.table_files import (
    device_writers,
    host_writers,
    sent_after_permit,
    write_table_files,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from broadhead.engine.compiled_fragment import CompiledFragment
    from broadhead.operators.context import Metrics, Sources
    from broadhead.operators.user_functions import UserFunctions
    from broadhead.worker.device_half import DeviceRun
    from broadhead.worker.task_header import TaskHeader

GPU_COPY_ROWS = 1 << 22
"""Rows of a shuffle that are concatenated on the host, so that few copies go to the device."""


class HostHalf:
    """Converts the output of the device half to frames, for one task.

    Its `memory` is that of the task's worker.
    """

    def __init__(
        self,
        compiled: CompiledFragment,
        header: TaskHeader,
        sources: Sources,
        metrics: Metrics,
        stopped: Callable[[], bool],
    ) -> None:
        self._compiled = compiled
        self._header = header
        self._sources = sources
        self._metrics = metrics
        self._stopped = stopped
        self.memory = TaskMemory(header.memory)

    def read_ahead(self) -> ReadAhead:
        """The rows of all shuffles, read on separate threads while this context is open."""
        # only tests request small batches
        usual = self._compiled.settings.batch_rows >= DEFAULT_BATCH_ROWS
        rows = GPU_COPY_ROWS if usual else self._compiled.settings.batch_rows
        return ReadAhead(self._compiled.root, self._sources, rows)

    def outputs(self, run: DeviceRun) -> Iterator[Frame]:
        """The frames of a run: its batches, or the one of its shuffle file."""
        collations = SocketCollations(self._header.collations)
        expressions = SocketExpressions(self._header.expressions)
        lines = SocketLines(self._header.lines)
        context = Run(
            self._metrics,
            self._header.spill_directories,
            memory=self.memory if run.kernels is None else TaskMemory(),
            stopped=self._stopped,
            partition=self._header.partition,
            kept_ranges=self._header.kept_ranges,
            collations=collations,
            spark_expressions=expressions,
            line_parser=lines,
            user_functions=self._functions(),
        )
        root = self._compiled.root
        try:
            if isinstance(root, ShuffleWrite):
                yield from shuffle_output(root, self._header, run, context)
            elif isinstance(root, FileWrite):
                yield from self._table_files(root, run, context)
            else:
                yield from self._batches(run, context)
            for number, rows in context.row_counts.items():
                self._metrics.add(root.id, f"counter{number}", rows)
        finally:
            collations.close()
            expressions.close()
            if expressions.rows:
                self._metrics.add(root.id, "sparkRows", expressions.rows)
                self._metrics.add(root.id, "sparkTime", expressions.nanoseconds)
            lines.close()

    def _functions(self) -> UserFunctions | None:
        if not self._compiled.calls_functions:
            return None
        from broadhead.worker.user_functions.pyspark_functions import PySparkFunctions

        return PySparkFunctions(self._header.running_file)

    def _table_files(self, root: FileWrite, run: DeviceRun, context: Run) -> Iterator[Frame]:
        """The frames of files; those of a device are sent without its permit."""
        held = 0 if run.kernels is None else self._compiled.settings.operator_memory
        frames = self._encoded_files(root, run, context)
        return sent_after_permit(frames, run.slot(context), held)

    def _encoded_files(self, root: FileWrite, run: DeviceRun, context: Run) -> Iterator[Frame]:
        """The frames of files, encoded on the device if it can."""
        kernels = run.kernels
        new_writer = device_writers(root, kernels) if kernels is not None else None
        if kernels is None or new_writer is None:
            host_rows = map(HostRows, run.batches(context))
            yield from write_table_files(root, host_rows, host_writers(root), context)
            return
        rows = (
            DeviceRows(
                kernels, root.output, [column.data for column in batch.columns], batch.length
            )
            for batch in run.device_batches(context)
        )
        yield from write_table_files(root, rows, new_writer, context)

    def _batches(self, run: DeviceRun, context: Run) -> Iterator[Frame]:
        batches = run.batches(context)
        if self._header.held_back:
            limit, whole = run.settings.operator_memory, run.settings.encrypted
            batches = held_back(batches, limit, whole=whole)
        with run.slot(context):
            for batch in batches:
                yield from self._encoded(batch)

    def _encoded(self, batch: pa.RecordBatch) -> Iterator[Frame]:
        for part in self._header.batch_limits.of(batch):
            start = time.perf_counter_ns()
            body = part.serialize()
            spent = time.perf_counter_ns() - start
            self._metrics.add(self._compiled.root.id, "encodeTime", spent)
            yield Frame("A", body)
