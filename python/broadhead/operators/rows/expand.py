"""Expand: several projections of each row, for ROLLUP, CUBE and several DISTINCTs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.row_nodes import Expand


def expand(node: Expand, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of all projections of the child's rows.

    `SELECT a, b, sum(c) FROM t GROUP BY ROLLUP (a, b)` groups the rows of three projections. Spark
    returns all projections of one row before the next row. Here whole batches alternate, because
    the groups above do not depend on the order, and no rows are copied.
    """
    program = run.compile([e for projection in node.projections for e in projection])
    width, count = len(node.output), len(node.projections)
    for batch in child:
        columns = program.evaluate(batch)
        for number in range(count):
            yield Batch(tuple(columns[number * width : (number + 1) * width]), batch.length)
