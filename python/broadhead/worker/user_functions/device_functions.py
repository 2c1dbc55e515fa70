"""Calls of the user's functions with pandas objects on a GPU.

PySpark's worker wraps the functions as for any task: it calls them, checks what they return, and
gives it back with its Arrow type. Only its conversions from and to Arrow are left out, for rows
and results that are on the GPU.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.columns import Batch, Column
from broadhead.errors import BroadheadError, HostNeeded
from broadhead.kernels.load import load_kernels
from broadhead.operators.python.grouped_inputs import is_large
from broadhead.operators.user_functions import DeviceRows
from broadhead.plan.python_nodes import EvalPython
from broadhead.worker.user_functions import accelerators, streams
from broadhead.worker.user_functions.fallbacks import FOUND
from broadhead.worker.user_functions.placed_functions import ON_HOST
from broadhead.worker.user_functions.placement import (
    CALLED_ON_HOST,
    COGROUPED_MAP,
    IN_GROUPS,
    MAP,
    digest_of_calls,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from broadhead.operators.user_functions import DeviceGroup, DeviceResult
    from broadhead.plan.python_nodes import DeviceCalls, PythonNode
    from broadhead.types import DataType
    from broadhead.worker.user_functions.commands import Evaluation

FALLBACK = "fallback:"
"""The beginning of the metric of a call that fell back."""

LEAST_NANOSECONDS = 300_000_000
"""Time in functions after which their fallbacks are judged."""

COMPARED: set[tuple[Any, ...]] = set()
"""The functions, with the types of their inputs, whose results on edge values are the CPU's."""


class DeviceEvaluation:
    """Functions that PySpark's worker has read, called with rows on a GPU."""

    def __init__(self, node: PythonNode, calls: DeviceCalls, counters: dict[str, int]) -> None:
        self._node = node
        self._functions = node.functions
        self._calls = calls
        self._counters = counters
        self._on_host = False
        self._start = (0, 0, 0)
        self._input_time = 0
        self._fallbacks = dict(FOUND.calls)

    def results(
        self,
        found: Evaluation,
        groups: Iterable[DeviceGroup],
        output: Sequence[DataType],
    ) -> Iterator[DeviceResult]:
        """The results for batches or groups, one after the other.

        Raises HostNeeded for functions of single rows that differ on the GPU.
        """
        if self._calls.whole_batches:
            self._check(found, output)
        results = iter(found.function(0, self._loaded(found, self._timed(groups))))
        while True:
            self._begin()
            result = self._next(results)
            if result is None:
                return
            converted = self._converted(found, result, output)
            self._end()
            yield converted

    def _check(self, found: Evaluation, output: Sequence[DataType]) -> None:
        """Compare the functions with themselves on the CPU, once in this process."""
        from broadhead.worker.user_functions import device_check, device_objects

        assert isinstance(self._node, EvalPython)
        types = tuple(expression.type for expression in self._node.inputs)
        key = (digest_of_calls(self._functions), types, self._calls)
        if key in COMPARED:
            return
        rows = device_check.edge_rows(self._node)

        def on_device(batch: pa.RecordBatch) -> list[pa.Array]:
            (result,) = found.function(
                0, iter([device_objects.series_of(_on_device(batch, types))])
            )
            return _arrays(self._converted(found, result, output))

        def on_host(batch: pa.RecordBatch) -> list[pa.Array]:
            with accelerators.real_pandas():
                loaded = found.deserializer.load_stream(streams.BatchInput([batch]))
                (result,) = found.function(0, loaded)
                return _arrays(self._converted(found, result, ()))

        reason = device_check.difference(rows, on_device, on_host)
        if reason is not None:
            raise HostNeeded(reason)
        COMPARED.add(key)

    def _next(self, results: Iterator[Any]) -> Any:
        """The next result.

        A function of single rows has no side effects: if it fails here, the CPU tells whether it
        is the function or the GPU.
        """
        try:
            return next(results, None)
        except BroadheadError:
            raise
        except Exception as error:
            if self._calls.whole_batches and not self._calls.required:
                raise HostNeeded(f"{type(error).__name__} in a Python function") from error
            raise

    def _timed(self, groups: Iterable[DeviceGroup]) -> Iterator[DeviceGroup]:
        """The same rows; the time to compute them is not that of the functions."""
        iterator = iter(groups)
        while True:
            start = time.perf_counter_ns()
            group = next(iterator, None)
            self._input_time += time.perf_counter_ns() - start
            if group is None:
                return
            yield group

    def _loaded(self, found: Evaluation, groups: Iterable[DeviceGroup]) -> Iterator[Any]:
        from broadhead.worker.user_functions import device_objects

        kind = self._functions.eval_type
        for group in groups:
            sides = _sides(group)
            if not self._calls.required and self._suits_host(sides):
                yield from self._loaded_on_host(found, sides)
            elif kind == MAP:
                yield [device_objects.frame_of(sides[0])]
            elif kind == COGROUPED_MAP:
                yield tuple(device_objects.series_of(side) for side in sides)
            else:
                yield device_objects.series_of(sides[0])

    def _suits_host(self, sides: Sequence[DeviceRows]) -> bool:
        """Whether pandas takes these rows, and not cuDF."""
        from broadhead.worker.user_functions import device_objects

        in_groups = self._functions.eval_type in IN_GROUPS
        is_small = in_groups and not is_large(sum(side.rows.length for side in sides))
        return self._on_host or is_small or not all(map(device_objects.fits, sides))

    def _loaded_on_host(self, found: Evaluation, sides: Sequence[DeviceRows]) -> Iterator[Any]:
        """What PySpark's worker makes of the same rows in the host's memory."""
        batches = [side.on_host() for side in sides]
        self._count("pythonCopiedBytes", sum(batch.nbytes for batch in batches))
        kind = self._functions.eval_type
        if kind in IN_GROUPS:
            inputs: Any = streams.GroupInput([[[batch] for batch in batches]])
        else:
            (batch,) = batches
            in_struct = pa.RecordBatch.from_arrays([batch.to_struct_array()], ["_0"])
            inputs = streams.BatchInput([in_struct if kind == MAP else batch])
        with accelerators.real_pandas():
            yield from found.deserializer.load_stream(inputs)

    def _converted(
        self, found: Evaluation, result: Any, output: Sequence[DataType]
    ) -> DeviceResult:
        from broadhead.worker.user_functions import device_objects

        pairs = _pairs(result)
        batch = device_objects.batch_of(pairs, output) if output else None
        if batch is not None:
            return batch
        copies = [(device_objects.on_host(each), *types) for each, *types in pairs]
        written = streams.BatchOutput()
        with accelerators.real_pandas():
            found.serializer.dump_stream(iter([_like(result, copies)]), written)
            return next(written.batches)

    def _begin(self) -> None:
        self._start = (time.perf_counter_ns(), FOUND.nanoseconds, FOUND.bytes_copied)
        self._input_time = 0

    def _end(self) -> None:
        """Count a call, and judge by all calls so far whether a GPU pays."""
        start, fallback, copied = self._start
        self._count("pythonDeviceTime", time.perf_counter_ns() - start - self._input_time)
        self._count("pythonFallbackTime", FOUND.nanoseconds - fallback)
        self._count("pythonCopiedBytes", FOUND.bytes_copied - copied)
        for call, total in FOUND.calls.items():
            self._count(f"{FALLBACK}{call}", total - self._fallbacks.get(call, 0))
        self._fallbacks = dict(FOUND.calls)
        spent = self._counters["pythonDeviceTime"]
        fell_back = self._counters["pythonFallbackTime"]
        movable = not (self._on_host or self._calls.required)
        if movable and spent > LEAST_NANOSECONDS and fell_back > spent / 2:
            self._on_host = True
            CALLED_ON_HOST.add(digest_of_calls(self._functions))
            self._count(ON_HOST, 1)

    def _count(self, name: str, amount: int) -> None:
        self._counters[name] = self._counters.get(name, 0) + amount


def _sides(group: DeviceGroup) -> Sequence[DeviceRows]:
    return (group,) if isinstance(group, DeviceRows) else group


def _pairs(result: Any) -> list[tuple[Any, ...]]:
    """The objects of a result, each with its Arrow type; that of one call is not in a sequence."""
    if isinstance(result, tuple) and len(result) > 1 and isinstance(result[1], pa.DataType):
        return [result]
    return list(result)


def _like(result: Any, pairs: list[tuple[Any, ...]]) -> Any:
    """Other objects in the form of a result."""
    if isinstance(result, tuple) and len(result) > 1 and isinstance(result[1], pa.DataType):
        return pairs[0]
    return tuple(pairs) if isinstance(result, tuple) else pairs


def _on_device(batch: pa.RecordBatch, types: Sequence[DataType]) -> DeviceRows:
    """The rows of a batch in the memory of the GPU."""
    from_arrow = load_kernels("cudf").columns.from_arrow
    columns = tuple(
        Column(from_arrow(array, data_type), data_type)
        for array, data_type in zip(batch.columns, types, strict=True)
    )
    return DeviceRows(Batch(columns, batch.num_rows), batch.schema.names, lambda: batch)


def _arrays(result: DeviceResult) -> list[pa.Array]:
    """The columns of a result in the host's memory."""
    if isinstance(result, pa.RecordBatch):
        return list(result.columns)
    to_arrow = load_kernels("cudf").columns.to_arrow
    return [to_arrow(column.data, column.type) for column in result.columns]
