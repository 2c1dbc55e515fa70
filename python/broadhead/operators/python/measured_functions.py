"""The user's functions with counters: their time, and the rows and batches that they get."""

from __future__ import annotations

import time
from operator import sub
from typing import TYPE_CHECKING, TypeVar

from broadhead.errors import Unsupported
from broadhead.operators.python.grouped_inputs import is_large
from broadhead.operators.user_functions import DeviceRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from broadhead.operators.context import Run
    from broadhead.operators.user_functions import (
        DeviceGroup,
        DeviceResult,
        Group,
        GroupedRows,
        TableRows,
    )
    from broadhead.plan.python_nodes import PythonCalls, PythonNode, PythonRows, TableFunction
    from broadhead.types import DataType

T = TypeVar("T")

LARGE_GROUPS = "largeGroupTime"
"""The metric by which the plugin knows that functions of a CPU task would suit a GPU."""


class MeasuredFunctions:
    """User functions whose work is added to the metrics of a node.

    `pythonTime` includes the conversion to and from the functions' own types, not their input.
    """

    def __init__(self, node: PythonNode | PythonRows, run: Run) -> None:
        if run.user_functions is None:
            raise Unsupported("this run has no Python functions")
        self._functions = run.user_functions
        self._node = node.id
        self._metrics = run.metrics
        self._input_time = 0
        self._spent = 0
        self._rows = 0

    def over_batches(
        self, functions: PythonCalls, batches: Iterable[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        """The results for the batches of a task."""
        counted = self._input(self._counted(batches))
        return self._results(self._functions.over_batches(functions, counted))

    def over_groups(
        self, functions: PythonCalls, groups: Iterable[Group]
    ) -> Iterator[pa.RecordBatch]:
        """The results for groups, one after the other."""
        number = 0

        def counted() -> Iterator[Group]:
            nonlocal number
            for group in self._input(groups):
                number += 1
                yield tuple(self._input(self._counted(side)) for side in group)

        spent, rows = self._spent, self._rows
        yield from self._results(self._functions.over_groups(functions, counted()))
        self._add_large_groups(number, self._rows - rows, self._spent - spent)

    def over_grouped_rows(
        self, functions: PythonCalls, batches: Iterable[GroupedRows]
    ) -> Iterator[pa.RecordBatch]:
        """Like `over_groups`, for groups of one side that lie one after the other."""
        number = rows = 0
        limit = functions.batch_rows

        def counted() -> Iterator[GroupedRows]:
            nonlocal number, rows
            for batch in self._input(batches):
                number += len(batch.starts)
                rows += batch.rows.num_rows
                sizes = map(sub, batch.ends, batch.starts)
                cut = (1 if limit is None else -(-size // limit) for size in sizes)
                self._metrics.add(self._node, "pythonBatches", sum(cut))
                self._metrics.add(self._node, "pythonRows", batch.rows.num_rows)
                yield batch

        spent = self._spent
        yield from self._results(self._functions.over_grouped_rows(functions, counted()))
        self._add_large_groups(number, rows, self._spent - spent)

    def _add_large_groups(self, groups: int, rows: int, spent: int) -> None:
        if groups and is_large(rows // groups):
            self._metrics.add(self._node, LARGE_GROUPS, spent)

    def over_device_rows(
        self,
        node: PythonNode,
        groups: Iterable[DeviceGroup],
        output: Sequence[DataType],
    ) -> Iterator[DeviceResult]:
        """The results for batches or groups on a GPU."""
        counted = self._input(self._counted_on_device(groups))
        before: Mapping[str, int] = dict(self._functions.counters)
        results = self._functions.over_device_rows(node, counted, output)
        for result in self._results(results):
            before = self._add_counters(before)
            yield result
        self._add_counters(before)

    def _counted_on_device(self, groups: Iterable[DeviceGroup]) -> Iterator[DeviceGroup]:
        for group in groups:
            sides = (group,) if isinstance(group, DeviceRows) else group
            self._metrics.add(self._node, "pythonBatches", len(sides))
            self._metrics.add(self._node, "pythonRows", sum(side.rows.length for side in sides))
            yield group

    def _add_counters(self, before: Mapping[str, int]) -> Mapping[str, int]:
        now = dict(self._functions.counters)
        for name, total in now.items():
            self._metrics.add(self._node, name, total - before.get(name, 0))
        return now

    def over_table(
        self, functions: PythonCalls, table: TableFunction, batches: Iterable[pa.RecordBatch]
    ) -> Iterator[TableRows]:
        """The rows that a table function returns for the batches of a task."""
        counted = self._input(self._counted(batches))
        return self._results(self._functions.over_table(functions, table, counted))

    def over_elements(
        self, command: bytes, partition: int, elements: Iterable[bytes]
    ) -> Iterator[Sequence[object]]:
        """The rows that the functions of an RDD make of its elements."""
        found = self._functions.over_elements(command, partition, self._input(elements))
        return self._results(found)

    def _counted(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            self._metrics.add(self._node, "pythonBatches", 1)
            self._metrics.add(self._node, "pythonRows", batch.num_rows)
            self._rows += batch.num_rows
            yield batch

    def _input(self, items: Iterable[T]) -> Iterator[T]:
        """The items, with the time to make them kept apart from that of the functions."""
        iterator = iter(items)
        while True:
            start = time.perf_counter_ns()
            try:
                item = next(iterator)
            except StopIteration:
                return
            finally:
                self._input_time += time.perf_counter_ns() - start
            yield item

    def _results(self, results: Iterator[T]) -> Iterator[T]:
        while True:
            start, self._input_time = time.perf_counter_ns(), 0
            result = next(results, None)
            spent = max(0, time.perf_counter_ns() - start - self._input_time)
            self._metrics.add(self._node, "pythonTime", spent)
            self._spent += spent
            if result is None:
                return
            yield result
