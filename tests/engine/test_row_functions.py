"""Python values of functions of rows: as Spark's pickles give them, and as Spark reads them."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.errors import WouldRaise
from broadhead.types import parse_type
from broadhead.worker.user_functions.row_results import result_array
from broadhead.worker.user_functions.row_values import RowValues

DAY = datetime.date(2020, 2, 29)
NUMBERS_BY_NUMBER = {
    "type": "map",
    "keyType": "long",
    "valueType": "long",
    "valueContainsNull": True,
}


def results(data_type: Any, *values: Any) -> list[Any]:
    array = result_array(values, parse_type(data_type))
    array.validate(full=True)
    return list(array.to_pylist())


@pytest.mark.parametrize(
    ("data_type", "values", "expected"),
    [
        ("boolean", (True, 1, "true", None), [True, None, None, None]),
        ("byte", (127, 128, -129, True, 1.0), [127, -128, 127, None, None]),
        ("integer", (2**31, -(2**31) - 1, 2**63, "1"), [-(2**31), 2**31 - 1, None, None]),
        ("long", (2**63 - 1, 2**63, Decimal(1)), [2**63 - 1, None, None]),
        ("double", (1.5, 1, True, [1.0]), [1.5, None, None, None]),
        ("float", (1e300, 0.1), [float("inf"), float(np.float32(0.1))]),
        ("decimal(3,1)", (Decimal("1.25"), Decimal("-1.25")), [Decimal("1.3"), Decimal("-1.3")]),
        ("decimal(3,1)", (1, 1.0, None), [None, None, None]),
        ("decimal(3,1)", (Decimal("1E+1"), Decimal("-0")), [Decimal("10.0"), Decimal("0.0")]),
        ("string", ("a", 2**70, True, False, None), ["a", str(2**70), "true", "false", None]),
        ("binary", (b"a", bytearray(b"b"), "ä", 1), [b"a", b"b", "ä".encode(), None]),
        ("date", (18321, 2**31, None), [DAY, None, None]),
        ({"type": "array", "elementType": "integer", "containsNull": True},
         ([1, "x"], (2,), {"a": 1}, "abc", None, []), [[1, None], [2], None, None, None, []]),
    ],
)  # fmt: skip
def test_values_of_other_types_are_null(
    data_type: Any, values: tuple[Any, ...], expected: list[Any]
) -> None:
    assert results(data_type, *values) == expected


@pytest.mark.parametrize(
    ("data_type", "value"),
    [
        ("long", np.int64(1)),
        ("double", np.float64(1)),
        ("boolean", object()),
        ("long", [np.int64(1)]),
        ("string", 1.5),
        ("string", DAY),
        ("string", "\ud800"),
        ("binary", "\ud800"),
        ("decimal(3,1)", Decimal(100)),
        ("decimal(3,1)", Decimal("NaN")),
        ({"type": "array", "elementType": "byte", "containsNull": True}, b"ab"),
        ({"type": "array", "elementType": "byte", "containsNull": False}, [None]),
        (NUMBERS_BY_NUMBER, {None: 1}),
        ({"type": "struct", "fields": [{"name": "a", "type": "long", "nullable": True}]}, (1, 2)),
    ],
)  # fmt: skip
def test_spark_converts_what_depends_on_java(data_type: Any, value: Any) -> None:
    with pytest.raises(WouldRaise):
        results(data_type, None, value)


def test_structs_that_are_null_may_have_fields_that_are_not() -> None:
    fields = [{"name": "a", "type": "long", "nullable": False}]
    assert results({"type": "struct", "fields": fields}, (1,), None) == [{"a": 1}, None]
    with pytest.raises(WouldRaise):
        results({"type": "struct", "fields": fields}, (None,), None)


def test_maps_keep_the_order_of_their_entries() -> None:
    from pyspark.sql.types import LongType, MapType

    entries = {9: 1, -1: 2, 70000: 3, 4: 4}
    assert results(NUMBERS_BY_NUMBER, entries, dict(reversed(entries.items()))) == [
        list(entries.items()),
        list(reversed(entries.items())),
    ]
    maps = pa.array([list(entries.items()), None], pa.map_(pa.int64(), pa.int64()))
    found, _ = RowValues(binary_as_bytes=True).of(maps, MapType(LongType(), LongType()))
    assert list(found.items()) == list(entries.items())


def test_values_of_times_are_pythons() -> None:
    from pyspark.sql.types import DateType, DayTimeIntervalType, TimestampNTZType

    values = RowValues(binary_as_bytes=True)
    days = pa.array([None, DAY, datetime.date.max], pa.date32())
    assert values.of(days, DateType()) == [None, DAY, datetime.date.max]
    moment = datetime.datetime(1969, 12, 31, 23, 59, 59, 1)
    times = pa.array([moment, None, datetime.datetime.min], pa.timestamp("us"))
    assert values.of(times, TimestampNTZType()) == [moment, None, datetime.datetime.min]
    spans = pa.array([datetime.timedelta(microseconds=-1), None])
    assert values.of(spans, DayTimeIntervalType()) == [datetime.timedelta(microseconds=-1), None]
    with pytest.raises((ValueError, OverflowError)):
        values.of(pa.array([2932897], pa.int32()).view(pa.date32()), DateType())


def test_nested_values_of_slices() -> None:
    from pyspark.sql.types import ArrayType, LongType, MapType, Row, StructType

    values = RowValues(binary_as_bytes=False)
    lists = pa.array([[1], None, [2, None], []]).slice(1)
    assert values.of(lists, ArrayType(LongType())) == [None, [2, None], []]
    maps = pa.array([[(1, 2)], None, [(3, None)]], pa.map_(pa.int64(), pa.int64())).slice(1)
    assert values.of(maps, MapType(LongType(), LongType())) == [None, {3: None}]
    rows = values.of(pa.array([{"a": 1}, None, {"a": 2}]).slice(1), StructType().add("a", "long"))
    assert rows == [None, Row(a=2)]
    assert rows[1].a == 2
