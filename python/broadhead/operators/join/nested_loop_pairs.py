"""Pairs of rows for which a condition is true, found one row of the shorter side at a time.

The row is passed to the condition as scalars, so no values are gathered for failing pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Batch, Column
from broadhead.types import INTEGER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.kernels.interface import Array
    from broadhead.operators.join.join_sides import JoinPlan


def scanned_pairs(
    plan: JoinPlan, stream: Batch, build: Batch, limit: int
) -> Iterator[tuple[Array, Array]]:
    """Row ids of the passing stream and build rows, in batches of at most `limit` pairs."""
    columns = plan.run.kernels.columns
    by_stream = stream.length < build.length
    row_side, scan_side = (plan.stream, plan.build) if by_stream else (plan.build, plan.stream)
    rows, scanned = (stream, build) if by_stream else (build, stream)
    tested = [scanned.columns[ordinal] for ordinal in scan_side.tested]
    numbers = plan.run.kernels.cast.narrow_integer(columns.sequence(scanned.length), INTEGER)
    found: list[list[Array]] = []
    size = 0
    for number in range(rows.length):
        row = _scalars(rows, row_side.tested, number, plan)
        left_is_row = by_stream == plan.stream_is_left
        both = row + tested if left_is_row else tested + row
        assert plan.condition is not None, "without a condition all pairs pass"
        (mask,) = plan.condition.evaluate(Batch(tuple(both), scanned.length))
        (passing,) = columns.filter([numbers], mask.data)
        length = columns.length(passing)
        if not length:
            continue
        found.append([columns.full(columns.scalar(number, INTEGER), length), passing])
        size += length
        if size >= limit:
            yield from _batches(found, plan, limit, by_stream=by_stream)
            found, size = [], 0
    if found:
        yield from _batches(found, plan, limit, by_stream=by_stream)


def _scalars(rows: Batch, ordinals: Sequence[int], number: int, plan: JoinPlan) -> list[Column]:
    """The columns of one row at these ordinals."""
    columns = plan.run.kernels.columns
    chosen = [rows.columns[ordinal] for ordinal in ordinals]
    cut = columns.slice([column.data for column in chosen], number, 1)
    return [Column(columns.first(d), c.type) for d, c in zip(cut, chosen, strict=True)]


def _batches(
    found: Sequence[Sequence[Array]], plan: JoinPlan, limit: int, *, by_stream: bool
) -> Iterator[tuple[Array, Array]]:
    columns = plan.run.kernels.columns
    both = columns.concat(found)
    length = columns.length(both[0])
    for start in range(0, length, limit):
        row, scanned = columns.slice(both, start, min(limit, length - start))
        yield (row, scanned) if by_stream else (scanned, row)
