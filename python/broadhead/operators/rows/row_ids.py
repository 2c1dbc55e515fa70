"""RowIds: columns that follow from the position of a row among those of its task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.columns import Batch, Column
from broadhead.types import DOUBLE, INTEGER, LONG, STRING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.row_nodes import RowColumn, RowIds
    from broadhead.types import DataType

    Values = Callable[[int], pa.Array]
    """The next so many values of a column."""

_PARTITION_BITS = 33
"""Bits of a row's number in Spark's ids; the number of its partition is above them."""


def row_ids(node: RowIds, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The child's batches with more columns: `SELECT monotonically_increasing_id(), * FROM t`."""
    partition = run.sources.part(node.id)
    made = [_KINDS[column.kind](column, partition) for column in node.columns]
    for batch in child:
        added = [
            Column(run.kernels.columns.from_arrow(values(batch.length), type_), type_)
            for values, type_ in made
        ]
        yield Batch((*batch.columns, *added), batch.length)


def _partition(_: RowColumn, partition: int) -> tuple[Values, DataType]:
    """`spark_partition_id()`."""
    return lambda count: pa.array(np.full(count, partition, np.int32)), INTEGER


def _id(_: RowColumn, partition: int) -> tuple[Values, DataType]:
    """`monotonically_increasing_id()`."""
    first = partition << _PARTITION_BITS

    def values(count: int) -> Any:
        nonlocal first
        first += count
        return pa.array(np.arange(first - count, first, dtype=np.int64))

    return values, LONG


def _uniform(column: RowColumn, partition: int) -> tuple[Values, DataType]:
    """`rand(1)`."""
    from broadhead.kernels.xorshift import XorShiftRandom

    random = XorShiftRandom(column.seed + partition)
    return lambda count: pa.array(random.doubles(count)), DOUBLE


def _normal(column: RowColumn, partition: int) -> tuple[Values, DataType]:
    """`randn(1)`."""
    from broadhead.kernels.random_values import Gaussians

    random = Gaussians(column.seed + partition)
    return lambda count: pa.array(random.take(count)), DOUBLE


def _text(column: RowColumn, partition: int) -> tuple[Values, DataType]:
    """`randstr(5, 1)`."""
    from broadhead.kernels.random_values import Texts

    return Texts(column.seed + partition, column.length).take, STRING


def _uuid(column: RowColumn, partition: int) -> tuple[Values, DataType]:
    """`uuid()`."""
    from broadhead.kernels.random_values import Uuids

    return Uuids(column.seed + partition).take, STRING


_KINDS: dict[str, Callable[[RowColumn, int], tuple[Values, DataType]]] = {
    "partition": _partition,
    "id": _id,
    "uniform": _uniform,
    "normal": _normal,
    "text": _text,
    "uuid": _uuid,
}
