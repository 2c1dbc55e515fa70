"""Values that strings stand for, in the grammar of Spark's CAST.

Plain texts are read on the device, all others by the arrow kernel of the same name.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.binaryop import BinaryOperator
from pylibcudf.strings import attributes, contains, extract, find
from pylibcudf.strings.convert import convert_datetime, convert_fixed_point, convert_integers
from pylibcudf.strings.regex_flags import RegexFlags
from pylibcudf.strings.regex_program import RegexProgram

from broadhead.kernels.arrow import parse as arrow_parse
from broadhead.kernels.arrow.parsing.number_layouts import expression
from broadhead.kernels.cudf import decimal
from broadhead.kernels.cudf.cast import narrow_integer_checked
from broadhead.kernels.cudf.host import on_host
from broadhead.kernels.cudf.physical import (
    DATE,
    DECIMAL128,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    Column,
    any_true,
    binary,
    bounds,
    cast,
    choose,
    constant,
    is_true,
    null_where,
    relabel,
    same_type,
    test,
)
from broadhead.kernels.cudf.rows import filter_rows, spread_rows
from broadhead.kernels.cudf.well_formed import check_well_formed
from broadhead.types import DOUBLE, LONG, MAX_PRECISION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from broadhead.types import DataType

Checked = tuple[Column, Column | None]

_TRUE = ("t", "true", "y", "yes", "1")
_FALSE = ("f", "false", "n", "no", "0")
_DECIMAL = r"^[+-]?[0-9]{1,19}(\.[0-9]{0,18})?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_LOCAL = r"^[0-9]{4}-[0-9]{2}-[0-9]{2} ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$"
_DATE_FORMAT, _LOCAL_FORMAT = "%Y-%m-%d", "%Y-%m-%d %H:%M:%S"
_TIMESTAMP = plc.DataType(TypeId.TIMESTAMP_MICROSECONDS)
# So many digits are a double's exact integer, divided by an exact power of ten
_EXACT_DIGITS = 15


def integers(data: Column, to: DataType, *, fraction: bool) -> Checked:
    """Integers of the type `to`; with `fraction`, digits after a point are cut off."""
    plain = convert_integers.is_integer(data, INT64)
    longs = _read(
        data,
        plain,
        lambda: convert_integers.to_integers(data, INT64),
        partial(arrow_parse.integers, to=LONG, fraction=fraction),
    )
    return _settled(narrow_integer_checked(longs, to)[0], data)


def booleans(data: Column) -> Checked:
    """Of t, true, y, yes, 1, f, false, n, no, 0 in any case."""
    true, known = (
        plc.search.contains(plc.Column.from_arrow(pa.array(words)), data)
        for words in (_TRUE, (*_TRUE, *_FALSE))
    )
    return _settled(_read(data, known, lambda: true, arrow_parse.booleans), data)


def floats(data: Column, to: DataType) -> Checked:
    """The nearest float or double, in the grammar of Java's parseDouble and of Spark's words."""
    plain = _plain_decimals(data)
    whole, after = _digits(data, plain)
    host = partial(arrow_parse.floats, to=to)
    if to != DOUBLE or whole + after > _EXACT_DIGITS:
        return _settled(on_host(host, data)[0], data)
    unscaled = cast(_unscaled(data, after), INT64)
    zero = test(unscaled, BinaryOperator.EQUAL, constant(0, INT64))
    negative = find.starts_with(data, constant("-", STRING))
    signed_zero = test(zero, BinaryOperator.LOGICAL_AND, negative)
    plain = test(plain, BinaryOperator.LOGICAL_AND, _not(signed_zero))
    power = constant(float(10**after), FLOAT64)
    return _settled(
        _read(
            data,
            plain,
            lambda: binary(cast(unscaled, FLOAT64), BinaryOperator.TRUE_DIV, power, FLOAT64),
            host,
        ),
        data,
    )


def decimals(data: Column, precision: int, scale: int) -> Checked:
    """Unscaled data, rounded to `scale`, in the grammar of Java's BigDecimal."""
    host = partial(arrow_parse.decimals, precision=precision, scale=scale)
    plain = _plain_decimals(data)
    whole, after = _digits(data, plain)
    digits = max(after, scale)
    if whole + digits > MAX_PRECISION:
        return _settled(on_host(host, data)[0], data)

    def device() -> Column:
        return decimal.rescale(_unscaled(data, digits), digits, precision, scale)[0]

    return _settled(_read(data, plain, device, host), data)


def dates(data: Column) -> Checked:
    """Dates: `[+-]yyyy[-m[-d]]`; what follows a space or T after the day is not read."""
    plain = _plain_moments(data, _DATE, _DATE_FORMAT)
    values = _read(
        data,
        plain,
        lambda: convert_datetime.to_timestamps(data, DATE, _DATE_FORMAT),
        arrow_parse.dates,
    )
    return _settled(values, data)


def timestamps(data: Column) -> tuple[Column, Column | None, Column | None]:
    """Microseconds: UTC where the mask is true, since the text names its offset, else local."""
    plain = _plain_moments(data, _LOCAL, _LOCAL_FORMAT)
    rest = _rest(data, plain)
    if not any_true(rest):
        return _local(data), None, None
    (rows,) = filter_rows([data], rest)
    others, other_zoned, _ = on_host(arrow_parse.timestamps, rows)
    values, failed = _settled(choose(rest, spread_rows(others, rest), _local(data)), data)
    if other_zoned is None:
        return values, None, failed
    return values, is_true(spread_rows(other_zoned, rest)), failed


def local_timestamps(data: Column) -> Checked:
    """Local microseconds of such texts, whatever offset they name."""
    plain = _plain_moments(data, _LOCAL, _LOCAL_FORMAT)
    values = _read(data, plain, lambda: _local(data), arrow_parse.local_timestamps)
    return _settled(values, data)


def _local(data: Column) -> Column:
    """The microseconds of texts in the plain form."""
    return relabel(convert_datetime.to_timestamps(data, _TIMESTAMP, _LOCAL_FORMAT), INT64)


def _read(
    data: Column, plain: Column, device: Callable[[], Column], host: Callable[..., Any]
) -> Column:
    """What `device` gives where `plain`, the values of `host` elsewhere."""
    rest = _rest(data, plain)
    if not any_true(rest):
        return device()
    (rows,) = filter_rows([data], rest)
    values, _ = on_host(host, rows)
    others, these = same_type(spread_rows(values, rest), device())
    return choose(rest, others, these)


def _rest(data: Column, plain: Column) -> Column:
    """Mask of the texts that are not plain."""
    return test(_not(is_true(plain)), BinaryOperator.LOGICAL_AND, plc.unary.is_valid(data))


def _settled(values: Column, data: Column) -> Checked:
    """A checked result: rows of `data` without a value have failed."""
    if values.null_count() == data.null_count():
        return values, None
    lost = plc.unary.is_null(values)
    return values, test(lost, BinaryOperator.LOGICAL_AND, plc.unary.is_valid(data))


def _not(mask: Column) -> Column:
    return plc.unary.unary_operation(mask, plc.unary.UnaryOperator.NOT)


def _plain_decimals(data: Column) -> Column:
    """Mask of the strings of digits with a sign and a point."""
    return _matches(data, _DECIMAL)


def _plain_moments(data: Column, pattern: str, layout: str) -> Column:
    """Mask of the strings of the pattern that name a day that there is."""
    exists = is_true(convert_datetime.is_timestamp(data, layout))
    return test(_matches(data, pattern), BinaryOperator.LOGICAL_AND, exists)


def _matches(data: Column, pattern: str) -> Column:
    """Mask of the strings that match the pattern; its `$` may match before a line end."""
    check_well_formed(data)
    program = RegexProgram.create(pattern, RegexFlags.DEFAULT)
    found = is_true(contains.contains_re(data, program))
    lines = is_true(find.contains(data, constant("\n", STRING)))
    return test(found, BinaryOperator.LOGICAL_AND, _not(lines))


def _digits(data: Column, plain: Column) -> tuple[int, int]:
    """Bounds of the numbers of characters before and after the point of plain decimals."""
    points = find.find(data, constant(".", STRING))
    lengths = attributes.count_bytes(data)
    without = test(points, BinaryOperator.LESS, constant(0, INT32))
    whole = choose(without, lengths, points)
    after = binary(
        binary(lengths, BinaryOperator.SUB, points, INT32),
        BinaryOperator.SUB,
        constant(1, INT32),
        INT32,
    )
    fractions = choose(without, constant(0, INT32), after)
    zero = constant(0, INT32)
    return bounds(choose(plain, whole, zero))[1], bounds(choose(plain, fractions, zero))[1]


def _unscaled(data: Column, digits: int) -> Column:
    """Plain decimals as unscaled data with so many digits after the point."""
    decimals = convert_fixed_point.to_fixed_point(data, plc.DataType(TypeId.DECIMAL128, -digits))
    return relabel(decimals, DECIMAL128)


def numbers(data: Column, layout: Sequence[str | tuple[int, int]]) -> list[Column]:
    """The numbers in texts of one layout, int64; null where a text has another layout."""
    written, _ = expression(layout, named=False)
    program = RegexProgram.create(f"^{written}$", RegexFlags.DEFAULT)
    found = extract.extract(data, program).columns()
    numbers_ = [convert_integers.to_integers(part, INT64) for part in found]
    last = layout[-1]
    if isinstance(last, str) and last.endswith("\n"):
        return numbers_
    # libcudf's `$` also matches before a line end
    longer = is_true(find.ends_with(data, constant("\n", STRING)))
    return [null_where(number, longer) for number in numbers_]
