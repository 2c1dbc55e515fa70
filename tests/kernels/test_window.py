"""Partitions, peers and frames: against plain Python."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, or_, xor
from typing import Any

import pytest

from broadhead.errors import EngineLimit
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
    STRING,
    DataType,
    decimal,
)
from kernels.physical import HUGE, WIDE, array, values

NAN, INF = math.nan, math.inf


def longs(k: Kernels, numbers: Sequence[int]) -> Any:
    return array(k, list(numbers), LONG)


KEYS: list[tuple[DataType, list[Any], list[bool]]] = [
    (LONG, [1, 1, 2, None, None, 0], [True, False, True, True, False, True]),
    (DOUBLE, [NAN, NAN, 0.0, -0.0, None, INF], [True, False, True, False, True, True]),
    (FLOAT, [None, NAN, NAN, -0.0, 0.0, 1.5], [True, True, False, True, False, True]),
    (STRING, ["", "", "a", "ä", "ä", None], [True, False, True, True, False, True]),
    (BINARY, [b"", b"\x00", b"\x00", None, None, b""], [True, True, False, True, False, True]),
    (BOOLEAN, [True, True, False, None, None, True], [True, False, True, True, False, True]),
    (WIDE, [HUGE, HUGE, -HUGE, None, None, 0], [True, False, True, True, False, True]),
    (DATE, [1, 1, -1, None, None, 2], [True, False, True, True, False, True]),
]


@pytest.mark.parametrize(("type_", "keys", "expected"), KEYS)
def test_changes(k: Kernels, type_: DataType, keys: list[Any], expected: list[bool]) -> None:
    assert values(k, k.window.changes([array(k, keys, type_)], len(keys)), BOOLEAN) == expected


def test_changes_of_several_keys_and_of_none(k: Kernels) -> None:
    keys = [longs(k, [1, 1, 1, 2]), longs(k, [1, 1, 2, 2])]
    assert values(k, k.window.changes(keys, 4), BOOLEAN) == [True, False, True, True]
    assert values(k, k.window.changes([], 3), BOOLEAN) == [True, False, False]
    assert values(k, k.window.changes([], 1), BOOLEAN) == [True]
    assert values(k, k.window.changes([longs(k, [])], 0), BOOLEAN) == []


def test_runs(k: Kernels) -> None:
    runs = k.window.runs(array(k, [True, False, True, True, False], BOOLEAN))
    assert values(k, runs.number, LONG) == [0, 0, 1, 2, 2]
    assert values(k, runs.first, LONG) == [0, 0, 2, 3, 3]
    assert values(k, runs.end, LONG) == [2, 2, 3, 5, 5]
    assert values(k, runs.starts, LONG) == [0, 2, 3]
    assert values(k, runs.ends, LONG) == [2, 3, 5]


def test_positions(k: Kernels) -> None:
    mask = array(k, [True, False, True], BOOLEAN)
    assert values(k, k.window.count_before(mask), LONG) == [0, 1, 1, 2]
    assert values(k, k.window.running_max(longs(k, [1, 0, 3, 2])), LONG) == [1, 1, 3, 3]
    clamped = k.window.clamp(longs(k, [-5, 2, 9]), longs(k, [0, 1, 1]), longs(k, [3, 3, 3]))
    assert values(k, clamped, LONG) == [0, 2, 3]


SEARCHED: list[tuple[DataType, list[Any]]] = [
    (LONG, [-(1 << 63), -5, -5, 0, 7, 7, 7, (1 << 63) - 1]),
    (BYTE, [-128, -5, -5, 0, 7, 7, 7, 127]),
    (DOUBLE, [-INF, -1.5, -0.0, 0.0, 0.0, 2.5, INF, NAN]),
    (FLOAT, [-INF, -1.5, -0.0, 0.0, 0.0, NAN, NAN, NAN]),
    (DATE, [-9, -5, -5, 0, 7, 7, 7, 800]),
    (WIDE, [-HUGE, -HUGE + 1, -1, -1, 0, 1 << 70, HUGE, HUGE]),
]


def rank_of(value: Any) -> tuple[bool, Any]:
    """A key in Spark's order."""
    nan = isinstance(value, float) and math.isnan(value)
    return (nan, 0 if nan else value)


@pytest.mark.parametrize("repeats", [1, 300])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("type_", "ordered"), SEARCHED)
def test_search(
    k: Kernels,
    type_: DataType,
    ordered: list[Any],
    after: bool,
    descending: bool,
    repeats: int,
) -> None:
    stretch = [value for value in ordered for _ in range(repeats)]
    if descending:
        stretch.reverse()
    bounds = random.Random(1).choices(ordered, k=len(stretch))
    found = k.window.search(
        array(k, [*stretch, *stretch], type_),
        array(k, [*bounds, *bounds], type_),
        longs(k, [0] * len(stretch) + [len(stretch)] * len(stretch)),
        longs(k, [len(stretch)] * len(stretch) + [2 * len(stretch)] * len(stretch)),
        descending=descending,
        after=after,
    )
    places = {}
    for bound in ordered:
        limit = rank_of(bound)
        before: Callable[[Any], bool]
        if descending:
            before = (lambda v, b=limit: v >= b) if after else (lambda v, b=limit: v > b)
        else:
            before = (lambda v, b=limit: v <= b) if after else (lambda v, b=limit: v < b)
        places[rank_of(bound)] = sum(before(rank_of(value)) for value in stretch)
    expected = [places[rank_of(bound)] for bound in bounds]
    assert values(k, found, LONG) == [*expected, *(len(stretch) + e for e in expected)]


def frames_of(
    partitions: Sequence[int], low: int | None, high: int | None
) -> tuple[list[int], list[int]]:
    """Begins and ends of frames of rows from `low` to `high`; None is no limit."""
    begins, ends, first = [], [], 0
    for size in partitions:
        last = first + size
        for row in range(first, last):
            begin = first if low is None else min(max(row + low, first), last)
            end = last if high is None else min(max(row + high + 1, first), last)
            begins.append(min(begin, end))
            ends.append(end)
        first = last
    return begins, ends


SHAPES = [
    (None, 0, "begin"),
    (None, None, "begin"),
    (None, -2, "begin"),
    (None, 3, "begin"),
    (0, None, "end"),
    (2, None, "end"),
    (-2, 2, "none"),
    (-60, -3, "none"),
    (1, 50, "none"),
]
PARTITIONS = [1, 4, 100, 2, 1, 300, 3, 3]
ROWS = sum(PARTITIONS)


def random_values(choices: Sequence[Any]) -> list[Any]:
    return random.Random(3).choices([*choices, None, None], k=ROWS)


def least(frame: list[Any]) -> Any:
    return min(frame, key=rank_of, default=None)


def greatest(frame: list[Any]) -> Any:
    return max(frame, key=rank_of, default=None)


def total(frame: list[Any]) -> Any:
    return sum(frame) if frame else None


def moment2(frame: list[Any]) -> Any:
    if not frame:
        return None
    mean = sum(frame) / len(frame)
    return sum((value - mean) ** 2 for value in frame)


AGGREGATES: list[tuple[str, DataType, DataType, list[Any], Callable[[list[Any]], Any]]] = [
    ("sum", LONG, LONG, [1, -5, 1 << 40], total),
    ("sum", BYTE, LONG, [1, -5, 127], total),
    ("sum", DOUBLE, DOUBLE, [0.5, -1.25, 3.0], total),
    ("sum", FLOAT, DOUBLE, [0.5, -1.25, 3.0], total),
    ("sum_checked", LONG, LONG, [1, -5, 1 << 40], total),
    ("sum_unscaled", decimal(9, 2), decimal(19, 2), [1, -5, 999_999_999], total),
    ("sum_unscaled", WIDE, WIDE, [1, -5, 10**34, -(10**34)], total),
    ("count", STRING, LONG, ["a", ""], len),
    ("min", LONG, LONG, [1, -5, (1 << 63) - 1, -(1 << 63)], least),
    ("max", LONG, LONG, [1, -5, (1 << 63) - 1, -(1 << 63)], greatest),
    ("min", DOUBLE, DOUBLE, [1.5, NAN, INF, -INF], least),
    ("max", DOUBLE, DOUBLE, [1.5, INF, -INF, -3.0], greatest),
    ("max", FLOAT, FLOAT, [1.5, NAN, INF, -INF], greatest),
    ("min", STRING, STRING, ["", "b", "ä", "😀"], least),
    ("max", STRING, STRING, ["", "b", "ä", "😀"], greatest),
    ("max", BINARY, BINARY, [b"", b"\xff", b"\x00"], greatest),
    ("min", BOOLEAN, BOOLEAN, [True, False], least),
    ("max", WIDE, WIDE, [HUGE, -HUGE, 0], greatest),
    ("min", DATE, DATE, [0, -5, 900], least),
    ("first_valid", STRING, STRING, ["", "b", "ä"], lambda frame: frame[0] if frame else None),
    ("last_valid", LONG, LONG, [1, 2, 3], lambda frame: frame[-1] if frame else None),
    ("moment2", DOUBLE, DOUBLE, [0.5, -1.25, 3.0], moment2),
    ("bit_and", INTEGER, INTEGER, [7, -2, 12], lambda f: reduce(and_, f) if f else None),
    ("bit_or", LONG, LONG, [7, -(1 << 62), 12], lambda f: reduce(or_, f) if f else None),
    ("bit_xor", BYTE, BYTE, [7, -128, 12], lambda f: reduce(xor, f) if f else None),
]


@pytest.mark.parametrize(("low", "high", "anchor"), SHAPES)
@pytest.mark.parametrize(("kind", "type_", "result", "choices", "expected"), AGGREGATES)
def test_aggregates_of_frames(
    k: Kernels,
    kind: Any,
    type_: DataType,
    result: DataType,
    choices: list[Any],
    expected: Callable[[list[Any]], Any],
    low: int | None,
    high: int | None,
    anchor: Any,
) -> None:
    begins, ends = frames_of(PARTITIONS, low, high)
    data = random_values(choices)
    frames = k.window.frames(longs(k, begins), longs(k, ends), anchor)
    precision = 38 if type_ == WIDE else 19
    (answer,) = frames.aggregate([Request(kind, array(k, data, type_), precision)])
    if kind in {"sum_checked", "sum_unscaled"}:
        answer, failed = answer
        assert failed is None
    wanted = [
        expected([value for value in data[begin:end] if value is not None])
        for begin, end in zip(begins, ends, strict=True)
    ]
    found = values(k, answer, result)
    if kind == "moment2":
        assert found == [None if v is None else pytest.approx(v, rel=1e-9) for v in wanted]
    else:
        assert [rank_of(v) if v is not None else None for v in found] == [
            rank_of(v) if v is not None else None for v in wanted
        ]


@pytest.mark.parametrize(("low", "high", "anchor"), SHAPES)
@pytest.mark.parametrize(
    ("type_", "choices"), [(LONG, [1, 2, 3]), (DOUBLE, [1.0, NAN, INF]), (STRING, ["a", ""])]
)
def test_last_rows_with_an_extreme(
    k: Kernels, type_: DataType, choices: list[Any], low: int | None, high: int | None, anchor: Any
) -> None:
    begins, ends = frames_of(PARTITIONS, low, high)
    data = random_values(choices)
    frames = k.window.frames(longs(k, begins), longs(k, ends), anchor)
    column = array(k, data, type_)
    answers = frames.aggregate([Request("last_of_min", column), Request("last_of_max", column)])
    for answer, extreme in zip(answers, (least, greatest), strict=True):
        wanted = []
        for begin, end in zip(begins, ends, strict=True):
            rows = [row for row in range(begin, end) if data[row] is not None]
            best = rank_of(extreme([data[row] for row in rows])) if rows else None
            wanted.append(max((row for row in rows if rank_of(data[row]) == best), default=None))
        assert values(k, answer, LONG) == wanted


def test_an_infinity_counts_only_in_its_frame(k: Kernels) -> None:
    data = [1.0, INF, 2.0, 3.0, NAN, 4.0, 5.0]
    frames = k.window.frames(
        longs(k, [0, 0, 1, 2, 3, 4, 5]), longs(k, [1, 2, 3, 4, 5, 6, 7]), "none"
    )
    sums, squares = frames.aggregate(
        [Request("sum", array(k, data, DOUBLE)), Request("moment2", array(k, data, DOUBLE))]
    )
    assert [str(v) for v in values(k, sums, DOUBLE)] == [
        "1.0", "inf", "inf", "5.0", "nan", "nan", "9.0",
    ]  # fmt: skip
    assert [str(v) for v in values(k, squares, DOUBLE)] == [
        "0.0", "nan", "nan", "0.5", "nan", "nan", "0.5",
    ]  # fmt: skip


@pytest.mark.parametrize("data", [[1.0, INF, 2.0, -INF, 3.0, NAN, 4.0], [1.79e308, 2.0, 1.79e308]])
@pytest.mark.parametrize("repeats", [1, 100])
@pytest.mark.parametrize(("low", "high", "anchor"), SHAPES)
def test_sums_of_floats_beyond_their_limits(
    k: Kernels, low: int | None, high: int | None, anchor: Any, repeats: int, data: list[float]
) -> None:
    data = data * repeats
    begins, ends = frames_of([len(data)], low, high)
    frames = k.window.frames(longs(k, begins), longs(k, ends), anchor)
    # a warning of numpy's is an error here; a task would write it to the user's screen
    (sums,) = frames.aggregate([Request("sum", array(k, data, DOUBLE))])
    both = zip(begins, ends, strict=True)
    wanted = [sum(data[begin:end]) if begin < end else None for begin, end in both]
    assert list(map(str, values(k, sums, DOUBLE))) == list(map(str, wanted))


def test_sums_that_pass_their_limits(k: Kernels) -> None:
    top = (1 << 63) - 1
    begin, end = longs(k, [0, 1, 2]), longs(k, [2, 3, 3])
    frames = k.window.frames(begin, end, "none")
    ((checked, failed),) = frames.aggregate([Request("sum_checked", longs(k, [top, 1, -1]))])
    assert values(k, failed, BOOLEAN) == [True, False, False]
    assert values(k, checked, LONG) == [None, 0, -1]
    nines = 10**38 - 1
    wide = array(k, [nines, 1, -nines], WIDE)
    ((_, failed),) = frames.aggregate([Request("sum_unscaled", wide, 38)])
    assert values(k, failed, BOOLEAN) == [True, False, False]


def test_spread(k: Kernels) -> None:
    frames = k.window.frames(longs(k, [0, 2, 3]), longs(k, [2, 3, 6]), "none")
    assert values(k, frames.spread(longs(k, [7, 8, 9])), LONG) == [7, 7, 8, 9, 9, 9]


@pytest.mark.parametrize(
    ("days", "months", "expected"),
    [
        ([0, 30, 59, None], 1, [31, 58, 90, None]),
        ([19782], 12, [20147]),
        ([19782, 19783], -1, [19751, 19754]),
        ([11000000], 120000, [14652425]),
    ],
)
def test_add_months(k: Kernels, days: list[Any], months: int, expected: list[Any]) -> None:
    dates = array(k, days, DATE)
    for count in (k.columns.scalar(months, INTEGER), array(k, [months] * len(days), INTEGER)):
        assert values(k, k.datetime.add_months(dates, count), DATE) == expected


def test_members(k: Kernels) -> None:
    frames = k.window.frames(longs(k, [0, 0, 3, 2]), longs(k, [2, 0, 5, 5]), "none")
    rows, offsets = frames.members()
    assert values(k, rows, LONG) == [0, 1, 3, 4, 2, 3, 4]
    assert values(k, offsets, LONG) == [0, 2, 2, 4, 7]
    rows, offsets = k.window.frames(longs(k, []), longs(k, []), "none").members()
    assert values(k, rows, LONG) == []
    assert values(k, offsets, LONG) == [0]
    every = longs(k, [0] * 20_000), longs(k, [10_000] * 20_000)
    with pytest.raises(EngineLimit, match="200000000 rows together"):
        k.window.frames(*every, "begin").members()
