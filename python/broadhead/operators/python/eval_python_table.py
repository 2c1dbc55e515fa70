"""EvalPythonTable: each row joined with the rows that a table function returns for it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.columns import Batch
from broadhead.errors import EngineLimit, WouldRaise
from broadhead.operators.python.function_inputs import (
    FunctionInputs,
    FunctionResults,
    in_batches,
)
from broadhead.operators.python.measured_functions import MeasuredFunctions
from broadhead.operators.rows.batch_rows import batch_bytes, concat_batches, divide_batch
from broadhead.operators.rows.repeated_rows import taken
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.operators.context import Run
    from broadhead.plan.python_nodes import EvalPythonTable


def eval_python_table(node: EvalPythonTable, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the required columns of the child, then the function's columns."""
    inputs = FunctionInputs(node.inputs, (), node.functions, run)
    found = FunctionResults(node.output[len(node.required) :], run)
    left = _LeftRows(node, run)

    def sent() -> Iterator[pa.RecordBatch]:
        for batch in child:
            if batch.length:
                left.add(batch)
                yield inputs.of(batch)

    batches = in_batches(sent(), node.functions.batch_rows)
    for result in MeasuredFunctions(node, run).over_table(node.functions, node.table, batches):
        joined = left.repeated(result.counts)
        if joined.length:
            # Rows without columns have no number of their own.
            columns = (*joined.columns, *found.columns(result.rows.columns))
            yield from divide_batch(Batch(columns, joined.length), run)


class _LeftRows:
    """The required columns of the child's rows whose results have not all come yet."""

    def __init__(self, node: EvalPythonTable, run: Run) -> None:
        self._required = node.required
        self._run = run
        self._batches: deque[Batch] = deque()
        self._bytes = 0
        self._first = 0
        """The number of the first row in the batches."""
        self._added = 0
        self._joined = 0
        """The number of rows whose counts have come."""

    def add(self, batch: Batch) -> None:
        """Add rows that are sent to the function."""
        self._added += batch.length
        if not self._required:
            return
        kept = Batch(tuple(batch.columns[ordinal] for ordinal in self._required), batch.length)
        self._bytes += batch_bytes(kept, self._run)
        if self._batches and self._run.must_spill(self._bytes):
            raise EngineLimit("a Python table function reads too far ahead of its results")
        self._batches.append(kept)

    def repeated(self, counts: Sequence[int]) -> Batch:
        """The next rows, each as often as its count; further counts are of the last row."""
        total = sum(counts)
        if total and not self._added:
            # Spark has no row to join these with, which is its error.
            raise WouldRaise("PYTHON_TABLE_WITHOUT_ROWS")
        rows = np.minimum(self._joined + np.arange(len(counts)), self._added - 1)
        self._joined += len(counts)
        if not self._required:
            return Batch((), total)
        rows = np.repeat(rows, counts)
        parts = list(self._parts(rows)) if total else []
        self._drop()
        return concat_batches(parts, self._run) if parts else Batch((), 0)

    def _parts(self, rows: np.ndarray) -> Iterator[Batch]:
        """The rows with these ascending numbers."""
        start = self._first
        for batch in self._batches:
            end = start + batch.length
            first, last = np.searchsorted(rows, (start, end))
            if first < last:
                ids = pa.array(rows[first:last] - start, pa.int64())
                wanted = self._run.kernels.columns.from_arrow(ids, LONG)
                columns = taken(batch.columns, wanted, self._run)
                yield Batch(columns, int(last - first))
            start = end

    def _drop(self) -> None:
        """Forget batches whose results have all come, but the last one."""
        while len(self._batches) > 1 and self._first + self._batches[0].length <= self._joined:
            batch = self._batches.popleft()
            self._first += batch.length
            self._bytes -= batch_bytes(batch, self._run)
