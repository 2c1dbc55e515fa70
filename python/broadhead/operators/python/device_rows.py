"""The inputs and results of Python functions that are called on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.errors import HostNeeded
from broadhead.operators.python.function_inputs import FunctionResults, regrouped
from broadhead.operators.rows.batch_rows import concat_batches, cut_batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from broadhead.operators.context import Run
    from broadhead.operators.python.function_inputs import FunctionInputs
    from broadhead.operators.user_functions import DeviceResult, DeviceRows
    from broadhead.plan.nodes import Attribute
    from broadhead.plan.python_nodes import PythonNode


def is_on_device(node: PythonNode, run: Run) -> bool:
    """Whether the functions of a node are called with columns in a GPU's memory."""
    return node.device is not None and run.kernels.device.name == "gpu"


def device_batches(
    node: PythonNode, inputs: FunctionInputs, child: Iterable[Batch], run: Run
) -> Iterator[DeviceRows]:
    """The batches of a node's functions: Spark's, or any if no function can tell.

    Raises HostNeeded if the dtype of a column would depend on the length of the batch.
    """
    assert node.device is not None
    columns = map(inputs.columns, child)
    batches: Iterator[Batch] = columns
    if not node.device.whole_batches:
        batches = regrouped(columns, node.functions.batch_rows, _Cutting(run))
    for batch in batches:
        if not batch.length:
            continue
        for number in node.device.dense:
            if run.kernels.columns.null_count(batch.columns[number].data):
                raise HostNeeded("a column of integers or booleans has nulls")
        yield inputs.device_rows(batch)


class _Cutting:
    """How batches of the engine are cut and joined."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def length(self, batch: Batch) -> int:
        """The number of rows."""
        return batch.length

    def cut(self, batch: Batch, start: int, length: int) -> Batch:
        """Some of the rows."""
        return cut_batch(batch, start, length, self._run)

    def join(self, batches: list[Batch]) -> Batch:
        """The rows of all batches."""
        return concat_batches(batches, self._run)


class DeviceResults:
    """Results of functions as batches on the device, copied there if pandas computed them."""

    def __init__(self, output: Sequence[Attribute], run: Run, *, in_struct: bool) -> None:
        self.types = [attribute.type for attribute in output]
        self._copied = FunctionResults(output, run)
        self._in_struct = in_struct

    def batch(self, result: DeviceResult) -> Batch:
        """The columns of a result."""
        if isinstance(result, Batch):
            return result
        arrays = _fields(result) if self._in_struct else result.columns
        return Batch(self._copied.columns(arrays), result.num_rows)


def _fields(result: pa.RecordBatch) -> list[pa.Array]:
    fields: list[pa.Array] = result.column(0).flatten()
    return fields


class DeviceQueue:
    """Rows of results that are taken in other lengths than they come in."""

    def __init__(self, results: DeviceResults, run: Run) -> None:
        self._results = results
        self._run = run
        self._batches: list[Batch] = []
        self.rows = 0

    def add(self, result: DeviceResult) -> None:
        """Add the rows of a result."""
        batch = self._results.batch(result)
        self._batches.append(batch)
        self.rows += batch.length

    def take(self, length: int) -> tuple[Column, ...]:
        """The first `length` rows."""
        whole = concat_batches(self._batches, self._run)
        self.rows -= length
        rest = cut_batch(whole, length, self.rows, self._run) if self.rows else None
        self._batches = [] if rest is None else [rest]
        return cut_batch(whole, 0, length, self._run).columns
