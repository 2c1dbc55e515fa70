"""Arrays, maps and structs taken apart, and moved like any other column."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from broadhead.kernels.interface import Kernels
from broadhead.types import (
    BINARY,
    BOOLEAN,
    DATE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    decimal,
)
from kernels.physical import array, layouts
from kernels.physical import values as rows_of

NUMBERS = ArrayType("array", INTEGER, contains_null=True)
WORDS = MapType("map", STRING, LONG, value_contains_null=True)
PAIR = StructType(
    "struct", (StructField("n", INTEGER, nullable=True), StructField("s", STRING, nullable=True))
)
PAIRS = ArrayType("array", PAIR, contains_null=True)

ARRAYS = [[1, None], None, [], [3], [4, 5, 6]]
MAPS = [[("a", 1)], None, [], [("b", None), ("c", 3)]]
STRUCTS = [{"n": 1, "s": "a"}, None, {"n": None, "s": "ä"}]
CASES = [(NUMBERS, ARRAYS), (WORDS, MAPS), (PAIR, STRUCTS), (PAIRS, [STRUCTS, None, [], [None]])]


def made(k: Kernels, values: list[Any], type_: DataType) -> Any:
    from broadhead.arrow_layout import arrow_type

    return k.columns.from_arrow(pa.array(values, arrow_type(type_)), type_)


def sliced(k: Kernels, values: list[Any], type_: DataType) -> Any:
    """The values in the middle of a longer column."""
    longer = made(k, [*values[:1], None, *values, *values[:1]], type_)
    return k.columns.slice([longer], 2, len(values))[0]


def longs(k: Kernels, values: list[int]) -> Any:
    return k.columns.from_arrow(pa.array(values, pa.int64()), LONG)


def listed(k: Kernels, data: Any, type_: DataType) -> list[Any]:
    values: list[Any] = k.columns.to_arrow(data, type_).to_pylist()
    return values


@pytest.mark.parametrize("make", [made, sliced])
@pytest.mark.parametrize(("type_", "values"), [(NUMBERS, ARRAYS), (WORDS, MAPS)])
def test_lengths(k: Kernels, make: Any, type_: DataType, values: list[Any]) -> None:
    data = make(k, values, type_)
    assert listed(k, k.nested.lengths(data), LONG) == [len(v or ()) for v in values]


@pytest.mark.parametrize("make", [made, sliced])
def test_elements(k: Kernels, make: Any) -> None:
    (numbers,) = k.nested.elements(make(k, ARRAYS, NUMBERS), NUMBERS)
    assert listed(k, numbers, INTEGER) == [1, None, 3, 4, 5, 6]
    keys, values = k.nested.elements(make(k, MAPS, WORDS), WORDS)
    assert listed(k, keys, STRING) == ["a", "b", "c"]
    assert listed(k, values, LONG) == [1, None, 3]


def test_elements_of_no_rows(k: Kernels) -> None:
    for values in ([], [None], [[]]):
        (numbers,) = k.nested.elements(made(k, values, NUMBERS), NUMBERS)
        assert k.columns.length(numbers) == 0


def test_elements_under_nulls_do_not_count(k: Kernels) -> None:
    lists = pa.ListArray.from_arrays(
        pa.array([0, 2, 3, 5], pa.int32()),
        pa.array([1, 2, 3, 4, 5], pa.int32()),
        mask=pa.array([False, True, False]),
    )
    data = k.columns.from_arrow(lists, NUMBERS)
    assert listed(k, k.nested.lengths(data), LONG) == [2, 0, 2]
    (numbers,) = k.nested.elements(data, NUMBERS)
    assert listed(k, numbers, INTEGER) == [1, 2, 4, 5]


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (decimal(10, 2), [Decimal("1.25"), None, Decimal("-3.00")]),
        (decimal(30, 2), [Decimal("1.25"), None, Decimal("12345678901234567890.50")]),
        (DATE, [dt.date(2020, 2, 29), None]),
        (TIMESTAMP, [dt.datetime(2020, 2, 29, 1, 2, 3, 4, dt.UTC), None]),
        (BINARY, [b"\x00\xff", None]),
        (NUMBERS, [[1], None, []]),
    ],
)
def test_elements_have_their_physical_form(k: Kernels, type_: DataType, values: list[Any]) -> None:
    array = ArrayType("array", type_, contains_null=True)
    (data,) = k.nested.elements(made(k, [values, None, values[:1]], array), array)
    assert listed(k, data, type_) == values + values[:1]
    if type_.is_decimal:
        zero = k.columns.scalar(0, type_)
        assert k.columns.length(k.compare.compare("less", data, zero)) == len(values) + 1


@pytest.mark.parametrize("make", [made, sliced])
def test_fields(k: Kernels, make: Any) -> None:
    numbers, strings = k.nested.fields(make(k, STRUCTS, PAIR), PAIR)
    assert listed(k, numbers, INTEGER) == [1, None, None]
    assert listed(k, strings, STRING) == ["a", None, "ä"]


def test_struct(k: Kernels) -> None:
    values: dict[DataType, list[Any]] = {
        decimal(10, 2): [Decimal("1.25"), None, Decimal("-3.00")],
        decimal(30, 2): [Decimal("1.25"), None, Decimal("12345678901234567890.50")],
        DATE: [dt.date(2020, 2, 29), None, dt.date(1, 1, 1)],
        TIMESTAMP: [dt.datetime(2020, 2, 29, 1, 2, 3, 4, dt.UTC), None, None],
        BINARY: [b"\x00\xff", None, b""],
        NUMBERS: [[1], None, []],
        PAIR: STRUCTS,
    }
    fields = tuple(StructField(f"f{n}", t, nullable=True) for n, t in enumerate(values))
    type_ = StructType("struct", fields)
    parts = [sliced(k, part, of) for of, part in values.items()]
    expected = [
        {field.name: part[row] for field, part in zip(fields, values.values(), strict=True)}
        for row in range(3)
    ]
    data = k.nested.struct(parts, type_)
    assert listed(k, data, type_) == expected
    again = k.nested.fields(data, type_)
    assert [listed(k, d, f.type) for d, f in zip(again, fields, strict=True)] == [*values.values()]


@pytest.mark.parametrize(("type_", "values"), CASES)
def test_nulls_in_the_place_of_no_rows(k: Kernels, type_: DataType, values: list[Any]) -> None:
    none = k.columns.slice([made(k, values, type_)], 0, 0)[0]
    mask = k.columns.from_arrow(pa.array([False] * 3), BOOLEAN)
    assert listed(k, k.columns.scatter(none, mask), type_) == [None] * 3
    rows = k.columns.from_arrow(pa.array([None, None], pa.int64()), LONG)
    assert listed(k, k.columns.take([none], rows)[0], type_) == [None] * 2
    nowhere = k.columns.from_arrow(pa.array([False] * len(values)), BOOLEAN)
    (kept,) = k.columns.filter([made(k, values, type_)], nowhere)
    assert listed(k, k.columns.scatter(kept, mask), type_) == [None] * 3


def test_literals(k: Kernels) -> None:
    pair = k.columns.scalar((7, "ä"), PAIR)
    assert listed(k, k.columns.full(pair, 2), PAIR) == [{"n": 7, "s": "ä"}] * 2
    numbers = k.columns.scalar((1, None), NUMBERS)
    assert listed(k, k.columns.full(numbers, 2), NUMBERS) == [[1, None]] * 2


@pytest.mark.parametrize("length", [1, 2, 3, 7, 100])
def test_unfold(k: Kernels, length: int) -> None:
    counts = [0, 2, 0, 0, 5, 1, 0, 3, 0]
    expected = [(row, n) for row, count in enumerate(counts) for n in range(count)]
    found: list[tuple[int, int]] = []
    for start in range(0, len(expected), length):
        size = min(length, len(expected) - start)
        rows, numbers = k.nested.unfold(longs(k, counts), start, size)
        found += zip(listed(k, rows, LONG), listed(k, numbers, LONG), strict=True)
    assert found == expected


@pytest.mark.parametrize("make", [made, sliced])
@pytest.mark.parametrize(("type_", "values"), CASES)
def test_nested_columns_are_moved(
    k: Kernels, make: Any, type_: DataType, values: list[Any]
) -> None:
    data = make(k, values, type_)
    size = len(values)
    assert listed(k, data, type_) == values
    indices = k.columns.from_arrow(pa.array([size - 1, None, 0, 0], pa.int64()), LONG)
    (taken,) = k.columns.take([data], indices)
    assert listed(k, taken, type_) == [values[-1], None, values[0], values[0]]
    mask = pa.array([i % 2 == 0 for i in range(size)])
    device_mask = k.columns.from_arrow(mask, DataType("boolean"))
    (kept,) = k.columns.filter([data], device_mask)
    assert listed(k, kept, type_) == values[::2]
    (joined,) = k.columns.concat([[data], [taken], [kept]])
    assert listed(k, joined, type_)[: size + 1] == [*values, values[-1]]
    (part,) = k.columns.slice([joined], size, 3)
    assert listed(k, part, type_) == [values[-1], None, values[0]]
    (none,) = k.columns.take([k.columns.slice([data], 0, 0)[0]], longs(k, []))
    assert listed(k, none, type_) == []
    assert k.columns.nbytes(part) >= 0
    assert k.columns.null_count(data) == sum(v is None for v in values)
    spread = k.columns.scatter(kept, device_mask)
    assert listed(k, spread, type_) == [v if i % 2 == 0 else None for i, v in enumerate(values)]
    nothing = k.columns.full(k.columns.scalar(None, type_), 2)
    assert listed(k, nothing, type_) == [None, None]
    first = k.columns.full(k.columns.first(data), 2)
    assert listed(k, first, type_) == [values[0]] * 2
    condition = k.logic.if_else(device_mask, data, nothing_like(k, data))
    assert listed(k, condition, type_) == listed(k, spread, type_)


def nothing_like(k: Kernels, data: Any) -> Any:
    """A null for each row."""
    size = k.columns.length(data)
    indices = k.columns.from_arrow(pa.array([None] * size, pa.int64()), LONG)
    return k.columns.take([data], indices)[0]


def test_arrays_of_elements(k: Kernels) -> None:
    elements = [1, None, -5, 7]
    for data in layouts(k, elements, LONG):
        made_ = k.nested.array(
            longs(k, [0, 2, 2, 4]), data, ArrayType("array", LONG, contains_null=True)
        )
        found = k.columns.to_arrow(made_, ArrayType("array", LONG, contains_null=True))
        assert found.to_pylist() == [[1, None], [], [-5, 7]]
    cents = ArrayType("array", decimal(9, 2), contains_null=True)
    made_ = k.nested.array(longs(k, [0, 1]), array(k, [125], decimal(9, 2)), cents)
    assert k.columns.to_arrow(made_, cents).to_pylist() == [[Decimal("1.25")]]
    words = ArrayType("array", STRING, contains_null=True)
    nothing = k.nested.array(longs(k, [0]), array(k, [], STRING), words)
    assert k.columns.length(nothing) == 0


def test_joined_texts(k: Kernels) -> None:
    for data in layouts(k, ["a", "", "ß", "b"], STRING):
        joined = k.nested.joined(longs(k, [0, 3, 3, 4]), data, ", ")
        assert rows_of(k, joined, STRING) == ["a, , ß", "", "b"]
    assert rows_of(k, k.nested.joined(longs(k, [0]), array(k, [], STRING), "-"), STRING) == []
