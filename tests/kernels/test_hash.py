"""Spark's hash, places among bounds, and rows put together by partition."""

from __future__ import annotations

import math
import os
import random
from collections.abc import Sequence
from functools import cmp_to_key
from typing import Any

import numpy as np
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
    TIMESTAMP_NTZ,
    VOID,
    YEAR_MONTH_INTERVAL,
    ArrayType,
    DataType,
    StructType,
    decimal,
)
from kernels.nested_values import array_of, made, some_type, some_value, struct
from kernels.physical import array, layouts, sliced, values

NAN, INFINITY = math.nan, math.inf
LEAST_LONG, MOST_LONG = -(2**63), 2**63 - 1

# Each value with `SELECT hash(value)` of Spark 4.1.
HASHES: list[tuple[DataType, list[tuple[Any, int]]]] = [
    (BOOLEAN, [(True, -559580957), (False, 933211791)]),
    (BYTE, [(-128, 1110053733), (-1, -1604776387), (0, 933211791), (127, 1135925485)]),
    (SHORT, [(-32768, -1871935946), (7, 1079293707)]),
    (
        INTEGER,
        [
            (-(2**31), 723455942),
            (-1, -1604776387),
            (0, 933211791),
            (1, -559580957),
            (2**31 - 1, 133916647),
        ],
    ),
    (
        LONG,
        [
            (LEAST_LONG, -853646085),
            (-1, -939490007),
            (0, -1670924195),
            (1, -1712319331),
            (MOST_LONG, -1604625029),
        ],
    ),
    (
        FLOAT,
        [
            (NAN, -349261430),
            (-0.0, 933211791),
            (0.0, 933211791),
            (1.5, -221251528),
            (INFINITY, 2026854605),
            (-INFINITY, 427440766),
            (-1.5, 1765572753),
        ],
    ),
    (
        DOUBLE,
        [
            (NAN, -1281358385),
            (-0.0, -1670924195),
            (0.0, -1670924195),
            (1.5, 1290763749),
            (INFINITY, 833680482),
            (-INFINITY, 461104036),
            (-1.5, 2099784398),
            (5e-324, -1712319331),
        ],
    ),
    (
        decimal(18, 2),
        [(0, -1670924195), (-1234, 180183791), (10**18 - 1, -1795328666)],
    ),
    (
        decimal(38, 2),
        [
            (0, -783713497),
            (127, 1185089389),
            (128, -544401882),
            (-128, 775851899),
            (-129, -771458971),
            (255, 1246198977),
            (256, 188218374),
            (32767, -1459034263),
            (32768, -99371362),
            (-32768, -774221049),
            (MOST_LONG, -1627571634),
            (MOST_LONG + 1, 1479175736),
            (LEAST_LONG, -1794377518),
            (LEAST_LONG - 1, -1667168926),
            (10**38 - 1, -817514053),
            (-(10**38) + 1, 1400911110),
            (12345678901234567890123456, 514260845),
        ],
    ),
    (
        STRING,
        [
            ("", 142593372),
            ("a", 1485273170),
            ("ab", -97053317),
            ("abc", 1322437556),
            ("abcd", -396302900),
            ("abcde", 814637928),
            ("é", 2119106806),
            ("añ😀", 1293124337),
            ("Spark", 228093765),
            ("0123456789" * 4, 331818768),
        ],
    ),
    (
        BINARY,
        [
            (b"", 142593372),
            (b"\xff", 1398487324),
            (b"\x80\xff\x7f", 1911184379),
            (b"\x00\x01\x02\x03", -1066376783),
            (b"\xff\x00\xff\x00\xff", 317085065),
            (b"\x80" * 6, 1632918870),
        ],
    ),
    (DATE, [(0, 933211791), (19782, 653915859), (-719162, -1147107224)]),
    (
        TIMESTAMP,
        [(1, -1712319331), (1709210096789000, -291204334), (-62135596800000000, 269467232)],
    ),
    (TIMESTAMP_NTZ, [(1, -1712319331)]),
    (
        YEAR_MONTH_INTERVAL,
        [(0, 933211791), (14, 335551368), (-(2**31), 723455942), (2**31 - 1, 133916647)],
    ),
    (
        DAY_TIME_INTERVAL,
        [(0, -1670924195), (10**6, -1715802514), (-(2**63), -853646085), (2**63 - 1, -1604625029)],
    ),
    (VOID, [(None, 42)]),
]


@pytest.mark.parametrize(("type", "hashes"), HASHES, ids=lambda v: getattr(v, "name", ""))
def test_hashes_are_those_of_spark(
    k: Kernels, type: DataType, hashes: list[tuple[Any, int]]
) -> None:
    given = [(None, 42), *hashes, (None, 42)]
    for rows in (given, hashes, hashes * 40, given * 40, []):
        for data in layouts(k, [value for value, _ in rows], type):
            found = k.hash.murmur3([data], [type], len(rows), 42)
            assert values(k, found, INTEGER) == [expected for _, expected in rows]


def test_the_hash_of_a_column_is_the_seed_of_the_next(k: Kernels) -> None:
    columns = [
        array(k, [1, 1], INTEGER),
        array(k, [None, None], STRING),
        array(k, ["a", None], STRING),
        array(k, [2, None], LONG),
    ]
    found = k.hash.murmur3(columns, [INTEGER, STRING, STRING, LONG], 2, 42)
    # SELECT hash(1, NULL, 'a', 2L), hash(1)
    assert values(k, found, INTEGER) == [-947240264, -559580957]
    assert values(k, k.hash.murmur3([], [], 3, 42), INTEGER) == [42] * 3


def test_texts_of_all_lengths_hash_as_one_by_one(k: Kernels) -> None:
    random = np.random.default_rng(3)
    texts = [random.bytes(int(n)) for n in random.integers(0, 70, 500)]
    texts += [random.bytes(10_001), random.bytes(9_999)]
    expected = [_murmur3(text, 42) for text in texts]
    for data in (array(k, texts, BINARY), sliced(k, texts, BINARY)):
        found = k.hash.murmur3([data], [BINARY], len(texts), 42)
        assert values(k, found, INTEGER) == expected
    equal = [random.bytes(18) for _ in range(100)]
    found = k.hash.murmur3([array(k, equal, BINARY)], [BINARY], 100, -7)
    assert values(k, found, INTEGER) == [_murmur3(text, -7) for text in equal]


def _murmur3(text: bytes, seed: int) -> int:
    """Spark's `Murmur3_x86_32.hashUnsafeBytes` of one text."""
    bits = 2**32 - 1
    aligned = len(text) - len(text) % 4
    words = [int.from_bytes(text[i : i + 4], "little") for i in range(0, aligned, 4)]
    words += [byte - 256 & bits if byte > 127 else byte for byte in text[aligned:]]
    value = seed & bits
    for word in words:
        word = word * 0xCC9E2D51 & bits
        word = (word << 15 | word >> 17) * 0x1B873593 & bits
        value ^= word
        value = ((value << 13 | value >> 19) * 5 + 0xE6546B64) & bits
    value ^= len(text)
    value = (value ^ value >> 16) * 0x85EBCA6B & bits
    value = (value ^ value >> 13) * 0xC2B2AE35 & bits
    value ^= value >> 16
    return value - 2**32 if value >= 2**31 else value


def folded(k: Kernels, value: Any, type_: DataType, seed: int) -> int:
    """The hash of a value, part by part."""
    if value is None:
        return seed
    if isinstance(type_, StructType):
        for part, field in zip(value, type_.fields, strict=True):
            seed = folded(k, part, field.type, seed)
        return seed
    if isinstance(type_, ArrayType):
        for part in value:
            seed = folded(k, part, type_.element, seed)
        return seed
    (found,) = values(k, k.hash.murmur3([array(k, [value], type_)], [type_], 1, seed), INTEGER)
    return int(found)


@pytest.mark.skipif(
    os.environ["BROADHEAD_TEST_KERNELS"] == "cudf", reason="nested keys keep to Arrow"
)
@pytest.mark.parametrize("seed", range(15))
def test_nested_values_hash_part_by_part(k: Kernels, seed: int) -> None:
    chance = random.Random(seed)
    type_ = chance.choice([struct, array_of])(some_type(chance, 2))
    rows = [some_value(chance, type_) for _ in range(30)]
    hashes = k.hash.murmur3([made(k, rows, type_)], [type_], len(rows), 42)
    assert values(k, hashes, INTEGER) == [folded(k, row, type_, 42) for row in rows]


def test_modulo_is_never_negative(k: Kernels) -> None:
    hashes = array(k, [-(2**31), -1, 0, 1, 2**31 - 1, -7], INTEGER)
    assert values(k, k.hash.modulo(hashes, 7), INTEGER) == [
        n % 7 for n in (-(2**31), -1, 0, 1, 2**31 - 1, -7)
    ]
    assert values(k, k.hash.modulo(hashes, 1), INTEGER) == [0] * 6


@pytest.mark.parametrize("parts", [1, 3, 300, 70_000])
def test_partitions_keep_all_rows_in_order(k: Kernels, parts: int) -> None:
    random = np.random.default_rng(parts)
    numbers = random.integers(0, parts, 1000).tolist()
    texts = [str(n) for n in range(1000)]
    wide = [None if n % 9 == 0 else n * 10**30 for n in range(1000)]
    arrays = [array(k, texts, STRING), array(k, wide, decimal(38, 0))]
    found, offsets = k.hash.partition(arrays, array(k, numbers, INTEGER), parts)
    order = sorted(range(1000), key=lambda row: numbers[row])
    assert values(k, found[0], STRING) == [texts[row] for row in order]
    assert values(k, found[1], decimal(38, 0)) == [wide[row] for row in order]
    assert offsets.dtype == np.int64
    assert offsets.tolist() == np.cumsum([0, *np.bincount(numbers, minlength=parts)]).tolist()


def test_partitions_of_no_rows_and_of_one_partition_alone(k: Kernels) -> None:
    found, offsets = k.hash.partition([array(k, [], STRING)], array(k, [], INTEGER), 3)
    assert values(k, found[0], STRING) == []
    assert offsets.tolist() == [0] * 4
    data = array(k, ["b", "a"], STRING)
    found, offsets = k.hash.partition([data], array(k, [2, 2], INTEGER), 4)
    assert values(k, found[0], STRING) == ["b", "a"]
    assert offsets.tolist() == [0, 0, 0, 2, 2]


SAMPLES: list[tuple[DataType, list[Any]]] = [
    (BOOLEAN, [True, False]),
    (BYTE, [-128, 0, 127, 5]),
    (LONG, [LEAST_LONG, 0, MOST_LONG, 5, 6]),
    (DOUBLE, [-INFINITY, -0.0, 0.0, NAN, 0.5, INFINITY]),
    (decimal(38, 5), [-(10**37), 0, 10**37, 2**64, 2**64 + 1, -(2**64), 5]),
    (STRING, ["", "a", "a\0", "abcdefgh", "abcdefgh\0", "abcdefghi", "abcdefghj", "é", "b"]),
    (BINARY, [b"", b"\xff\x00", b"\xff", b"a", b"\x00"]),
    (DATE, [-(2**31), 0, 2**31 - 1, 5]),
    (TIMESTAMP, [LEAST_LONG, 0, MOST_LONG]),
]
ORDERS = [(True, True), (True, False), (False, True), (False, False)]


@pytest.mark.parametrize(("type", "sample"), SAMPLES, ids=lambda v: getattr(v, "name", ""))
@pytest.mark.parametrize("order", ORDERS)
def test_places_among_bounds(
    k: Kernels, type: DataType, sample: list[Any], order: tuple[bool, bool]
) -> None:
    rows = [(value,) for value in [*sample, None]]
    for bounds in (rows, rows[::2], rows[1::2], rows[:1], [(None,)], [*rows, *rows[:3]]):
        _check_places(k, bounds, rows, [type], [order])


def test_places_by_several_keys(k: Kernels) -> None:
    random = np.random.default_rng(5)
    types = [LONG, STRING, DOUBLE]

    def rows(count: int) -> list[tuple[Any, ...]]:
        return [
            (
                None if random.random() < 0.2 else int(random.integers(0, 4)),
                None if random.random() < 0.2 else "abcdefghij"[: int(random.integers(0, 10))],
                None if random.random() < 0.2 else float(random.choice([NAN, 1.0, -0.0, 0.0])),
            )
            for _ in range(count)
        ]

    for orders in ([ORDERS[0], ORDERS[3], ORDERS[1]], [ORDERS[2], ORDERS[0], ORDERS[3]]):
        _check_places(k, rows(40), rows(500), types, orders)


def _check_places(
    k: Kernels,
    bounds: Sequence[tuple[Any, ...]],
    rows: Sequence[tuple[Any, ...]],
    types: Sequence[DataType],
    orders: Sequence[tuple[bool, bool]],
) -> None:
    key = cmp_to_key(lambda left, right: _compare(left, right, orders))
    bounds = sorted(bounds, key=key)
    expected = [sum(_compare(bound, row, orders) < 0 for bound in bounds) for row in rows]
    given = zip(zip(*bounds, strict=True), types, strict=True)
    bound_arrays = [array(k, column, type) for column, type in given]
    for make in (array, sliced):
        pairs = zip(zip(*rows, strict=True), types, strict=True)
        keys = [make(k, column, type) for column, type in pairs]
        found = k.hash.search_sorted(bound_arrays, keys, orders)
        assert values(k, found, INTEGER) == expected


def _compare(
    left: tuple[Any, ...], right: tuple[Any, ...], orders: Sequence[tuple[bool, bool]]
) -> int:
    for a, b, (ascending, nulls_first) in zip(left, right, orders, strict=True):
        if a is None or b is None:
            result = (a is not None) - (b is not None)
            result = result if nulls_first else -result
        else:
            a, b = _ordered(a), _ordered(b)
            result = (a > b) - (a < b)
            result = result if ascending else -result
        if result:
            return result
    return 0


def _ordered(value: Any) -> Any:
    if isinstance(value, float):
        return (math.isnan(value), 0.0 if math.isnan(value) else value)
    return value.encode() if isinstance(value, str) else value


LENGTHS = [0, 1, 3, 4, 7, 8, 11, 12, 15, 31, 32, 33, 40, 47, 64, 100]
# Each with `SELECT xxhash64(value)` of Spark 4.1: of so many characters, and of other types.
XXHASHES_OF_TEXTS = [
    -7444071767201028348, -8582455328737087284, 7348273021713817186, -7751838496208731996,
    -5348257516424700797, -3244916903495531364, -386427309721406309, -8908932518006414557,
    8166766557160291678, -8817727818420321266, 150856491150615930, 8134262342331340643,
    -606286854929638407, -4343215632209558122, -2127281963466911655, -5000121492088290131,
]  # fmt: skip
XXHASHES: list[tuple[DataType, Any, int]] = [
    (BYTE, 1, -6698625589789238999),
    (INTEGER, -2, 6162728026222640212),
    (BOOLEAN, True, -6698625589789238999),
    (LONG, -5, -5259934538394028452),
    (FLOAT, -0.0, 3614696996920510707),
    (DOUBLE, 1.5, 7738255526519901366),
    (DOUBLE, NAN, -3127944061524951246),
    (decimal(3, 2), -125, -7646224701292229936),
    (decimal(38, 2), -1234567890123456789050, -6095575023404014659),
    (DATE, -3652, -3796622369085948925),
    (BINARY, b"\x00\xff", 879945414100663330),
    (TIMESTAMP_NTZ, -315619199500000, -2393078403517092117),
]


def test_xxhash64_of_texts(k: Kernels) -> None:
    texts: list[str | None] = [("aß9-" * 50)[:length] for length in LENGTHS]
    for data in layouts(k, texts, STRING):
        assert (
            values(k, k.hash.xxhash64([data], [STRING], len(texts), 42), LONG) == XXHASHES_OF_TEXTS
        )
    alone = [
        values(k, k.hash.xxhash64([array(k, [text], STRING)], [STRING], 1, 42), LONG)
        for text in texts
    ]
    assert [found for (found,) in alone] == XXHASHES_OF_TEXTS
    missing = array(k, [None, texts[3], None], STRING)
    found = values(k, k.hash.xxhash64([missing], [STRING], 3, 7), LONG)
    assert found[0] == found[2] == 7


@pytest.mark.parametrize(("type", "value", "expected"), XXHASHES)
def test_xxhash64(k: Kernels, type: DataType, value: Any, expected: int) -> None:
    found = k.hash.xxhash64([array(k, [value], type)], [type], 1, 42)
    assert values(k, found, LONG) == [expected]
