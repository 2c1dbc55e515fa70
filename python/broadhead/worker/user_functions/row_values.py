"""Columns as the Python values that Spark's pickles give to a function of rows."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import WouldRaise

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql.types import DataType

Values = list[Any]

_DAYS = (-719162, 2932896)
"""The days of the years 1 to 9999, which Python's dates can have."""
_MICROSECONDS = (_DAYS[0] * 86_400_000_000, (_DAYS[1] + 1) * 86_400_000_000 - 1)


class RowValues:
    """The conversion of columns.

    `binary_as_bytes`: whether binary values are `bytes`; else they are `bytearray`.
    """

    def __init__(self, *, binary_as_bytes: bool) -> None:
        self._binary_as_bytes = binary_as_bytes
        self._nested: dict[str, Callable[[Any, Any], Values]] = {
            "array": self._lists,
            "map": self._dicts,
            "struct": self._rows,
        }

    def of(self, array: pa.Array, data_type: DataType) -> Values:
        """The values of a column of a type of PySpark's."""
        name = data_type.typeName()
        if name in self._nested:
            return self._nested[name](array, data_type)
        if name == "binary" and not self._binary_as_bytes:
            return [None if value is None else bytearray(value) for value in array.to_pylist()]
        if name == "decimal":
            return list(array.to_numpy(zero_copy_only=False).tolist())
        if name in _TIMES:
            return _times(array, data_type)
        return list(array.to_pylist())

    def _lists(self, array: pa.ListArray, data_type: Any) -> Values:
        offsets = array.offsets.to_pylist()
        values = array.values.slice(offsets[0], offsets[-1] - offsets[0])
        items, first = self.of(values, data_type.elementType), offsets[0]
        found = [items[start - first : end - first] for start, end in pairwise(offsets)]
        return _with_nulls(found, array)

    def _dicts(self, array: pa.MapArray, data_type: Any) -> Values:
        offsets = array.offsets.to_pylist()
        first, length = offsets[0], offsets[-1] - offsets[0]
        key_array = array.keys.slice(first, length)
        if data_type.keyType.typeName() == "binary":
            raise WouldRaise("PYTHON_MAP_KEYS")
        keys = self.of(key_array, data_type.keyType)
        items = self.of(array.items.slice(first, length), data_type.valueType)
        found: Values = []
        for start, end in pairwise(offsets):
            rows = slice(start - first, end - first)
            found.append(dict(zip(keys[rows], items[rows], strict=True)))
        return _with_nulls(found, array)

    def _rows(self, array: pa.StructArray, data_type: Any) -> Values:
        from pyspark.sql.types import _create_row

        names = data_type.names
        columns = [
            self.of(column, field.dataType)
            for column, field in zip(array.flatten(), data_type.fields, strict=True)
        ]
        rows = zip(*columns, strict=True) if columns else [()] * len(array)
        return _with_nulls([_create_row(names, row) for row in rows], array)


def _with_nulls(values: Values, array: pa.Array) -> Values:
    if array.null_count:
        for row in np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False)).tolist():
            values[row] = None
    return values


_TIMES = {
    "date": ("datetime64[D]", _DAYS),
    "timestamp_ntz": ("datetime64[us]", _MICROSECONDS),
    "timestamp": (None, _MICROSECONDS),
    "daytimeinterval": (None, _MICROSECONDS),
}
"""NumPy's types whose values are Python's, for numbers in a range."""


def _times(array: pa.Array, data_type: DataType) -> Values:
    """Dates and times; those that NumPy does not convert by PySpark's own code."""
    numbers = _numbers(array)
    kind, (least, most) = _TIMES[data_type.typeName()]
    if kind is not None:
        limits = pc.min_max(numbers)
        low, high = limits["min"].as_py(), limits["max"].as_py()
        if low is not None and least <= low and high <= most:
            found = numbers.fill_null(0).to_numpy(zero_copy_only=False).astype(kind).tolist()
            return _with_nulls(found, array)
    return list(map(data_type.fromInternal, numbers.to_pylist()))


def _numbers(array: pa.Array) -> pa.Array:
    return array.view(pa.int32() if array.type == pa.date32() else pa.int64())
