"""Range: equidistant numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.row_nodes import Range


def range_(node: Range, run: Run) -> Iterator[Batch]:
    """Batches of the task's slice: `SELECT id FROM range(0, 10, 2)` has 0, 2, 4, 6 and 8."""
    columns = run.kernels.columns
    arithmetic = run.kernels.arithmetic
    first, stop = slice_bounds(node.count, node.slices, run.sources.part(node.id))
    limit = run.kernels.device.batch_rows(run.settings)
    step = columns.scalar(node.step, LONG)
    while first < stop:
        length = min(limit, stop - first)
        start = columns.scalar(node.start + first * node.step, LONG)
        numbers = arithmetic.multiply(columns.sequence(length), step)
        yield Batch((Column(arithmetic.add(numbers, start), LONG),), length)
        first += length


def slice_bounds(count: int, slices: int, number: int) -> tuple[int, int]:
    """The bounds of slice `number` of `count` rows, by Spark's division."""
    return number * count // slices, (number + 1) * count // slices
