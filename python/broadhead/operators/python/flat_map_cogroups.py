"""FlatMapCoGroups: the rows that a function makes of the rows of both sides with equal keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import pyarrow as pa

from broadhead.columns import Batch, Column
from broadhead.operators.python.device_rows import is_on_device
from broadhead.operators.python.function_inputs import FunctionInputs, record_batch
from broadhead.operators.python.grouped_inputs import (
    GroupedBatch,
    GroupedInputs,
    require_large,
)
from broadhead.operators.python.map_in_python import device_result_rows, result_rows
from broadhead.operators.python.measured_functions import MeasuredFunctions

if TYPE_CHECKING:
    from broadhead.operators.context import Run
    from broadhead.operators.user_functions import DeviceRows, Group
    from broadhead.plan.expressions import Expression
    from broadhead.plan.python_nodes import DeviceCalls, FlatMapCoGroups

Rows = TypeVar("Rows")


def flat_map_cogroups(
    node: FlatMapCoGroups, left: Iterator[Batch], right: Iterator[Batch], run: Run
) -> Iterator[Batch]:
    """Batches of the function's rows, in the order of the keys."""
    left_names, right_names = node.input_names
    sides = (
        _Source(node.left_grouping, node.left_inputs, left_names, left),
        _Source(node.right_grouping, node.right_inputs, right_names, right),
    )
    if is_on_device(node, run):
        return device_result_rows(node, _device_groups(node, sides, run), run)
    results = MeasuredFunctions(node, run).over_groups(node.functions, _groups(node, sides, run))
    return result_rows(results, node.output, run)


@dataclass(frozen=True, slots=True)
class _Source:
    """A child, its keys, and the columns of it that the function gets."""

    grouping: Sequence[Expression]
    inputs: Sequence[Expression]
    names: Sequence[str]
    child: Iterator[Batch]


def _groups(node: FlatMapCoGroups, sources: Iterable[_Source], run: Run) -> Iterator[Group]:
    """The batches of both sides with equal keys, in the host's memory."""
    limit = node.functions.batch_rows

    def side(source: _Source) -> _Side[list[pa.RecordBatch]]:
        inputs = FunctionInputs(source.inputs, source.names, node.functions, run)
        grouped = GroupedInputs(source.grouping, inputs, run)
        arrays = [pa.array([], field.type) for field in inputs.schema]
        empty = [record_batch(arrays, inputs.schema, 0)]
        return _Side(grouped.of(source.child), lambda batch, n: list(batch.group(n, limit)), empty)

    left, right = map(side, sources)
    yield from _merged(left, right)


def _device_groups(
    node: FlatMapCoGroups, sources: Iterable[_Source], run: Run
) -> Iterator[tuple[DeviceRows, ...]]:
    """The rows of both sides with equal keys, on a GPU."""

    def side(source: _Source) -> _Side[DeviceRows]:
        inputs = FunctionInputs(source.inputs, source.names, node.functions, run)
        grouped = GroupedInputs(source.grouping, inputs, run)
        from_arrow = run.kernels.columns.from_arrow
        columns = tuple(
            Column(from_arrow(pa.array([], field.type), expression.type), expression.type)
            for field, expression in zip(inputs.schema, source.inputs, strict=True)
        )
        empty = inputs.device_rows(Batch(columns, 0))
        return _Side(grouped.of(source.child), GroupedBatch.device_group, empty)

    left, right = map(side, sources)
    _judge(left, right, node.device)
    yield from _merged(left, right)


def _judge(left: _Side[DeviceRows], right: _Side[DeviceRows], calls: DeviceCalls | None) -> None:
    """Raise HostNeeded if the groups of both first batches together are too small for a GPU."""
    mean = sum(side.current.batch.mean_rows for side in (left, right) if side.current is not None)
    require_large(mean, calls)


@dataclass(frozen=True, slots=True)
class _Current:
    """A group of one side, and its key as bytes with Spark's order."""

    key: bytes
    batch: GroupedBatch
    number: int


class _Side(Generic[Rows]):
    """The groups of one side, in the order of their keys; `empty` is a group without rows."""

    def __init__(
        self,
        batches: Iterable[GroupedBatch],
        rows_of: Callable[[GroupedBatch, int], Rows],
        empty: Rows,
    ) -> None:
        self._rows_of = rows_of
        self._groups = self._all(batches)
        self.empty = empty
        self.current = next(self._groups, None)

    def _all(self, batches: Iterable[GroupedBatch]) -> Iterator[_Current]:
        for batch in batches:
            for number, key in enumerate(batch.comparable_keys()):
                yield _Current(key, batch, number)

    def rows(self) -> Rows:
        """The rows of the current group; goes on to the next."""
        assert self.current is not None
        rows = self._rows_of(self.current.batch, self.current.number)
        self.current = next(self._groups, None)
        return rows


def _merged(left: _Side[Rows], right: _Side[Rows]) -> Iterator[tuple[Rows, ...]]:
    """The groups of both sides side by side, in the order of their keys."""
    while left.current is not None or right.current is not None:
        keys = [side.current.key for side in (left, right) if side.current is not None]
        least = min(keys)
        yield tuple(
            side.rows() if side.current is not None and side.current.key == least else side.empty
            for side in (left, right)
        )
