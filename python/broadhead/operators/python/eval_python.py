"""EvalPython: the child's columns, and the value of each call for each row."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.columns import Batch
from broadhead.errors import EngineLimit
from broadhead.operators.python.function_inputs import (
    FunctionInputs,
    FunctionResults,
    in_batches,
)
from broadhead.operators.rows.batch_rows import batch_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Column
    from broadhead.operators.context import Run
    from broadhead.plan.python_nodes import EvalPython


def eval_python(node: EvalPython, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the child's kept columns, then the calls' results.

    Functions over iterators may read ahead: rows without results wait, up to `operator_memory`.
    """
    inputs = FunctionInputs(node.inputs, (), node.functions, run)
    waiting = _WaitingRows(node, run)

    def sent() -> Iterator[pa.RecordBatch]:
        for batch in child:
            if batch.length:
                waiting.add(batch)
                yield inputs.of(batch)

    functions = node.functions
    batches = in_batches(sent(), functions.batch_rows) if functions.see_batches else sent()
    for results in run.functions_of(node).over_batches(functions, batches):
        yield from waiting.with_results(results)


class _WaitingRows:
    """The child's rows whose results have not come yet."""

    def __init__(self, node: EvalPython, run: Run) -> None:
        width = len(node.output) - len(node.functions.calls)
        self._keep = node.keep if node.keep is not None else range(width)
        self._results = FunctionResults(node.output[width:], run)
        self._run = run
        self._batches: deque[tuple[tuple[Column, ...], int]] = deque()
        self._bytes = 0
        self._found: list[pa.RecordBatch] = []
        self._rows_found = 0

    def add(self, batch: Batch) -> None:
        """Add rows that are sent to the functions."""
        kept = Batch(tuple(batch.columns[ordinal] for ordinal in self._keep), batch.length)
        self._bytes += batch_bytes(kept, self._run)
        if self._batches and self._bytes > self._run.settings.operator_memory:
            raise EngineLimit("a Python function reads too far ahead of its results")
        self._batches.append((kept.columns, kept.length))

    def with_results(self, results: pa.RecordBatch) -> Iterator[Batch]:
        """The batches whose results are complete, in order."""
        self._found.append(results)
        self._rows_found += results.num_rows
        while self._batches and self._rows_found >= self._batches[0][1]:
            columns, length = self._batches.popleft()
            self._bytes -= batch_bytes(Batch(columns, length), self._run)
            found = self._take(length)
            yield Batch((*columns, *self._results.columns(found.columns)), length)

    def _take(self, length: int) -> pa.Table:
        """The results of the first `length` rows."""
        table = pa.Table.from_batches(self._found)
        self._rows_found -= length
        self._found = table.slice(length).to_batches() if self._rows_found else []
        return table.slice(0, length)
