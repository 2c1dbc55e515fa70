"""Aggregates that Spark's own code computes, from the rows of each group in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.aggregates.registry import Aggregate, Rounds
from broadhead.arrow_layout import arrow_type
from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.expressions.spark_calls import SparkExpressions
    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

SPARK_AGGREGATE = "SparkAggregate"
"""The class of the wire format; its field `number` is that of the aggregate in the fragment."""


class SparkAggregate:
    """One of Spark's aggregates, in Spark's phases and with its buffers.

    The rows of a task go to the JVM group after group, so that it has one group at a time.
    """

    def __init__(self, spark: SparkExpressions | None) -> None:
        self._spark = spark

    def update(
        self, k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """Buffers of the arguments, or results. The JVM applies the call's filter."""
        yield from ()
        return self._groups(k, grouping, call, inputs)

    def merge(
        self, k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Buffers of buffers, or results."""
        yield from ()
        return self._groups(k, grouping, call, buffers)

    def finish(self, k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The result, which a phase that finishes has instead of the buffers."""
        return buffers[0]

    def _groups(
        self, k: Kernels, grouping: Grouping, call: AggregateCall, columns: Sequence[Column]
    ) -> list[Column]:
        if self._spark is None:
            raise EngineLimit("there is no Spark to compute an aggregate")
        types = [call.type] if call.finishes else [buffer.type for buffer in call.buffers]
        fields = [pa.field(str(n), arrow_type(own)) for n, own in enumerate(types)]
        number = dict(call.fields)["number"]
        rows = _grouped_rows(k, grouping, columns)
        found = self._spark.groups(number, rows, grouping.size, pa.schema(fields))
        results = [
            Column(k.columns.from_arrow(array, own), own)
            for array, own in zip(found.columns, types, strict=True)
        ]
        # The operators count on a column for each buffer.
        return results * len(call.buffers) if call.finishes else results


def _grouped_rows(k: Kernels, grouping: Grouping, columns: Sequence[Column]) -> pa.RecordBatch:
    """The number of each row's group, and its values."""
    rows, offsets = grouping.members()
    ends = k.columns.to_arrow(offsets, LONG).to_numpy()
    numbers = np.repeat(np.arange(grouping.size), np.diff(ends))
    data = [column.data for column in columns]
    is_whole = bool(data) and grouping.size == 1 and ends[-1] == k.columns.length(data[0])
    if not is_whole:
        data = k.columns.take(data, rows)
    arrays = [
        k.columns.to_arrow(array, column.type) for array, column in zip(data, columns, strict=True)
    ]
    arrays = [pa.array(numbers), *arrays]
    return pa.RecordBatch.from_arrays(arrays, [str(n) for n in range(len(arrays))])


ENTRY = Aggregate(
    name=SPARK_AGGREGATE.lower(),
    spark=SPARK_AGGREGATE,
    signatures=(),
    frames=False,
    whole_tasks=True,
    implementation=SparkAggregate(None),
    depends_on_order=True,
)
"""What the operators must know about these aggregates."""
