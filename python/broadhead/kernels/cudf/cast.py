"""Conversion between booleans, integers and floats."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.strings import combine, slice
from pylibcudf.strings.convert import convert_booleans, convert_integers
from pylibcudf.unary import UnaryOperator

from broadhead.kernels.arrow import cast as arrow_cast
from broadhead.kernels.cudf import physical
from broadhead.kernels.cudf.host import on_host
from broadhead.kernels.cudf.physical import (
    FLOAT64,
    INT32,
    INT64,
    INTEGER_BITS,
    LONG_MAX,
    LONG_MIN,
    STRING,
    Column,
    Data,
    choose,
    constant,
    device_type,
    element,
    expand,
    failed,
    is_scalar,
    null_scalar,
    relabel,
    test,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.types import DataType

Checked = tuple[Column, Column | None]


def widen(data: Data, to: DataType) -> Data:
    """To a type that holds every value or a float type; booleans become 0 and 1."""
    if is_scalar(data):
        return element(physical.cast(expand(data, 1), device_type(to)), 0)
    return physical.cast(data, device_type(to))


def narrow_integer(data: Column, to: DataType) -> Column:
    """Integers to fewer bits, wrapping around."""
    return physical.cast(data, device_type(to))


def narrow_integer_checked(data: Column, to: DataType) -> Checked:
    """Integers to fewer bits; fails if the value does not fit."""
    result = physical.cast(data, device_type(to))
    back = physical.cast(result, data.type())
    return failed(result, test(back, BinaryOperator.NOT_EQUAL, data))


def float_to_integer(data: Column, to: DataType) -> Column:
    """Java's (int) or (long), for byte and short then wrapped.

    Truncates; NaN is 0; out of range is the nearest end.
    """
    doubles = physical.cast(data, FLOAT64)
    numbers = choose(plc.unary.is_nan(doubles), constant(0.0, FLOAT64), doubles)
    if to.name != "long":
        low, high = constant(float(-(1 << 31)), FLOAT64), constant(float((1 << 31) - 1), FLOAT64)
        return physical.cast(
            physical.cast(plc.replace.clamp(numbers, low, high), INT32), device_type(to)
        )
    beyond = test(numbers, BinaryOperator.GREATER_EQUAL, constant(float(1 << 63), FLOAT64))
    below = test(numbers, BinaryOperator.LESS, constant(float(LONG_MIN), FLOAT64))
    result = choose(beyond, constant(LONG_MAX, INT64), physical.cast(numbers, INT64))
    return choose(below, constant(LONG_MIN, INT64), result)


def float_to_integer_checked(data: Column, to: DataType) -> Checked:
    """Truncated; fails for NaN and if the truncated value does not fit."""
    doubles = physical.cast(data, FLOAT64)
    data_type = device_type(to)
    limit = float(1 << INTEGER_BITS[data_type.id()] - 1)
    above = test(doubles, BinaryOperator.LESS, constant(limit, FLOAT64))
    if data_type.id() == TypeId.INT64:
        # -2^63 - 1 is not a double: values not below -2^63 fit
        below = test(doubles, BinaryOperator.GREATER_EQUAL, constant(-limit, FLOAT64))
    else:
        below = test(doubles, BinaryOperator.GREATER, constant(-limit - 1.0, FLOAT64))
    fits = test(above, BinaryOperator.LOGICAL_AND, below)
    wrong = plc.unary.unary_operation(fits, UnaryOperator.NOT)
    return failed(physical.cast(doubles, data_type), wrong)


def to_boolean(data: Column) -> Column:
    """True for values other than zero (NaN is true)."""
    return test(data, BinaryOperator.NOT_EQUAL, constant(0, data.type()))


def integer_to_string(data: Column) -> Column:
    """Decimal digits, with a minus sign for negative numbers."""
    return convert_integers.from_integers(data)


def integer_to_grouped_string(data: Column) -> Column:
    """Decimal digits of longs that are not negative, with commas between groups of three."""
    groups = len(str(physical.bounds(data)[1])) // 3
    thousand, zero = constant(1_000, INT64), constant(0, INT64)
    quotients = [data]
    for _ in range(groups):
        quotients.append(physical.binary(quotients[-1], BinaryOperator.DIV, thousand, INT64))
    text = convert_integers.from_integers(quotients[-1])
    for higher, number in zip(quotients[:0:-1], quotients[-2::-1], strict=True):
        rest = physical.binary(number, BinaryOperator.MOD, thousand, INT64)
        padded = physical.binary(rest, BinaryOperator.ADD, thousand, INT64)
        four = convert_integers.from_integers(padded)
        ends = (constant(bound, INT32) for bound in (1, 4, 1))
        digits = slice.slice_strings(four, *ends)
        parts = plc.Table([text, digits])
        both = combine.concatenate(parts, constant(",", STRING), null_scalar(STRING))
        above = test(higher, BinaryOperator.GREATER, zero)
        text = choose(above, both, convert_integers.from_integers(number))
    return text


def digits_to_string(numbers: Sequence[Column], layout: Sequence[str | int]) -> Column:
    """Texts of a layout, which has ASCII texts and the number of digits of each of `numbers`."""
    columns, rows = iter(numbers), numbers[0].size()
    parts = []
    for part in layout:
        if isinstance(part, str):
            parts.append(expand(constant(part, STRING), rows))
            continue
        power = constant(10**part, INT64)
        with_one = physical.binary(next(columns), BinaryOperator.ADD, power, INT64)
        ends = (constant(bound, INT32) for bound in (1, part + 1, 1))
        parts.append(slice.slice_strings(convert_integers.from_integers(with_one), *ends))
    if len(parts) == 1:
        return parts[0]  # libcudf joins two columns at least
    return combine.concatenate(plc.Table(parts), constant("", STRING), null_scalar(STRING))


def boolean_to_string(data: Column) -> Column:
    """`true` or `false`."""
    return convert_booleans.from_booleans(data, constant("true", STRING), constant("false", STRING))


def float_to_string(data: Column, *, shortest: bool) -> Column:
    """The text of Java's Double.toString or Float.toString, on the host: libcudf has ten digits."""
    return on_host(partial(arrow_cast.float_to_string, shortest=shortest), data)


def reinterpret(data: Data, to: DataType) -> Data:
    """The same bits as another type: integer and date; long, timestamp and timestamp_ntz."""
    data_type = device_type(to)
    if data.type() == data_type:
        return data
    if is_scalar(data):
        return element(relabel(expand(data, 1), data_type), 0)
    return relabel(data, data_type)
