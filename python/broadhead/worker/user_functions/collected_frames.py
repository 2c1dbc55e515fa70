"""The small frames that a function returns, converted to Arrow together.

PySpark converts each column of each frame: for a frame of a few numbers this takes as long as the
function itself. Here plain numbers are put one after the other, and become Arrow's at once, and
texts that pandas holds in Arrow's form are taken from it. Other columns are converted by PySpark,
frame by frame, so that errors are those of the right frame.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from broadhead.worker.user_functions.plain_columns import PLAIN
from broadhead.worker.user_functions.streams import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Part: TypeAlias = np.ndarray[Any, Any] | pa.Array
"""The values of a column of one frame."""

MOST_ROWS = 10_000
"""Rows from which on frames do not wait for others."""

LONGEST = 0.1
"""Seconds after which frames do not wait: what is above may need no more than their rows."""

_PLAIN = {**PLAIN, pa.bool_(): np.dtype(bool)}
_TEXTS = (pa.string(), pa.large_string())


class CollectedFrames:
    """Frames with the columns of a struct type; `create_array` is that of PySpark's serializer."""

    def __init__(self, returns: pa.StructType, create_array: Callable[..., Any]) -> None:
        self._returns = returns
        self._names = [field.name for field in returns]
        self._types = [field.type for field in returns]
        self._create_array = create_array
        self._parts: list[list[Part]] = [[] for _ in returns]
        self._rows = 0
        self._since = time.monotonic()

    def add(self, frame: Any) -> bool:
        """Add a frame if it has just these columns; it may be changed afterwards."""
        if not self._has_columns(frame):
            return False
        parts = list(map(_own_values, frame._iter_column_arrays(), self._types))
        missing = [number for number, part in enumerate(parts) if part is None]
        if missing:
            converted = self._converted(frame, missing)
            if converted is None:
                return False
            for number, array in zip(missing, converted, strict=True):
                parts[number] = array
        for listed, part in zip(self._parts, parts, strict=True):
            listed.append(part)
        self._rows += len(frame)
        return True

    def _has_columns(self, frame: Any) -> bool:
        """Whether PySpark would take the columns as they come, by their names or positions."""
        import pandas as pd

        return (
            type(frame) is pd.DataFrame
            and frame.columns.tolist() == self._names
            # PySpark would find a frame instead of a column.
            and 0 < len(set(self._names)) == len(self._names)
        )

    def _converted(self, frame: Any, numbers: Sequence[int]) -> list[pa.Array] | None:
        """Some columns as PySpark converts them; None if it would join them in its own way."""
        names = [self._names[number] for number in numbers]
        types = [self._types[number] for number in numbers]
        arrays = [
            self._create_array(frame[name], arrow_type, arrow_cast=True)
            for name, arrow_type in zip(names, types, strict=True)
        ]
        for array, arrow_type in zip(arrays, types, strict=True):
            if not isinstance(array, pa.Array) or array.type != arrow_type:
                return None
        own: list[pa.Array] = copied(pa.RecordBatch.from_arrays(arrays, names)).columns
        return own

    @property
    def are_due(self) -> bool:
        """Whether the frames should not wait any longer."""
        return self._rows >= MOST_ROWS or time.monotonic() - self._since >= LONGEST

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._parts and self._parts[0])

    def take(self) -> pa.RecordBatch:
        """The rows of all frames, as PySpark's serializers arrange them: a column of structs."""
        fields = list(self._returns)
        arrays = list(map(_joined, self._parts, self._types))
        self._parts = [[] for _ in fields]
        self._rows, self._since = 0, time.monotonic()
        struct = pa.StructArray.from_arrays(arrays, fields=fields)
        return pa.RecordBatch.from_arrays([struct], ["_0"])


def _own_values(values: Any, arrow_type: pa.DataType) -> Part | None:
    """A copy of a column's values if Arrow has them in the same form.

    A copy, since a function may use the memory of its results again.
    """
    if type(values) is np.ndarray:
        # A dtype of doubles is equal to None.
        plain = arrow_type in _PLAIN and values.dtype == _PLAIN[arrow_type]
        return values.copy() if plain else None
    if arrow_type in _TEXTS and getattr(values.dtype, "storage", None) == "pyarrow":
        return _texts(values, arrow_type)
    return None


def _texts(values: Any, arrow_type: pa.DataType) -> pa.Array | None:
    try:
        found = pa.array(values, arrow_type)
    except pa.ArrowInvalid:
        # More than 2 GiB: PySpark words the error.
        return None
    # Arrow copies arrays that it joins, but not one alone.
    return pa.concat_arrays([found, found[:0]]) if isinstance(found, pa.Array) else None


def _joined(parts: Sequence[Part], arrow_type: pa.DataType) -> pa.Array:
    if all(isinstance(part, np.ndarray) for part in parts):
        return _from_numpy(np.concatenate(parts), arrow_type)
    return pa.concat_arrays(
        [p if isinstance(p, pa.Array) else _from_numpy(p, arrow_type) for p in parts]
    )


def _from_numpy(values: np.ndarray[Any, Any], arrow_type: pa.DataType) -> pa.Array:
    # NaN is a null of the result, as in PySpark.
    return pa.array(values, arrow_type, from_pandas=True)
