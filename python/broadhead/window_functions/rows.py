"""Rows sorted by partition and order, with their partitions, peers and frames."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.types import INTEGER, LONG
from broadhead.window_functions.frames import Bounds, frame_bounds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.kernels.interface import Array, Kernels, Runs
    from broadhead.plan.nodes import Zone
    from broadhead.plan.sort_order import SortOrder
    from broadhead.plan.windows import Frame


class SortedRows:
    """Whole partitions, one after the other, of at least one row.

    `partition` are the values of the partitions' keys, `order` those of the sort orders.
    """

    def __init__(
        self,
        kernels: Kernels,
        length: int,
        partition: Sequence[Column],
        order: Sequence[tuple[Column, SortOrder]],
        zones: Mapping[str, Zone],
    ) -> None:
        self.kernels = kernels
        self.length = length
        self.order = order
        self.zones = zones
        self._partition = partition
        self._bounds: dict[Frame, Bounds] = {}

    @cached_property
    def rows(self) -> Array:
        """The position of each row."""
        return self.kernels.columns.sequence(self.length)

    @cached_property
    def _partition_starts(self) -> Array:
        keys = [column.data for column in self._partition]
        return self.kernels.window.changes(keys, self.length)

    @cached_property
    def partitions(self) -> Runs:
        """Rows of equal partition keys."""
        return self.kernels.window.runs(self._partition_starts)

    @cached_property
    def peers(self) -> Runs:
        """Rows of one partition whose order values are equal; all of it if there are none."""
        k = self.kernels
        changed = k.window.changes([column.data for column, _ in self.order], self.length)
        return k.window.runs(k.logic.or_(self._partition_starts, changed))

    @cached_property
    def null_runs(self) -> Runs:
        """Adjacent rows in one partition whose only order value is null, or is not null."""
        k = self.kernels
        ((column, _),) = self.order
        changed = k.window.changes([k.logic.is_null(column.data)], self.length)
        return k.window.runs(k.logic.or_(self._partition_starts, changed))

    def groups_before(self) -> Array:
        """The number of groups of peers of the partition before each row."""
        return self.distance(self.at(self.peers.number, self.partitions.first), self.peers.number)

    def own(self, values: Array) -> Array:
        """The values of the rows themselves, without those of neighbours that are only read."""
        return values

    def bounds(self, frame: Frame) -> Bounds:
        """The first and the last row of each row's frame."""
        if frame not in self._bounds:
            self._bounds[frame] = frame_bounds(self, frame)
        return self._bounds[frame]

    def at(self, values: Array, positions: Array) -> Array:
        """The values at other rows; null where the position is null."""
        return self.kernels.columns.take([values], positions)[0]

    def shifted(self, positions: Array, distance: int) -> Array:
        """The positions that many rows later."""
        if not distance:
            return positions
        return self.kernels.arithmetic.add(positions, self.kernels.columns.scalar(distance, LONG))

    def distance(self, start: Array, end: Array) -> Array:
        """The number of rows from one position (inclusive) to another (exclusive)."""
        return self.kernels.arithmetic.subtract(end, start)

    def integers(self, values: Array) -> Column:
        """Positions as Spark's integers."""
        return Column(self.kernels.cast.narrow_integer(values, INTEGER), INTEGER)
