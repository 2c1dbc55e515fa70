"""Host arrays in any layout, and Spark's layout of physical data."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead.errors import EngineLimit
from broadhead.kernels.interface import Kernels
from broadhead.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DAY_TIME_INTERVAL,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    YEAR_MONTH_INTERVAL,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    decimal,
)
from kernels.physical import array, digits, same, unscaled, values

TEXTS = ["", None, "añ😀", "x" * 40, "a"]


@pytest.mark.parametrize("layout", [pa.string(), pa.large_string(), pa.string_view()])
def test_layouts_of_strings(k: Kernels, layout: pa.DataType) -> None:
    given = pa.array(["pad", *TEXTS], layout)[1:]
    assert values(k, k.columns.from_arrow(given, STRING), STRING) == TEXTS
    assert values(k, k.columns.from_arrow(given[:0], STRING), STRING) == []


@pytest.mark.parametrize("layout", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2)])
def test_layouts_of_binary(k: Kernels, layout: pa.DataType) -> None:
    given = pa.array([b"pa", b"\xff\x00", None, b"ab"], layout)[1:]
    data = k.columns.from_arrow(given, BINARY)
    assert values(k, data, BINARY) == [b"\xff\x00", None, b"ab"]


def test_binary_that_is_text(k: Kernels) -> None:
    given = pa.array(["pad", *TEXTS]).cast(pa.binary())[1:]
    assert values(k, k.columns.from_arrow(given, STRING), STRING) == TEXTS


@pytest.mark.parametrize("texts", [["a", "b"], ["", ""], ["ñ", "aa"], ["a" * 16, "b" * 16]])
@pytest.mark.parametrize("layout", [pa.string(), pa.large_string(), pa.binary()])
def test_dictionaries_of_one_length(k: Kernels, texts: list[str], layout: pa.DataType) -> None:
    dictionary = pa.array(["pad", *texts]).cast(layout)[1:]
    for rows in ([0, 1, 1, 0], [0, None, 1], [], [None]):
        given = pa.DictionaryArray.from_arrays(pa.array([1, *rows], pa.int32())[1:], dictionary)
        found = values(k, k.columns.from_arrow(given, STRING), STRING)
        assert found == [None if row is None else texts[row] for row in rows]
    holed = pa.array([None, texts[0]]).cast(layout)
    given = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), holed)
    assert values(k, k.columns.from_arrow(given, STRING), STRING) == [None, texts[0]]


@pytest.mark.parametrize("index", [pa.int8(), pa.int32(), pa.uint16(), pa.int64()])
def test_dictionaries(k: Kernels, index: pa.DataType) -> None:
    indices = pa.array([0, 1, None, 0, 2], index)
    given = pa.DictionaryArray.from_arrays(indices, pa.array(["b", "a", None]))[1:]
    assert values(k, k.columns.from_arrow(given, STRING), STRING) == ["a", None, "b", None]
    numbers = pa.DictionaryArray.from_arrays(indices, pa.array([7, 8, None], pa.int32()))
    assert values(k, k.columns.from_arrow(numbers, LONG), LONG) == [7, 8, None, 7, None]
    amounts = pa.DictionaryArray.from_arrays(indices, unscaled([7, 8, None], decimal(7, 2)))
    data = k.columns.from_arrow(amounts, decimal(7, 2))
    assert values(k, data, decimal(7, 2)) == [7, 8, None, 7, None]


def test_a_dictionary_of_a_dictionary_scan_is_large_string(k: Kernels) -> None:
    given = pa.array(["b", "a", None, "b"], pa.large_string()).dictionary_encode()
    assert values(k, k.columns.from_arrow(given, STRING), STRING) == ["b", "a", None, "b"]


@pytest.mark.parametrize(
    ("make", "precision"),
    [
        (make, precision)
        for make, most in (
            (pa.decimal32, 9),
            (pa.decimal64, 18),
            (pa.decimal128, 38),
            (pa.decimal256, 76),
        )
        for precision in (5, 9, 18, 25, 38, 50)
        if precision <= most
    ],
)
def test_widths_of_decimals(k: Kernels, make: Any, precision: int) -> None:
    numbers = [Decimal("1.25"), None, Decimal("-999.99"), Decimal(0), Decimal("999.99")]
    given = pa.array([Decimal(1), *numbers], make(precision, 2))[1:]
    for type in (decimal(5, 2), decimal(18, 2), decimal(38, 2)):
        data = k.columns.from_arrow(given, type)
        assert digits(k, data) == [125, None, -99999, 0, 99999]
        back = k.columns.to_arrow(data, type)
        assert back.type == pa.decimal128(type.precision, 2)
        assert back.to_pylist() == numbers


def test_decimals_of_another_scale(k: Kernels) -> None:
    given = pa.array([Decimal("1.5"), None], pa.decimal128(5, 1))
    assert digits(k, k.columns.from_arrow(given, decimal(10, 3))) == [1500, None]


@pytest.mark.parametrize(
    ("layout", "type"),
    [
        (pa.decimal128(38, 2), decimal(5, 2)),
        (pa.decimal64(18, 2), decimal(5, 2)),
        (pa.decimal256(60, 2), decimal(5, 2)),
        (pa.decimal128(20, 2), decimal(7, 2)),
    ],
)
def test_a_decimal_that_does_not_fit(k: Kernels, layout: pa.DataType, type: DataType) -> None:
    given = pa.array([Decimal(1), Decimal(10) ** 12], layout)
    with pytest.raises(EngineLimit):
        k.columns.from_arrow(given, type)


def test_a_decimal_of_more_than_38_digits(k: Kernels) -> None:
    given = pa.array([Decimal(10) ** 39], pa.decimal256(60, 0))
    with pytest.raises(EngineLimit):
        k.columns.from_arrow(given, decimal(38, 0))


def test_what_stands_under_a_null_does_not_matter(k: Kernels) -> None:
    words = np.array([[5, 0], [2**63, 2**62]], np.uint64)
    buffers = [pa.py_buffer(b"\x01"), pa.py_buffer(words)]
    given = pa.Array.from_buffers(pa.decimal128(38, 2), 2, buffers)
    assert values(k, k.columns.from_arrow(given, decimal(7, 2)), decimal(7, 2)) == [5, None]


@pytest.mark.parametrize(
    ("layout", "type"),
    [
        (layout, type)
        for layout in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32())
        for type in (BYTE, SHORT, INTEGER, LONG)
    ],
    ids=str,
)
def test_widths_of_integers(k: Kernels, layout: pa.DataType, type: DataType) -> None:
    given = pa.array([9, 100, None, 0], layout)[1:]
    assert values(k, k.columns.from_arrow(given, type), type) == [100, None, 0]


@pytest.mark.parametrize(
    ("value", "layout", "type"),
    [
        (128, pa.int32(), BYTE),
        (-(2**15) - 1, pa.int64(), SHORT),
        (2**31, pa.uint32(), INTEGER),
        (2**63, pa.uint64(), LONG),
    ],
)
def test_integers_that_do_not_fit(
    k: Kernels, value: int, layout: pa.DataType, type: DataType
) -> None:
    with pytest.raises(EngineLimit):
        k.columns.from_arrow(pa.array([0, value], layout), type)


@pytest.mark.parametrize("type", [TIMESTAMP, TIMESTAMP_NTZ])
@pytest.mark.parametrize(
    ("unit", "given", "expected"),
    [
        ("s", [1, None, -2], [1_000_000, None, -2_000_000]),
        ("ms", [1, None, -2], [1_000, None, -2_000]),
        ("us", [1, None, -2], [1, None, -2]),
        ("ns", [1_001, None, -1, -1_000, 999], [1, None, -1, -1, 0]),
    ],
)
def test_units_of_timestamps(
    k: Kernels, type: DataType, unit: str, given: list[Any], expected: list[Any]
) -> None:
    zone = "UTC" if type == TIMESTAMP else None
    array_ = pa.array([7, *given], pa.timestamp(unit, zone))[1:]
    assert values(k, k.columns.from_arrow(array_, type), type) == expected


def test_a_timestamp_that_does_not_fit(k: Kernels) -> None:
    given = pa.array([2**62], pa.timestamp("s"))
    with pytest.raises(EngineLimit):
        k.columns.from_arrow(given, TIMESTAMP)


def test_dates_of_milliseconds(k: Kernels) -> None:
    given = pa.array([86_400_000, None, -86_400_000], pa.date64())
    assert values(k, k.columns.from_arrow(given, DATE), DATE) == [1, None, -1]


@pytest.mark.parametrize(
    "type",
    [BOOLEAN, BYTE, LONG, FLOAT, DOUBLE, STRING, BINARY, DATE, TIMESTAMP, decimal(7, 2)],
    ids=lambda type: type.name,
)
def test_nulls_of_no_type(k: Kernels, type: DataType) -> None:
    assert values(k, k.columns.from_arrow(pa.nulls(3), type), type) == [None] * 3


@pytest.mark.parametrize(
    ("type", "layout"),
    [
        (BOOLEAN, pa.bool_()),
        (BYTE, pa.int8()),
        (SHORT, pa.int16()),
        (INTEGER, pa.int32()),
        (LONG, pa.int64()),
        (FLOAT, pa.float32()),
        (DOUBLE, pa.float64()),
        (decimal(7, 2), pa.decimal128(7, 2)),
        (decimal(38, 38), pa.decimal128(38, 38)),
        (STRING, pa.string()),
        (BINARY, pa.binary()),
        (DATE, pa.date32()),
        (TIMESTAMP, pa.timestamp("us", "UTC")),
        (TIMESTAMP_NTZ, pa.timestamp("us")),
        (YEAR_MONTH_INTERVAL, pa.int32()),
        (DAY_TIME_INTERVAL, pa.int64()),
    ],
    ids=str,
)
def test_spark_layouts(k: Kernels, type: DataType, layout: pa.DataType) -> None:
    empty: list[None] = []
    for rows in (empty, [None, None]):
        back = k.columns.to_arrow(array(k, rows, type), type)
        assert back.type == layout
        assert len(back) == len(rows)


NESTED = StructType(
    "struct",
    (
        StructField("numbers", ArrayType("array", decimal(20, 3), True), True),
        StructField("ages", MapType("map", STRING, TIMESTAMP, True), True),
        StructField("day", DATE, False),
        StructField("raw", BINARY, True),
    ),
)


def test_nested_layouts(k: Kernels) -> None:
    layout = pa.struct(
        [
            pa.field("numbers", pa.list_(pa.field("element", pa.decimal128(20, 3)))),
            pa.field(
                "ages",
                pa.map_(
                    pa.field("key", pa.string(), False),
                    pa.field("value", pa.timestamp("us", "UTC")),
                ),
            ),
            pa.field("day", pa.date32(), False),
            pa.field("raw", pa.binary()),
        ]
    )
    rows: list[Any] = [
        {"numbers": [Decimal("1.500"), None], "ages": [("a", 5)], "day": 1, "raw": b"\xff"},
        None,
        {"numbers": None, "ages": [], "day": 2, "raw": None},
        {"numbers": [], "ages": None, "day": 3, "raw": b""},
    ]
    given = pa.array(rows, layout)
    for part in (given, given[1:], given[:0]):
        back = k.columns.to_arrow(k.columns.from_arrow(part, NESTED), NESTED)
        assert back.type == layout
        assert back.to_pylist() == part.to_pylist()


def test_nested_layouts_of_parquet(k: Kernels) -> None:
    type = ArrayType("array", STRING, True)
    given = pa.array([["a", None], None, []], pa.large_list(pa.large_string()))
    back = k.columns.to_arrow(k.columns.from_arrow(given, type), type)
    assert back.type == pa.list_(pa.field("element", pa.string()))
    assert back.to_pylist() == [["a", None], None, []]


def test_floats_keep_their_bits(k: Kernels) -> None:
    for type, sample in ((FLOAT, [0.5, -0.0, None]), (DOUBLE, [0.1, -0.0, None, float("nan")])):
        assert same(values(k, array(k, sample, type), type), sample)
