"""Joins: keys of every type, duplicates, pieces, bitmap."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import pytest

from broadhead.kernels.interface import Array, Kernels
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
from kernels.physical import HUGE, WIDE, array, layouts, values, wide

Pair = tuple[int | None, int | None]

NAN = math.nan
KEYS: list[tuple[DataType, list[Any], list[Any]]] = [
    (BOOLEAN, [True, None, False, True], [False, False, None]),
    (BYTE, [-128, 127, None, 0, 0], [0, 127, -128, 5, None]),
    (SHORT, [-32768, 32767, None, 3], [3, 32767, -32768]),
    (INTEGER, [-(2**31), 2**31 - 1, None, 7], [7, 8, 2**31 - 1, -(2**31), None]),
    (LONG, [-(2**63), 2**63 - 1, None, 0, 10**12], [0, 2**63 - 1, -(2**63), 10**12 + 1, 10**12]),
    (LONG, [100, 103, None, 101, 103], [99, 100, 103, 104, None, 2**62, -(2**62)]),
    (FLOAT, [0.0, NAN, None, 1.5], [-0.0, NAN, 1.5, 2.5, None, math.inf]),
    (DOUBLE, [-0.0, NAN, None, 1.5, math.inf], [0.0, NAN, -math.inf, 1.5, None, math.inf]),
    (DATE, [0, -719162, None, 19000], [19000, 0, None, 1]),
    (TIMESTAMP, [0, -(10**15), None], [0, -(10**15), 1, None]),
    (STRING, ["", "a", None, "äöü", "a much longer text", "b\0"], ["b", "b\0", "", "äöü", None]),
    (BINARY, [b"", b"\x00", None, b"\xff" * 20], [b"\x00", b"\x00\x00", b"", b"\xff" * 20, None]),
    (decimal(9, 2), [100, -100, None], [100, 10**8, None]),
    (WIDE, [HUGE, -HUGE, 5, None], [HUGE, 5, HUGE - 1, None, -HUGE]),
]


def key(value: Any) -> Any:
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value


def expected(
    build: Sequence[Sequence[Any]], probe: Sequence[Sequence[Any]], *, outer: bool
) -> list[Pair]:
    """The pairs of rows, each given as its keys."""
    built = [tuple(map(key, row)) for row in build]
    pairs: list[Pair] = []
    for number, row in enumerate(probe):
        wanted = tuple(map(key, row))
        found = [] if None in wanted else [i for i, r in enumerate(built) if r == wanted]
        pairs += [(number, row) for row in found] or ([(number, None)] if outer else [])
    return pairs


def row_numbers(k: Kernels, data: Array) -> list[Any]:
    return values(k, k.cast.widen(data, LONG), LONG)


def found(k: Kernels, pieces: Any, probe_rows: int) -> list[list[Pair]]:
    result = []
    for probe, build in pieces:
        numbers = list(range(probe_rows)) if probe is None else row_numbers(k, probe)
        result.append(list(zip(numbers, row_numbers(k, build), strict=True)))
    return result


def ordered(pairs: Sequence[Pair]) -> list[Pair]:
    return sorted(pairs, key=lambda pair: (pair[0], -1 if pair[1] is None else pair[1]))


@pytest.mark.parametrize("number", range(len(KEYS)))
def test_keys_of_each_type(k: Kernels, number: int) -> None:
    type_, build, probe = KEYS[number]
    for build_data in layouts(k, build, type_):
        table = k.join.build([build_data])
        for probe_data in layouts(k, probe, type_):
            for outer in (False, True):
                pieces = found(k, table.pairs([probe_data], 1000, outer=outer), len(probe))
                wanted = expected([[v] for v in build], [[v] for v in probe], outer=outer)
                assert ordered([pair for piece in pieces for pair in piece]) == ordered(wanted)
            met = {
                pair[0]
                for pair in expected([[v] for v in build], [[v] for v in probe], outer=False)
            }
            mask = values(k, table.matches([probe_data]), BOOLEAN)
            assert mask == [row in met for row in range(len(probe))]


def test_wide_keys_meet_narrow_ones(k: Kernels) -> None:
    narrow, broad = array(k, [1, None, 3], decimal(18, 0)), wide(k, [3, HUGE, None, 1])
    pieces = found(k, k.join.build([broad]).pairs([narrow], 10, outer=False), 3)
    assert ordered(pieces[0]) == [(0, 3), (2, 0)]
    pieces = found(k, k.join.build([narrow]).pairs([broad], 10, outer=False), 4)
    assert ordered(pieces[0]) == [(0, 2), (3, 0)]


@pytest.mark.parametrize("types", [(LONG, INTEGER), (STRING, LONG), (DOUBLE, DATE, BOOLEAN)])
def test_random_keys_of_several_columns(k: Kernels, types: tuple[DataType, ...]) -> None:
    rng = random.Random(str(types))
    makers: dict[str, Any] = {
        "long": lambda: rng.choice([0, 1, 2, 2**63 - 1, -(2**63), None]),
        "integer": lambda: rng.choice([5, 6, 2**31 - 1, None]),
        "string": lambda: rng.choice(["", "a", "ab", None]),
        "double": lambda: rng.choice([0.0, -0.0, NAN, 1.0, None]),
        "date": lambda: rng.choice([0, 1, None]),
        "boolean": lambda: rng.choice([True, False, None]),
    }
    for build_rows, probe_rows in ((0, 5), (5, 0), (30, 50), (200, 10)):
        build, probe = (
            [[makers[t.name]() for t in types] for _ in range(rows)]
            for rows in (build_rows, probe_rows)
        )

        def columns(rows: Sequence[Sequence[Any]]) -> list[Any]:
            return [array(k, [row[i] for row in rows], t) for i, t in enumerate(types)]

        table = k.join.build(columns(build))
        for outer in (False, True):
            pieces = found(k, table.pairs(columns(probe), 40, outer=outer), probe_rows)
            assert all(pieces)
            joined = [pair for piece in pieces for pair in piece]
            assert ordered(joined) == ordered(expected(build, probe, outer=outer))
        table.mark(columns(probe[: probe_rows // 2]))
        table.mark(columns(probe[probe_rows // 2 :]))
        met = {pair[1] for pair in expected(build, probe, outer=False)}
        marked = values(k, table.marked(), BOOLEAN)
        assert marked == [row in met for row in range(build_rows)]


@pytest.mark.parametrize("type_", [INTEGER, LONG, DATE, decimal(12, 2)])
def test_matches_with_another_value(k: Kernels, type_: DataType) -> None:
    rng = random.Random(str(type_))
    limits = [-(2**31), 2**31 - 1]
    rows = [
        [(rng.choice([0, 1, 2, 3, None]), rng.choice([7, 8, None, *limits])) for _ in range(count)]
        for count in (40, 25)
    ]
    for build, probe in (rows, rows[::-1], [rows[0], []], [[], rows[1]]):
        sides = [
            [
                array(k, list(c), t)
                for c, t in zip(zip(*side, strict=True), (LONG, type_), strict=True)
            ]
            if side
            else [array(k, [], LONG), array(k, [], type_)]
            for side in (build, probe)
        ]
        table = k.join.build([sides[0][0]])
        mask = table.differs([sides[1][0]], sides[1][1], sides[0][1])
        wanted = [
            any(
                None not in (key, own, other) and key == other_key and own != other
                for other_key, other in build
            )
            for key, own in probe
        ]
        assert mask is None or values(k, mask, BOOLEAN) == wanted


def test_only_integers_have_a_least_and_a_greatest(k: Kernels) -> None:
    keys, texts = array(k, [1, 1], LONG), array(k, ["a", "b"], STRING)
    assert k.join.build([keys]).differs([keys], texts, texts) is None
    floats = array(k, [NAN, 0.0], DOUBLE)
    assert k.join.build([keys]).differs([keys], floats, floats) is None


def test_many_pairs_come_in_pieces(k: Kernels) -> None:
    build = array(k, [1] * 50 + [2] * 3 + [None], LONG)
    probe = array(k, [2, 1, 3, 1, None, 1], LONG)
    table = k.join.build([build])
    for outer in (False, True):
        pieces = found(k, table.pairs([probe], 20, outer=outer), 6)
        # a row with more pairs than that may be a piece of its own
        assert max(map(len, pieces)) <= 50 + 20
        assert len(pieces) >= 3
        wanted = expected(
            [[v] for v in [1] * 50 + [2] * 3 + [None]],
            [[v] for v in [2, 1, 3, 1, None, 1]],
            outer=outer,
        )
        assert ordered([pair for piece in pieces for pair in piece]) == ordered(wanted)


@pytest.mark.parametrize("spread", [1, 3, 10**12 + 7])
def test_many_rows(k: Kernels, spread: int) -> None:
    rows = 20_000
    numbers = list(range(rows))
    random.Random(spread).shuffle(numbers)
    table = k.join.build([array(k, [n * spread for n in numbers], LONG)])
    probe = [n * spread for n in range(-100, rows + 100)] + [1, 5 * spread + 1]
    place = {n * spread: row for row, n in enumerate(numbers)}
    pieces = found(k, table.pairs([array(k, probe, LONG)], 1 << 20, outer=False), len(probe))
    wanted = [(row, place[value]) for row, value in enumerate(probe) if value in place]
    assert ordered([pair for piece in pieces for pair in piece]) == wanted


@pytest.mark.parametrize(
    ("probe", "build", "limit"), [(3, 4, 100), (7, 5, 10), (0, 3, 5), (3, 0, 5)]
)
def test_all_with_all(k: Kernels, probe: int, build: int, limit: int) -> None:
    pieces = found(k, k.join.cross(probe, build, limit), probe)
    assert all(0 < len(piece) <= limit for piece in pieces)
    joined = [pair for piece in pieces for pair in piece]
    assert joined == [(left, right) for left in range(probe) for right in range(build)]


def test_bitmap(k: Kernels) -> None:
    bitmap = k.join.bitmap(5)
    assert values(k, bitmap.mask(), BOOLEAN) == [False] * 5
    bitmap.add(array(k, [1, 3, 3], LONG))
    bitmap.add(array(k, [], INTEGER))
    bitmap.add(array(k, [4], INTEGER))
    assert values(k, bitmap.mask(), BOOLEAN) == [False, True, False, True, True]
    assert values(k, k.join.bitmap(0).mask(), BOOLEAN) == []
