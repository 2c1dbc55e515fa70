"""Partitions, peers and frames of sorted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pylibcudf as plc
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.reduce import ScanType
from pylibcudf.unary import UnaryOperator

from broadhead.kernels.cudf.compare import compare, null_safe_equal
from broadhead.kernels.cudf.frames import Frames
from broadhead.kernels.cudf.physical import (
    BOOL,
    INT64,
    Column,
    any_true,
    binary,
    cast,
    choose,
    constant,
    expand,
    is_true,
    test,
)
from broadhead.kernels.cudf.rows import filter_rows, take_rows

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True)
class Runs:
    """Runs: ranges of adjacent rows."""

    number: Column
    first: Column
    end: Column
    starts: Column
    ends: Column


def _not(mask: Column) -> Column:
    return plc.unary.unary_operation(mask, UnaryOperator.NOT)


def _sequence(length: int) -> Column:
    return plc.filling.sequence(length, constant(0, INT64), constant(1, INT64))


def _part(data: Column, begin: int, end: int) -> Column:
    (part,) = plc.copying.slice(plc.Table([data]), [begin, end])
    return part.columns()[0]


def changes(keys: Sequence[Column], length: int) -> Column:
    """Mask of the rows that differ from the row before in at least one key, and of row 0."""
    if length <= 1:
        return expand(constant(True, BOOL), length)
    changed = expand(constant(False, BOOL), length - 1)
    for key in keys:
        equal = null_safe_equal(_part(key, 0, length - 1), _part(key, 1, length))
        changed = test(changed, BinaryOperator.LOGICAL_OR, _not(equal))
    return plc.concatenate.concatenate([expand(constant(True, BOOL), 1), changed])


def runs(starts: Column) -> Runs:
    """The runs that start where the mask `starts` is true; it is true in row 0."""
    length = int(starts.size())
    (firsts,) = filter_rows([_sequence(length)], starts)
    last = expand(constant(length, INT64), min(length, 1))
    count = int(firsts.size())
    ends = plc.concatenate.concatenate([_part(firsts, min(count, 1), count), last])
    if not length:
        return Runs(firsts, firsts, firsts, firsts, firsts)
    counts = plc.reduce.scan(cast(starts, INT64), plc.aggregation.sum(), ScanType.INCLUSIVE)
    number = binary(cast(counts, INT64), BinaryOperator.SUB, constant(1, INT64), INT64)
    first, end = take_rows([firsts, ends], number)
    return Runs(number=number, first=first, end=end, starts=firsts, ends=ends)


def count_before(mask: Column) -> Column:
    """Number of true rows of the mask before each row, and one more entry with the total."""
    zero = expand(constant(0, INT64), 1)
    if not mask.size():
        return zero
    counts = plc.reduce.scan(cast(mask, INT64), plc.aggregation.sum(), ScanType.INCLUSIVE)
    return plc.concatenate.concatenate([zero, cast(counts, INT64)])


def running_max(positions: Column) -> Column:
    """The greatest position up to each row."""
    if not positions.size():
        return positions
    return plc.reduce.scan(positions, plc.aggregation.max(), ScanType.INCLUSIVE)


def clamp(positions: Column, low: Column, high: Column) -> Column:
    """The position clamped to `low` and `high`."""
    least = choose(test(positions, BinaryOperator.LESS, low), low, positions)
    return choose(test(least, BinaryOperator.GREATER, high), high, least)


def search(
    values: Column,
    bounds: Column,
    begin: Column,
    end: Column,
    *,
    descending: bool,
    after: bool,
) -> Column:
    """For each row, the first position from `begin` to `end` whose value reaches the bound.

    Binary search in all ranges at once.
    """
    low, high = begin, end
    op: Literal["less", "less_equal"] = "less_equal" if after else "less"
    zero, one = constant(0, INT64), constant(1, INT64)
    active = test(low, BinaryOperator.LESS, high)
    while any_true(active):
        sum_ = binary(low, BinaryOperator.ADD, high, INT64)
        middle = binary(sum_, BinaryOperator.SHIFT_RIGHT, one, INT64)
        # a range at the end of all rows may be empty, and then its middle is not a row
        (value,) = take_rows([values], choose(active, middle, zero))
        sides = (bounds, value) if descending else (value, bounds)
        before = is_true(compare(op, *sides))
        up = test(active, BinaryOperator.LOGICAL_AND, before)
        down = test(active, BinaryOperator.LOGICAL_AND, _not(before))
        low = choose(up, binary(middle, BinaryOperator.ADD, one, INT64), low)
        high = choose(down, middle, high)
        active = test(low, BinaryOperator.LESS, high)
    return low


def frames(begin: Column, end: Column, anchor: str) -> Frames:
    """A group for each frame; blocks of rows serve every `anchor`."""
    return Frames(begin, end)
