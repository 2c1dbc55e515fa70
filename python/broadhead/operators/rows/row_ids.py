"""RowIds: columns that follow from the place of a row among those of its task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from broadhead.columns import Batch, Column
from broadhead.types import INTEGER, LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.row_nodes import RowIds

_PARTITION_BITS = 33
"""Bits of a row's number in Spark's ids; the number of its partition is above them."""


def row_ids(node: RowIds, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The child's batches with more columns: `SELECT monotonically_increasing_id(), * FROM t`."""
    partition = run.sources.part(node.id)
    columns = run.kernels.columns
    first = partition << _PARTITION_BITS
    for batch in child:
        ids = pa.array(np.arange(first, first + batch.length, dtype=np.int64))
        partitions = pa.array(np.full(batch.length, partition, np.int32))
        first += batch.length
        added = [
            Column(columns.from_arrow(partitions, INTEGER), INTEGER)
            if of_partition
            else Column(columns.from_arrow(ids, LONG), LONG)
            for of_partition in node.of_partition
        ]
        yield Batch((*batch.columns, *added), batch.length)
