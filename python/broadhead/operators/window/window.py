"""Window: a column for each window function over rows sorted by partition and order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch
from broadhead.operators.rows.batch_rows import divide_batch
from broadhead.operators.window.large_partition import LargePartition
from broadhead.operators.window.partition_batches import PartitionBatches
from broadhead.operators.window.window_columns import WindowColumns
from broadhead.operators.window.window_reach import reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.columns import Column
    from broadhead.operators.context import Run
    from broadhead.plan.windows import Window


def window(node: Window, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the child's kept columns, then the functions' columns.

    A partition beyond `operator_memory` is computed in blocks, unless a function needs all of its
    rows in memory.
    """
    columns = WindowColumns(node, run)
    distance = reach(node)

    def large() -> LargePartition:
        assert distance is not None
        return LargePartition(node, columns, distance, run)

    batches = PartitionBatches(node.partition, run, large if distance is not None else None)
    for gathered in batches.gather(child):
        if isinstance(gathered, LargePartition):
            for batch, computed in gathered.results():
                yield from divide_batch(_output(node, batch, computed.columns), run)
        else:
            yield from divide_batch(_output(node, gathered, columns.evaluate(gathered)), run)


def _output(node: Window, batch: Batch, computed: Sequence[Column]) -> Batch:
    keep = node.keep if node.keep is not None else range(len(node.child.output))
    return Batch((*(batch.columns[ordinal] for ordinal in keep), *computed), batch.length)
