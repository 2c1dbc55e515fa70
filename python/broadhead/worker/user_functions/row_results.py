"""Python values that functions of rows return, as the columns that Spark makes of them.

PySpark pickles the values and Spark's `EvaluatePython.makeFromJava` converts what it reads: a value
of another type than the function's becomes null. Values that cannot be read, or whose conversion
depends on Java, raise `WouldRaise`, so that Spark converts them, or words its error.
"""

from __future__ import annotations

import datetime
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.errors import WouldRaise
from broadhead.types import (
    INTEGRAL_BITS,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NONE = type(None)
_READABLE = frozenset(
    {
        *(NONE, bool, int, float, str, bytes, bytearray),
        *(datetime.date, datetime.timedelta),
    }
)
"""Types that Java reads from pickles, whatever their values are."""


def result_array(values: Sequence[Any], data_type: DataType) -> pa.Array:
    """The column of a Spark type with the values of PySpark's `toInternal`."""
    match data_type:
        case ArrayType():
            return _list_array(values, data_type)
        case MapType():
            return _map_array(values, data_type)
        case StructType():
            return _struct_array(values, data_type)
    return _leaf_array(values, data_type)


def result_type(data_type: DataType) -> pa.DataType:
    """The Arrow type of results: intervals are durations."""
    match data_type:
        case ArrayType(element=element, contains_null=contains_null):
            return pa.list_(pa.field("element", result_type(element), contains_null))
        case MapType(key=key, value=value, value_contains_null=contains_null):
            return pa.map_(
                pa.field("key", result_type(key), nullable=False),
                pa.field("value", result_type(value), contains_null),
            )
        case StructType(fields=fields):
            return pa.struct(list(map(_struct_field, fields)))
    return pa.duration("us") if data_type.name == "day_time_interval" else arrow_type(data_type)


def _struct_field(field: StructField) -> pa.Field:
    return pa.field(field.name, result_type(field.type), field.nullable)


def _list_array(values: Sequence[Any], data_type: ArrayType) -> pa.Array:
    if not {bytes, bytearray}.isdisjoint(map(type, values)):
        # arrays of numbers in Java
        raise WouldRaise("PYTHON_VALUE")
    values = _only(values, frozenset({list, tuple}))
    items = result_array(list(chain.from_iterable(filter(None, values))), data_type.element)
    _check_nulls(items, nullable=data_type.contains_null)
    return pa.ListArray.from_arrays(
        _offsets(values), items, type=result_type(data_type), mask=_mask(values)
    )


def _map_array(values: Sequence[Any], data_type: MapType) -> pa.Array:
    values = _only(values, frozenset({dict}))
    entries = [entry for value in values if value for entry in value.items()]
    keys = result_array([key for key, _ in entries], data_type.key)
    _check_nulls(keys, nullable=False)
    items = result_array([value for _, value in entries], data_type.value)
    _check_nulls(items, nullable=data_type.value_contains_null)
    return pa.MapArray.from_arrays(
        _offsets(values), keys, items, type=result_type(data_type), mask=_mask(values)
    )


def _struct_array(values: Sequence[Any], data_type: StructType) -> pa.Array:
    values = _only(values, frozenset({tuple}))
    width = len(data_type.fields)
    if not set(map(len, filter(lambda value: value is not None, values))) <= {width}:
        raise WouldRaise("STRUCT_ARRAY_LENGTH_MISMATCH")
    missing = (None,) * width
    rows = [missing if value is None else value for value in values]
    columns = [[row[ordinal] for row in rows] for ordinal in range(width)]
    mask = _mask(values)
    nulls = 0 if mask is None else mask.true_count
    arrays = []
    for column, field in zip(columns, data_type.fields, strict=True):
        array = result_array(column, field.type)
        if not field.nullable and array.null_count > nulls:
            raise WouldRaise("PYTHON_NULL")
        arrays.append(array)
    if not arrays:
        return pa.array([None if value is None else {} for value in values], pa.struct([]))
    fields = list(map(_struct_field, data_type.fields))
    return pa.StructArray.from_arrays(arrays, fields=fields, mask=mask)


def _only(values: Sequence[Any], kinds: frozenset[type]) -> Sequence[Any]:
    """The values, with null for those of other types."""
    if set(map(type, values)) <= {*kinds, NONE}:
        return values
    return [value if type(value) in kinds else _null(value) for value in values]


def _offsets(values: Sequence[Any]) -> pa.Array:
    lengths = (0 if value is None else len(value) for value in values)
    return pa.array(accumulate(lengths, initial=0), pa.int32())


def _mask(values: Sequence[Any]) -> pa.Array | None:
    mask = pa.array([value is None for value in values], pa.bool_())
    return mask if mask.true_count else None


def _check_nulls(array: pa.Array, *, nullable: bool) -> None:
    """Spark does not check that values that cannot be null are not, and then computes anything."""
    if not nullable and array.null_count:
        raise WouldRaise("PYTHON_NULL")


def _leaf_array(values: Sequence[Any], data_type: DataType) -> pa.Array:
    leaf = _Leaf(data_type)
    if set(map(type, values)) <= {leaf.python, NONE}:
        try:
            return leaf.array(values)
        except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError):
            # some value is not in the range of the type
            pass
    try:
        return leaf.array([None if value is None else leaf.exact(value) for value in values])
    except UnicodeEncodeError:
        raise WouldRaise("PYTHON_TEXT") from None


class _Leaf:
    """The values of a type that is not nested: the Python type that PySpark uses, and the rest."""

    def __init__(self, data_type: DataType) -> None:
        self._type = data_type
        name = data_type.name
        self.python: type = _PYTHON_TYPES.get(name, int)
        self._result = result_type(data_type)
        integral = self.python is int
        # Java cuts off the higher bits of integers, but days have to fit.
        self._storage = pa.int64() if integral and name != "date" else self._result
        if name == "date":
            self._storage = pa.int32()
        exact: dict[type, Callable[[Any], Any]] = {
            int: self._integer,
            Decimal: self._decimal,
            str: _text,
            bytes: _binary,
        }
        self.exact = exact.get(self.python, self._same)

    def array(self, values: Sequence[Any]) -> pa.Array:
        """The column of values of the Python type."""
        array = pa.array(values, self._storage)
        if array.type == self._result:
            return array
        if self._type.name in INTEGRAL_BITS:
            return array.cast(self._result, safe=False)
        return array.view(self._result)

    def _same(self, value: Any) -> Any:
        return value if type(value) is self.python else _null(value)

    def _integer(self, value: Any) -> Any:
        if type(value) is not int:
            return _null(value)
        bits = 31 if self._type.name == "date" else 63
        return value if -(1 << bits) <= value < 1 << bits else None

    def _decimal(self, value: Any) -> Any:
        if type(value) is not Decimal:
            return _null(value)
        assert isinstance(self._type, DecimalType)
        step = Decimal(1).scaleb(-self._type.scale)
        try:
            found = value.quantize(step, ROUND_HALF_UP, _WIDE)
        except DecimalException:
            raise WouldRaise("NUMERIC_VALUE_OUT_OF_RANGE") from None
        if not found.is_finite() or len(found.as_tuple().digits) > self._type.precision:
            raise WouldRaise("NUMERIC_VALUE_OUT_OF_RANGE")
        return found


_WIDE = Context(prec=80)

_PYTHON_TYPES: dict[str, type] = {
    "boolean": bool,
    "float": float,
    "double": float,
    "decimal": Decimal,
    "string": str,
    "binary": bytes,
}
"""The Python type of a leaf, where it is not an integer."""


def _text(value: Any) -> str | None:
    """What Java's `toString` gives for values of which that is known."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    raise WouldRaise("PYTHON_TEXT")


def _binary(value: Any) -> Any:
    kind = type(value)
    if kind is bytes or kind is bytearray:
        return bytes(value)
    if kind is str:
        try:
            return str(value).encode()
        except UnicodeEncodeError:
            raise WouldRaise("PYTHON_TEXT") from None
    return _null(value)


def _null(value: Any) -> Any:
    """Null for a value that Java reads, of another type than the function's."""
    kind = type(value)
    if kind in _READABLE or (kind is datetime.datetime and value.tzinfo is None):
        return
    if kind is Decimal and value.is_finite():
        return
    if kind is list or kind is tuple:
        for item in value:
            _null(item)
    elif kind is dict:
        for item in chain(value, value.values()):
            _null(item)
    else:
        raise WouldRaise("PYTHON_VALUE")
