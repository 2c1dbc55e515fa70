"""Decision whether a partial aggregation groups its input; a later phase groups it anyway."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadhead.plan.nodes import HashAggregate

SAMPLE_ROWS = 100_000
"""Input rows after which a partial aggregation decides whether it reduces its input."""

MIN_REDUCTION = 0.75
"""Fraction of rows above which the number of groups makes grouping useless."""

LOOK_AGAIN = 4_000_000
"""Rows that are left ungrouped before the next sample is grouped."""


class PartialReduction:
    """The fraction of rows that grouping the batches so far has left.

    Only a partial aggregation may return several rows with equal keys. Grouping a batch with hardly
    any equal keys takes ten times as long as making one row of buffers for each of its rows.
    """

    def __init__(self, node: HashAggregate) -> None:
        self._optional = (
            bool(node.grouping)
            and bool(node.aggregates)
            and all(call.mode == "Partial" for call in node.aggregates)
        )
        self._rows = self._groups = self._ungrouped = 0

    @property
    def pays(self) -> bool:
        """Whether the next batch is grouped."""
        return (
            not self._optional
            or self._rows < SAMPLE_ROWS
            or self._groups <= MIN_REDUCTION * self._rows
        )

    def grouped(self, rows: int, groups: int) -> None:
        """Count a grouped batch."""
        self._rows += rows
        self._groups += groups

    def passed(self, rows: int) -> None:
        """Count an ungrouped batch; after many of them the input may have changed."""
        self._ungrouped += rows
        if self._ungrouped >= LOOK_AGAIN:
            self._rows = self._groups = self._ungrouped = 0
