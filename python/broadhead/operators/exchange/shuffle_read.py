"""ShuffleRead: the rows of shuffle blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.kept_blocks import kept_batches
from broadhead.operators.rows.host_rows import batches_of
from broadhead.shuffle.reader import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.exchanges import ShuffleRead


def shuffle_read(node: ShuffleRead, run: Run) -> Iterator[Batch]:
    """Batches of the wanted columns, in the order of the blocks."""
    types = [node.types[ordinal] for ordinal in node.wanted]
    yield from kept_batches(run.kept_ranges.get(node.source, ()), types, node.wanted, run)
    rows = run.shuffled.get(node.source)
    if rows is None:
        segments = run.sources.segments(node.source)
        rows = read_rows(
            segments, node.types, node.wanted, run.settings.batch_rows, run.batch_bytes
        )
    yield from batches_of(rows, types, run)
