"""Aggregates of window frames: ranges of rows that may overlap.

Sums of integers are differences of running sums, which are exact. All other aggregates are combined
from blocks of rows, so that a NaN or an infinity affects only the frames that contain it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.reduce import ScanType
from pylibcudf.types import NullOrder, Order

from broadhead.errors import EngineLimit
from broadhead.kernels.cudf import aggregates
from broadhead.kernels.cudf.physical import (
    FLOAT64,
    FLOATS,
    INT32,
    INT64,
    Column,
    binary,
    cast,
    choose,
    constant,
    element,
    expand,
    null_where,
    test,
    value_of,
)
from broadhead.kernels.cudf.rows import take_rows
from broadhead.kernels.cudf.segment_tree import SegmentTree, State
from broadhead.kernels.interface.window import MOST_MEMBERS

if TYPE_CHECKING:
    from broadhead.kernels.cudf.aggregates import Aggregate
    from broadhead.kernels.interface.group import Request

_LARGEST = {TypeId.INT32: (1 << 31) - 1, TypeId.INT64: (1 << 63) - 1}


class Frames:
    """The rows from each begin (inclusive) to each end (exclusive), as groups."""

    def __init__(self, begin: Column, end: Column) -> None:
        self.size = int(begin.size())
        self.keys: list[Column] = []
        self.length = 0
        self._begin = begin
        self._end = end

    def aggregate(self, requests: Sequence[Request]) -> list[Any]:
        """One result for each request."""
        return [self._one(request) for request in requests]

    def spread(self, values: Column) -> Column:
        """The value of the frame of each input row."""
        counts = cast(binary(self._end, BinaryOperator.SUB, self._begin, INT64), INT32)
        return plc.filling.repeat(plc.Table([values]), counts).columns()[0]

    def members(self) -> tuple[Column, Column]:
        """The rows of each frame, and the offset of its first row."""
        offsets = expand(constant(0, INT64), 1)
        if not self.size:
            return plc.copying.empty_like(offsets), offsets
        counts = binary(self._end, BinaryOperator.SUB, self._begin, INT64)
        ends = plc.reduce.scan(counts, plc.aggregation.sum(), ScanType.INCLUSIVE)
        total = int(value_of(element(ends, self.size - 1)))
        if total > MOST_MEMBERS:
            raise EngineLimit(f"window frames have {total} rows together")
        starts = binary(ends, BinaryOperator.SUB, counts, INT64)
        shift = binary(self._begin, BinaryOperator.SUB, starts, INT64)
        indices = plc.filling.sequence(total, constant(0, INT64), constant(1, INT64))
        spread = plc.filling.repeat(plc.Table([shift]), cast(counts, INT32)).columns()[0]
        rows = binary(spread, BinaryOperator.ADD, indices, INT64)
        return rows, plc.concatenate.concatenate([offsets, ends])

    def _one(self, request: Request) -> Any:
        kind, values = request.kind, request.values
        self.length = int(values.size())
        if kind in {"min", "max"}:
            return self._extreme(values, greatest=kind == "max")
        if kind == "moment2":
            return self._moment2(values)
        if kind in {"last_of_min", "last_of_max"}:
            return self._last_of_extreme(values, greatest=kind == "last_of_max")
        return self._planned(request)

    def _planned(self, request: Request) -> Any:
        plan = aggregates.plan(request, self)
        return plan.finish([self._plain(aggregate) for aggregate in plan.aggregates])

    def _plain(self, aggregate: Aggregate) -> Column:
        """A plain aggregate of each frame; null for frames without values."""
        values = aggregate.values
        if aggregate.name == "count":
            return self._count(values)
        if aggregate.name in {"min", "max"}:
            return self._present(
                self._extreme_integer(values, greatest=aggregate.name == "max"), values
            )
        if values.type().id() in FLOATS:
            floats = plc.replace.replace_nulls(values, constant(0.0, values.type()))
            (total,) = SegmentTree((floats,), (0.0,), _add).query(self._begin, self._end)
            return self._present(total, values)
        whole = plc.replace.replace_nulls(values, constant(0, values.type()))
        return self._present(self._difference(whole), values)

    def _difference(self, values: Column) -> Column:
        """The sums of int64 values of each frame, wrapping around."""
        zero = expand(constant(0, INT64), 1)
        sums = plc.reduce.scan(values, plc.aggregation.sum(), ScanType.INCLUSIVE)
        totals = plc.concatenate.concatenate([zero, cast(sums, INT64)]) if values.size() else zero
        (upper,) = take_rows([totals], self._end)
        (lower,) = take_rows([totals], self._begin)
        return binary(upper, BinaryOperator.SUB, lower, INT64)

    def _count(self, values: Column) -> Column:
        if not values.null_count():
            return binary(self._end, BinaryOperator.SUB, self._begin, INT64)
        return self._difference(cast(plc.unary.is_valid(values), INT64))

    def _present(self, result: Column, values: Column) -> Column:
        """The result, null for frames without values."""
        none = test(self._count(values), BinaryOperator.EQUAL, constant(0, INT64))
        return null_where(result, none)

    def _extreme(self, values: Column, *, greatest: bool) -> Column:
        """The least or greatest value of any type, by its rank among all values."""
        order = plc.sorting.stable_sorted_order(
            plc.Table([values]), [Order.ASCENDING], [NullOrder.AFTER]
        )
        rows = plc.filling.sequence(values.size(), constant(0, INT32), constant(1, INT32))
        ranks = plc.copying.scatter(plc.Table([rows]), order, plc.Table([rows])).columns()[0]
        if values.null_count():
            ranks = null_where(ranks, plc.unary.is_null(values))
        found = self._extreme_integer(ranks, greatest=greatest)
        rank = self._present(found, values)
        (row,) = take_rows([order], rank)
        return take_rows([values], row)[0]

    def _last_of_extreme(self, values: Column, *, greatest: bool) -> Column:
        """The last row with the extreme: of equal values it has the most extreme rank."""
        rows = plc.filling.sequence(values.size(), constant(0, INT32), constant(1, INT32))
        later = Order.ASCENDING if greatest else Order.DESCENDING
        order = plc.sorting.sorted_order(
            plc.Table([values, rows]),
            [Order.ASCENDING, later],
            [NullOrder.AFTER, NullOrder.AFTER],
        )
        ranks = plc.copying.scatter(plc.Table([rows]), order, plc.Table([rows])).columns()[0]
        if values.null_count():
            ranks = null_where(ranks, plc.unary.is_null(values))
        rank = self._present(self._extreme_integer(ranks, greatest=greatest), values)
        return cast(take_rows([order], rank)[0], INT64)

    def _extreme_integer(self, values: Column, *, greatest: bool) -> Column:
        """The least or greatest int32 or int64; undefined for frames without values."""
        data_type = values.type()
        largest = _LARGEST[data_type.id()]
        identity = -largest if greatest else largest
        filled = plc.replace.replace_nulls(values, constant(identity, data_type))
        name: Literal["max", "min"] = "max" if greatest else "min"
        return SegmentTree((filled,), (identity,), _EXTREMES[name]).query(self._begin, self._end)[0]

    def _moment2(self, values: Column) -> Column:
        doubles = cast(values, FLOAT64)
        zero = constant(0.0, FLOAT64)
        weights = cast(plc.unary.is_valid(doubles), FLOAT64)
        filled = plc.replace.replace_nulls(doubles, zero)
        # inf - inf: an infinity makes the variance NaN, like in Spark
        squares = binary(filled, BinaryOperator.SUB, filled, FLOAT64)
        tree = SegmentTree((weights, filled, squares), (0.0, 0.0, 0.0), _merge_moments)
        return self._present(tree.query(self._begin, self._end)[2], values)


def _add(left: State, right: State) -> State:
    return (binary(left[0], BinaryOperator.ADD, right[0], left[0].type()),)


def _lesser(left: State, right: State) -> State:
    return (choose(test(left[0], BinaryOperator.LESS, right[0]), left[0], right[0]),)


def _greater(left: State, right: State) -> State:
    return (choose(test(left[0], BinaryOperator.GREATER, right[0]), left[0], right[0]),)


_EXTREMES = {"min": _lesser, "max": _greater}


def _merge_moments(left: State, right: State) -> State:
    """Counts, means and squared differences of two adjacent ranges, merged (Chan et al.)."""

    def calculate(a: Column, op: BinaryOperator, b: Column) -> Column:
        return binary(a, op, b, FLOAT64)

    add, multiply = BinaryOperator.ADD, BinaryOperator.MUL
    count = calculate(left[0], add, right[0])
    one = constant(1.0, FLOAT64)
    divisor = choose(test(count, BinaryOperator.GREATER, one), count, one)
    share = calculate(right[0], BinaryOperator.DIV, divisor)
    distance = calculate(right[1], BinaryOperator.SUB, left[1])
    mean = calculate(left[1], add, calculate(distance, multiply, share))
    square = calculate(distance, multiply, distance)
    weight = calculate(left[0], multiply, share)
    # an empty side contributes 0, even if distance² overflows to infinity
    zero = constant(0.0, FLOAT64)
    none = test(weight, BinaryOperator.EQUAL, zero)
    between = choose(none, zero, calculate(square, multiply, weight))
    return count, mean, calculate(calculate(left[2], add, right[2]), add, between)
