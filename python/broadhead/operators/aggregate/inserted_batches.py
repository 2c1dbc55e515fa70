"""Rows of an aggregation that Spark would have sorted by radix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.aggregate.aggregate_calls import entry_of
from broadhead.operators.rows.batch_rows import batch_bytes, concat_batches, with_data
from broadhead.operators.sort.radix_order import inserted_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.nodes import HashAggregate


def as_inserted(node: HashAggregate, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The child's rows, those of a group in the order in which Spark's sort leaves them.

    That order follows from all rows. More than `operator_memory` of them keep their order: Spark
    would have spilled as many, and merged them in an order of its own.
    """
    if not node.sorted_by_radix or not any(
        entry_of(call).takes_one_row for call in node.aggregates
    ):
        yield from child
        return
    program, nulls, held = run.compile(node.grouping), False, 0
    batches: list[Batch] = []
    for batch in child:
        batches.append(batch)
        held += batch_bytes(batch, run)
        if held > run.settings.operator_memory:
            yield from batches
            yield from child
            return
        nulls = nulls or run.kernels.columns.null_count(program.evaluate(batch)[0].data) > 0
    if not nulls:
        yield from batches
        return
    rows = concat_batches(batches, run)
    order = inserted_rows(program.evaluate(rows)[0].data, run.kernels)
    data = run.kernels.columns.take([column.data for column in rows.columns], order)
    yield with_data(rows.columns, data, rows.length)
