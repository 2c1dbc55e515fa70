"""Each aggregate of the rows of a group and of all rows."""

from __future__ import annotations

import math
import random
from functools import reduce
from typing import Any

import pyarrow as pa
import pytest

from broadhead.kernels.interface import Kernels, Request
from broadhead.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    decimal,
)
from kernels.grouping import PLACES, by_key, check, grouped, whole
from kernels.physical import HUGE, WIDE, array, digits, layouts, mask, same, sliced, values
from kernels.test_columns import SAMPLES


@pytest.mark.parametrize("type", [BYTE, SHORT, INTEGER, LONG], ids=lambda t: t.name)
def test_sums_of_integers(k: Kernels, type: DataType) -> None:
    most = {BYTE: 127, SHORT: 2**15 - 1, INTEGER: 2**31 - 1, LONG: 2**62}[type]
    rows = [most, None, None, most, 5, None, -7, None]
    expected = [2 * most if type != LONG else -(2**63), 5, None, -7]
    check(k, "sum", rows, type, LONG, expected)
    total = sum(v for v in rows if v is not None)
    wrapped = (total + 2**63) % 2**64 - 2**63
    for data in layouts(k, rows, type):
        assert whole(k, "sum", data, LONG) == wrapped


@pytest.mark.parametrize("type", [FLOAT, DOUBLE], ids=lambda t: t.name)
def test_sums_of_floats(k: Kernels, type: DataType) -> None:
    rows = [0.5, math.inf, None, 0.25, -math.inf, None, math.nan, None]
    check(k, "sum", rows, type, DOUBLE, [0.75, math.nan, None, math.nan])
    big = [3e38, 1.0, None, 3e38, 2.0, None, -0.5, None]
    if type == FLOAT:
        single = [float(pa.scalar(v, pa.float32()).as_py()) if v else v for v in big]
        check(k, "sum", single, type, DOUBLE, [2 * single[0], 3.0, None, -0.5])  # type: ignore[operator]


def test_checked_sums(k: Kernels) -> None:
    most, least = 2**63 - 1, -(2**63)
    rows = [most, least, None, 1, -1, None, most, -1]
    # most + 1 - 1 fits, but not after its second row
    expected = [(None, True), (None, True), (None, False), (most, False)]
    check(k, "sum_checked", rows, LONG, LONG, expected)
    rows = [most, least, None, 1, 5, None, most, None]
    expected = [(None, True), (least + 5, False), (None, False), (most, False)]
    check(k, "sum_checked", rows, LONG, LONG, expected)
    check(
        k, "sum_checked", [1, 2, None, 3, 4, 5, 6, None], LONG, LONG,
        [(4, False), (6, False), (5, False), (6, False)],
    )  # fmt: skip
    assert whole(k, "sum_checked", array(k, [most, 1], LONG), LONG) == (None, True)
    assert whole(k, "sum_checked", array(k, [most, 1, -1], LONG), LONG) == (None, True)
    assert whole(k, "sum_checked", array(k, [], LONG), LONG) == (None, False)


def test_checked_sums_of_many_rows(k: Kernels) -> None:
    rows = [2**62] * 6 + [-(2**62)] * 5
    assert whole(k, "sum_checked", array(k, rows, LONG), LONG) == (None, True)
    rows = [2**61] * 3 + [-(2**61)] * 3
    assert whole(k, "sum_checked", array(k, rows, LONG), LONG) == (0, False)


def exact(rows: list[int | None], precision: int) -> tuple[int | None, bool]:
    """The sum of decimals, and whether an order of additions is too long on its way."""
    numbers = [v for v in rows if v is not None]
    above, below = sum(v for v in numbers if v > 0), sum(v for v in numbers if v < 0)
    if max(above, -below) >= 10**precision:
        return None, True
    return (sum(numbers) if numbers else None), False


@pytest.mark.parametrize("precision", [10, 18, 20, 38])
def test_sums_of_decimals(k: Kernels, precision: int) -> None:
    edge = 10**precision - 1
    half = edge // 2
    outcomes = set()
    for rows in (
        [edge, -edge, None, 1, -1, None, edge, -1],
        [edge, -edge, 7, 1, 5, None, None, None],
        [edge, -edge, None, 5, 1, None, -1, edge - 1],
        [half, -half, None, half, -half, None, half, -half],
        [edge, edge, None, edge, -edge, None, 1, -edge],
    ):
        expected = [exact([rows[i] for i in places], precision) for places in PLACES]
        outcomes |= {(total is None, failed) for total, failed in expected}
        for data in layouts(k, rows, decimal(precision, 0)):
            assert grouped(k, "sum_unscaled", data, WIDE, precision) == expected
            assert whole(k, "sum_unscaled", data, WIDE, precision) == exact(rows, precision)
    assert outcomes == {(True, True), (True, False), (False, False)}


def test_sums_of_decimals_beyond_128_bits(k: Kernels) -> None:
    edge = 10**38 - 1
    rows = [edge, edge, None, edge, 5, None, 1, -7]
    expected = [exact([rows[i] for i in places], 38) for places in PLACES]
    for data in (array(k, rows, WIDE), sliced(k, rows, WIDE)):
        assert grouped(k, "sum_unscaled", data, WIDE, 38) == expected
    back = [edge] * 5 + [-edge] * 4
    assert whole(k, "sum_unscaled", array(k, back, WIDE), WIDE, 38) == (None, True)
    assert whole(k, "sum_unscaled", array(k, [edge, -edge], WIDE), WIDE, 38) == (0, False)
    assert whole(k, "sum_unscaled", array(k, [edge] * 8, WIDE), WIDE, 38) == (None, True)
    assert whole(k, "sum_unscaled", array(k, [], WIDE), WIDE, 38) == (None, False)


def test_random_sums_of_decimals(k: Kernels) -> None:
    random_ = random.Random(14)
    for bits in (20, 60, 62, 90, 120):
        rows = [
            random_.randrange(-(2**bits), 2**bits) if random_.random() < 0.9 else None
            for _ in range(400)
        ]
        keys = [random_.randrange(7) for _ in rows]
        for data in layouts(k, rows, WIDE):
            grouping = k.group.group([array(k, keys, INTEGER)], len(keys))
            ((total, failed),) = grouping.aggregate([Request("sum_unscaled", data, 38)])
            found = by_key(k, grouping, [INTEGER], digits(k, total))
            assert found == {
                (key,): sum(
                    v for v, g in zip(rows, keys, strict=True) if g == key and v is not None
                )
                for key in set(keys)
            }
            assert failed is None


@pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_counts(k: Kernels, type: DataType, sample: list[Any]) -> None:
    value = sample[0]
    rows = [value, None, None, value, None, None, value, None]
    check(k, "count", rows, type, LONG, [2, 0, 0, 1])
    for data in layouts(k, rows, type):
        assert whole(k, "count", data, LONG) == 3
        assert whole(k, "count", k.columns.slice([data], 0, 0)[0], LONG) == 0


ORDERED: list[tuple[DataType, list[Any]]] = [
    (BOOLEAN, [False, False, True]),
    (BYTE, [-128, 0, 127]),
    (INTEGER, [-(2**31), 0, 2**31 - 1]),
    (LONG, [-(2**63), 0, 2**63 - 1]),
    (FLOAT, [-math.inf, 0.5, math.nan]),
    (DOUBLE, [-math.inf, math.inf, math.nan]),
    (decimal(18, 0), [-5, 0, 10**18 - 1]),
    (WIDE, [-HUGE, 2**64, 10**38 - 1]),
    (STRING, ["", "\uffff", "😀"]),
    (BINARY, [b"", b"\x7f", b"\x80"]),
    (BINARY, [b"\xf8", b"\xff", b"\xff\x00"]),
    (DATE, [-(2**31), 0, 2**31 - 1]),
    (TIMESTAMP, [-(2**63), 0, 2**63 - 1]),
]


@pytest.mark.parametrize(("type", "ascending"), ORDERED, ids=lambda v: getattr(v, "name", ""))
def test_extremes(k: Kernels, type: DataType, ascending: list[Any]) -> None:
    a, b, c = ascending
    rows = [b, c, None, a, c, None, None, c]
    check(k, "min", rows, type, type, [a, c, None, None])
    check(k, "max", rows, type, type, [c, c, None, None])
    for data in layouts(k, rows, type):
        assert same([whole(k, "min", data, type)], [a])
        assert same([whole(k, "max", data, type)], [c])
        none = k.columns.slice([data], 0, 0)[0]
        assert whole(k, "min", none, type) is None
        assert whole(k, "max", none, type) is None


@pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_first_and_last(k: Kernels, type: DataType, sample: list[Any]) -> None:
    a, c, e = sample[0], sample[2], sample[3]
    rows = [None, a, c, c, None, None, None, e]
    for kind, expected in (
        ("first", [None, a, c, None]),
        ("last", [e, None, None, None]),
        ("first_valid", [c, a, c, None]),
        ("last_valid", [e, a, c, None]),
    ):
        check(k, kind, rows, type, type, expected)
    for data in layouts(k, rows, type):
        assert whole(k, "first", data, type) is None
        for kind, value in (("last", e), ("first_valid", a), ("last_valid", e)):
            assert same([whole(k, kind, data, type)], [value])
        none = k.columns.slice([data], 0, 0)[0]
        for kind in ("first", "last", "first_valid", "last_valid"):
            assert whole(k, kind, none, type) is None


def test_first_and_last_of_arrays(k: Kernels) -> None:
    type = ArrayType("array", INTEGER, True)
    lists = [None, [1], [], [2, 3], None, None, None, [4]]
    data = k.columns.from_arrow(pa.array(lists, pa.list_(pa.field("element", pa.int32()))), type)
    for kind, expected in (
        ("first", [None, [1], [], None]),
        ("last", [[4], None, None, None]),
        ("first_valid", [[2, 3], [1], [], None]),
        ("last_valid", [[4], [1], [], None]),
    ):
        assert grouped(k, kind, data, type) == expected


def moment2(rows: list[Any]) -> float | None:
    numbers = [v for v in rows if v is not None]
    if not numbers:
        return None
    mean = math.fsum(numbers) / len(numbers)
    return math.fsum((v - mean) ** 2 for v in numbers)


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_moments(k: Kernels, offset: float) -> None:
    rows = [v if v is None else v + offset for v in (1.0, 2.0, None, 4.0, None, None, 5.5, -3.25)]
    expected = [moment2([rows[i] for i in places]) for places in PLACES]
    for data in layouts(k, rows, DOUBLE):
        found = grouped(k, "moment2", data, DOUBLE)
        for have, want in zip(found, expected, strict=True):
            assert have == (want if want is None else pytest.approx(want, rel=1e-9, abs=1e-12))
        assert whole(k, "moment2", data, DOUBLE) == pytest.approx(moment2(rows), rel=1e-9)
    nan = grouped(k, "moment2", array(k, [math.nan, *rows[1:]], DOUBLE), DOUBLE)[0]
    assert math.isnan(nan)
    infinite = grouped(k, "moment2", array(k, [math.inf, *rows[1:]], DOUBLE), DOUBLE)[0]
    assert math.isnan(infinite)
    assert whole(k, "moment2", array(k, [], DOUBLE), DOUBLE) is None


LISTS = ArrayType("array", LONG, True)
ROW_SAMPLES: list[tuple[Any, int, list[Any], DataType, DataType]] = [
    ("sum", 0, [1, None, -3, 2**62], LONG, LONG),
    ("sum", 0, [1, None, -3, 127], BYTE, LONG),
    ("sum", 0, [-0.0, None, math.nan, -math.inf, 1.5], DOUBLE, DOUBLE),
    ("sum", 0, [-0.0, None, math.nan, -math.inf, 1.5], FLOAT, DOUBLE),
    ("sum_checked", 0, [1, None, 2**63 - 1, -(2**63)], LONG, LONG),
    ("sum_unscaled", 18, [1, None, 10**18 - 1, -5], decimal(18, 0), decimal(18, 0)),
    ("sum_unscaled", 38, [1, None, 10**38 - 1, -(10**20)], WIDE, WIDE),
    ("sum_unscaled", 2, [99, None, 100, -100], decimal(4, 0), decimal(4, 0)),
    ("count", 0, ["a", None, ""], STRING, LONG),
    ("moment2", 0, [1.5, None, math.nan, math.inf, -2.5], DOUBLE, DOUBLE),
    *(
        (kind, 0, sample, type, type)
        for kind in ("min", "max", "first", "last", "first_valid", "last_valid")
        for type, sample in [
            (LONG, [1, None, -3]),
            (DOUBLE, [1.5, None, math.nan, -math.inf]),
            (BOOLEAN, [True, None, False]),
            (STRING, ["a", None, ""]),
            (WIDE, [10**38 - 1, None, -(10**20)]),
        ]
    ),
]


@pytest.mark.parametrize(
    ("kind", "argument", "rows", "type", "result"),
    ROW_SAMPLES,
    ids=lambda v: v if isinstance(v, str) else getattr(v, "name", ""),
)
def test_each_row_is_a_group_of_different_keys(
    k: Kernels, kind: Any, argument: int, rows: list[Any], type: DataType, result: DataType
) -> None:
    numbers = list(range(len(rows)))
    keys = [array(k, numbers, LONG)]
    for data in layouts(k, rows, type):
        answers = []
        for make in (k.group.group, k.group.each_row):
            grouping = make(keys, len(rows))
            assert grouping.size == len(rows)
            (answer,) = grouping.aggregate([Request(kind, data, argument)])
            failed: Any = None
            if isinstance(answer, tuple):
                answer, found = answer
                failed = mask(k, found, len(rows))
            values_ = digits(k, answer) if result.is_decimal else values(k, answer, result)
            named = by_key(k, grouping, [LONG], values_)
            answers.append([named[(number,)] for number in numbers])
            answers.append([failed])
        assert same(answers[0], answers[2])
        assert answers[1] == answers[3]
        if kind == "sum" and type.is_floating:
            assert math.copysign(1.0, answers[2][0]) == 1.0


def test_each_row_keeps_equal_keys_apart(k: Kernels) -> None:
    grouping = k.group.each_row([array(k, ["a", "a", None], STRING)], 3)
    assert grouping.size == 3
    assert values(k, grouping.keys[0], STRING) == ["a", "a", None]
    spread = grouping.spread(array(k, [1, 2, 3], LONG))
    assert values(k, spread, LONG) == [1, 2, 3]
    lists = k.columns.from_arrow(pa.array([[1], None, []], pa.list_(pa.int64())), LISTS)
    counts, firsts = grouping.aggregate([Request("count", lists), Request("first", lists)])
    assert values(k, counts, LONG) == [1, 0, 1]
    assert k.columns.to_arrow(firsts, LISTS).to_pylist() == [[1], None, []]
    empty = k.group.each_row([array(k, [], LONG)], 0)
    (count,) = empty.aggregate([Request("count", array(k, [], LONG))])
    assert (empty.size, values(k, count, LONG)) == (0, [])


def test_bits_of_integers(k: Kernels) -> None:
    operations = {"bit_and": lambda a, b: a & b, "bit_or": lambda a, b: a | b}
    operations["bit_xor"] = lambda a, b: a ^ b
    for type, least in ((BYTE, -128), (SHORT, -(2**15)), (INTEGER, -(2**31)), (LONG, -(2**63))):
        rows = [7, least, None, -3, 5, None, least + 1, None]
        for kind, operation in operations.items():
            expected = [
                reduce(operation, found) if found else None
                for found in ([rows[i] for i in at if rows[i] is not None] for at in PLACES)
            ]
            check(k, kind, rows, type, type, expected)
            everything = reduce(operation, [row for row in rows if row is not None])
            assert whole(k, kind, array(k, rows, type), type) == everything
            assert whole(k, kind, array(k, [], type), type) is None


@pytest.mark.parametrize(
    ("type", "rows", "least", "greatest"),
    [
        (LONG, [5, 2, None, 5, 1, None, None, 3], [7, 4, None, None], [3, 1, None, None]),
        (DOUBLE, [math.nan, 0.0, None, 1.5, -0.0, None, math.nan, math.nan],
         [3, 4, None, 6], [7, 4, None, 6]),
        (STRING, ["b", "", "x", "b", "ä", "", None, "a"], [7, 1, 5, None], [3, 4, 2, None]),
        (BOOLEAN, [True, False, None, True, False, None, True, False],
         [7, 4, None, 6], [3, 4, None, 6]),
        (WIDE, [HUGE, -HUGE, None, HUGE, 0, None, 1, 5], [7, 1, None, 6], [3, 4, None, 6]),
    ],
)  # fmt: skip
def test_last_rows_with_an_extreme(
    k: Kernels, type: DataType, rows: list[Any], least: list[Any], greatest: list[Any]
) -> None:
    for data in layouts(k, rows, type):
        assert grouped(k, "last_of_min", data, LONG) == least
        assert grouped(k, "last_of_max", data, LONG) == greatest
    assert whole(k, "last_of_max", array(k, [], type), LONG) is None
