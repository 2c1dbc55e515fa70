"""A task's fragment run on the CPU or the GPU, its batches brought to the host."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.arrow_layout import arrow_schema
from broadhead.engine.run import Context, run
from broadhead.kernels.load import load_kernels
from broadhead.plan.divide import is_divisible
from broadhead.worker.device import choose_kernels, gpu_slot
from broadhead.worker.streams import divide, run_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.columns import Batch
    from broadhead.kernels.interface import Kernels
    from broadhead.operators.context import Metrics, Sources
    from broadhead.plan.nodes import Fragment
    from broadhead.worker.sources import TaskHeader, TaskSources


def record_batches(
    fragment: Fragment, header: TaskHeader, sources: TaskSources, metrics: Metrics
) -> Iterator[pa.RecordBatch]:
    """The fragment's batches in the layout of its root's output."""
    execution = _Execution(fragment, header)
    if choose_kernels(fragment, header, sources) == "arrow":
        return execution.run(load_kernels("arrow"), sources, metrics)
    return _on_gpu(execution, sources, metrics)


def _on_gpu(
    execution: _Execution, sources: TaskSources, metrics: Metrics
) -> Iterator[pa.RecordBatch]:
    """Run in a slot of the GPU; out of memory before the first batch, start again on the CPU."""
    sent = False
    settings = execution.fragment.settings
    with gpu_slot(settings.gpu_concurrent_tasks):
        try:
            for batch in execution.run_on_streams(load_kernels("cudf"), sources, metrics):
                yield batch
                sent = True
            metrics.add(execution.fragment.root.id, "device", 1)
            return
        except MemoryError:
            if sent or not sources.can_restart:
                raise
    yield from execution.run(load_kernels("arrow"), sources, metrics)


class _Execution:
    """One task's run of a fragment."""

    def __init__(self, fragment: Fragment, header: TaskHeader) -> None:
        self.fragment = fragment
        self._header = header
        self._schema = arrow_schema(fragment.root.output)

    def run(
        self,
        kernels: Kernels,
        sources: Sources,
        metrics: Metrics,
        stopped: Callable[[], bool] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The batches, one after the other."""
        kernels.device.activate(self.fragment.settings)
        context = Context(metrics, self._header.spill_directories, stopped or self._header.stopped)
        for batch in run(self.fragment, sources, kernels, context):
            start = time.perf_counter_ns()
            record_batch = self._to_arrow(batch, kernels)
            metrics.add(self.fragment.root.id, "encodeTime", time.perf_counter_ns() - start)
            yield record_batch

    def run_on_streams(
        self, kernels: Kernels, sources: TaskSources, metrics: Metrics
    ) -> Iterator[pa.RecordBatch]:
        """The batches of several threads, where the fragment's splits can be divided."""
        settings = self.fragment.settings
        shares = (
            divide(sources.all_splits(), settings.gpu_streams)
            if is_divisible(self.fragment.root) and settings.gpu_streams > 1
            else []
        )
        if len(shares) <= 1:
            return self.run(kernels, sources, metrics)
        kernels.device.activate(settings)

        def run_part(
            share: Sources, own: Metrics, stopped: Callable[[], bool]
        ) -> Iterator[pa.RecordBatch]:
            return self.run(kernels, share, own, stopped)

        return run_shares(shares, run_part, metrics, self._header.stopped)

    def _to_arrow(self, batch: Batch, kernels: Kernels) -> pa.RecordBatch:
        if not self._schema.names:
            # A batch without columns still says how many rows it has.
            return pa.RecordBatch.from_struct_array(
                pa.StructArray.from_buffers(pa.struct([]), batch.length, [None])
            )
        arrays = [kernels.columns.to_arrow(c.data, c.type) for c in batch.columns]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)
