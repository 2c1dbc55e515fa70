"""Scans of the segments of a numpy array, and range-aggregate queries over it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

State = tuple[Any, ...]
"""Arrays of one length that together hold a value for each row."""

LONG_SEGMENT = 512
"""Length from which a numpy call per segment is faster than a step over all short segments."""


def accumulate(operation: np.ufunc, values: Any, starts: Any) -> Any:
    """The operation over the values of each segment up to each row, from left to right.

    Segments begin at `starts`, ascending; rows before the first start form another segment.
    """
    if len(starts) and starts[0]:
        starts = np.append(0, starts)
    if len(starts) <= 1:
        return operation.accumulate(values)
    result = np.array(values)
    lengths = np.diff(starts, append=len(values))
    for number in np.flatnonzero(lengths > LONG_SEGMENT):
        segment = slice(starts[number], starts[number] + lengths[number])
        operation.accumulate(values[segment], out=result[segment])
    short = (lengths > 1) & (lengths <= LONG_SEGMENT)
    if short.any():
        _step(operation, result, starts[short], lengths[short])
    return result


def _step(operation: np.ufunc, result: Any, starts: Any, lengths: Any) -> None:
    """Accumulates all segments at once, in `result`: their second rows, then their third rows."""
    longest_first = np.argsort(-lengths, kind="stable")
    rows = starts[longest_first]
    deeper = len(rows) - np.cumsum(np.bincount(lengths))
    before = result[rows]
    for depth in range(1, int(lengths.max())):
        count = deeper[depth]
        at = rows[:count] + depth
        before = operation(before[:count], result[at])
        result[at] = before


class SegmentTree:
    """A segment tree for range-aggregate queries over a monoid: leaves, identity and operation."""

    def __init__(
        self, leaves: State, identity: State, combine: Callable[[State, State], State]
    ) -> None:
        self._leaves = leaves
        self._identity = identity
        self._combine = combine

    def query(self, begin: Any, end: Any) -> State:
        """The combined rows from each begin (inclusive) to each end (exclusive).

        Each level of the tree contributes at most one node to either side of a range.
        """
        left = tuple(np.full(len(begin), one, a.dtype) for one, a in self._filled())
        right = tuple(part.copy() for part in left)
        begin, end = begin.copy(), end.copy()
        level = self._leaves
        active = np.flatnonzero(begin < end)
        while len(active):
            odd = active[(begin[active] & 1) == 1]
            self._put(left, odd, _at(left, odd), _at(level, begin[odd]))
            begin[odd] += 1
            odd = active[(end[active] & 1) == 1]
            end[odd] -= 1
            self._put(right, odd, _at(level, end[odd]), _at(right, odd))
            begin >>= 1
            end >>= 1
            active = active[begin[active] < end[active]]
            if len(active):
                level = self._up(level)
        return self._combine(left, right)

    def _filled(self) -> Any:
        return zip(self._identity, self._leaves, strict=True)

    def _put(self, side: State, rows: Any, first: State, second: State) -> None:
        if len(rows):
            for part, combined in zip(side, self._combine(first, second), strict=True):
                part[rows] = combined

    def _up(self, level: State) -> State:
        if len(level[0]) % 2:
            level = tuple(
                np.append(a, np.asarray(one, a.dtype))
                for one, a in zip(self._identity, level, strict=True)
            )
        return self._combine(tuple(a[::2] for a in level), tuple(a[1::2] for a in level))


def _at(state: State, rows: Any) -> State:
    return tuple(part[rows] for part in state)
