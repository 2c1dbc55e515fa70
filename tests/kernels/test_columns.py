"""Making, moving and measuring columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from broadhead import arrow_layout
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
    VOID,
    YEAR_MONTH_INTERVAL,
    ArrayType,
    DataType,
    decimal,
)
from kernels.physical import (
    HUGE,
    WIDE,
    array,
    digits,
    host,
    layouts,
    same,
    scalar,
    sliced,
    values,
    wide,
)

SAMPLES: list[tuple[DataType, list[Any]]] = [
    (BOOLEAN, [True, None, False, True, None]),
    (BYTE, [-128, None, 0, 127, 5]),
    (SHORT, [-(2**15), None, 0, 2**15 - 1, 5]),
    (INTEGER, [-(2**31), None, 0, 2**31 - 1, 5]),
    (LONG, [-(2**63), None, 0, 2**63 - 1, 5]),
    (FLOAT, [-math.inf, None, -0.0, math.nan, 0.5]),
    (DOUBLE, [-math.inf, None, -0.0, math.nan, 5e-324]),
    (decimal(18, 2), [-(10**18) + 1, None, 0, 10**18 - 1, 5]),
    (decimal(38, 5), [-(10**38) + 1, None, 0, 10**38 - 1, 5]),
    (STRING, ["", None, "añ😀", "a\0b", "x" * 300]),
    (BINARY, [b"", None, b"\xff\x00", b"a", b"x" * 300]),
    (DATE, [-(2**31), None, 0, 2**31 - 1, 5]),
    (TIMESTAMP, [-(2**63), None, 0, 2**63 - 1, 5]),
    (TIMESTAMP_NTZ, [-(2**63), None, 0, 2**63 - 1, 5]),
    (YEAR_MONTH_INTERVAL, [-(2**31), None, 0, 2**31 - 1, 5]),
    (DAY_TIME_INTERVAL, [-(2**63), None, 0, 2**63 - 1, 5]),
]
TYPES = pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))


@TYPES
def test_scalars_fill_columns(k: Kernels, type: DataType, sample: list[Any]) -> None:
    for value in sample:
        one = scalar(k, value, type)
        assert k.columns.is_scalar(one)
        assert same(values(k, k.columns.full(one, 3), type), [value] * 3)
        assert k.columns.length(k.columns.full(one, 0)) == 0


@TYPES
def test_first_is_the_scalar_of_row_0(k: Kernels, type: DataType, sample: list[Any]) -> None:
    for start in range(len(sample)):
        for data in layouts(k, sample[start:], type):
            one = k.columns.first(data)
            assert k.columns.is_scalar(one)
            assert same(values(k, k.columns.full(one, 2), type), [sample[start]] * 2)


@TYPES
def test_rows_are_chosen(k: Kernels, type: DataType, sample: list[Any]) -> None:
    kept = [True, None, False, True, True]
    for data, choice in zip(
        layouts(k, sample, type), (array(k, kept, BOOLEAN), sliced(k, kept, BOOLEAN)), strict=False
    ):
        one, two = k.columns.filter([data, data], choice)
        assert same(values(k, one, type), [sample[0], sample[3], sample[4]])
        assert same(values(k, two, type), [sample[0], sample[3], sample[4]])
        for everything in (True, False):
            (some,) = k.columns.filter([data], array(k, [everything] * 5, BOOLEAN))
            assert same(values(k, some, type), sample if everything else [])


@TYPES
@pytest.mark.parametrize("share", [2, 20, 38, 39])
def test_few_or_most_rows_are_chosen(
    k: Kernels, type: DataType, sample: list[Any], share: int
) -> None:
    rows, kept = sample * 8, [place * 7 % 40 < share or None for place in range(40)]
    for data, choice in zip(
        layouts(k, rows, type), (array(k, kept, BOOLEAN), sliced(k, kept, BOOLEAN)), strict=False
    ):
        (chosen,) = k.columns.filter([data], choice)
        wanted = [row for row, keep in zip(rows, kept, strict=True) if keep]
        assert same(values(k, chosen, type), wanted)


@TYPES
@pytest.mark.parametrize("width", [INTEGER, LONG])
@pytest.mark.parametrize("wanted", [[4, None, 0, 0, 3], [None, 3, None, None, 0, 1, None, None]])
def test_rows_are_taken(
    k: Kernels, type: DataType, sample: list[Any], width: DataType, wanted: list[int | None]
) -> None:
    for data, indices in zip(layouts(k, sample, type), layouts(k, wanted, width), strict=False):
        (taken,) = k.columns.take([data], indices)
        assert same(values(k, taken, type), [None if i is None else sample[i] for i in wanted])
        (none,) = k.columns.take([data], array(k, [], width))
        assert values(k, none, type) == []


def test_null_indices_into_no_rows(k: Kernels) -> None:
    (taken,) = k.columns.take([array(k, [], LONG)], array(k, [None, None], LONG))
    assert values(k, taken, LONG) == [None, None]


@TYPES
def test_slices(k: Kernels, type: DataType, sample: list[Any]) -> None:
    for data in layouts(k, sample, type):
        for offset in range(6):
            for length in range(6 - offset):
                (part,) = k.columns.slice([data], offset, length)
                assert same(values(k, part, type), sample[offset : offset + length])
                assert k.columns.length(part) == length
                assert k.columns.null_count(part) == sample[offset : offset + length].count(None)


@TYPES
def test_tables_are_put_together(k: Kernels, type: DataType, sample: list[Any]) -> None:
    parts = [*layouts(k, sample, type), array(k, [], type), array(k, [None], type)]
    one, two = k.columns.concat([[part, part] for part in parts])
    expected = sample * (len(parts) - 2) + [None]
    assert same(values(k, one, type), expected)
    assert same(values(k, two, type), expected)
    (alone,) = k.columns.concat([[parts[0]]])
    assert same(values(k, alone, type), sample)


def test_narrow_and_wide_data_are_put_together(k: Kernels) -> None:
    parts = [[array(k, [1, None], WIDE)], [wide(k, [2, None])], [array(k, [-HUGE], WIDE)]]
    (joined,) = k.columns.concat(parts)
    assert digits(k, joined) == [1, None, 2, None, -HUGE]


@TYPES
def test_place(k: Kernels, type: DataType, sample: list[Any]) -> None:
    size = 2 * len(sample) + 3
    positions = [size - 1 - 2 * n for n in range(len(sample))]
    wanted: list[Any] = [None] * size
    for position, value in zip(positions, sample, strict=True):
        wanted[position] = value
    for data in layouts(k, sample, type):
        placed = k.columns.put(data, array(k, positions, LONG), size)
        assert same(values(k, placed, type), wanted)
    nothing = k.columns.put(array(k, [], type), array(k, [], LONG), 2)
    assert values(k, nothing, type) == [None, None]


@TYPES
def test_scatter(k: Kernels, type: DataType, sample: list[Any]) -> None:
    places = [False, True, True, False, True, True, True, False]
    expected = [None, *sample[:2], None, *sample[2:], None]
    for data, mask in zip(
        layouts(k, sample, type),
        (array(k, places, BOOLEAN), sliced(k, places, BOOLEAN)),
        strict=False,
    ):
        assert same(values(k, k.columns.scatter(data, mask), type), expected)
        all_true = array(k, [True] * 5, BOOLEAN)
        assert same(values(k, k.columns.scatter(data, all_true), type), sample)
    none = k.columns.scatter(array(k, [], type), array(k, [False] * 3, BOOLEAN))
    assert values(k, none, type) == [None] * 3


def test_sequence(k: Kernels) -> None:
    assert values(k, k.columns.sequence(4), LONG) == [0, 1, 2, 3]
    assert values(k, k.columns.sequence(0), LONG) == []


def test_bytes_are_those_of_the_rows(k: Kernels) -> None:
    longs = array(k, list(range(1000)), LONG)
    assert 8000 <= k.columns.nbytes(longs) <= 8256
    (part,) = k.columns.slice([longs], 500, 100)
    assert 800 <= k.columns.nbytes(part) <= 1056
    texts = array(k, ["x" * 100] * 1000, STRING)
    assert 104_000 <= k.columns.nbytes(texts) <= 109_000
    (part,) = k.columns.slice([texts], 500, 100)
    assert 10_400 <= k.columns.nbytes(part) <= 11_500
    assert k.columns.nbytes(array(k, [], STRING)) < 256


def test_void(k: Kernels) -> None:
    data = k.columns.from_arrow(pa.nulls(3), VOID)
    assert k.columns.null_count(data) == 3
    assert k.columns.to_arrow(data, VOID).equals(pa.nulls(3))
    one = k.columns.full(scalar(k, None, VOID), 2)
    assert k.columns.to_arrow(one, VOID).equals(pa.nulls(2))


def test_nested_rows_move_too(k: Kernels) -> None:
    type = ArrayType("array", INTEGER, True)
    lists = [[1, None], None, [], [2], [3, 4]]
    field = pa.field("element", pa.int32(), True)
    given = pa.array(lists, pa.list_(field))
    data = k.columns.from_arrow(given, type)
    (kept,) = k.columns.filter([data], array(k, [True, True, False, None, True], BOOLEAN))
    assert k.columns.to_arrow(kept, type).to_pylist() == [[1, None], None, [3, 4]]
    (taken,) = k.columns.take([data], array(k, [4, None, 0], LONG))
    assert k.columns.to_arrow(taken, type).to_pylist() == [[3, 4], None, [1, None]]
    (part,) = k.columns.slice([data], 2, 2)
    assert k.columns.to_arrow(part, type).to_pylist() == [[], [2]]
    (both,) = k.columns.concat([[part], [data]])
    assert k.columns.to_arrow(both, type).to_pylist() == [[], [2], *lists]
    assert k.columns.to_arrow(data, type).type == given.type


def test_nothing_is_lost_in_a_round_trip(k: Kernels) -> None:
    for type, sample in SAMPLES:
        given = host(sample, type)
        back = k.columns.to_arrow(k.columns.from_arrow(given, type), type)
        assert back.type == given.type
        back.validate(full=True)
        assert same(values(k, k.columns.from_arrow(back, type), type), sample)


@TYPES
def test_columns_go_to_the_host_and_back(k: Kernels, type: DataType, sample: list[Any]) -> None:
    for data in [*layouts(k, sample, type), array(k, [], type), array(k, [None, None], type)]:
        there = k.columns.to_host(data, type)
        assert len(there) == k.columns.length(data)
        back = k.columns.from_host(there, type)
        assert same(values(k, back, type), values(k, data, type))


MANY = 70_000


@pytest.mark.parametrize("type", [SHORT, INTEGER, LONG, DATE, TIMESTAMP, decimal(12, 2)])
@pytest.mark.parametrize("span", [1, 200, 60_000, 1 << 31, 1 << 40])
@pytest.mark.parametrize("nulls", [False, True])
def test_many_integers_go_to_the_host_and_back(
    k: Kernels, type: DataType, span: int, nulls: bool
) -> None:
    span = min(span, 60_000 if type == SHORT else 1 << 31 if type in {INTEGER, DATE} else span)
    numbers = (np.arange(MANY) * 7919) % span - span // 2
    mask = np.arange(MANY) % 3 == 0 if nulls else None
    if type.is_decimal or type == TIMESTAMP:
        data = k.columns.from_host(pa.array(numbers, mask=mask), type)
    else:
        width = pa.int32() if type == DATE else arrow_layout.arrow_type(type)
        whole = pa.array(numbers, mask=mask).cast(width).view(arrow_layout.arrow_type(type))
        data = k.columns.from_host(whole, type)
    expected = k.columns.to_arrow(data, type)
    for start, length in ((0, MANY), (4_001, MANY - 4_001), (5, 3)):
        (part,) = k.columns.slice([data], start, length)
        there = k.columns.to_host(part, type)
        assert len(there) == length
        assert there.null_count == expected.slice(start, length).null_count
        back = k.columns.from_host(there, type)
        assert k.columns.to_arrow(back, type).equals(expected.slice(start, length))


def test_many_null_integers_go_to_the_host_and_back(k: Kernels) -> None:
    data = k.columns.full(k.columns.scalar(None, LONG), MANY)
    back = k.columns.from_host(k.columns.to_host(data, LONG), LONG)
    assert k.columns.null_count(back) == MANY


def test_many_texts_go_to_the_host_and_back(k: Kernels) -> None:
    texts = pa.array([None if n % 7 == 0 else "ä" * (n % 5) for n in range(MANY)])
    for type, given in ((STRING, texts), (BINARY, texts.cast(pa.binary()))):
        data = k.columns.from_host(given, type)
        for start, length in ((0, MANY), (1, 100), (MANY - 3, 3)):
            (part,) = k.columns.slice([data], start, length)
            assert k.columns.to_host(part, type).equals(given.slice(start, length))
