"""Sort: all rows in order, or the first of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.sort.sort_keys import SortKeys
from broadhead.operators.sort.sorted_runs import SortedRuns
from broadhead.operators.sort.top_rows import top_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.nodes import Sort


def sort(node: Sort, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The child's rows in order; rows with equal keys keep their order."""
    keys = SortKeys(node, run)
    if node.limit is not None:
        yield from top_rows(node.limit, keys, child)
        return
    runs = SortedRuns(keys)
    for batch in child:
        runs.add(keys.attach(batch))
    yield from map(keys.detach, runs.drain())
