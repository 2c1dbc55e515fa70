"""Sample: rows drawn with and without replacement, the same ones as in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch
from broadhead.operators.rows.batch_rows import with_data
from broadhead.operators.rows.repeated_rows import repeated_rows, taken
from broadhead.types import BOOLEAN, LONG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.operators.context import Run
    from broadhead.plan.row_nodes import Sample, SampleWithReplacement


def sample(node: Sample, child: Iterator[Batch], run: Run) -> Iterator[Batch]:
    """Batches of the drawn rows, in order, without empty ones.

    Spark's `BernoulliCellSampler` draws one number for each row of a partition. Its seed is the
    plan's plus the partition number: `SELECT * FROM t TABLESAMPLE (10 PERCENT) REPEATABLE (1)`.
    """
    import pyarrow as pa

    from broadhead.kernels.xorshift import XorShiftRandom

    if node.upper <= node.lower:
        for _ in child:
            pass
        return
    columns = run.kernels.columns
    random = XorShiftRandom(node.seed + run.sources.part(node.id))
    for batch in child:
        numbers = random.doubles(batch.length)
        chosen = (numbers >= node.lower) & (numbers < node.upper)
        length = int(chosen.sum())
        if length:
            mask = columns.from_arrow(pa.array(chosen), BOOLEAN)
            kept = columns.filter([column.data for column in batch.columns], mask)
            yield with_data(batch.columns, kept, length)


def sample_with_replacement(
    node: SampleWithReplacement, child: Iterator[Batch], run: Run
) -> Iterator[Batch]:
    """Batches of the drawn rows, in order, each repeated by its number of copies.

    Spark's `PoissonSampler` draws some numbers for each row: `df.sample(True, 0.5, seed=1)`.
    """
    counts = run.sources.sample_counts(node.id)
    for batch in child:
        drawn = run.kernels.columns.from_arrow(counts.take(batch.length), LONG)
        for rows, _, length in repeated_rows(drawn, run):
            yield Batch(taken(batch.columns, rows, run), length)
