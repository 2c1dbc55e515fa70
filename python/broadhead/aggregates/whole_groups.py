"""What functions that read all rows of a group at once have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.aggregates.registry import Rounds
    from broadhead.columns import Column
    from broadhead.kernels.interface import Array, Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall


class WholeGroup:
    """The only buffer is the result: there is one phase."""

    @staticmethod
    def merge(
        k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """Never called."""
        raise AssertionError(f"{call.name} has no buffers that can be merged")

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The result."""
        return buffers[0]


def zeros(k: Kernels, values: Column) -> tuple[Array, Array]:
    """Masks of the floats that are 0.0, and of those that are -0.0."""
    zero, one = (k.columns.scalar(number, values.type) for number in (0.0, 1.0))
    is_zero = k.compare.compare("equal", values.data, zero)
    negative = k.compare.compare("less", k.arithmetic.divide(one, values.data), zero)
    return k.logic.and_(is_zero, k.logic.not_(negative)), k.logic.and_(is_zero, negative)


@dataclass(frozen=True, slots=True)
class Members:
    """Values of each group, group after group.

    `offsets` are the indices of the groups' first values, and the number of all values.
    """

    values: Array
    offsets: Array

    def starts(self, k: Kernels) -> Array:
        """The index of each group's first value."""
        return k.columns.slice([self.offsets], 0, k.columns.length(self.offsets) - 1)[0]

    def counts(self, k: Kernels) -> Array:
        """The number of each group's values, int64."""
        (ends,) = k.columns.slice([self.offsets], 1, k.columns.length(self.offsets) - 1)
        return k.arithmetic.subtract(ends, self.starts(k))

    def numbers(self, k: Kernels) -> Array:
        """The number of each value's group, int64."""
        length = k.columns.length(self.values)
        if not length:
            return k.columns.sequence(0)
        return k.nested.unfold(self.counts(k), 0, length)[0]

    def filtered(self, k: Kernels, mask: Array) -> Members:
        """The values where the mask is true."""
        (values,) = k.columns.filter([self.values], mask)
        (offsets,) = k.columns.take([k.window.count_before(mask)], self.offsets)
        return Members(values, offsets)

    def sorted(self, k: Kernels, *, descending: bool) -> Members:
        """The values of each group in order."""
        keys = [self.numbers(k), self.values]
        order = k.sort.order(keys, [(True, True), (not descending, True)])
        return Members(k.columns.take([self.values], order)[0], self.offsets)


def members(k: Kernels, grouping: Grouping, data: Array) -> Members:
    """The values of each group that are not null, in the order of the rows."""
    rows, offsets = grouping.members()
    (values,) = k.columns.take([data], rows)
    found = Members(values, offsets)
    if not k.columns.null_count(values):
        return found
    return found.filtered(k, k.logic.is_valid(values))


def numbered(k: Kernels, grouping: Grouping, data: Array) -> tuple[Array, Array]:
    """The values that are not null, and before them the number of each one's group, int64."""
    numbers = grouping.spread(k.columns.sequence(grouping.size))
    if not k.columns.null_count(data):
        return numbers, data
    numbers, data = k.columns.filter([numbers, data], k.logic.is_valid(data))
    return numbers, data
