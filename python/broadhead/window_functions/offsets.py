"""lag, lead and nth_value: the value of another row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.operands import literal
from broadhead.functions.registry import ATOMIC, COLLATED_STRING, INT, NESTED
from broadhead.plan.expressions import Literal
from broadhead.registry import Signature
from broadhead.types import LONG, VOID
from broadhead.window_functions.reach import Reach
from broadhead.window_functions.registry import window_function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.kernels.interface import Array
    from broadhead.plan.windows import WindowCall
    from broadhead.window_functions.rows import SortedRows

VALUES = ATOMIC | COLLATED_STRING
FIELDS = {"ignoreNulls": (True, False)}
OFFSETS = [
    *(
        Signature(
            (frozenset({name}), INT, frozenset({name, "void"})), frozenset({name}), literal=(1,)
        )
        for name in sorted(VALUES)
    ),
    *(
        Signature((frozenset({name}), INT, frozenset({"void"})), frozenset({name}), literal=(1,))
        for name in sorted(NESTED)
    ),
]
NTH = [
    Signature((frozenset({name}), INT), frozenset({name}), literal=(1,))
    for name in (*sorted(VALUES), *sorted(NESTED))
]


def _reach_of_lead(call: WindowCall) -> Reach | None:
    return _within(call, 1)


def _reach_of_lag(call: WindowCall) -> Reach | None:
    return _within(call, -1)


def _within(call: WindowCall, direction: int) -> Reach | None:
    offset = call.children[1]
    if dict(call.fields)["ignore_nulls"] or not isinstance(offset, Literal):
        return None
    distance = direction * offset.value
    return Reach(max(-distance, 0), max(distance, 0))


@window_function(
    "lead", spark="Lead", signatures=OFFSETS, fields=FIELDS, level="any order", reach=_reach_of_lead
)
def lead(rows: SortedRows, call: WindowCall, inputs: Sequence[Column]) -> Column:
    """The value some rows after the row, or the default where the partition has no such row.

    SELECT lead(v), lead(v, 2), lead(v, 1, 0) IGNORE NULLS OVER (PARTITION BY a ORDER BY b)
    """
    return _offset(rows, call, inputs, literal(rows.kernels, inputs[1]))


@window_function(
    "lag", spark="Lag", signatures=OFFSETS, fields=FIELDS, level="any order", reach=_reach_of_lag
)
def lag(rows: SortedRows, call: WindowCall, inputs: Sequence[Column]) -> Column:
    """The value some rows before the row, or the default where the partition has no such row.

    SELECT lag(v), lag(v, 2), lag(v, 1, 0) IGNORE NULLS OVER (PARTITION BY a ORDER BY b)
    """
    return _offset(rows, call, inputs, -literal(rows.kernels, inputs[1]))


def _offset(rows: SortedRows, call: WindowCall, inputs: Sequence[Column], distance: int) -> Column:
    k = rows.kernels
    values, _, default = inputs
    if distance and dict(call.fields)["ignore_nulls"]:
        found = _valid_from(rows, values.data, distance)
    else:
        found = rows.shifted(rows.rows, distance)
        found = _inside(rows, found, rows.partitions.first, rows.partitions.end)
    result = rows.at(values.data, found)
    if default.type != VOID:
        result = k.logic.if_else(k.logic.is_null(found), rows.own(default.data), result)
    return Column(result, call.type)


def _inside(rows: SortedRows, positions: Array, begin: Array, end: Array) -> Array:
    """The positions, null outside of `begin` (inclusive) to `end` (exclusive)."""
    k = rows.kernels
    inside = k.logic.and_(
        k.compare.compare("less_equal", begin, positions),
        k.compare.compare("less", positions, end),
    )
    return k.logic.null_where(positions, k.logic.not_(inside))


def _valid_from(rows: SortedRows, values: Array, distance: int) -> Array:
    """The position of the n-th valid value before or after each row; null if there is none."""
    k = rows.kernels
    valid = k.logic.is_valid(values)
    before = k.window.count_before(valid)
    if distance > 0:
        nth = rows.shifted(rows.at(before, rows.shifted(rows.rows, 1)), distance - 1)
    else:
        nth = rows.shifted(rows.at(before, rows.rows), distance)
    return _nth_valid(rows, valid, nth, rows.partitions.first, rows.partitions.end)


def _nth_valid(rows: SortedRows, valid: Array, nth: Array, begin: Array, end: Array) -> Array:
    """The position of the valid value with this number among all; null outside the bounds."""
    k = rows.kernels
    (positions,) = k.columns.filter([rows.rows], valid)
    zero = k.columns.full(k.columns.scalar(0, LONG), rows.length)
    count = k.columns.full(k.columns.scalar(k.columns.length(positions), LONG), rows.length)
    found = rows.at(positions, _inside(rows, nth, zero, count))
    return _inside(rows, found, begin, end)


@window_function("nth_value", spark="NthValue", signatures=NTH, fields=FIELDS, level="any order")
def nth_value(rows: SortedRows, call: WindowCall, inputs: Sequence[Column]) -> Column:
    """The value of the frame's row with this number, from 1; null where it has fewer.

    SELECT nth_value(v, 2) IGNORE NULLS OVER (PARTITION BY a ORDER BY b)
    """
    k = rows.kernels
    values = inputs[0].data
    number = literal(k, inputs[1])
    bounds = rows.bounds(call.frame)
    if dict(call.fields)["ignore_nulls"]:
        valid = k.logic.is_valid(values)
        before = rows.at(k.window.count_before(valid), bounds.begin)
        nth = rows.shifted(before, number - 1)
        found = _nth_valid(rows, valid, nth, bounds.begin, bounds.end)
    else:
        nth = rows.shifted(bounds.begin, number - 1)
        found = _inside(rows, nth, bounds.begin, bounds.end)
    return Column(rows.at(values, found), call.type)
