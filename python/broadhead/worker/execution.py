"""A task's fragment run on the CPU or the GPU, its answers brought to the host."""

from __future__ import annotations

import json
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from broadhead.arrow_layout import arrow_schema
from broadhead.engine.run import Context, run
from broadhead.kernels.load import load_kernels
from broadhead.operators.spill.spill_directory import SpillDirectory
from broadhead.plan.divide import is_divisible
from broadhead.plan.exchanges import ShuffleWrite
from broadhead.plan.nodes import DEFAULT_BATCH_ROWS
from broadhead.plan.prune import prune
from broadhead.shuffle.writer import ShuffleWriter
from broadhead.worker.device import choose_kernels, gpu_permit
from broadhead.worker.read_ahead import ReadAhead
from broadhead.worker.results import held_back
from broadhead.worker.socket_collations import SocketCollations
from broadhead.worker.streams import divide, run_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Kernels
    from broadhead.operators.context import Metrics, Sources
    from broadhead.plan.nodes import Fragment, Settings
    from broadhead.shuffle.block import Rows
    from broadhead.shuffle.writer import ShuffleWriteResult
    from broadhead.worker.sources import TaskHeader, TaskSources


@dataclass(frozen=True, slots=True)
class ShuffleAnswer:
    """The answer of a fragment that ends in ShuffleWrite."""

    result: ShuffleWriteResult

    def to_json(self) -> bytes:
        """The body of frame `S`."""
        result = self.result
        message = {"lengths": result.lengths, "rows": result.rows, "dataSize": result.data_size}
        return json.dumps(message).encode()


GPU_COPY_ROWS = 1 << 22
"""Rows of a shuffle that are put together on the host, so that few copies go to the device."""

Answer: TypeAlias = "pa.RecordBatch | ShuffleAnswer"


def answers(
    fragment: Fragment, header: TaskHeader, sources: TaskSources, metrics: Metrics
) -> Iterator[Answer]:
    """The fragment's batches in the layout of its root's output, or the one answer of its sink."""
    execution = _Execution(fragment, header)
    if choose_kernels(fragment, header, sources) == "arrow":
        return execution.run_in_turn(load_kernels("arrow"), sources, metrics)
    return _on_gpu(execution, sources, metrics)


def _on_gpu(execution: _Execution, sources: TaskSources, metrics: Metrics) -> Iterator[Answer]:
    """Run in a slot of the GPU; out of memory before the first answer, start again on the CPU.

    What comes from shuffles is decompressed while the task waits for its slot.
    """
    sent = False
    settings = execution.fragment.settings
    kernels = load_kernels("cudf")
    larger = replace(settings, operator_memory=kernels.device.operator_memory(settings))
    on_gpu = execution.with_settings(larger)
    try:
        with on_gpu.read_ahead(sources) as shuffled:
            for answer in on_gpu.run_on_streams(kernels, sources, metrics, shuffled):
                yield answer
                sent = True
        metrics.add(execution.fragment.root.id, "device", 1)
        return
    except MemoryError:
        if sent or not sources.can_restart:
            raise
    yield from execution.run_in_turn(load_kernels("arrow"), sources, metrics)


class _Execution:
    """One task's run of a fragment."""

    def __init__(self, fragment: Fragment, header: TaskHeader) -> None:
        self.fragment = fragment
        self._header = header
        self._schema = arrow_schema(fragment.root.output)
        self._collations = SocketCollations(header.collations)

    def with_settings(self, settings: Settings) -> _Execution:
        """The same with other settings."""
        return _Execution(replace(self.fragment, settings=settings), self._header)

    def read_ahead(self, sources: Sources) -> ReadAhead:
        """The rows of all shuffles, read on threads of their own while this is entered."""
        root = prune(self.fragment).root
        # small batches are asked for in tests only
        usual = self.fragment.settings.batch_rows >= DEFAULT_BATCH_ROWS
        rows = GPU_COPY_ROWS if usual else self.fragment.settings.batch_rows
        return ReadAhead(root, sources, rows)

    def run_in_turn(
        self, kernels: Kernels, sources: TaskSources, metrics: Metrics
    ) -> Iterator[Answer]:
        """The answers of this thread."""

        def batches(context: Context) -> Iterator[pa.RecordBatch]:
            return self._run(kernels, sources, context)

        return self._answers(batches, self._context(metrics), threads=1, slot=nullcontext())

    def run_on_streams(
        self,
        kernels: Kernels,
        sources: TaskSources,
        metrics: Metrics,
        shuffled: Mapping[int, Iterator[Rows]],
    ) -> Iterator[Answer]:
        """The answers of several threads, where the fragment's splits can be divided."""
        settings = self.fragment.settings
        shares = (
            divide(sources.all_splits(), settings.gpu_streams, sources.broadcasts)
            if is_divisible(self.fragment.root) and settings.gpu_streams > 1
            else []
        )
        kernels.device.activate(settings)

        def batches(context: Context) -> Iterator[pa.RecordBatch]:
            if len(shares) <= 1:
                return self._run(kernels, sources, context)

            def run_part(
                share: Sources, own: Metrics, stopped: Callable[[], bool]
            ) -> Iterator[pa.RecordBatch]:
                part = replace(context, metrics=own, stopped=stopped)
                return self._run(kernels, share, part)

            return run_shares(shares, run_part, metrics, self._header.stopped)

        context = replace(self._context(metrics), shuffled=shuffled)
        root = self.fragment.root.id
        slot = gpu_permit(
            self._header.gpu_permits,
            settings.gpu_concurrent_tasks,
            partial(metrics.add, root, "slotTime"),
        )
        return self._answers(batches, context, threads=settings.gpu_streams, slot=slot)

    def _context(self, metrics: Metrics) -> Context:
        return Context(
            metrics,
            self._header.spill_directories,
            self._header.stopped,
            partition=self._header.partition,
            collations=self._collations,
        )

    def _answers(
        self,
        batches: Callable[[Context], Iterator[pa.RecordBatch]],
        context: Context,
        *,
        threads: int,
        slot: AbstractContextManager[None],
    ) -> Iterator[Answer]:
        """The batches of a run; of one that ends in ShuffleWrite what its writer says."""
        try:
            yield from self._written(batches, context, threads=threads, slot=slot)
        finally:
            self._collations.close()

    def _written(
        self,
        batches: Callable[[Context], Iterator[pa.RecordBatch]],
        context: Context,
        *,
        threads: int,
        slot: AbstractContextManager[None],
    ) -> Iterator[Answer]:
        """The same; what is left to compress for the shuffle holds no slot of the GPU."""
        root, settings = self.fragment.root, self.fragment.settings
        if not isinstance(root, ShuffleWrite):
            given = batches(context)
            if self._header.held_back:
                given = held_back(given, settings.operator_memory, whole=settings.encrypted)
            with slot:
                yield from given
            return
        if self._header.shuffle_file is None:
            raise ValueError("a fragment that ends in ShuffleWrite needs `shuffleFile`")
        with SpillDirectory(
            self._header.spill_directories, encrypted=settings.encrypted
        ) as spill_directory:
            writer = ShuffleWriter(
                self._header.shuffle_file,
                [attribute.type for attribute in root.output],
                root.partitioning.partitions,
                memory=settings.operator_memory,
                block_rows=settings.batch_rows,
                spill_directory=spill_directory,
                threads=threads,
            )
            with slot:
                for _ in batches(replace(context, shuffle_writer=writer)):
                    pass
            if context.stopped():
                return
            start = time.perf_counter_ns()
            result = writer.finish()
        context.metrics.add(root.id, "encodeTime", time.perf_counter_ns() - start)
        context.metrics.add(root.id, "bytesWritten", sum(result.lengths))
        yield ShuffleAnswer(result)

    def _run(
        self, kernels: Kernels, sources: Sources, context: Context
    ) -> Iterator[pa.RecordBatch]:
        kernels.device.activate(self.fragment.settings)
        for batch in run(self.fragment, sources, kernels, context):
            start = time.perf_counter_ns()
            record_batch = self._to_arrow(batch, kernels)
            context.metrics.add(self.fragment.root.id, "encodeTime", time.perf_counter_ns() - start)
            yield record_batch

    def _to_arrow(self, batch: Batch, kernels: Kernels) -> pa.RecordBatch:
        if not self._schema.names:
            # A batch without columns still says how many rows it has.
            return pa.RecordBatch.from_struct_array(
                pa.StructArray.from_buffers(pa.struct([]), batch.length, [None])
            )
        arrays = [kernels.columns.to_arrow(c.data, c.type) for c in batch.columns]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)
