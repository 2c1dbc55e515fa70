"""Proleptic Gregorian dates (days) and timestamps (int64 microseconds)."""

from __future__ import annotations

from typing import Literal

import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.datetime import DatetimeComponent
from pylibcudf.strings.convert import convert_datetime
from pylibcudf.types import NullOrder, Order

from broadhead.kernels.arrow import datetime as arrow_datetime
from broadhead.kernels.cudf.cast import reinterpret
from broadhead.kernels.cudf.host import on_host, on_host_checked
from broadhead.kernels.cudf.physical import (
    DATE,
    INT32,
    INT64,
    Column,
    Data,
    any_true,
    binary,
    bounds,
    cast,
    constant,
    day_bounds,
    element,
    expand,
    failed,
    is_scalar,
    null_where,
    relabel,
    test,
)
from broadhead.types import INTEGER

Checked = tuple[Column, Column | None]
Field = Literal[
    "year", "quarter", "month", "day", "day_of_week", "day_of_year", "week", "week_year"
]

_DAY = 86_400_000_000
_SECOND = 1_000_000
_TIMESTAMP = plc.DataType(TypeId.TIMESTAMP_MICROSECONDS)

# libcudf stores years in 16 bits: it is correct for the years -32767 to 32767.
_CALENDAR = (-12_687_000, 11_248_000)
_FOUR_DIGITS = (-719_528, 2_932_896)
_LAST_MIDNIGHT = ((1 << 63) - 1) // _DAY
_LONGEST_MONTH = 31
_CIVIL_LIMITS = ((-30_000, 30_000), (1, 12), (1, 31))
"""Years, months and days that from_civil computes on the device."""
_COMPONENTS = {
    "year": DatetimeComponent.YEAR,
    "month": DatetimeComponent.MONTH,
    "day": DatetimeComponent.DAY,
    "day_of_week": DatetimeComponent.WEEKDAY,
}


def _within(low_high: tuple[int, int], limits: tuple[int, int]) -> bool:
    return limits[0] <= low_high[0] and low_high[1] <= limits[1]


def field(dates: Column, field: Field) -> Column:
    """The field of a date, int32. day_of_week: 1 is Sunday."""
    if not _within(day_bounds(dates), _CALENDAR):
        return on_host(arrow_datetime.field, dates, field)
    return _nulls_of(_field(_known(dates), field), dates)


def _known(dates: Column) -> Column:
    """The dates, 1970-01-02 for nulls.

    libcudf computes with what lies under a null, too, and looks its month up in a table without a
    check: days beyond its calendar, such as those of memory that was never written, end in an
    illegal access, which takes away the process's context.
    """
    return relabel(_one_for_nulls(relabel(dates, INT32)), DATE)


def _one_for_nulls(numbers: Column) -> Column:
    if not numbers.null_count():
        return numbers
    return plc.replace.replace_nulls(numbers, constant(1, INT32))


def _nulls_of(result: Column, *arguments: Data) -> Column:
    """The result with null where an argument is."""
    for argument in arguments:
        if not is_scalar(argument) and argument.null_count():
            result = null_where(result, plc.unary.is_null(argument))
    return result


def _field(dates: Column, name: Field) -> Column:
    if name == "quarter":
        return cast(plc.datetime.extract_quarter(dates), INT32)
    if name == "day_of_year":
        return cast(plc.datetime.day_of_year(dates), INT32)
    if name in {"week", "week_year"}:
        return _week(dates, name)
    result = cast(plc.datetime.extract_datetime_component(dates, _COMPONENTS[name]), INT32)
    if name != "day_of_week":
        return result
    # libcudf's 1 is Monday
    sunday_zero = binary(result, BinaryOperator.MOD, constant(7, INT32), INT32)
    return binary(sunday_zero, BinaryOperator.ADD, constant(1, INT32), INT32)


def _week(dates: Column, name: Field) -> Column:
    """The week of the year by ISO 8601, or the year that has the Thursday of the week."""
    monday = relabel(_truncated(dates, "week"), INT32)
    thursday = relabel(binary(monday, BinaryOperator.ADD, constant(3, INT32), INT32), DATE)
    if name == "week_year":
        return _field(thursday, "year")
    last_day = binary(
        _field(thursday, "day_of_year"), BinaryOperator.ADD, constant(6, INT32), INT32
    )
    return binary(last_day, BinaryOperator.DIV, constant(7, INT32), INT32)


def truncate(dates: Column, unit: Literal["day", "week", "month", "quarter", "year"]) -> Column:
    """The first date of the unit (weeks start on Monday)."""
    if unit == "day":
        return dates
    if not _within(day_bounds(dates), _CALENDAR):
        return on_host(arrow_datetime.truncate, dates, unit)
    return _nulls_of(_truncated(_known(dates), unit), dates)


def _truncated(dates: Column, unit: Literal["week", "month", "quarter", "year"]) -> Column:
    if unit == "week":
        weekday = plc.datetime.extract_datetime_component(dates, DatetimeComponent.WEEKDAY)
        return _days_before(dates, cast(weekday, INT32))
    if unit == "year":
        return _days_before(dates, _field(dates, "day_of_year"))
    month_start = _days_before(dates, _field(dates, "day"))
    if unit == "month":
        return month_start
    # months back to the first of the quarter: -((month - 1) mod 3)
    months = binary(constant(1, INT32), BinaryOperator.SUB, _field(dates, "month"), INT32)
    back = binary(months, BinaryOperator.MOD, constant(3, INT32), INT32)
    return plc.datetime.add_calendrical_months(month_start, back)


def _days_before(dates: Column, one_based: Column) -> Column:
    """The dates `one_based` - 1 days earlier."""
    days = binary(relabel(dates, INT32), BinaryOperator.SUB, one_based, INT32)
    return relabel(binary(days, BinaryOperator.ADD, constant(1, INT32), INT32), DATE)


def add_days(dates: Data, days: Data) -> Column:
    """Date plus int32 days, wrapping around."""
    return relabel(binary(reinterpret(dates, INTEGER), BinaryOperator.ADD, days, INT32), DATE)


def civil(dates: Column) -> tuple[Column, Column, Column]:
    """Year, month and day of the month, int32."""
    return field(dates, "year"), field(dates, "month"), field(dates, "day")


def from_civil(years: Column, months: Column, days: Column) -> Checked:
    """The date of a year, month and day; fails if there is no such day, or it does not fit."""
    parts = [bounds(part) for part in (years, months, days)]
    if not all(map(_within, parts, _CIVIL_LIMITS)):
        return on_host_checked(arrow_datetime.from_civil, years, months, days)
    result, missing = _from_civil(*map(_one_for_nulls, (years, months, days)))
    return failed(_nulls_of(result, years, months, days), missing)


def _from_civil(years: Column, months: Column, days: Column) -> tuple[Column, Column]:
    """The same without nulls, and where there is no such day."""
    # whole months after 0000-01-01, which is a date of libcudf, too
    year_months = binary(years, BinaryOperator.MUL, constant(12, INT32), INT32)
    passed = binary(year_months, BinaryOperator.ADD, months, INT32)
    passed = binary(passed, BinaryOperator.SUB, constant(1, INT32), INT32)
    zero = relabel(expand(constant(_FOUR_DIGITS[0], INT32), years.size()), DATE)
    first = plc.datetime.add_calendrical_months(zero, passed)
    length = _field(plc.datetime.last_day_of_month(first), "day")
    before = binary(relabel(first, INT32), BinaryOperator.ADD, days, INT32)
    result = relabel(binary(before, BinaryOperator.SUB, constant(1, INT32), INT32), DATE)
    return result, test(days, BinaryOperator.GREATER, length)


def add_months(dates: Column, months: Data) -> Column:
    """Date plus int32 months; the last day of the month if it has no such day."""
    low, high = day_bounds(dates)
    least, most = (_LONGEST_MONTH * bound for bound in bounds(months))
    if not _within((low + min(least, 0), high + max(most, 0)), _CALENDAR):
        return on_host(arrow_datetime.add_months, dates, months)
    known = months if is_scalar(months) else _one_for_nulls(months)
    return _nulls_of(plc.datetime.add_calendrical_months(_known(dates), known), dates, months)


def difference(end: Data, start: Data) -> Column:
    """Days from start to end, int32, wrapping around."""
    return binary(reinterpret(end, INTEGER), BinaryOperator.SUB, reinterpret(start, INTEGER), INT32)


def to_date(timestamps: Column) -> Column:
    """The day of local microseconds, rounded down."""
    # libcudf's own rounding down overflows near the least timestamp
    days = binary(timestamps, BinaryOperator.DIV, constant(_DAY, INT64), INT64)
    rest = binary(timestamps, BinaryOperator.MOD, constant(_DAY, INT64), INT64)
    before = test(rest, BinaryOperator.LESS, constant(0, INT64))
    days = binary(days, BinaryOperator.SUB, cast(before, INT64), INT64)
    return relabel(cast(days, INT32), DATE)


def from_date(dates: Column) -> Checked:
    """Local microseconds of midnight, int64; fails if they do not fit."""
    days = cast(relabel(dates, INT32), INT64)
    result = binary(days, BinaryOperator.MUL, constant(_DAY, INT64), INT64)
    if _within(bounds(days), (-_LAST_MIDNIGHT, _LAST_MIDNIGHT)):
        return result, None
    wrong = test(
        test(days, BinaryOperator.LESS, constant(-_LAST_MIDNIGHT, INT64)),
        BinaryOperator.LOGICAL_OR,
        test(days, BinaryOperator.GREATER, constant(_LAST_MIDNIGHT, INT64)),
    )
    return failed(result, wrong)


def utc_to_local(timestamps: Column, transitions: Column, offsets: Column) -> Column:
    """UTC microseconds to local microseconds."""
    return binary(timestamps, BinaryOperator.ADD, _offset(timestamps, transitions, offsets), INT64)


def local_to_utc(timestamps: Column, transitions: Column, offsets: Column) -> Column:
    """Local microseconds to UTC, like Java's ZonedDateTime.ofLocal."""
    count = transitions.size()
    if count:
        # In a gap and in an overlap, the offset before the transition is valid up to the later of
        # the two local times of the transition.
        before, after = (plc.copying.slice(offsets, [first, first + count])[0] for first in (0, 1))
        later = binary(before, BinaryOperator.NULL_MAX, after, INT64)
        transitions = binary(transitions, BinaryOperator.ADD, later, INT64)
    return binary(timestamps, BinaryOperator.SUB, _offset(timestamps, transitions, offsets), INT64)


def _offset(timestamps: Column, transitions: Column, offsets: Column) -> Data:
    """The valid offset at each time."""
    if transitions.size() == 0:
        return element(offsets, 0)
    passed = plc.search.upper_bound(
        plc.Table([transitions]),
        plc.Table([timestamps]),
        [Order.ASCENDING],
        [NullOrder.BEFORE],
    )
    policy = plc.copying.OutOfBoundsPolicy.DONT_CHECK
    return plc.copying.gather(plc.Table([offsets]), passed, policy).columns()[0]


def date_to_string(dates: Column) -> Column:
    """`yyyy-mm-dd`; years beyond four digits with their sign, as Java's LocalDate.toString."""
    if not _within(day_bounds(dates), _FOUR_DIGITS):
        return on_host(arrow_datetime.date_to_string, dates)
    return _formatted(dates, "%Y-%m-%d")


def timestamp_to_string(timestamps: Column) -> Column:
    """Local microseconds as `yyyy-mm-dd hh:mm:ss[.ffffff]`, without a fraction's trailing zeros."""
    low, high = bounds(timestamps)
    fraction = binary(timestamps, BinaryOperator.MOD, constant(_SECOND, INT64), INT64)
    if not _within((low // _DAY, high // _DAY), _FOUR_DIGITS) or any_true(
        test(fraction, BinaryOperator.NOT_EQUAL, constant(0, INT64))
    ):
        return on_host(arrow_datetime.timestamp_to_string, timestamps)
    return _formatted(relabel(timestamps, _TIMESTAMP), "%Y-%m-%d %H:%M:%S")


def _formatted(data: Column, pattern: str) -> Column:
    no_names = plc.column_factories.make_empty_column(TypeId.STRING)
    return convert_datetime.from_timestamps(data, pattern, no_names)
