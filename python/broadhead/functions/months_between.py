"""months_between: months and parts of 31 days between timestamps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.functions.date_parts import as_dates
from broadhead.functions.longs import Longs, longs
from broadhead.functions.operands import literal, row_count
from broadhead.functions.registry import BOOLEAN, function
from broadhead.functions.timestamps import DAY, TIMESTAMP_ARGUMENT, ZONE
from broadhead.functions.zones import DAY_SECONDS, MICROSECONDS, midnight, to_local
from broadhead.registry import Signature
from broadhead.types import DOUBLE, INTEGER, LONG

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.plan.nodes import Zone

DOUBLE_RESULT = frozenset({"double"})
MONTH_SECONDS = float(31 * DAY_SECONDS)
EIGHT_DIGITS = 1e8


@function(
    "months_between",
    spark="MonthsBetween",
    signatures=[
        Signature(
            (TIMESTAMP_ARGUMENT, TIMESTAMP_ARGUMENT, BOOLEAN),
            DOUBLE_RESULT,
            literal=(2,),
            values={2: (True, False)},
        )
    ],
    fields=ZONE,
    note="whether to round is a literal",
)
def months_between(k: Kernels, end: Column, start: Column, rounds: Column, *, zone: Zone) -> Column:
    """Months from the second timestamp to the first, and the rest in parts of 31 days.

    >>> SELECT months_between(TIMESTAMP'1997-02-28 10:30:00', TIMESTAMP'1996-10-30 00:00:00')
    3.94959677
    """
    rows = row_count(k, [end, start])
    sides = [_parts(k, longs(k, side, rows), zone) for side in (end, start)]
    (months, days, lasts, seconds), (months2, days2, lasts2, seconds2) = sides
    whole = _doubles(k, months - months2)
    parts = (days - days2) * DAY_SECONDS + seconds - seconds2
    divisor = k.columns.scalar(MONTH_SECONDS, DOUBLE)
    exact = k.arithmetic.add(whole, k.arithmetic.divide(_doubles(k, parts), divisor))
    fine = _to_eight_digits(k, exact) if literal(k, rounds) is not False else exact
    is_whole = k.logic.or_(days.equals(days2), k.logic.and_(lasts, lasts2))
    return Column(k.logic.if_else(is_whole, whole, fine), DOUBLE)


def _doubles(k: Kernels, numbers: Longs) -> Array:
    return k.cast.widen(numbers.data, DOUBLE)


def _parts(k: Kernels, utc: Longs, zone: Zone) -> tuple[Longs, Longs, Array, Longs]:
    """The month, its day, whether it is the last one, and seconds since the day's start."""
    dates = k.datetime.to_date(to_local(k, utc.data, zone))
    years, months, days = (Longs(k, k.cast.widen(part, LONG)) for part in k.datetime.civil(dates))
    number = Longs(k, k.cast.widen(k.cast.reinterpret(dates, INTEGER), LONG))
    next_day = k.datetime.field(as_dates(number + 1), "day")
    is_last = Longs(k, k.cast.widen(next_day, LONG)).equals(1)
    start = Longs(k, midnight(k, (number * DAY).data, zone))
    return years * 12 + months, days, is_last, (utc - start).truncated(MICROSECONDS)


def _to_eight_digits(k: Kernels, numbers: Array) -> Array:
    """Java's `math.round(x * 1e8) / 1e8`, which rounds up at a tie."""
    factor = k.columns.scalar(EIGHT_DIGITS, DOUBLE)
    product = k.arithmetic.multiply(numbers, factor)
    whole = k.cast.float_to_integer(product, LONG)
    rest = k.arithmetic.subtract(product, k.cast.widen(whole, DOUBLE))
    above = k.compare.compare("less_equal", k.columns.scalar(0.5, DOUBLE), rest)
    below = k.compare.compare("less", rest, k.columns.scalar(-0.5, DOUBLE))
    up = Longs(k, whole)
    rounded = (up + 1).where(k.logic.is_true(above), (up - 1).where(k.logic.is_true(below), up))
    return k.arithmetic.divide(_doubles(k, rounded), factor)
