"""Range-aggregate queries (segment tree) over a monoid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pylibcudf as plc
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.copying import OutOfBoundsPolicy

from broadhead.kernels.cudf.physical import (
    INT64,
    Column,
    any_true,
    binary,
    cast,
    choose,
    constant,
    expand,
    test,
)

State = tuple[Column, ...]
"""Columns of one length that together hold a value for each row."""


@dataclass(frozen=True, slots=True)
class SegmentTree:
    """The leaves, the identity of each leaf (of its type), and the associative operation."""

    leaves: State
    identity: tuple[float, ...]
    combine: Callable[[State, State], State]

    def query(self, begin: Column, end: Column) -> State:
        """The combined rows from each begin (inclusive) to each end (exclusive).

        Each level of the tree contributes at most one node to either side of a range.
        """
        one = constant(1, INT64)
        left = self._identities(begin.size())
        right = left
        level = self.leaves
        active = test(begin, BinaryOperator.LESS, end)
        while any_true(active):
            odd = _odd(begin, active)
            left = _chosen(odd, self.combine(left, _gathered(level, begin, odd)), left)
            begin = binary(begin, BinaryOperator.ADD, cast(odd, INT64), INT64)
            odd = _odd(end, active)
            end = binary(end, BinaryOperator.SUB, cast(odd, INT64), INT64)
            right = _chosen(odd, self.combine(_gathered(level, end, odd), right), right)
            begin = binary(begin, BinaryOperator.SHIFT_RIGHT, one, INT64)
            end = binary(end, BinaryOperator.SHIFT_RIGHT, one, INT64)
            active = test(begin, BinaryOperator.LESS, end)
            level = self._up(level)
        return self.combine(left, right)

    def _identities(self, length: int) -> State:
        pairs = zip(self.identity, self.leaves, strict=True)
        return tuple(expand(constant(value, leaf.type()), length) for value, leaf in pairs)

    def _up(self, level: State) -> State:
        """The parents of a level: neighbours combined, an odd last node with the identity."""
        if level[0].size() % 2:
            tables = [plc.Table(list(level)), plc.Table(list(self._identities(1)))]
            level = tuple(plc.concatenate.concatenate(tables).columns())
        half = level[0].size() // 2
        halves = []
        for side in (0, 1):
            rows = plc.filling.sequence(half, constant(side, INT64), constant(2, INT64))
            halves.append(_take(level, rows))
        return self.combine(halves[0], halves[1])


def _odd(positions: Column, active: Column) -> Column:
    """Which active positions are odd."""
    one = constant(1, INT64)
    last_bit = binary(positions, BinaryOperator.BITWISE_AND, one, INT64)
    return test(active, BinaryOperator.LOGICAL_AND, test(last_bit, BinaryOperator.EQUAL, one))


def _gathered(level: State, rows: Column, wanted: Column) -> State:
    """The level's values in these rows; any values where they are not wanted."""
    return _take(level, choose(wanted, rows, constant(0, INT64)))


def _take(level: State, rows: Column) -> State:
    gathered = plc.copying.gather(plc.Table(list(level)), rows, OutOfBoundsPolicy.DONT_CHECK)
    return tuple(gathered.columns())


def _chosen(mask: Column, then: State, otherwise: State) -> State:
    return tuple(choose(mask, a, b) for a, b in zip(then, otherwise, strict=True))
