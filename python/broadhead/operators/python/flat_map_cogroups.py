"""FlatMapCoGroups: the rows that a function makes of the rows of both sides with equal keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from broadhead.operators.python.function_inputs import FunctionInputs, record_batch
from broadhead.operators.python.grouped_inputs import GroupedBatch, GroupedInputs
from broadhead.operators.python.map_in_python import result_rows

if TYPE_CHECKING:
    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.operators.python.user_functions import Group
    from broadhead.plan.expressions import Expression
    from broadhead.plan.python_nodes import FlatMapCoGroups


def flat_map_cogroups(
    node: FlatMapCoGroups, left: Iterator[Batch], right: Iterator[Batch], run: Run
) -> Iterator[Batch]:
    """Batches of the function's rows, in the order of the keys."""
    functions = node.functions

    def side(
        grouping: Sequence[Expression],
        inputs: Sequence[Expression],
        names: Sequence[str],
        child: Iterator[Batch],
    ) -> _Side:
        found = FunctionInputs(inputs, names, functions, run)
        return _Side(GroupedInputs(grouping, found, run), child, functions.batch_rows)

    def groups() -> Iterator[Group]:
        left_names, right_names = node.input_names
        yield from _merged(
            side(node.left_grouping, node.left_inputs, left_names, left),
            side(node.right_grouping, node.right_inputs, right_names, right),
        )

    results = run.functions_of(node).over_groups(functions, groups())
    yield from result_rows(results, node.output, run)


@dataclass(frozen=True, slots=True)
class _Current:
    """A group of one side, and its key as bytes with Spark's order."""

    key: bytes
    batch: GroupedBatch
    number: int


class _Side:
    """The groups of one side, in the order of their keys."""

    def __init__(self, grouped: GroupedInputs, child: Iterator[Batch], limit: int | None) -> None:
        self._limit = limit
        self._groups = self._all(grouped.of(child))
        self._schema = grouped.schema
        self.current = next(self._groups, None)

    def _all(self, batches: Iterable[GroupedBatch]) -> Iterator[_Current]:
        for batch in batches:
            for number, key in enumerate(batch.comparable_keys()):
                yield _Current(key, batch, number)

    def rows(self) -> list[pa.RecordBatch]:
        """The batches of the current group; goes on to the next."""
        assert self.current is not None
        batches = list(self.current.batch.group(self.current.number, self._limit))
        self.current = next(self._groups, None)
        return batches

    def none(self) -> list[pa.RecordBatch]:
        """A batch without rows."""
        arrays = [pa.array([], field.type) for field in self._schema]
        return [record_batch(arrays, self._schema, 0)]


def _merged(left: _Side, right: _Side) -> Iterator[Group]:
    """The groups of both sides side by side, in the order of their keys."""
    while left.current is not None or right.current is not None:
        keys = [side.current.key for side in (left, right) if side.current is not None]
        least = min(keys)
        yield tuple(
            side.rows() if side.current is not None and side.current.key == least else side.none()
            for side in (left, right)
        )
