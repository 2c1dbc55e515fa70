"""The first and last rows of window frames, by Spark's rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.errors import EngineLimit, WouldRaise
from broadhead.functions.zones import at_local, floor_to, to_local
from broadhead.plan.expressions import Literal
from broadhead.plan.windows import Interval
from broadhead.types import (
    DATE,
    INTEGER,
    INTEGRAL_BITS,
    LONG,
    MAX_PRECISION,
    TIMESTAMP,
    DataType,
    DecimalType,
    IntervalType,
)

if TYPE_CHECKING:
    from broadhead.columns import Column
    from broadhead.kernels.interface import Anchor, Array, Checked, Kernels
    from broadhead.plan.nodes import Zone
    from broadhead.plan.windows import Bound, Frame
    from broadhead.window_functions.rows import SortedRows

DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """The frame of each row: its first row and the row after its last."""

    begin: Array
    end: Array
    anchor: Anchor


def is_whole(frame: Frame, *, ordered: bool) -> bool:
    """Whether the frame of each row is its whole partition."""
    below = frame.upper == "unbounded" or (frame.type == "Range" and not ordered)
    above = frame.lower == "unbounded" or (frame.type == "Range" and not ordered)
    return below and above


def frame_bounds(rows: SortedRows, frame: Frame) -> Bounds:
    """The frame of each row."""
    if frame.type == "Rows":
        begin, end = _row(rows, frame.lower, after=False), _row(rows, frame.upper, after=True)
    else:
        begin, end = _range(rows, frame.lower, after=False), _range(rows, frame.upper, after=True)
    anchor: Anchor = "none"
    if frame.lower == "unbounded":
        anchor = "begin"
    elif frame.upper == "unbounded":
        anchor = "end"
    else:
        begin, end = _in_order(rows, begin, end)
    return Bounds(begin, end, anchor)


def _in_order(rows: SortedRows, begin: Array, end: Array) -> tuple[Array, Array]:
    """Frames that begin beyond their end, converted to empty ones."""
    window = rows.kernels.window
    return window.clamp(begin, rows.partitions.first, end), end


def _row(rows: SortedRows, bound: Bound, *, after: bool) -> Array:
    if bound == "unbounded":
        return rows.partitions.end if after else rows.partitions.first
    distance = int(after) + (bound.value if isinstance(bound, Literal) else 0)
    moved = rows.shifted(rows.rows, distance)
    if distance in {0, 1}:
        return moved
    return rows.kernels.window.clamp(moved, rows.partitions.first, rows.partitions.end)


def _range(rows: SortedRows, bound: Bound, *, after: bool) -> Array:
    if bound == "unbounded":
        return rows.partitions.end if after else rows.partitions.first
    if bound == "current":
        return rows.peers.end if after else rows.peers.first
    return _reached(rows, bound, after=after)


def _reached(rows: SortedRows, bound: Literal | Interval, *, after: bool) -> Array:
    """The first row whose order value reaches the row's own plus an offset; `after`: exceeds it.

    The frame of a null has the nulls. Spark never moves a bound back: in local time, an hour later
    may be an hour earlier.
    """
    k = rows.kernels
    ((column, order),) = rows.order
    null_run = rows.null_runs
    limits = _moved(rows, column, bound, backwards=not order.ascending)
    found = k.window.search(
        column.data,
        limits,
        null_run.first,
        null_run.end,
        descending=not order.ascending,
        after=after,
    )
    if k.columns.null_count(column.data):
        nulls = null_run.end if after else null_run.first
        found = k.logic.if_else(k.logic.is_null(column.data), nulls, found)
    return k.window.running_max(found)


def _moved(
    rows: SortedRows, column: Column, bound: Literal | Interval, *, backwards: bool
) -> Array:
    """The order values plus the offset; minus the offset if the order is descending."""
    k = rows.kernels
    sign = -1 if backwards else 1
    if isinstance(bound, Interval):
        zone = rows.zones[bound.zone] if bound.zone is not None else None
        if column.type == DATE:
            return _date_plus(k, column.data, bound, sign)
        return _timestamp_plus(k, column.data, bound, sign, _zone_of(column.type, zone))
    offset = sign * bound.value
    if isinstance(column.type, DecimalType):
        return _decimal_plus(k, column.data, column.type, offset)
    if column.type.is_floating:
        return k.arithmetic.add(column.data, k.columns.scalar(offset, column.type))
    if isinstance(column.type, IntervalType):
        return _integer_plus(k, column.data, column.type.physical, offset)
    if column.type == DATE:
        days = k.cast.reinterpret(column.data, INTEGER)
        return k.cast.reinterpret(_integer_plus(k, days, INTEGER, offset), DATE)
    return _integer_plus(k, column.data, column.type, offset)


def _integer_plus(k: Kernels, data: Array, data_type: DataType, offset: int) -> Array:
    limit = 1 << INTEGRAL_BITS[data_type.name] - 1
    if not -limit <= offset < limit:
        raise EngineLimit(f"the frame offset {offset} cannot be negated")
    moved = k.arithmetic.add_checked(data, k.columns.scalar(offset, data_type))
    return _require(k, moved)


def _require(k: Kernels, moved: Checked) -> Array:
    """The bounds, all of them valid; for an invalid bound Spark fails or has wrong frames."""
    values, failed = moved
    if failed is not None and k.logic.any(failed):
        raise WouldRaise("ARITHMETIC_OVERFLOW")
    return values


def _decimal_plus(k: Kernels, data: Array, data_type: DecimalType, offset: int) -> Array:
    scale = data_type.scale
    limit = k.columns.scalar(offset, data_type)
    values, failed = k.decimal.add(data, scale, limit, scale, MAX_PRECISION, scale)
    if failed is not None and k.logic.any(failed):
        raise EngineLimit("a frame bound has more than 38 digits")
    return values


def _date_plus(k: Kernels, dates: Array, interval: Interval, sign: int) -> Array:
    moved = dates
    if interval.months:
        months = k.columns.scalar(sign * interval.months, INTEGER)
        moved = k.datetime.add_months(moved, months)
    days = k.cast.reinterpret(moved, INTEGER)
    return k.cast.reinterpret(_integer_plus(k, days, INTEGER, sign * interval.days), DATE)


def _zone_of(data_type: DataType, zone: Zone | None) -> Zone | None:
    return zone if data_type == TIMESTAMP else None


def _timestamp_plus(
    k: Kernels, timestamps: Array, interval: Interval, sign: int, zone: Zone | None
) -> Array:
    """Months, then days of the local calendar, then microseconds of the timeline."""
    moved = timestamps
    if interval.months:
        moved = _local_plus(k, moved, zone, months=sign * interval.months, days=0)
    if interval.days:
        moved = _local_plus(k, moved, zone, months=0, days=sign * interval.days)
    return _integer_plus(k, moved, LONG, sign * interval.microseconds)


def _local_plus(
    k: Kernels, timestamps: Array, zone: Zone | None, *, months: int, days: int
) -> Array:
    """The same local time on another day, by the rules of Java's ZonedDateTime.

    In an overlap of the clock the offset from UTC stays the same if possible.
    """
    local = to_local(k, timestamps, zone) if zone is not None else timestamps
    if months:
        midnight = floor_to(k, local, DAY)
        time = k.arithmetic.subtract(local, midnight)
        count = k.columns.scalar(months, INTEGER)
        date = k.datetime.add_months(k.datetime.to_date(local), count)
        moved = _require(k, k.arithmetic.add_checked(_require(k, k.datetime.from_date(date)), time))
    else:
        moved = _integer_plus(k, local, LONG, days * DAY)
    return moved if zone is None else at_local(k, timestamps, local, moved, zone)
