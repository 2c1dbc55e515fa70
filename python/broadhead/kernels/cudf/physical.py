"""The device types of Spark's types, and basic operations that all modules here use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.interop import ColumnMetadata
from rmm.pylibrmm.stream import PER_THREAD_DEFAULT_STREAM

from broadhead.types import MAX_LONG_DIGITS, DataType, DecimalType

if TYPE_CHECKING:
    from pylibcudf.aggregation import Aggregation
    from pylibcudf.binaryop import BinaryOperator

Column: TypeAlias = plc.Column
Scalar: TypeAlias = plc.Scalar
# A column, or a scalar with the value of every row
Data: TypeAlias = Any

BOOL = plc.DataType(TypeId.BOOL8)
INT8 = plc.DataType(TypeId.INT8)
INT16 = plc.DataType(TypeId.INT16)
INT32 = plc.DataType(TypeId.INT32)
INT64 = plc.DataType(TypeId.INT64)
FLOAT32 = plc.DataType(TypeId.FLOAT32)
FLOAT64 = plc.DataType(TypeId.FLOAT64)
DECIMAL128 = plc.DataType(TypeId.DECIMAL128, 0)
STRING = plc.DataType(TypeId.STRING)
DATE = plc.DataType(TypeId.TIMESTAMP_DAYS)

LONG_MIN, LONG_MAX = -(1 << 63), (1 << 63) - 1
HUGE_MAX = 10**38 - 1
INTEGER_BITS = {TypeId.INT8: 8, TypeId.INT16: 16, TypeId.INT32: 32, TypeId.INT64: 64}
FLOATS = frozenset({TypeId.FLOAT32, TypeId.FLOAT64})
NESTED = frozenset({TypeId.LIST, TypeId.STRUCT})

_ARROW = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "year_month_interval": pa.int32(),
    "void": pa.bool_(),
}
_TYPES = {
    "boolean": BOOL,
    "byte": INT8,
    "short": INT16,
    "integer": INT32,
    "long": INT64,
    "float": FLOAT32,
    "double": FLOAT64,
    "string": STRING,
    "binary": STRING,
    "date": DATE,
    "timestamp": INT64,
    "timestamp_ntz": INT64,
    "year_month_interval": INT32,
    "day_time_interval": INT64,
    "void": BOOL,
}


def device_type(data_type: DataType) -> plc.DataType:
    """The device type of a Spark type that is not nested; the wide one for wide decimals."""
    if isinstance(data_type, DecimalType):
        return INT64 if data_type.precision <= MAX_LONG_DIGITS else DECIMAL128
    return _TYPES[data_type.name]


def arrow_type(data_type: DataType) -> pa.DataType:
    """The Arrow type of physical data that are not nested; int64 for decimals."""
    return _ARROW.get(data_type.name, pa.int64())


def is_scalar(data: Data) -> bool:
    """True for a scalar."""
    return isinstance(data, plc.Scalar)


def relabel(data: Column, data_type: plc.DataType) -> Column:
    """The same memory as another type of the same width."""
    return plc.Column(
        data_type,
        data.size(),
        data.data(),
        data.null_mask(),
        data.null_count(),
        data.offset(),
        data.children(),
    )


def constant(value: float | str, data_type: plc.DataType) -> Scalar:
    """A scalar of a number, boolean or string."""
    if data_type.id() == TypeId.DECIMAL128:
        return element(plc.Column.from_arrow(pa.array([value], pa.decimal128(38, 0))), 0)
    return plc.Scalar.from_py(value, data_type)


def value_of(scalar: Scalar) -> Any:
    """The Python value of a scalar of numbers, booleans or strings; None for null."""
    if scalar.type().id() != TypeId.DECIMAL128:
        return python_value(scalar)
    # `to_py` rounds to the 28 digits of Python's decimal context
    value = expand(scalar, 1).to_arrow(ColumnMetadata(precision=38))[0].as_py()
    return None if value is None else int(value)


def python_value(scalar: Scalar) -> Any:
    """`scalar.to_py()`, which would hold the interpreter's lock while it waits for the device."""
    PER_THREAD_DEFAULT_STREAM.synchronize()
    return scalar.to_py()


def null_scalar(data_type: plc.DataType) -> Scalar:
    """The null of a type."""
    return plc.Scalar.from_py(None, data_type)


def element(data: Column, index: int) -> Scalar:
    """One value of a column."""
    return plc.copying.get_element(data, index)


def expand(data: Data, length: int) -> Column:
    """A column with `length` rows."""
    column: Column = plc.Column.from_scalar(data, length) if is_scalar(data) else data
    return column


def length_of(*data: Data) -> int:
    """Number of rows of the first column in `data`."""
    return next(int(d.size()) for d in data if not is_scalar(d))


def binary(left: Data, op: BinaryOperator, right: Data, data_type: plc.DataType) -> Column:
    """`left op right`."""
    return plc.binaryop.binary_operation(left, right, op, data_type)


def test(left: Data, op: BinaryOperator, right: Data) -> Column:
    """The boolean `left op right`."""
    return plc.binaryop.binary_operation(left, right, op, BOOL)


def cast(data: Column, data_type: plc.DataType) -> Column:
    """`data` in another type by libcudf's rules; unchanged if it has that type."""
    return data if data.type() == data_type else plc.unary.cast(data, data_type)


def choose(condition: Column, then: Data, otherwise: Data) -> Column:
    """`then` where true, `otherwise` where false or null; both of one type."""
    return plc.copying.copy_if_else(then, otherwise, condition)


def is_true(data: Column) -> Column:
    """A mask: null becomes false."""
    return plc.replace.replace_nulls(data, constant(False, BOOL)) if data.null_count() else data


def any_true(data: Column) -> bool:
    """Whether a row is true; nulls are not."""
    if data.size() == data.null_count():
        return False
    return bool(python_value(plc.reduce.reduce(data, plc.aggregation.any(), BOOL)))


def null_where(data: Column, mask: Column) -> Column:
    """`data` (not nested) with null where `mask` is true."""
    return choose(mask, null_scalar(data.type()), data)


def failed(result: Column, wrong: Column) -> tuple[Column, Column | None]:
    """A checked result: null where `wrong` is true, and the mask of these rows if there are any."""
    if not any_true(wrong):
        return result, None
    mask = is_true(wrong)
    return null_where(result, mask), mask


def _reduced(data: Column, aggregation: Aggregation) -> int:
    return int(value_of(plc.reduce.reduce(data, aggregation, data.type())))


def bounds(data: Data) -> tuple[int, int]:
    """The least and the greatest of integers or unscaled data; 0 and 0 if all are null."""
    if is_scalar(data):
        value = value_of(data)
        return (0, 0) if value is None else (int(value), int(value))
    if data.size() == data.null_count():
        return 0, 0
    if data.type().id() == TypeId.DECIMAL128:
        return _reduced(data, plc.aggregation.min()), _reduced(data, plc.aggregation.max())
    low, high = plc.reduce.minmax(data)
    return int(value_of(low)), int(value_of(high))


def day_bounds(dates: Column) -> tuple[int, int]:
    """The least and the greatest day number of dates; 0 and 0 if all are null."""
    return bounds(relabel(dates, INT32))


def with_type(data: Data, data_type: plc.DataType) -> Data:
    """Integers or unscaled data as another integer type that can represent all the values."""
    if data.type() == data_type:
        return data
    if not is_scalar(data):
        return cast(data, data_type)
    value = value_of(data)
    return null_scalar(data_type) if value is None else constant(int(value), data_type)


def same_type(*data: Data) -> tuple[Data, ...]:
    """The same data, with integers and unscaled data of several widths converted to one width."""
    types = {d.type().id() for d in data}
    if len(types) == 1 or not types <= {*INTEGER_BITS, TypeId.DECIMAL128}:
        return data
    wide = [d for d in data if d.type().id() == TypeId.DECIMAL128]
    fits = all(is_scalar(d) and LONG_MIN <= bounds(d)[0] <= LONG_MAX for d in wide)
    target = INT64 if fits else DECIMAL128
    return tuple(with_type(d, target) for d in data)


def compact(data: Column) -> Column:
    """Unscaled data as int64 if all values fit: further work is then several times faster."""
    if data.type().id() != TypeId.DECIMAL128:
        return with_type(data, INT64)
    low, high = bounds(data)
    return cast(data, INT64) if low >= LONG_MIN and high <= LONG_MAX else data
