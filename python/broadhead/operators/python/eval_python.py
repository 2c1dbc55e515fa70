"""EvalPython: the child's columns, and the value of each call for each row."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from broadhead.columns import Batch
from broadhead.errors import EngineLimit
from broadhead.operators.python.device_rows import (
    DeviceQueue,
    DeviceResults,
    device_batches,
    is_on_device,
)
from broadhead.operators.python.function_inputs import (
    FunctionInputs,
    FunctionResults,
    in_batches,
)
from broadhead.operators.python.measured_functions import MeasuredFunctions
from broadhead.operators.rows.batch_rows import batch_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from broadhead.columns import Column
    from broadhead.operators.context import Run
    from broadhead.operators.user_functions import DeviceResult
    from broadhead.plan.python_nodes import EvalPython


def eval_python(node: EvalPython, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the child's kept columns, then the calls' results.

    Functions over iterators may read ahead: rows without results wait, up to `operator_memory`.
    """
    inputs = FunctionInputs(node.inputs, (), node.functions, run)
    results = node.output[len(node.output) - len(node.functions.calls) :]
    if is_on_device(node, run):
        converted = DeviceResults(results, run, in_struct=False)
        waiting = _WaitingRows(node, run, DeviceQueue(converted, run))
        batches = device_batches(node, inputs, waiting.passed(child), run)
        found = MeasuredFunctions(node, run).over_device_rows(node, batches, converted.types)
        for result in found:
            yield from waiting.with_results(result)
    else:
        waiting = _WaitingRows(node, run, _HostQueue(FunctionResults(results, run)))
        sent = map(inputs.of, waiting.passed(child))
        functions = node.functions
        given = in_batches(sent, functions.batch_rows) if functions.see_batches else sent
        for result in MeasuredFunctions(node, run).over_batches(functions, given):
            yield from waiting.with_results(result)


class _ResultQueue(Protocol):
    """The results that have come."""

    rows: int

    def add(self, result: Any) -> None:
        """Add the rows of a result."""

    def take(self, length: int) -> tuple[Column, ...]:
        """The first `length` rows."""


class _HostQueue:
    """Results in the host's memory."""

    def __init__(self, results: FunctionResults) -> None:
        self._results = results
        self._found: list[pa.RecordBatch] = []
        self.rows = 0

    def add(self, result: pa.RecordBatch) -> None:
        """Add the rows of a result."""
        self._found.append(result)
        self.rows += result.num_rows

    def take(self, length: int) -> tuple[Column, ...]:
        """The first `length` rows."""
        table = pa.Table.from_batches(self._found)
        self.rows -= length
        self._found = table.slice(length).to_batches() if self.rows else []
        return self._results.columns(table.slice(0, length).columns)


class _WaitingRows:
    """The child's rows whose results have not come yet."""

    def __init__(self, node: EvalPython, run: Run, results: _ResultQueue) -> None:
        width = len(node.output) - len(node.functions.calls)
        self._keep = node.keep if node.keep is not None else range(width)
        self._results = results
        self._run = run
        self._batches: deque[Batch] = deque()
        self._bytes = 0

    def passed(self, child: Iterable[Batch]) -> Iterator[Batch]:
        """The child's batches, whose rows wait from then on."""
        for batch in child:
            if batch.length:
                self._add(batch)
                yield batch

    def _add(self, batch: Batch) -> None:
        kept = Batch(tuple(batch.columns[ordinal] for ordinal in self._keep), batch.length)
        self._bytes += batch_bytes(kept, self._run)
        if self._batches and self._run.must_spill(self._bytes):
            raise EngineLimit("a Python function reads too far ahead of its results")
        self._batches.append(kept)

    def with_results(self, result: DeviceResult) -> Iterator[Batch]:
        """The batches whose results are complete, in order."""
        self._results.add(result)
        while self._batches and self._results.rows >= self._batches[0].length:
            batch = self._batches.popleft()
            self._bytes -= batch_bytes(batch, self._run)
            found = self._results.take(batch.length)
            yield Batch((*batch.columns, *found), batch.length)
