"""Comparison in Spark's order."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

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
    YEAR_MONTH_INTERVAL,
    DataType,
    decimal,
)
from kernels.physical import HUGE, WIDE, array, check, layouts, same, scalar, values, wide

ORDERED: list[tuple[DataType, list[Any]]] = [
    (BOOLEAN, [False, True]),
    (BYTE, [-128, 0, 127]),
    (SHORT, [-(2**15), 0, 2**15 - 1]),
    (INTEGER, [-(2**31), -1, 0, 2**31 - 1]),
    (LONG, [-(2**63), -1, 0, 2**63 - 1]),
    (FLOAT, [-math.inf, -1.5, 0.0, 1.5, math.inf, math.nan]),
    (DOUBLE, [-math.inf, -5e-324, 0.0, 5e-324, math.inf, math.nan]),
    (decimal(18, 2), [-(10**18) + 1, -1, 0, 10**18 - 1]),
    (WIDE, [-(10**38) + 1, -(2**64), -1, 0, 1, 2**63, 2**64, 10**38 - 1]),
    (STRING, ["", "\0", "Z", "a", "a\0", "aa", "b", "é", "\ue000", "\uffff", "😀"]),
    (BINARY, [b"", b"\0", b"a", b"\x7f", b"\x80", b"\xff", b"\xff\0"]),
    (DATE, [-(2**31), 0, 2**31 - 1]),
    (TIMESTAMP, [-(2**63), 0, 2**63 - 1]),
    (YEAR_MONTH_INTERVAL, [-(2**31), 0, 2**31 - 1]),
    (DAY_TIME_INTERVAL, [-(2**63), 0, 2**63 - 1]),
]
IDS = [type.name for type, _ in ORDERED]


@pytest.mark.parametrize(("type", "ascending"), ORDERED, ids=IDS)
@pytest.mark.parametrize("op", ["equal", "less", "less_equal"])
def test_order(k: Kernels, op: Any, type: DataType, ascending: list[Any]) -> None:
    ranks: list[int | None] = [*range(len(ascending)), None]
    pairs = list(product(ranks, ranks))
    decide = {"equal": int.__eq__, "less": int.__lt__, "less_equal": int.__le__}[op]
    expected = [None if None in (a, b) else decide(a, b) for a, b in pairs]  # type: ignore[arg-type]
    ranked = dict(zip(ranks, [*ascending, None], strict=True))
    left = [ranked[a] for a, _ in pairs]
    right = [ranked[b] for _, b in pairs]
    check(
        k,
        lambda a, b: k.compare.compare(op, a, b),
        [(left, type), (right, type)],
        BOOLEAN,
        expected,
        scalars=len(pairs) < 60,
    )


@pytest.mark.parametrize(("type", "ascending"), ORDERED, ids=IDS)
def test_null_safe_equal(k: Kernels, type: DataType, ascending: list[Any]) -> None:
    pairs = list(product([*ascending[-3:], None], repeat=2))
    expected = [a is b or (a is not None and a == b) for a, b in pairs]
    left, right = [list(side) for side in zip(*pairs, strict=True)]
    check(k, k.compare.null_safe_equal, [(left, type), (right, type)], BOOLEAN, expected)


@pytest.mark.parametrize("type", [FLOAT, DOUBLE])
def test_zeros_are_equal(k: Kernels, type: DataType) -> None:
    arguments = [([-0.0, 0.0], type), ([0.0, -0.0], type)]
    for op, expected in (("equal", True), ("less", False), ("less_equal", True)):
        check(
            k, lambda a, b, op=op: k.compare.compare(op, a, b), arguments, BOOLEAN, [expected] * 2
        )
    check(k, k.compare.null_safe_equal, arguments, BOOLEAN, [True, True])


def test_widths_compare(k: Kernels) -> None:
    narrow, broad = array(k, [1, 2, None], WIDE), wide(k, [1, HUGE, 3])
    assert values(k, k.compare.compare("equal", narrow, broad), BOOLEAN) == [True, False, None]
    assert values(k, k.compare.compare("less", broad, narrow), BOOLEAN) == [False, False, None]
    huge = scalar(k, HUGE, WIDE)
    assert values(k, k.compare.compare("less", narrow, huge), BOOLEAN) == [True, True, None]
    assert values(k, k.compare.compare("less_equal", huge, narrow), BOOLEAN) == [
        False,
        False,
        None,
    ]
    one = scalar(k, 1, WIDE)
    assert values(k, k.compare.null_safe_equal(broad, one), BOOLEAN) == [True, False, False]


@pytest.mark.parametrize(("type", "ascending"), ORDERED, ids=IDS)
def test_is_in(k: Kernels, type: DataType, ascending: list[Any]) -> None:
    rows = [*ascending, None]
    for chosen in ([], ascending[:1], ascending[1:], ascending, ascending * 2):
        expected = [any(v is c for c in chosen) for v in rows]
        check(k, lambda a, c=chosen: k.compare.is_in(a, c, type), [(rows, type)], BOOLEAN, expected)


@pytest.mark.parametrize("type", [FLOAT, DOUBLE])
def test_is_in_of_zeros_and_nans(k: Kernels, type: DataType) -> None:
    rows = [0.0, -0.0, math.nan, None, 1.0]
    for chosen, expected in (
        ([0.0], [True, True, False, False, False]),
        ([-0.0], [True, True, False, False, False]),
        ([math.nan, 1.0], [False, False, True, False, True]),
    ):
        check(k, lambda a, c=chosen: k.compare.is_in(a, c, type), [(rows, type)], BOOLEAN, expected)


@pytest.mark.parametrize(
    ("type", "beyond"),
    [(BYTE, 300), (SHORT, -(2**40)), (INTEGER, 2**31), (LONG, 2**63), (DATE, 2**31)],
    ids=lambda v: getattr(v, "name", ""),
)
def test_is_in_of_values_beyond_the_type(k: Kernels, type: DataType, beyond: int) -> None:
    rows = [1, None, 44]
    check(
        k, lambda a: k.compare.is_in(a, [beyond, 1], type), [(rows, type)], BOOLEAN,
        [True, False, False],
    )  # fmt: skip
    check(k, lambda a: k.compare.is_in(a, [beyond], type), [(rows, type)], BOOLEAN, [False] * 3)


def test_is_in_of_huge_decimals(k: Kernels) -> None:
    rows = [1, None, HUGE, 2**64 + 1]
    for data in (array(k, rows, WIDE), wide(k, rows)):
        found = k.compare.is_in(data, [HUGE, 1, 10**38 - 1], WIDE)
        assert values(k, found, BOOLEAN) == [True, False, True, False]
    narrow = array(k, [1, 2], WIDE)
    assert values(k, k.compare.is_in(narrow, [HUGE], WIDE), BOOLEAN) == [False, False]


@pytest.mark.parametrize("type", [FLOAT, DOUBLE])
def test_normalize(k: Kernels, type: DataType) -> None:
    rows = [-0.0, 0.0, math.nan, -math.nan, None, -1.5, math.inf]
    for data in layouts(k, rows, type):
        found = k.compare.normalize(data)
        assert same(values(k, found, type), [0.0, 0.0, math.nan, math.nan, None, -1.5, math.inf])
        raw = k.columns.to_arrow(found, type).fill_null(0.0).to_numpy().tobytes()
        width = len(raw) // len(rows)
        assert raw[2 * width : 3 * width] == raw[3 * width : 4 * width]


@pytest.mark.parametrize("type", [LONG, STRING, WIDE], ids=lambda type: type.name)
def test_normalize_leaves_other_types(k: Kernels, type: DataType) -> None:
    rows = ["a", None] if type == STRING else [1, None]
    for data in layouts(k, rows, type):
        assert values(k, k.compare.normalize(data), type) == rows
