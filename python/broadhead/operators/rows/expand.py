"""Expand: several projections of each row, for ROLLUP, CUBE and several DISTINCTs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.operators.rows.batch_rows import cut_batch
from broadhead.operators.rows.interleaved_rows import interleaved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.expressions.program import Evaluator
    from broadhead.operators.context import Run
    from broadhead.plan.row_nodes import Expand


def expand(node: Expand, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of all projections of the child's rows.

    `SELECT a, b, sum(c) FROM t GROUP BY ROLLUP (a, b)` groups the rows of three projections. Spark
    returns all projections of one row before the next row. Without `row_by_row` whole batches
    alternate, because the groups above do not depend on the order, and no rows are copied.
    """
    program = run.compile([e for projection in node.projections for e in projection])
    width, count = len(node.output), len(node.projections)
    for batch in child:
        if node.row_by_row:
            yield from _row_by_row(batch, program, (width, count), run)
        else:
            columns = program.evaluate(batch)
            for number in range(count):
                yield Batch(tuple(columns[number * width : (number + 1) * width]), batch.length)


def _row_by_row(
    batch: Batch, program: Evaluator, shape: tuple[int, int], run: Run
) -> Iterator[Batch]:
    width, count = shape
    columns = run.kernels.columns
    limit = max(1, run.kernels.device.batch_rows(run.settings) // count)
    for start in range(0, batch.length, limit):
        part = cut_batch(batch, start, min(limit, batch.length - start), run)
        values = program.evaluate(part)
        _, positions = interleaved(part.length, count, run)
        taken = []
        for ordinal in range(width):
            projected = values[ordinal::width]
            joined = columns.concat([[value.data] for value in projected])
            taken.append(Column(columns.take(joined, positions)[0], projected[0].type))
        yield Batch(tuple(taken), part.length * count)
