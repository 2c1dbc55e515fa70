"""A block of one partition, with the context that its functions need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from broadhead.types import LONG
from broadhead.window_functions.rows import SortedRows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.columns import Column
    from broadhead.kernels.interface import Array, Kernels, Runs
    from broadhead.plan.nodes import Zone
    from broadhead.plan.sort_order import SortOrder


@dataclass(frozen=True, slots=True)
class BlockPosition:
    """The position of a block among the rows in memory, and their position in the partition.

    The block has the rows from `start` (inclusive) to `end` (exclusive). `first` and `last` are the
    positions, relative to the first row in memory, where the partition begins and ends. `groups` is
    the number of groups of peers before the block, which contains all rows of its own peers.
    """

    start: int
    end: int
    first: int
    last: int
    groups: int


@dataclass(slots=True)
class _Runs:
    number: Array
    first: Array
    end: Array
    starts: Array
    ends: Array


class BlockRows(SortedRows):
    """The rows of a block; positions count from the first row in memory, as in its inputs."""

    def __init__(
        self,
        kernels: Kernels,
        position: BlockPosition,
        length: int,
        order: Sequence[tuple[Column, SortOrder]],
        zones: Mapping[str, Zone],
    ) -> None:
        super().__init__(kernels, position.end - position.start, (), order, zones)
        self._block = position
        self._rows_in_memory = length

    @cached_property
    def rows(self) -> Array:
        """The position of each row."""
        return self.own(self.kernels.columns.sequence(self._rows_in_memory))

    @cached_property
    def partitions(self) -> Runs:
        """The one partition."""
        first, last = self.constant(self._block.first), self.constant(self._block.last)
        return _Runs(self.constant(0), first, last, first, last)

    @cached_property
    def peers(self) -> Runs:
        """Rows whose order values are equal."""
        k = self.kernels
        keys = [self.own(column.data) for column, _ in self.order]
        found = k.window.runs(k.window.changes(keys, self.length))
        start = self._block.start
        return _Runs(
            number=found.number,
            first=self.shifted(found.first, start),
            end=self.shifted(found.end, start),
            starts=self.shifted(found.starts, start),
            ends=self.shifted(found.ends, start),
        )

    def groups_before(self) -> Array:
        """The number of groups of peers of the partition before each row."""
        return self.shifted(self.peers.number, self._block.groups)

    def own(self, values: Array) -> Array:
        """The values of the block's rows."""
        return self.kernels.columns.slice([values], self._block.start, self.length)[0]

    def constant(self, value: int) -> Array:
        """The same position for each row."""
        columns = self.kernels.columns
        return columns.full(columns.scalar(value, LONG), self.length)
