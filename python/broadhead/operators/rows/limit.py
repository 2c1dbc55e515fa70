"""Limit: the first rows, optionally after some dropped rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.rows.batch_rows import cut_batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.nodes import Limit


def limit(node: Limit, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """The child's rows from `node.offset`; the child is not read further than needed."""
    dropped = node.offset
    left = node.limit
    while left is None or left > 0:
        batch = next(child, None)
        if batch is None:
            return
        start = min(dropped, batch.length)
        dropped -= start
        length = batch.length - start if left is None else min(left, batch.length - start)
        if left is not None:
            left -= length
        if length:
            yield cut_batch(batch, start, length, run)
