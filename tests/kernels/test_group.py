"""Hash aggregation of what is in memory."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

from broadhead.kernels.interface import Kernels
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
from kernels.physical import (
    HUGE,
    WIDE,
    array,
    digits,
    layouts,
    mask,
    same,
    sliced,
    values,
    wide,
)
from kernels.test_columns import SAMPLES

KEYS = [2, 1, None, 2, 1, None, 3, 2]
PLACES = [[0, 3, 7], [1, 4], [2, 5], [6]]
"""The rows of each of the groups 2, 1, null and 3."""


def canonical(key: Any) -> Any:
    if isinstance(key, float):
        return "NaN" if math.isnan(key) else key + 0.0
    return key


def by_key(k: Kernels, grouping: Any, types: Sequence[DataType], column: Sequence[Any]) -> Any:
    """The results of each group, under its keys."""
    keys = [values(k, key, type) for key, type in zip(grouping.keys, types, strict=True)]
    assert all(len(key) == grouping.size for key in keys)
    assert len(column) == grouping.size
    names = [tuple(map(canonical, row)) for row in zip(*keys, strict=True)]
    assert len(set(names)) == len(names)
    return dict(zip(names, column, strict=True))


def grouped(k: Kernels, kind: Any, column: Any, type: DataType, argument: int = 0) -> list[Any]:
    """One aggregate of the groups 2, 1, null and 3; with a mask, pairs."""
    grouping = k.group.group([array(k, KEYS, LONG)], len(KEYS))
    (result,) = grouping.aggregate([(kind, column, argument)])
    failed: Any = None
    if isinstance(result, tuple):
        result, found = result
        failed = mask(k, found, grouping.size)
    rows = digits(k, result) if type.is_decimal else values(k, result, type)
    if failed is not None:
        rows = list(zip(rows, failed, strict=True))
    named = by_key(k, grouping, [LONG], rows)
    return [named[(key,)] for key in (2, 1, None, 3)]


def whole(k: Kernels, kind: Any, column: Any, type: DataType, argument: int = 0) -> Any:
    """One aggregate of all rows."""
    grouping = k.group.group([], k.columns.length(column))
    assert grouping.size == 1
    assert grouping.keys == []
    (result,) = grouping.aggregate([(kind, column, argument)])
    if isinstance(result, tuple):
        (row,) = digits(k, result[0]) if type.is_decimal else values(k, result[0], type)
        return row, mask(k, result[1], 1)[0]
    (row,) = digits(k, result) if type.is_decimal else values(k, result, type)
    return row


def check(
    k: Kernels, kind: Any, rows: list[Any], type: DataType, result: DataType, expected: list[Any]
) -> None:
    for data in layouts(k, rows, type):
        assert same(grouped(k, kind, data, result), expected)


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


@pytest.mark.parametrize("precision", [10, 18, 20, 38])
def test_sums_of_decimals(k: Kernels, precision: int) -> None:
    edge = 10**precision - 1
    rows = [edge, -edge, None, 1, -1, None, edge, -1]
    expected = [(edge, False), (None, True), (None, False), (edge, False)]
    for data in layouts(k, rows, decimal(precision, 0)):
        assert grouped(k, "sum_unscaled", data, WIDE, precision) == expected
    rows = [edge, -edge, 7, 1, 5, None, None, None]
    expected = [(None, True), (5 - edge, False), (7, False), (None, False)]
    for data in layouts(k, rows, decimal(precision, 0)):
        assert grouped(k, "sum_unscaled", data, WIDE, precision) == expected


def test_sums_of_decimals_beyond_128_bits(k: Kernels) -> None:
    edge = 10**38 - 1
    rows = [edge, edge, None, edge, -edge, None, 1, edge]
    expected = [(None, True), (0, False), (None, False), (1, False)]
    for data in (array(k, rows, WIDE), sliced(k, rows, WIDE)):
        assert grouped(k, "sum_unscaled", data, WIDE, 38) == expected
    back = [edge] * 5 + [-edge] * 4
    assert whole(k, "sum_unscaled", array(k, back, WIDE), WIDE, 38) == (edge, False)
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
            ((total, failed),) = grouping.aggregate([("sum_unscaled", data, 38)])
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


KEY_SAMPLES: list[tuple[DataType, list[Any]]] = [
    *SAMPLES,
    (STRING, ["A", "B", None, "A", "AB"]),
    (STRING, ["A", "B", "A", "B", "\0"]),
    (WIDE, [1, -1, None, 2**64, 2**64 + 1]),
    (DOUBLE, [-0.0, 0.0, math.nan, -math.nan, None]),
    (FLOAT, [-0.0, 0.0, math.nan, -math.nan, None]),
]


@pytest.mark.parametrize(("type", "sample"), KEY_SAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_keys(k: Kernels, type: DataType, sample: list[Any]) -> None:
    rows = [*sample, *sample[::-1], sample[0]]
    expected: dict[Any, int] = {}
    for row in rows:
        name = (canonical(row),)
        expected[name] = expected.get(name, 0) + 1
    ones = array(k, [1] * len(rows), LONG)
    for data in layouts(k, rows, type):
        grouping = k.group.group([data], len(rows))
        assert grouping.size == len(expected)
        (counts,) = grouping.aggregate([("count", ones, 0)])
        assert by_key(k, grouping, [type], values(k, counts, LONG)) == expected


def test_several_keys(k: Kernels) -> None:
    texts = ["A", "A", None, "B", "A", None, "A", "B"]
    flags = ["N", "O", "N", "N", "N", "N", None, "N"]
    numbers = [1.5, 1.5, math.nan, 0.0, 1.5, math.nan, 1.5, -0.0]
    types = [STRING, STRING, DOUBLE]
    columns: list[list[Any]] = [texts, flags, numbers]
    keys = [array(k, c, t) for c, t in zip(columns, types, strict=True)]
    grouping = k.group.group(keys, 8)
    (sums,) = grouping.aggregate([("sum", array(k, list(range(8)), INTEGER), 0)])
    assert by_key(k, grouping, types, values(k, sums, LONG)) == {
        ("A", "N", 1.5): 4,
        ("A", "O", 1.5): 1,
        (None, "N", "NaN"): 7,
        ("B", "N", 0.0): 10,
        ("A", None, 1.5): 6,
    }


def test_flags_do_not_run_together(k: Kernels) -> None:
    left, right = ["a", "b", "a", "b"], ["b", "a", "b", "b"]
    for offset in (0, 1):
        keys = [
            k.columns.slice([array(k, ["z"] * offset + side, STRING)], offset, 4)[0]
            for side in (left, right)
        ]
        grouping = k.group.group(keys, 4)
        (counts,) = grouping.aggregate([("count", keys[0], 0)])
        found = by_key(k, grouping, [STRING, STRING], values(k, counts, LONG))
        assert found == {("a", "b"): 2, ("b", "a"): 1, ("b", "b"): 1}


def test_many_groups(k: Kernels) -> None:
    random_ = random.Random(15)
    keys = [random_.randrange(-(2**40), 2**40) if i % 3 else i % 1000 for i in range(20_000)]
    expected: dict[Any, int] = {}
    for number, key in enumerate(keys):
        expected[(key,)] = expected.get((key,), 0) + number
    grouping = k.group.group([array(k, keys, LONG)], len(keys))
    (sums,) = grouping.aggregate([("sum", k.columns.sequence(len(keys)), 0)])
    assert by_key(k, grouping, [LONG], values(k, sums, LONG)) == expected


def test_no_rows(k: Kernels) -> None:
    for type in (LONG, STRING, WIDE, DOUBLE):
        grouping = k.group.group([array(k, [], type), array(k, [], STRING)], 0)
        assert grouping.size == 0
        assert [k.columns.length(key) for key in grouping.keys] == [0, 0]
        results = grouping.aggregate(
            [
                ("sum", array(k, [], INTEGER), 0),
                ("sum_checked", array(k, [], LONG), 0),
                ("sum_unscaled", array(k, [], WIDE), 38),
                ("count", array(k, [], STRING), 0),
                ("max", array(k, [], type), 0),
                ("first", array(k, [], type), 0),
                ("moment2", array(k, [], DOUBLE), 0),
            ]
        )
        for result in results:
            data = result[0] if isinstance(result, tuple) else result
            assert k.columns.length(data) == 0
        assert k.columns.length(grouping.spread(array(k, [], LONG))) == 0


def test_no_keys(k: Kernels) -> None:
    grouping = k.group.group([], 0)
    assert (grouping.size, list(grouping.keys)) == (1, [])
    results = grouping.aggregate([("sum", array(k, [], LONG), 0), ("count", array(k, [], LONG), 0)])
    assert [values(k, result, LONG) for result in results] == [[None], [0]]
    grouping = k.group.group([], 3)
    spread = grouping.spread(array(k, ["x"], STRING))
    assert values(k, spread, STRING) == ["x"] * 3


def test_no_requests(k: Kernels) -> None:
    grouping = k.group.group([array(k, KEYS, LONG)], len(KEYS))
    assert grouping.aggregate([]) == []
    assert set(values(k, grouping.keys[0], LONG)) == {1, 2, 3, None}
    assert k.group.group([], 5).aggregate([]) == []


def test_requests_share_a_call(k: Kernels) -> None:
    column = array(k, [5, 1, None, 7, 2, 4, 9, 6], LONG)
    grouping = k.group.group([array(k, KEYS, LONG)], len(KEYS))
    kinds = ["sum", "count", "min", "max", "first", "last", "sum"]
    results = grouping.aggregate([(kind, column, 0) for kind in kinds])  # type: ignore[misc]
    rows = list(zip(*(values(k, result, LONG) for result in results), strict=True))
    assert by_key(k, grouping, [LONG], rows) == {
        (2,): (18, 3, 5, 7, 5, 6, 18),
        (1,): (3, 2, 1, 2, 1, 2, 3),
        (None,): (4, 1, 4, 4, None, 4, 4),
        (3,): (9, 1, 9, 9, 9, 9, 9),
    }
    (again,) = grouping.aggregate([("max", column, 0)])
    assert by_key(k, grouping, [LONG], values(k, again, LONG))[(2,)] == 7


def test_spread(k: Kernels) -> None:
    for keys in (array(k, KEYS, LONG), sliced(k, KEYS, LONG)):
        grouping = k.group.group([keys], len(KEYS))
        (counts,) = grouping.aggregate([("count", k.columns.sequence(len(KEYS)), 0)])
        spread = values(k, grouping.spread(counts), LONG)
        assert spread == [3, 2, 2, 3, 2, 2, 1, 3]
        assert values(k, grouping.spread(grouping.keys[0]), LONG) == KEYS


@pytest.mark.parametrize(("type", "sample"), KEY_SAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_partitions_are_the_same_in_every_batch(
    k: Kernels, type: DataType, sample: list[Any]
) -> None:
    found: dict[Any, set[int]] = {}
    for rows in (sample, sample[::-1], [v for v in sample if v is not None], sample[:1]):
        for data in layouts(k, rows, type):
            parts = values(k, k.group.hash_partition([data], 16, 7), INTEGER)
            assert all(0 <= part < 16 for part in parts)
            for row, part in zip(rows, parts, strict=True):
                found.setdefault(canonical(row), set()).add(part)
    assert all(len(parts) == 1 for parts in found.values())


def test_partitions_of_both_widths_agree(k: Kernels) -> None:
    rows = [1, -1, None, 2**63 - 1, -(2**63), 12345]
    narrow = k.group.hash_partition([array(k, rows, WIDE)], 64, 1)
    broad = k.group.hash_partition([wide(k, rows)], 64, 1)
    assert values(k, narrow, INTEGER) == values(k, broad, INTEGER)


def test_partitions_are_even_and_seeded(k: Kernels) -> None:
    rows = list(range(8_000))
    texts = [f"key {n:05}" for n in rows]
    for keys in (
        [array(k, rows, LONG)],
        [array(k, [n * 1024 for n in rows], LONG)],
        [array(k, texts, STRING)],
        [array(k, [n % 20 for n in rows], INTEGER), array(k, [n // 20 for n in rows], DATE)],
        [array(k, [float(n) for n in rows], DOUBLE)],
    ):
        one, two = (values(k, k.group.hash_partition(keys, 8, seed), INTEGER) for seed in (1, 2))
        assert all(800 < one.count(part) < 1200 for part in range(8))
        # what one seed puts together, the next must take apart
        inside = [b for a, b in zip(one, two, strict=True) if a == 3]
        assert all(inside.count(part) > len(inside) / 16 for part in range(8))


def test_partitions_of_no_rows(k: Kernels) -> None:
    for type in (LONG, STRING, WIDE):
        data = k.group.hash_partition([array(k, [], type)], 4, 0)
        assert values(k, data, INTEGER) == []


def test_one_partition(k: Kernels) -> None:
    data = k.group.hash_partition([array(k, [1, None], LONG)], 1, 0)
    assert values(k, data, INTEGER) == [0, 0]


def test_groups_of_batches_can_be_merged(k: Kernels) -> None:
    batches: list[list[int | None]] = [[1, 2, None, 1], [2, 2, 3], [None]]
    tables: list[list[Any]] = []
    for rows in batches:
        grouping = k.group.group([array(k, rows, LONG)], len(rows))
        (counts,) = grouping.aggregate([("count", k.columns.sequence(len(rows)), 0)])
        tables.append([grouping.keys[0], counts])
    keys, counts = k.columns.concat(tables)
    merged = k.group.group([keys], k.columns.length(keys))
    (total,) = merged.aggregate([("sum", counts, 0)])
    found = by_key(k, merged, [LONG], values(k, total, LONG))
    assert found == {(1,): 2, (2,): 3, (3,): 1, (None,): 2}
    assert all(a != b for a, b in pairwise(sorted(map(str, found))))


@pytest.mark.parametrize("rows", [3, 5_000, 60_000])
def test_keys_that_come_in_order(k: Kernels, rows: int) -> None:
    rng = random.Random(rows)
    keys = sorted(rng.randrange(-rows, rows) for _ in range(rows))
    longs = [rng.randrange(-(2**40), 2**40) for _ in keys]
    gaps = [None if n % 3 == 0 else n for n in longs]
    floats = [rng.choice([0.5, -2.0, 8.0]) for _ in keys]
    texts = [rng.choice("abc") for _ in keys]
    grouping = k.group.group([array(k, keys, LONG)], rows)
    requests = [
        ("sum", array(k, longs, LONG), 0), ("sum", array(k, floats, DOUBLE), 0),
        ("min", array(k, longs, LONG), 0), ("max", array(k, texts, STRING), 0),
        ("count", array(k, gaps, LONG), 0), ("sum", array(k, gaps, LONG), 0),
        ("first", array(k, texts, STRING), 0), ("max", array(k, floats, DOUBLE), 0),
    ]  # fmt: skip
    types = [LONG, DOUBLE, LONG, STRING, LONG, LONG, STRING, DOUBLE]
    results = [
        values(k, result, type)
        for result, type in zip(grouping.aggregate(requests), types, strict=True)
    ]
    found = dict(zip(values(k, grouping.keys[0], LONG), zip(*results, strict=True), strict=True))
    groups: dict[int, list[int]] = {}
    for row, key in enumerate(keys):
        groups.setdefault(key, []).append(row)
    wanted = {}
    for key, members in groups.items():
        known = [gaps[row] for row in members if gaps[row] is not None]
        wanted[key] = (
            sum(longs[row] for row in members), sum(floats[row] for row in members),
            min(longs[row] for row in members), max(texts[row] for row in members),
            len(known), sum(known) if known else None,
            texts[members[0]], max(floats[row] for row in members),
        )  # fmt: skip
    assert found == wanted
    spread = values(k, grouping.spread(grouping.keys[0]), LONG)
    assert spread == keys
