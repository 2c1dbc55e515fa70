"""The small frames that a function returns, converted to Arrow together.

For each column of each frame PySpark makes a Series, looks converters and nulls up, and makes an
Arrow array: for a frame of a few numbers this takes as long as the function itself. Frames of
plain numbers, with the names and the dtypes that the function has declared, need none of it: their
values are put one after the other, and become Arrow's at once. All other frames are PySpark's.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.worker.user_functions.plain_columns import PLAIN

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 10_000
"""Rows from which on frames do not wait."""

LONGEST = 0.1
"""Seconds after which frames do not wait: what is above may need no more than their rows."""


class CollectedFrames:
    """Frames whose columns are those of a struct type."""

    def __init__(self, returns: pa.StructType) -> None:
        self._returns = returns
        self._names = [field.name for field in returns]
        self._dtypes = [PLAIN[field.type] for field in returns if field.type in PLAIN]
        # With equal names PySpark would find a frame in place of a column.
        names = set(self._names)
        self._possible = len(self._dtypes) == len(names) == returns.num_fields > 0
        self._parts: list[list[np.ndarray[Any, Any]]] = [[] for _ in returns]
        self._rows = 0
        self._since = time.monotonic()

    def add(self, frame: Any) -> bool:
        """Add a frame if it is as declared; it may be changed afterwards."""
        columns = self._columns(frame) if self._possible else None
        if columns is None:
            return False
        for parts, values in zip(self._parts, columns, strict=True):
            # A function may use the memory of its results again.
            parts.append(values.copy())
        self._rows += len(columns[0])
        return True

    def _columns(self, frame: Any) -> list[np.ndarray[Any, Any]] | None:
        """The values of the columns, without a Series for each."""
        if not _is_frame(frame) or frame.columns.tolist() != self._names:
            return None
        columns = list(frame._iter_column_arrays())
        for values, dtype in zip(columns, self._dtypes, strict=True):
            if type(values) is not np.ndarray or values.dtype != dtype:
                return None
        return columns

    @property
    def are_due(self) -> bool:
        """Whether the frames should not wait any longer."""
        return self._rows >= MOST_ROWS or time.monotonic() - self._since >= LONGEST

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._parts and self._parts[0])

    def take(self) -> pa.RecordBatch:
        """The rows of all frames, as PySpark's serializers arrange them: a column of structs."""
        arrays = [
            # NaN is a null of the result, as in PySpark.
            pa.array(np.concatenate(parts), field.type, from_pandas=True)
            for parts, field in zip(self._parts, self._returns, strict=True)
        ]
        self._parts = [[] for _ in self._names]
        self._rows, self._since = 0, time.monotonic()
        struct = pa.StructArray.from_arrays(arrays, fields=list(self._returns))
        return pa.RecordBatch.from_arrays([struct], ["_0"])


def _is_frame(found: Any) -> bool:
    """Whether it is a DataFrame of pandas itself, that gives its columns' values."""
    import pandas as pd

    return type(found) is pd.DataFrame and hasattr(found, "_iter_column_arrays")
