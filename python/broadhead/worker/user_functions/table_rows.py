"""The rows that table functions return, for each of their input rows."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.errors import WouldRaise
from broadhead.operators.user_functions import TableRows
from broadhead.types import StructType
from broadhead.worker.user_functions.row_results import result_array
from broadhead.worker.user_functions.rows import BATCH_ROWS, RowInputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from broadhead.plan.python_nodes import PythonCalls

Rows = tuple[Any, ...]
"""What a table function has returned for one row: tuples of values, or None."""


class TableEvaluation:
    """A table function of rows that PySpark's worker has read."""

    def __init__(self, functions: PythonCalls, version: tuple[int, ...]) -> None:
        self._inputs = RowInputs(functions, version)
        (call,) = functions.calls
        assert isinstance(call.type, StructType)
        self._type = call.type

    def results(
        self, function: Callable[[int, Any], Any], batches: Iterable[pa.RecordBatch]
    ) -> Iterator[list[Rows]]:
        """What the function returns for each row, of some rows at a time."""
        rows = chain.from_iterable(map(self._inputs.of, self._inputs.parts(batches)))
        found: list[Rows] = []
        count = 0
        for returned in function(0, rows):
            found.append(returned)
            count += len(returned) + 1
            if count >= BATCH_ROWS:
                yield found
                found, count = [], 0
        if found:
            yield found

    def table_rows(self, results: Sequence[Rows]) -> TableRows:
        """The same as columns."""
        rows = list(chain.from_iterable(results))
        struct = result_array(rows, self._type)
        if struct.null_count and not all(field.nullable for field in self._type.fields):
            # Spark takes nulls for any value.
            raise WouldRaise("PYTHON_NULL")
        names = [field.name for field in self._type.fields]
        return TableRows(
            list(map(len, results)), pa.RecordBatch.from_arrays(struct.flatten(), names)
        )


def joined_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[TableRows]:
    """The rows of batches, each of which has the rows for one input row in its only column."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        if waiting and (batch.schema != waiting[0].schema or count >= BATCH_ROWS):
            yield _joined(waiting)
            waiting, count = [], 0
        waiting.append(batch)
        count += batch.num_rows + 1
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[pa.RecordBatch]) -> TableRows:
    joined = pa.concat_batches(batches)
    struct = joined.column(0)
    names = [field.name for field in struct.type.fields]
    arrays = struct.flatten()
    return TableRows(
        [batch.num_rows for batch in batches], pa.RecordBatch.from_arrays(arrays, names)
    )
