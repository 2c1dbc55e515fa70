"""Intervals of their fields, and intervals times and divided by numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.columns import Column
from broadhead.errors import EngineLimit
from broadhead.functions.arithmetic import scaled
from broadhead.functions.longs import Longs, longs
from broadhead.functions.operands import arrays, checked, require, row_count
from broadhead.functions.registry import (
    DAY_TIME_INTERVAL,
    DECIMAL,
    INT,
    NUMERIC,
    YEAR_MONTH_INTERVAL,
    function,
)
from broadhead.functions.timestamps import DAY, HOUR, MINUTE
from broadhead.registry import Signature
from broadhead.types import DOUBLE, INTEGER, LONG, DecimalType, IntervalType

if TYPE_CHECKING:
    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType

OVERFLOW = "INTERVAL_ARITHMETIC_OVERFLOW"
WIDEST_PRODUCT = 38
FACTOR_DIGITS = (19, 22, 25, 28, 31)


def _times(k: Kernels, data: Array, factor: int) -> Array:
    product = k.arithmetic.multiply_checked(
        k.cast.widen(data, LONG), k.columns.scalar(factor, LONG)
    )
    return checked(k, product, OVERFLOW, raises=True)


def _plus(k: Kernels, left: Array, right: Array) -> Array:
    return checked(k, k.arithmetic.add_checked(left, right), OVERFLOW, raises=True)


@function(
    "make_dt_interval",
    spark="MakeDTInterval",
    signatures=[Signature((INT, INT, INT, DECIMAL), DAY_TIME_INTERVAL)],
    raises=True,
)
def make_dt_interval(
    k: Kernels,
    days: Column,
    hours: Column,
    minutes: Column,
    seconds: Column,
    *,
    returns: DataType,
) -> Column:
    """The interval of days, hours, minutes and seconds.

    >>> SELECT make_dt_interval(1, 12, 30, 1.001001)
    INTERVAL '1 12:30:01.001001' DAY TO SECOND
    """
    data = arrays(k, [days, hours, minutes, seconds])
    fractions = k.decimal.fits_long(data[3])
    if fractions is None:
        raise EngineLimit("the seconds of an interval do not fit in a long")
    valid = k.logic.and_(
        k.logic.and_(k.logic.is_valid(data[0]), k.logic.is_valid(data[1])),
        k.logic.and_(k.logic.is_valid(data[2]), k.logic.is_valid(fractions)),
    )
    # a row with a null has no sum that could overflow
    missing = k.logic.not_(valid)
    parts = [k.logic.null_where(part, missing) for part in (*data[:3], fractions)]
    total = _plus(k, parts[3], _times(k, parts[0], DAY))
    for part, unit in ((parts[1], HOUR), (parts[2], MINUTE)):
        total = _plus(k, total, _times(k, part, unit))
    return Column(total, returns)


@function(
    "make_ym_interval",
    spark="MakeYMInterval",
    signatures=[Signature((INT, INT), YEAR_MONTH_INTERVAL)],
    raises=True,
    lag=25,
)
def make_ym_interval(k: Kernels, years: Column, months: Column, *, returns: DataType) -> Column:
    """The interval of years and months.

    >>> SELECT make_ym_interval(1, 2)
    INTERVAL '1-2' YEAR TO MONTH
    """
    rows = row_count(k, [years, months])
    total = longs(k, years, rows) * 12 + longs(k, months, rows)
    return _settled(k, total.data, returns)


def _settled(k: Kernels, amounts: Array, returns: DataType) -> Column:
    """Longs as an interval; raises if one does not fit."""
    assert isinstance(returns, IntervalType), "the signatures give nothing else"
    if returns.physical == LONG:
        return Column(amounts, returns)
    result = k.cast.narrow_integer_checked(amounts, INTEGER)
    return Column(checked(k, result, OVERFLOW, raises=True), returns)


def _rounded(k: Kernels, numbers: Array) -> Array:
    """The nearest longs of doubles, away from zero at a tie; raises if there is none."""
    result = k.cast.float_to_integer_checked(numbers, LONG)
    whole = checked(k, result, OVERFLOW, raises=True)
    rest = k.arithmetic.subtract(numbers, k.cast.widen(whole, DOUBLE))
    half, zero = k.columns.scalar(0.5, DOUBLE), k.columns.scalar(0.0, DOUBLE)
    away = k.compare.compare("less_equal", half, k.arithmetic.abs(rest))
    negative = k.compare.compare("less", rest, zero)
    up = Longs(k, whole)
    step = k.logic.if_else(k.logic.is_true(negative), (up - 1).data, (up + 1).data)
    return k.logic.if_else(k.logic.is_true(away), step, whole)


def _unscaled(k: Kernels, operand: Column, rows: int) -> Column:
    return Column(k.columns.full(operand.data, rows), operand.type)


def _product(k: Kernels, intervals: Column, numbers: Column, returns: DataType) -> Column:
    rows = row_count(k, [intervals, numbers])
    amounts = longs(k, intervals, rows)
    if isinstance(numbers.type, DecimalType):
        data, scale = scaled(_unscaled(k, numbers, rows))
        whole = k.decimal.from_integer(amounts.data)
        _refuse_long_products(k, whole, data)
        product = k.decimal.multiply(whole, 0, data, scale, WIDEST_PRODUCT, 0)
        exact = checked(k, product, OVERFLOW, raises=True)
        result = checked(k, k.decimal.to_integer(exact, 0), OVERFLOW, raises=True)
    elif numbers.type.is_floating:
        factors = k.cast.widen(k.columns.full(numbers.data, rows), DOUBLE)
        result = _rounded(k, k.arithmetic.multiply(k.cast.widen(amounts.data, DOUBLE), factors))
    else:
        count = longs(k, numbers, rows)
        checked_product = k.arithmetic.multiply_checked(amounts.data, count.data)
        result = checked(k, checked_product, OVERFLOW, raises=True)
    return _settled(k, result, returns)


def _refuse_long_products(k: Kernels, amounts: Array, numbers: Array) -> None:
    """Raises EngineLimit unless all exact products have 38 digits at most: Spark rounds others."""
    for digits in FACTOR_DIGITS:
        rest = WIDEST_PRODUCT - digits
        if k.decimal.exceeds(numbers, digits) is None and k.decimal.exceeds(amounts, rest) is None:
            return
    raise EngineLimit("the product of an interval and a decimal has more than 38 digits")


def _quotient(k: Kernels, intervals: Column, numbers: Column, returns: DataType) -> Column:
    rows = row_count(k, [intervals, numbers])
    amounts = longs(k, intervals, rows)
    valid = k.logic.is_valid(amounts.data)
    if isinstance(numbers.type, DecimalType):
        data, scale = scaled(_unscaled(k, numbers, rows))
        _refuse_zero(k, k.decimal.is_zero(data), valid)
        whole = k.decimal.from_integer(amounts.data)
        divided = k.decimal.divide(whole, 0, data, scale, WIDEST_PRODUCT, 0)
        exact = checked(k, divided, OVERFLOW, raises=True)
        result = checked(k, k.decimal.to_integer(exact, 0), OVERFLOW, raises=True)
    elif numbers.type.is_floating:
        divisors = k.cast.widen(k.columns.full(numbers.data, rows), DOUBLE)
        zero = k.columns.scalar(0.0, DOUBLE)
        _refuse_zero(k, k.compare.compare("equal", divisors, zero), valid)
        result = _rounded(k, k.arithmetic.divide(k.cast.widen(amounts.data, DOUBLE), divisors))
    else:
        divisors = longs(k, numbers, rows)
        _refuse_zero(k, divisors.equals(0), valid)
        result = _nearest(k, amounts, divisors).data
    return _settled(k, result, returns)


def _refuse_zero(k: Kernels, zero: Array, valid: Array) -> None:
    require(k, k.logic.and_(k.logic.is_true(zero), valid), "INTERVAL_DIVIDED_BY_ZERO")


def _nearest(k: Kernels, amounts: Longs, divisors: Longs) -> Longs:
    """The quotient, rounded to the nearest, away from zero at a tie."""
    for side in (amounts, divisors):
        if k.logic.any(k.arithmetic.least_integer(side.data)):
            raise EngineLimit("the least long is divided")
    quotient = Longs(k, k.arithmetic.quotient(amounts.data, divisors.data))
    rest = Longs(k, k.arithmetic.abs((amounts - quotient * divisors).data))
    half = Longs(k, k.arithmetic.abs(divisors.data)) - rest
    away = k.logic.not_(rest.is_less(half))
    negative = k.logic.not_(k.compare.null_safe_equal(amounts.is_less(0), divisors.is_less(0)))
    step = (quotient - 1).where(negative, quotient + 1)
    return step.where(away, quotient)


@function(
    "dt_interval_times",
    spark="MultiplyDTInterval",
    signatures=[Signature((DAY_TIME_INTERVAL, NUMERIC), DAY_TIME_INTERVAL)],
    raises=True,
    note="`interval * number`",
)
def dt_interval_times(
    k: Kernels, intervals: Column, numbers: Column, *, returns: DataType
) -> Column:
    """An interval of days and times that many times.

    >>> SELECT INTERVAL '1 12' DAY TO HOUR * 2
    INTERVAL '3 00:00:00' DAY TO SECOND
    """
    return _product(k, intervals, numbers, returns)


@function(
    "ym_interval_times",
    spark="MultiplyYMInterval",
    signatures=[Signature((YEAR_MONTH_INTERVAL, NUMERIC), YEAR_MONTH_INTERVAL)],
    raises=True,
    note="`interval * number`",
)
def ym_interval_times(
    k: Kernels, intervals: Column, numbers: Column, *, returns: DataType
) -> Column:
    """An interval of years and months that many times.

    >>> SELECT INTERVAL '1-6' YEAR TO MONTH * 2
    INTERVAL '3-0' YEAR TO MONTH
    """
    return _product(k, intervals, numbers, returns)


@function(
    "dt_interval_divided",
    spark="DivideDTInterval",
    signatures=[Signature((DAY_TIME_INTERVAL, NUMERIC), DAY_TIME_INTERVAL)],
    raises=True,
    note="`interval / number`",
)
def dt_interval_divided(
    k: Kernels, intervals: Column, numbers: Column, *, returns: DataType
) -> Column:
    """An interval of days and times divided by a number.

    >>> SELECT INTERVAL '1' DAY / 2
    INTERVAL '0 12:00:00' DAY TO SECOND
    """
    return _quotient(k, intervals, numbers, returns)


@function(
    "ym_interval_divided",
    spark="DivideYMInterval",
    signatures=[Signature((YEAR_MONTH_INTERVAL, NUMERIC), YEAR_MONTH_INTERVAL)],
    raises=True,
    note="`interval / number`",
)
def ym_interval_divided(
    k: Kernels, intervals: Column, numbers: Column, *, returns: DataType
) -> Column:
    """An interval of years and months divided by a number.

    >>> SELECT INTERVAL '1-1' YEAR TO MONTH / 2
    INTERVAL '0-7' YEAR TO MONTH
    """
    return _quotient(k, intervals, numbers, returns)
