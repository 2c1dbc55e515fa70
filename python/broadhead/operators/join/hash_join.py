"""HashJoin: rows of two inputs with equal keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.operators.join.join_sides import plan_join
from broadhead.operators.join.join_spill import join_sides
from broadhead.operators.rows.batch_rows import with_data
from broadhead.operators.rows.coalesce_batches import coalesce_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadhead.columns import Batch
    from broadhead.operators.context import Run
    from broadhead.operators.join.join_sides import JoinPlan
    from broadhead.plan.joins import HashJoin


def hash_join(
    node: HashJoin, left: Iterator[Batch], right: Iterator[Batch], run: Run
) -> Iterator[Batch]:
    """Batches of the joined rows, in no order.

    The build side is read first and kept in memory or, beyond `operator_memory`, in files by the
    hash of its keys. The probe side (`stream`) is read batch by batch.
    """
    plan = plan_join(node, node.left_keys, node.right_keys, run)
    stream, build = (left, right) if plan.stream_is_left else (right, left)
    streamed = plan.stream.reduce(coalesce_batches(stream, run))
    built = plan.build.reduce(build)
    if node.null_aware:
        keys = _BuildKeys()
        streamed = keys.choose(plan, streamed)
        built = keys.watch(plan, built)
    yield from coalesce_batches(join_sides(plan, streamed, built), run)


class _BuildKeys:
    """The properties of the list of NOT IN that must be known before the first probe row."""

    def __init__(self) -> None:
        self._has_rows = False
        self._has_null = False

    def watch(self, plan: JoinPlan, build: Iterator[Batch]) -> Iterator[Batch]:
        """The same batches."""
        (ordinal,) = plan.build.keys
        for batch in build:
            self._has_rows = True
            nulls = plan.run.kernels.columns.null_count(batch.columns[ordinal].data)
            self._has_null = self._has_null or nulls > 0
            yield batch

    def choose(self, plan: JoinPlan, stream: Iterator[Batch]) -> Iterator[Batch]:
        """The rows for which NOT IN may be true, for a plain anti join.

        Read only after the build side. No value is outside a list with a null, and a null is not
        known to be outside any list but the empty one.
        """
        if self._has_null:
            return
        (ordinal,) = plan.stream.keys
        columns, logic = plan.run.kernels.columns, plan.run.kernels.logic
        for batch in stream:
            key = batch.columns[ordinal].data
            if not self._has_rows or not columns.null_count(key):
                yield batch
                continue
            data = columns.filter([c.data for c in batch.columns], logic.is_valid(key))
            length = columns.length(data[0])
            if length:
                yield with_data(batch.columns, data, length)
