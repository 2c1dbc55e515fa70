"""NestedLoopJoin: rows of two inputs for which a condition is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.join.join_sides import plan_join
from broadhead.operators.join.join_spill import join_sides
from broadhead.operators.rows.coalesce_batches import coalesce_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.plan.joins import NestedLoopJoin


def nested_loop_join(
    node: NestedLoopJoin, left: Iterator[Batch], right: Iterator[Batch], run: Run
) -> Iterator[Batch]:
    """Batches of the joined rows, in no order.

    The build side is kept in memory. Beyond `operator_memory` the stream side is written to a file
    and read again for each part of the build side.
    """
    plan = plan_join(node, (), (), run)
    stream, build = (left, right) if plan.stream_is_left else (right, left)
    joined = join_sides(
        plan, plan.stream.reduce(coalesce_batches(stream, run)), plan.build.reduce(build)
    )
    yield from coalesce_batches(joined, run)
