"""Plain numbers are converted as by PySpark's serializers, whose steps are left out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql.pandas import serializers

from broadhead.worker.user_functions.plain_columns import PLAIN, shorten

SERIALIZER: Any = getattr(serializers, "ArrowStreamPandasUDFSerializer", None)

pytestmark = pytest.mark.skipif(
    not hasattr(SERIALIZER, "_create_array"), reason="PySpark has other conversions since 4.2"
)

NAN = float("nan")
COLUMNS = {
    **{f"{t}": pa.array([0, 1, -1, 100], t) for t in PLAIN},
    **{f"{t} with nulls": pa.array([None, 1, 2, None], t) for t in PLAIN},
    **{f"no {t}": pa.array([], t) for t in PLAIN},
    "limits": pa.array([2**63 - 1, -(2**63), 2**53 + 1], pa.int64()),
    "NaN": pa.array([NAN, None, -0.0, float("inf")], pa.float64()),
    "small NaN": pa.array([NAN, None, -0.0, float("-inf")], pa.float32()),
    "flags": pa.array([True, None]),
    "texts": pa.array(["a", None, ""]),
    "days": pa.array([0, None], pa.date32()),
}


def serializer() -> Any:
    return SERIALIZER("UTC", True, True, arrow_cast=True)


def to_pandas(each: Any, column: pa.ChunkedArray) -> pd.Series:
    """A column's Series; PySpark asks for the number of the column since 4.1."""
    asked = "idx" in inspect.signature(SERIALIZER.arrow_to_pandas).parameters
    return each.arrow_to_pandas(column, *([0] if asked else []))


def shortened() -> Any:
    found = serializer()
    shorten(found)
    return found


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("part", [slice(None), slice(1, 3)], ids=["whole", "part"])
def test_from_arrow(name: str, part: slice) -> None:
    (column,) = pa.table({"x": COLUMNS[name][part]}).itercolumns()
    expected, found = (
        to_pandas(serializer(), column),
        to_pandas(shortened(), column),
    )
    pd.testing.assert_series_equal(found, expected, check_exact=True)
    assert found.name == expected.name == "x"
    assert np.asarray(found).flags.writeable == np.asarray(expected).flags.writeable


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("part", [slice(None), slice(1, 3)], ids=["whole", "part"])
def test_to_arrow(name: str, part: slice) -> None:
    column = COLUMNS[name]
    series = column.to_pandas()[part]
    expected = serializer()._create_array(series, column.type, arrow_cast=True)
    found = shortened()._create_array(series, column.type, arrow_cast=True)
    assert found.type == expected.type
    # bit for bit, without the values of nulls
    assert found.is_null().equals(expected.is_null())
    assert repr(found.to_pylist()) == repr(expected.to_pylist())


OTHERS: dict[str, Callable[[], tuple[Any, pa.DataType]]] = {
    "another width": lambda: (pd.Series([1, 2]), pa.int32()),
    "too large": lambda: (pd.Series([2**40]), pa.int32()),
    "a fraction": lambda: (pd.Series([1.5]), pa.int64()),
    "an extension": lambda: (pd.Series([1, None], dtype="Int64"), pa.int64()),
    "categories": lambda: (pd.Series([1, 2, 1]).astype("category"), pa.int64()),
    "objects": lambda: (pd.Series([1, None], dtype=object), pa.int64()),
    "no series": lambda: (np.array([1, 2]), pa.int64()),
    "texts": lambda: (pd.Series(["a"]), pa.int64()),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_results_are_pysparks(name: str) -> None:
    outcomes = []
    for each in (serializer(), shortened()):
        series, arrow_type = OTHERS[name]()
        try:
            outcomes.append(each._create_array(series, arrow_type, arrow_cast=True))
        except Exception as error:
            outcomes.append((type(error), str(error)))
    assert outcomes[0] == outcomes[1]


def test_the_serializer_is_asked_first() -> None:
    """A version or a setting whose conversion gives another type keeps it."""
    other = serializer()
    other.arrow_to_pandas = lambda column, _number: column.to_pandas().astype("Int64")
    shorten(other)
    (column,) = pa.table({"x": pa.array([1, 2])}).itercolumns()
    assert str(other.arrow_to_pandas(column, 0).dtype) == "Int64"
