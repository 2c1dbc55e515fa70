"""The device half of a task: a fragment run on the CPU or the GPU, batches in, batches out.

It selects the kernels and the device, runs streams in parallel, and restarts on the CPU if the GPU
has no memory left. It does not depend on frames, files, sockets or tasks: batches come from
`sources`, and the host half receives its batches.
"""

from __future__ import annotations

import time
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import pyarrow as pa

from broadhead.arrow_layout import arrow_schema
from broadhead.engine.run import run
from broadhead.errors import DeviceLostError, HostNeeded
from broadhead.kernels import gpu_memory
from broadhead.kernels.load import load_kernels
from broadhead.operators.context import Sources
from broadhead.operators.kept_blocks import KEPT
from broadhead.plan.python_nodes import PythonNode
from broadhead.plan.traversal import find
from broadhead.worker.device import choose_kernels, gpu_permit, leave_service
from broadhead.worker.streams import divide, run_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from broadhead.columns import Batch
    from broadhead.engine.compiled_fragment import CompiledFragment
    from broadhead.kernels.interface import Kernels
    from broadhead.operators.context import Broadcast, Metrics, Run, Split
    from broadhead.plan.nodes import Fragment, Settings
    from broadhead.shuffle.block import Rows
    from broadhead.worker.device import DeviceRequest

SECOND_PARTS = 4
"""Part of the memory with which a task on a GPU tries again after it had too little."""

OPERATOR_PART = 4
"""Fraction of a worker's memory that one operator may keep: some work at the same time."""

Output = TypeVar("Output", covariant=True)
Given = TypeVar("Given")

RunFragment: TypeAlias = "Callable[[CompiledFragment, Kernels, Sources, Run], Iterator[Given]]"


class DeviceSources(Sources, Protocol):
    """The sources of a fragment, and the size of their data."""

    @property
    def can_restart(self) -> bool:
        """Whether everything can be read a second time."""

    @property
    def broadcasts(self) -> Mapping[int, Broadcast]:
        """The result of `broadcast`, by source number."""

    def all_splits(self) -> dict[int, Sequence[Split]]:
        """The splits of each scan, by its node's id."""

    def buffer(self, limit: int) -> int:
        """Receive up to about `limit` bytes ahead; returns the number of waiting bytes."""


class DeviceRun(Protocol):
    """One run of a fragment on one device."""

    @property
    def settings(self) -> Settings:
        """The fragment's settings, with the memory limit of operators on the device."""

    @property
    def threads(self) -> int:
        """Number of threads that the host may use besides the run."""

    def slot(self, context: Run) -> AbstractContextManager[None]:
        """The permit to use the device, held while batches are computed."""

    def batches(self, context: Run) -> Iterator[pa.RecordBatch]:
        """The batches of the fragment's root, in host memory."""

    @property
    def kernels(self) -> Kernels | None:
        """The kernels of a device with its own memory; None on the CPU."""

    @property
    def own_kernels(self) -> Kernels:
        """The kernels that compute."""

    def device_batches(self, context: Run) -> Iterator[Batch]:
        """The batches of the fragment's root, where the kernels have them."""


class Host(Protocol[Output]):
    """The interface of the host half to the device half."""

    def read_ahead(self) -> AbstractContextManager[Mapping[int, Iterator[Rows]]]:
        """The rows of all shuffles by source number, decoded on the host in the meantime."""

    def outputs(self, run: DeviceRun) -> Iterator[Output]:
        """Run, and return the host's result of the batches."""


def run_on_device(
    compiled: CompiledFragment,
    request: DeviceRequest,
    sources: DeviceSources,
    metrics: Metrics,
    host: Host[Output],
) -> Iterator[Output]:
    """The host's result of the fragment's batches, computed on the device that suits the task."""
    if choose_kernels(compiled.fragment, request, sources) == "arrow":
        return host.outputs(CpuRun(_within(compiled, request.memory), sources))
    return _on_gpu(compiled, request, sources, metrics, host)


def _on_gpu(
    compiled: CompiledFragment,
    request: DeviceRequest,
    sources: DeviceSources,
    metrics: Metrics,
    host: Host[Output],
) -> Iterator[Output]:
    """Run on the GPU; if it runs out of memory before the first output, restart on the CPU.

    A process of all tasks tries again before, without the shuffled rows that it keeps there, and
    with smaller batches. Shuffle blocks are decompressed while the task waits for its permit.
    Raises DeviceLostError if the process cannot use the GPU any more.
    """
    sent = False
    kernels = load_kernels("cudf")
    for settings in _attempts(compiled, kernels):
        try:
            with host.read_ahead() as shuffled:
                run = GpuRun(compiled.with_settings(settings), kernels, sources, shuffled, request)
                for output in host.outputs(run):
                    yield output
                    sent = True
            metrics.add(compiled.root.id, "device", 1)
            return
        except Exception as error:
            if kernels.device.is_lost():
                leave_service()
                raise DeviceLostError(
                    f"this process cannot use the GPU any more: {error}"
                ) from error
            if not isinstance(error, (MemoryError, HostNeeded)):
                raise
            if isinstance(error, HostNeeded):
                _call_on_host(compiled.fragment, metrics)
            if sent or not sources.can_restart:
                raise
            if isinstance(error, HostNeeded):
                break
    yield from host.outputs(CpuRun(_within(compiled, request.memory), sources))


def _attempts(compiled: CompiledFragment, kernels: Kernels) -> Iterator[Settings]:
    """The settings of each attempt on the GPU, to be taken after the one before has failed."""
    settings = replace(compiled.settings, has_texts=compiled.has_texts)
    yield replace(settings, operator_memory=kernels.device.operator_memory(settings))
    if gpu_memory.only_process:
        kernels.device.release()
        with suppress(MemoryError):
            KEPT.shrink(kernels, 0)
        settings = replace(settings, gpu_memory_parts=SECOND_PARTS)
        yield replace(settings, operator_memory=kernels.device.operator_memory(settings))


def _within(compiled: CompiledFragment, memory: int | None) -> CompiledFragment:
    """The fragment, whose operators keep no more than a part of the worker's memory each."""
    settings = compiled.settings
    if memory is None or settings.operator_memory <= memory // OPERATOR_PART:
        return compiled
    return compiled.with_settings(replace(settings, operator_memory=memory // OPERATOR_PART))


def _call_on_host(fragment: Fragment, metrics: Metrics) -> None:
    """Later tasks call the fragment's functions on the CPU at once."""
    from broadhead.worker.user_functions.placed_functions import ON_HOST
    from broadhead.worker.user_functions.placement import CALLED_ON_HOST, digest_of_calls

    for node in find(fragment.root, PythonNode):
        CALLED_ON_HOST.add(digest_of_calls(node.functions))
        metrics.add(node.id, ON_HOST, 1)


class CpuRun:
    """A run on this thread alone."""

    threads = 1
    kernels = None

    def __init__(self, compiled: CompiledFragment, sources: Sources) -> None:
        self.settings = compiled.settings
        self._compiled = compiled
        self._sources = sources

    @property
    def own_kernels(self) -> Kernels:
        """Those of the CPU."""
        return load_kernels("arrow")

    def slot(self, context: Run) -> AbstractContextManager[None]:
        """No permit is needed: Spark has given the task its core."""
        return nullcontext()

    def batches(self, context: Run) -> Iterator[pa.RecordBatch]:
        """The batches of the fragment's root, in host memory."""
        return _run(self._compiled, load_kernels("arrow"), self._sources, context)

    def device_batches(self, context: Run) -> Iterator[Batch]:
        """The batches of the fragment's root."""
        return _device_batches(self._compiled, load_kernels("arrow"), self._sources, context)


class GpuRun:
    """A run on several streams of a GPU, if the fragment's splits can be divided."""

    def __init__(
        self,
        compiled: CompiledFragment,
        kernels: Kernels,
        sources: DeviceSources,
        shuffled: Mapping[int, Iterator[Rows]],
        request: DeviceRequest,
    ) -> None:
        self.settings = compiled.settings
        self._request = request
        self._compiled = compiled
        self.kernels = kernels
        self._sources = sources
        self._shuffled = shuffled
        streams = gpu_memory.streams(compiled.settings)
        self._shares = (
            divide(sources.all_splits(), streams, sources.broadcasts)
            if compiled.is_divisible and streams > 1
            else []
        )
        kernels.device.activate(self.settings)

    @property
    def own_kernels(self) -> Kernels:
        """Those of the GPU."""
        return self.kernels

    @property
    def threads(self) -> int:
        """The number of streams, where the task has several."""
        return self.settings.gpu_streams

    def slot(self, context: Run) -> AbstractContextManager[None]:
        """One of the executor's permits for the GPU."""
        waited = partial(context.metrics.add, self._compiled.root.id, "slotTime")
        return gpu_permit(
            self._request.gpu_permits, gpu_memory.tasks_at_once(self.settings), waited
        )

    def batches(self, context: Run) -> Iterator[pa.RecordBatch]:
        """The batches of the fragment's root, in host memory."""
        return self._parts(_run, context)

    def device_batches(self, context: Run) -> Iterator[Batch]:
        """The batches of the fragment's root, complete for this thread's stream."""
        return self._parts(_device_batches, context)

    def _parts(self, run_part: RunFragment[Given], context: Run) -> Iterator[Given]:
        """What the parts of the fragment on all streams give."""
        context = replace(context, shuffled=self._shuffled)
        if len(self._shares) <= 1:
            return run_part(self._compiled, self.kernels, self._sources, context)

        def on_stream(share: Sources, own: Metrics, stopped: Callable[[], bool]) -> Iterator[Given]:
            part = replace(context, metrics=own, stopped=stopped)
            return run_part(self._compiled, self.kernels, share, part)

        return run_shares(self._shares, on_stream, context.metrics, context.stopped)


def _device_batches(
    compiled: CompiledFragment, kernels: Kernels, sources: Sources, context: Run
) -> Iterator[Batch]:
    kernels.device.activate(compiled.settings)
    for batch in run(compiled, sources, kernels, context):
        kernels.device.synchronize()
        yield batch


def _run(
    compiled: CompiledFragment, kernels: Kernels, sources: Sources, context: Run
) -> Iterator[pa.RecordBatch]:
    kernels.device.activate(compiled.settings)
    schema = arrow_schema(compiled.root.output)
    for batch in run(compiled, sources, kernels, context):
        start = time.perf_counter_ns()
        record_batch = _to_arrow(batch, schema, kernels)
        context.metrics.add(compiled.root.id, "encodeTime", time.perf_counter_ns() - start)
        yield record_batch


def _to_arrow(batch: Batch, schema: pa.Schema, kernels: Kernels) -> pa.RecordBatch:
    if not schema.names:
        # A batch without columns still has a number of rows.
        return pa.RecordBatch.from_struct_array(
            pa.StructArray.from_buffers(pa.struct([]), batch.length, [None])
        )
    arrays = [kernels.columns.to_arrow(c.data, c.type) for c in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
