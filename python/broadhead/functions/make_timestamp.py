"""make_timestamp: timestamps of their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.calendar_arithmetic import existing_dates
from broadhead.functions.longs import Longs
from broadhead.functions.operands import arrays, checked, require
from broadhead.functions.registry import DECIMAL, INT, STRING, TIMESTAMPS, function
from broadhead.functions.timestamps import HOUR, MINUTE
from broadhead.functions.zones import MICROSECONDS, to_utc
from broadhead.registry import Signature
from broadhead.types import LONG, TIMESTAMP

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.plan.nodes import Zone
    from broadhead.types import DataType

FIELDS = (INT, INT, INT, INT, INT, DECIMAL)
OUT_OF_BOUNDS = "DATETIME_FIELD_OUT_OF_BOUNDS"
MOST_SECONDS = 2_147


@function(
    "make_timestamp",
    spark="MakeTimestamp",
    signatures=[
        Signature(FIELDS, TIMESTAMPS),
        Signature((*FIELDS, STRING), TIMESTAMPS, literal=(6,)),
    ],
    fields={"timeZoneId": "any", "failOnError": (True, False), "dataType": "any"},
    raises=True,
    note="the time zone is a literal",
)
def make_timestamp(
    k: Kernels, *operands: Column, zone: Zone, fail_on_error: bool, returns: DataType
) -> Column:
    """The timestamp of a year, month, day, hour, minute and second.

    >>> SELECT make_timestamp(2014, 12, 28, 6, 30, 45.887)
    2014-12-28 06:30:45.887
    """
    year, month, day, hour, minute, second = arrays(k, operands)[:6]
    clock, wrong = _clock(k, hour, minute, second)
    for part in (year, month, day):
        wrong = k.logic.and_(wrong, k.logic.is_valid(part))
    if fail_on_error:
        require(k, wrong, OUT_OF_BOUNDS)
    missing = k.logic.or_(wrong, k.logic.is_null(clock.data))
    dates = existing_dates(k, k.logic.null_where(year, missing), month, day, raises=fail_on_error)
    midnight = checked(k, k.datetime.from_date(dates), OUT_OF_BOUNDS, raises=True)
    sums = k.arithmetic.add_checked(midnight, clock.data)
    local = checked(k, sums, OUT_OF_BOUNDS, raises=True)
    result = to_utc(k, local, zone) if returns == TIMESTAMP else local
    return Column(k.cast.reinterpret(result, returns), returns)


def _clock(k: Kernels, hour: Array, minute: Array, second: Array) -> tuple[Longs, Array]:
    """Microseconds since midnight, and the mask of the rows without such a time.

    60 seconds are allowed, without a fraction.
    """
    fractions = k.decimal.fits_long(second)
    if fractions is None:
        raise EngineLimit("the second of a timestamp does not fit in a long")
    hours, minutes = (Longs(k, k.cast.widen(part, LONG)) for part in (hour, minute))
    seconds = Longs(k, fractions)
    if seconds.is_outside(-MOST_SECONDS * MICROSECONDS, MOST_SECONDS * MICROSECONDS):
        raise EngineLimit(f"the second of a timestamp is beyond {MOST_SECONDS}")
    wrong = seconds.is_greater(MINUTE)
    for part, limit in ((hours, 24), (minutes, 60), (seconds, MINUTE + 1)):
        outside = k.logic.or_(part.is_less(0), k.logic.not_(part.is_less(limit)))
        wrong = k.logic.or_(wrong, k.logic.and_(outside, k.logic.is_valid(part.data)))
    total = hours * HOUR + minutes * MINUTE + seconds
    return total, k.logic.and_(wrong, k.logic.is_valid(total.data))
