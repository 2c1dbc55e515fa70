"""Columns of plain numbers between Arrow and pandas, without the general steps of PySpark.

For each column of each batch PySpark's serializers write its type as JSON, look a converter up and
look for nulls. For plain numbers the converter changes nothing, so what is left is Arrow's own
conversion. Whether that is so for a type, in the running version and with the settings of the
functions, is asked of the serializer itself: it converts a short column first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

_INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64())
_FLOATS = (pa.float32(), pa.float64())
PLAIN = {pa_type: np.dtype(pa_type.to_pandas_dtype()) for pa_type in (*_INTEGERS, *_FLOATS)}
"""Arrow's types whose values pandas holds in the same form, if there are no nulls."""


def shorten(serializer: Any) -> None:
    """Let a serializer of PySpark's worker convert plain numbers directly.

    Serializers without PySpark's conversions of pandas, or with other ones than those of Spark 4.0
    and 4.1, stay as they are.
    """
    if hasattr(serializer, "arrow_to_pandas") and hasattr(serializer, "_create_array"):
        serializer.arrow_to_pandas = _Loaded(serializer.arrow_to_pandas)
        serializer._create_array = _Created(serializer._create_array)


class _Loaded:
    """A serializer's `arrow_to_pandas`."""

    def __init__(self, convert: Callable[..., Any]) -> None:
        self._convert = convert
        self._direct: dict[tuple[Any, ...], bool] = {}

    def __call__(self, column: pa.ChunkedArray, *arguments: Any, **named: Any) -> Any:
        plain = PLAIN.get(column.type)
        if plain is not None and (plain.kind == "f" or not column.null_count):
            # The number of the column is the first argument; it may choose Spark's type.
            key = (column.type, *arguments[:1])
            direct = self._direct.get(key)
            if direct is None:
                direct = self._changes_nothing(column.type, plain, arguments, named)
                self._direct[key] = direct
            if direct:
                return column.to_pandas()
        return self._convert(column, *arguments, **named)

    def _changes_nothing(
        self, arrow_type: pa.DataType, plain: np.dtype[Any], arguments: Any, named: Any
    ) -> bool:
        sample = pa.chunked_array([pa.array([0, 1], arrow_type)])
        return bool(self._convert(sample, *arguments, **named).dtype == plain)


class _Created:
    """A serializer's `_create_array`."""

    def __init__(self, convert: Callable[..., pa.Array]) -> None:
        self._convert = convert

    def __call__(self, series: Any, arrow_type: Any, *arguments: Any, **named: Any) -> Any:
        plain = PLAIN.get(arrow_type)
        # NaN is a null of the result, as in PySpark, which refuses what has no `array`.
        if plain is not None and hasattr(series, "array") and series.dtype == plain:
            return pa.Array.from_pandas(series, type=arrow_type)
        return self._convert(series, arrow_type, *arguments, **named)
