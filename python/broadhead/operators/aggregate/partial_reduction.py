"""Whether a partial aggregation had better not group its input: a later phase does it anyway."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from broadhead.plan.nodes import HashAggregate

SAMPLE_ROWS = 100_000
"""Input rows after which a partial aggregation decides whether it reduces its input at all."""

MIN_REDUCTION = 0.75
"""Grouping does not pay where it leaves more groups than this share of its rows."""

LOOK_AGAIN = 4_000_000
"""Rows that are left ungrouped before the next sample is grouped."""


class PartialReduction:
    """What grouping the batches so far has left of their rows.

    Only a partial aggregation may leave equal keys apart. Grouping a batch of hardly any equal
    keys takes ten times as long as making one row of buffers for each of its rows.
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
        """Whether the next batch is to be grouped."""
        return (
            not self._optional
            or self._rows < SAMPLE_ROWS
            or self._groups <= MIN_REDUCTION * self._rows
        )

    def grouped(self, rows: int, groups: int) -> None:
        """Count a batch that was grouped."""
        self._rows += rows
        self._groups += groups

    def passed(self, rows: int) -> None:
        """Count a batch that was not; after many of them the input may have become another."""
        self._ungrouped += rows
        if self._ungrouped >= LOOK_AGAIN:
            self._rows = self._groups = self._ungrouped = 0
