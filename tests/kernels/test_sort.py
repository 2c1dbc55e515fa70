"""Sorting what is in memory."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from broadhead.kernels.interface import Kernels, Order
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
    DataType,
    decimal,
)
from kernels.physical import HUGE, WIDE, array, layouts, values

ORDERS: list[Order] = list(product([True, False], repeat=2))
LONGS = [3, None, -(2**63), 2**63 - 1, 0, None, -1, 3, 0]
FLOATS = [1.5, math.nan, None, -0.0, 0.0, -math.inf, math.inf, -math.nan, -2.5, None, 1e-300]
TEXTS = ["b", "", None, "ab", "a", "ab\0", "a\0b", "é", "z", "\U0001f600", "\uffff", "ab", None]
LONG_TEXTS = ["x" * 70 + end for end in ["b", "", "a", "ab", "a\0"]] + ["x" * 8, "x" * 9, None]
SAMPLES: list[tuple[DataType, list[Any]]] = [
    (BOOLEAN, [True, None, False, True, None, False]),
    (BYTE, [5, -128, None, 127, 5]),
    (SHORT, [5, -(2**15), None, 2**15 - 1, 5]),
    (INTEGER, [5, -(2**31), None, 2**31 - 1, 5]),
    (LONG, LONGS),
    (DATE, [0, -719162, None, 2932896, 0]),
    (TIMESTAMP, LONGS),
    (decimal(18, 2), [v % 10**18 if v is not None else None for v in LONGS]),
    (WIDE, [HUGE, -HUGE, None, 0, -1, 1, 2**64, 2**64 + 1, -(2**64), HUGE]),
    (FLOAT, [v if v != 1e-300 else 1e-30 for v in FLOATS]),
    (DOUBLE, FLOATS),
    (STRING, TEXTS),
    (STRING, LONG_TEXTS),
    (BINARY, [b"\xff", b"", None, b"a\0", b"a", b"\x80", b"\x7f\0\0", b"\x7f"]),
]


def compared(left: Any, right: Any) -> int:
    """Spark's order of two values that are not null."""
    if isinstance(left, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) - math.isnan(right)
    elif isinstance(left, str):
        left, right = left.encode(), right.encode()
    return int(left > right) - int(left < right)


def expected(columns: Sequence[Sequence[Any]], orders: Sequence[Order]) -> list[int]:
    """The rows in order, by pairs of rows."""

    def by_rows(left: int, right: int) -> int:
        for column, (ascending, nulls_first) in zip(columns, orders, strict=True):
            a, b = column[left], column[right]
            if a is None or b is None:
                sign = ((a is None) - (b is None)) * (-1 if nulls_first else 1)
            else:
                sign = compared(a, b) * (1 if ascending else -1)
            if sign:
                return sign
        return 0

    return sorted(range(len(columns[0])), key=functools.cmp_to_key(by_rows))


def indices(k: Kernels, rows: Any) -> list[int]:
    return values(k, rows, LONG)


@pytest.mark.parametrize(("type", "rows"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
def test_one_key_of_every_type(k: Kernels, type: DataType, rows: list[Any]) -> None:
    for order in ORDERS:
        wanted = expected([rows], [order])
        for data in layouts(k, rows, type):
            assert indices(k, k.sort.order([data], [order])) == wanted
            for limit in (0, 1, 3, len(rows), 100):
                assert indices(k, k.sort.top([data], [order], limit)) == wanted[:limit]


@pytest.mark.parametrize("seed", range(12))
def test_several_keys(k: Kernels, seed: int) -> None:
    generator = random.Random(seed)
    chosen = [generator.choice(SAMPLES) for _ in range(generator.randint(2, 4))]
    length = generator.choice([2, 17, 300])
    columns = [[generator.choice(rows) for _ in range(length)] for _, rows in chosen]
    orders = [generator.choice(ORDERS) for _ in chosen]
    keys = [array(k, column, type) for column, (type, _) in zip(columns, chosen, strict=True)]
    wanted = expected(columns, orders)
    assert indices(k, k.sort.order(keys, orders)) == wanted
    assert indices(k, k.sort.top(keys, orders, 5)) == wanted[:5]


@pytest.mark.parametrize("distinct", [5, 400, 5_000])
@pytest.mark.parametrize("width", [3, 20, 90])
def test_texts_with_and_without_repetition(k: Kernels, distinct: int, width: int) -> None:
    generator = random.Random(distinct * width)
    texts = ["".join(generator.choices("ab", k=width)) for _ in range(distinct)]
    rows = [generator.choice([*texts, None]) for _ in range(5_000)]
    for order in ORDERS:
        wanted = expected([rows], [order])
        data = array(k, rows, STRING)
        assert indices(k, k.sort.order([data], [order])) == wanted
        assert indices(k, k.sort.top([data], [order], 40)) == wanted[:40]


def test_many_bits(k: Kernels) -> None:
    generator = random.Random(7)
    columns = [[generator.choice(LONGS) for _ in range(3_000)] for _ in range(3)]
    columns.append([generator.randint(-(2**63), 2**63 - 1) for _ in range(3_000)])
    orders: list[Order] = [(True, True), (False, True), (True, False), (False, False)]
    keys = [array(k, column, LONG) for column in columns]
    wanted = expected(columns, orders)
    assert indices(k, k.sort.order(keys, orders)) == wanted
    assert indices(k, k.sort.top(keys, orders, 700)) == wanted[:700]


@pytest.mark.parametrize("rows", [[], [1], [None], [None, None, None], [7, 7, 7]])
def test_few_rows(k: Kernels, rows: list[int | None]) -> None:
    data = array(k, rows, LONG)
    assert indices(k, k.sort.order([data], [(True, True)])) == list(range(len(rows)))
    assert indices(k, k.sort.top([data], [(False, True)], 2)) == list(range(len(rows)))[:2]


def test_merge_gives_what_no_later_row_comes_before(k: Kernels) -> None:
    runs = [[1, 4, 9], [2, 4, 4, 5], [None, 3]]
    keys = [[array(k, run, LONG)] for run in runs]
    rows, counts = k.sort.merge(keys, [(True, True)], [True, True, False])
    assert indices(k, rows) == [7, 0, 3, 8, 1, 4, 5, 6]
    assert counts == [2, 4, 2]
    rows, counts = k.sort.merge(keys, [(True, True)], [False, False, False])
    assert indices(k, rows) == [7, 0, 3, 8, 1, 4, 5, 6, 2]
    assert counts == [3, 4, 2]


def test_merge_keeps_the_order_of_runs(k: Kernels) -> None:
    keys = [[array(k, [5, 5], LONG)], [array(k, [5, 5, 5], LONG)], [array(k, [4, 5], LONG)]]
    rows, counts = k.sort.merge(keys, [(True, True)], [False, True, True])
    assert indices(k, rows) == [5, 0, 1, 2, 3, 4]
    assert counts == [2, 3, 1]
