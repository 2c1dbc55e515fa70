"""The user's functions of rows: each row's values are Python objects, as in Spark's pickles."""

from __future__ import annotations

import json
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.worker.user_functions.row_results import result_array
from broadhead.worker.user_functions.row_values import RowValues

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from broadhead.plan.python_nodes import PythonCalls

_BINARY_AS_BYTES = "spark.sql.execution.pyspark.binaryAsBytes"

BATCH_ROWS = 10_000
"""The number of rows whose values are Python objects at the same time."""


class RowInputs:
    """The rows of batches as tuples of Python values."""

    def __init__(self, functions: PythonCalls, version: tuple[int, ...]) -> None:
        from pyspark.sql.types import StructType

        # before Spark 4.1 the setting did not exist
        as_bytes = version >= (4, 1) and functions.conf.get(_BINARY_AS_BYTES, "true") == "true"
        self._values = RowValues(binary_as_bytes=as_bytes)
        schema = StructType.fromJson(json.loads(functions.input_schema))
        self._types = [field.dataType for field in schema.fields]

    def parts(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same rows, of which few are Python values at the same time."""
        for batch in batches:
            for start in range(0, batch.num_rows, BATCH_ROWS):
                yield batch.slice(start, BATCH_ROWS)

    def of(self, batch: pa.RecordBatch) -> Iterable[tuple[Any, ...]]:
        """The values of each row."""
        if not batch.num_columns:
            return repeat((), batch.num_rows)
        columns = zip(batch.columns, self._types, strict=True)
        return zip(*(self._values.of(array, type_) for array, type_ in columns), strict=True)


class RowEvaluation:
    """Functions that PySpark's worker has read, called for the rows of batches."""

    def __init__(self, functions: PythonCalls, version: tuple[int, ...]) -> None:
        self._inputs = RowInputs(functions, version)
        self._result_types = [call.type for call in functions.calls]

    def results(
        self, function: Callable[[int, Any], Any], batches: Iterable[pa.RecordBatch]
    ) -> Iterator[list[Any]]:
        """For each of some rows, one after the other: the value of the function.

        The values of several functions are a tuple.
        """
        lengths: list[int] = []

        def rows() -> Iterator[tuple[Any, ...]]:
            for part in self._inputs.parts(batches):
                lengths.append(part.num_rows)
                yield from self._inputs.of(part)

        results = iter(function(0, rows()))
        for first in results:
            yield [first, *islice(results, lengths.pop() - 1)]

    def batch(self, results: list[Any]) -> pa.RecordBatch:
        """The columns of the functions' values."""
        types = self._result_types
        columns = [results] if len(types) == 1 else list(zip(*results, strict=True))
        arrays = [result_array(column, type_) for column, type_ in zip(columns, types, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, [f"_{number}" for number in range(len(arrays))])
