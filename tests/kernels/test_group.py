"""Groups of rows by their keys, and the partitions of hashed keys."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest

from broadhead import arrow_layout
from broadhead.kernels.interface import Kernels, Request
from broadhead.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    DataType,
)
from kernels.grouping import KEYS, by_key, canonical
from kernels.physical import WIDE, array, layouts, sliced, values, wide
from kernels.test_columns import SAMPLES

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
        (counts,) = grouping.aggregate([Request("count", ones)])
        assert by_key(k, grouping, [type], values(k, counts, LONG)) == expected


def test_several_keys(k: Kernels) -> None:
    texts = ["A", "A", None, "B", "A", None, "A", "B"]
    flags = ["N", "O", "N", "N", "N", "N", None, "N"]
    numbers = [1.5, 1.5, math.nan, 0.0, 1.5, math.nan, 1.5, -0.0]
    types = [STRING, STRING, DOUBLE]
    columns: list[list[Any]] = [texts, flags, numbers]
    keys = [array(k, c, t) for c, t in zip(columns, types, strict=True)]
    grouping = k.group.group(keys, 8)
    (sums,) = grouping.aggregate([Request("sum", array(k, list(range(8)), INTEGER))])
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
        (counts,) = grouping.aggregate([Request("count", keys[0])])
        found = by_key(k, grouping, [STRING, STRING], values(k, counts, LONG))
        assert found == {("a", "b"): 2, ("b", "a"): 1, ("b", "b"): 1}


def test_many_groups(k: Kernels) -> None:
    random_ = random.Random(15)
    keys = [random_.randrange(-(2**40), 2**40) if i % 3 else i % 1000 for i in range(20_000)]
    expected: dict[Any, int] = {}
    for number, key in enumerate(keys):
        expected[(key,)] = expected.get((key,), 0) + number
    grouping = k.group.group([array(k, keys, LONG)], len(keys))
    (sums,) = grouping.aggregate([Request("sum", k.columns.sequence(len(keys)))])
    assert by_key(k, grouping, [LONG], values(k, sums, LONG)) == expected


def test_no_rows(k: Kernels) -> None:
    for type in (LONG, STRING, WIDE, DOUBLE):
        grouping = k.group.group([array(k, [], type), array(k, [], STRING)], 0)
        assert grouping.size == 0
        assert [k.columns.length(key) for key in grouping.keys] == [0, 0]
        results = grouping.aggregate(
            [
                Request("sum", array(k, [], INTEGER)),
                Request("sum_checked", array(k, [], LONG)),
                Request("sum_unscaled", array(k, [], WIDE), 38),
                Request("count", array(k, [], STRING)),
                Request("max", array(k, [], type)),
                Request("first", array(k, [], type)),
                Request("moment2", array(k, [], DOUBLE)),
            ]
        )
        for result in results:
            data = result[0] if isinstance(result, tuple) else result
            assert k.columns.length(data) == 0
        assert k.columns.length(grouping.spread(array(k, [], LONG))) == 0


def test_no_keys(k: Kernels) -> None:
    grouping = k.group.group([], 0)
    assert (grouping.size, list(grouping.keys)) == (1, [])
    results = grouping.aggregate(
        [Request("sum", array(k, [], LONG)), Request("count", array(k, [], LONG))]
    )
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
    results = grouping.aggregate([Request(kind, column) for kind in kinds])  # type: ignore[misc]
    rows = list(zip(*(values(k, result, LONG) for result in results), strict=True))
    assert by_key(k, grouping, [LONG], rows) == {
        (2,): (18, 3, 5, 7, 5, 6, 18),
        (1,): (3, 2, 1, 2, 1, 2, 3),
        (None,): (4, 1, 4, 4, None, 4, 4),
        (3,): (9, 1, 9, 9, 9, 9, 9),
    }
    (again,) = grouping.aggregate([Request("max", column)])
    assert by_key(k, grouping, [LONG], values(k, again, LONG))[(2,)] == 7


def test_spread(k: Kernels) -> None:
    for keys in (array(k, KEYS, LONG), sliced(k, KEYS, LONG)):
        grouping = k.group.group([keys], len(KEYS))
        (counts,) = grouping.aggregate([Request("count", k.columns.sequence(len(KEYS)))])
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
        (counts,) = grouping.aggregate([Request("count", k.columns.sequence(len(rows)))])
        tables.append([grouping.keys[0], counts])
    keys, counts = k.columns.concat(tables)
    merged = k.group.group([keys], k.columns.length(keys))
    (total,) = merged.aggregate([Request("sum", counts)])
    found = by_key(k, merged, [LONG], values(k, total, LONG))
    assert found == {(1,): 2, (2,): 3, (3,): 1, (None,): 2}
    assert all(a != b for a, b in pairwise(sorted(map(str, found))))


def integer_keys(layout: str, rows: int, rng: random.Random) -> list[int]:
    """Keys that come in order, that lie close together, far apart, or are all different."""
    if layout == "distinct":
        return rng.sample(range(-rows, rows * 8), rows)
    most = rows * 100 if layout == "sparse" else rows
    keys = [rng.randrange(-most, most) for _ in range(rows)]
    return sorted(keys) if layout == "sorted" else keys


@pytest.mark.parametrize("rows", [3, 5_000, 60_000])
@pytest.mark.parametrize("layout", ["sorted", "dense", "sparse", "distinct"])
def test_integer_keys(k: Kernels, layout: str, rows: int) -> None:
    rng = random.Random(rows)
    keys = integer_keys(layout, rows, rng)
    longs = [rng.randrange(-(2**40), 2**40) for _ in keys]
    gaps = [None if n % 3 == 0 else n for n in longs]
    floats = [rng.choice([0.5, -2.0, 8.0]) for _ in keys]
    texts = [rng.choice("abc") for _ in keys]
    flags = [rng.random() < 0.5 for _ in keys]
    grouping = k.group.group([array(k, keys, LONG)], rows)
    requests = [
        Request("sum", array(k, longs, LONG)), Request("sum", array(k, floats, DOUBLE)),
        Request("min", array(k, longs, LONG)), Request("max", array(k, texts, STRING)),
        Request("count", array(k, gaps, LONG)), Request("sum", array(k, gaps, LONG)),
        Request("first", array(k, texts, STRING)), Request("max", array(k, floats, DOUBLE)),
        Request("min", array(k, flags, BOOLEAN)), Request("max", array(k, flags, BOOLEAN)),
    ]  # fmt: skip
    types = [LONG, DOUBLE, LONG, STRING, LONG, LONG, STRING, DOUBLE, BOOLEAN, BOOLEAN]
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
            all(flags[row] for row in members), any(flags[row] for row in members),
        )  # fmt: skip
    assert found == wanted
    spread = values(k, grouping.spread(grouping.keys[0]), LONG)
    assert spread == keys


@pytest.mark.parametrize("type", [BYTE, SHORT, INTEGER, LONG, DATE], ids=lambda t: t.name)
@pytest.mark.parametrize("edge", ["least", "greatest"])
def test_keys_at_the_limits_of_their_type(k: Kernels, type: DataType, edge: str) -> None:
    bits = {BYTE: 8, SHORT: 16, LONG: 64}.get(type, 32)
    most = 2 ** (bits - 1) - 1
    numbers = [most - n % 100 if edge == "greatest" else n % 100 - most - 1 for n in range(3_000)]
    keys = k.columns.from_arrow(
        pa.array(numbers, f"int{bits}").view(arrow_layout.arrow_type(type)), type
    )
    grouping = k.group.group([keys], len(numbers))
    (counts,) = grouping.aggregate([Request("count", array(k, numbers, LONG))])
    assert values(k, counts, LONG) == [30] * 100
    found = k.columns.to_arrow(grouping.keys[0], type)
    assert sorted(found.view(f"int{bits}").to_pylist()) == sorted(set(numbers))


@pytest.mark.parametrize("rows", [0, 1, 5000])
def test_members(k: Kernels, rows: int) -> None:
    keys: list[Any] = [None if i % 11 == 0 else i * 7 % 5 for i in range(rows)]
    texts = [None if key is None else f"key {key}" for key in keys]
    columns = [array(k, keys, LONG), array(k, sorted(keys, key=str), LONG), array(k, texts, STRING)]
    for column, type_ in zip(columns, (LONG, LONG, STRING), strict=True):
        grouping = k.group.group([column], rows)
        found = values(k, column, type_)
        names = values(k, grouping.keys[0], type_)
        numbers, offsets = (values(k, part, LONG) for part in grouping.members())
        assert len(offsets) == grouping.size + 1
        for name, begin, end in zip(names, offsets, offsets[1:], strict=False):
            assert numbers[begin:end] == [i for i in range(rows) if found[i] == name]
        assert offsets[-1] == len(numbers) == rows
    for grouping in (k.group.group([], rows), k.group.each_row(columns, rows)):
        numbers, offsets = (values(k, part, LONG) for part in grouping.members())
        assert numbers == list(range(rows))
        assert offsets == (list(range(rows + 1)) if grouping.keys else [0, rows])
