"""Texts of what a function gets: types, values, their order and the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
import pyarrow as pa


def shown(values: pd.Series | pd.DataFrame) -> pd.Series:
    """The type of a column, and class and text of each value, as a function sees them."""
    if isinstance(values, pd.DataFrame):
        head = str({name: str(dtype) for name, dtype in values.dtypes.items()})
        texts = [repr(row) for row in values.to_dict("records")]
    else:
        head = str(values.dtype)
        texts = [f"{type(value).__name__} {value!r}" for value in values]
    return pd.Series([f"{head} {text}" for text in texts], index=values.index, dtype=object)


def whole(*columns: pd.Series | pd.DataFrame) -> str:
    """All values of columns in one text."""
    index = list(columns[0].index) if columns else []
    return f"{index} " + " | ".join(f"{_types(v)} {'; '.join(shown(v))}" for v in columns)


def _types(values: pd.Series | pd.DataFrame) -> str:
    return str(values.dtypes.to_dict() if isinstance(values, pd.DataFrame) else values.dtype)


def arrow_shown(values: pa.Array) -> pa.Array:
    """The Arrow type of a column, and the text of each value."""
    return pa.array([f"{values.type} {value!r}" for value in values.to_pylist()], pa.string())


def arrow_whole(*columns: pa.Array | pa.ChunkedArray) -> str:
    """All values of columns in one text."""
    return " | ".join(f"{values.type} {values.to_pylist()!r}" for values in columns)


def table_shown(table: pa.Table | pa.RecordBatch) -> str:
    """Schema and values of a table's columns in one text."""
    return f"{table.schema} {arrow_whole(*table.columns)}"


def batches_shown(batches: Sequence[pa.RecordBatch] | Iterable[pd.DataFrame]) -> str:
    """How many rows the batches have."""
    return str([len(batch) for batch in batches])
