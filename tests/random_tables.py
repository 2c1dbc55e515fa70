"""Tables of random typed data for the random test, written as Parquet by pyarrow."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

DECIMALS = ((5, 2), (9, 2), (18, 4), (20, 0), (38, 10), (38, 0), (38, 38))
TEXTS = (
    "", "a", "abc", "ABC", " a ", "xxabcxx", "Straße", "ΌΣΟΣ", "äöü", "日本語", "a😀b", "100%",
    "a_b", "a\\b", "line\nbreak", "tab\t", "İi", "ﬁn", "e\u0301", "\u00a0", "%", "_",
)  # fmt: skip
FLOATS = (
    0.0, -0.0, 1.5, -2.25, 0.1, float("nan"), float("inf"), float("-inf"), 1.7976931348623157e308,
    5e-324, 3.4028234663852886e38, 2147483648.0, -9223372036854775808.0, 0.49999999999999994,
)  # fmt: skip
SECONDS = (
    0, -1, 1_710_064_799, 1_710_066_600, 1_730_622_600, 1_711_848_600, 1_729_989_000,
    -2_717_640_000, 951_782_400, 1_325_246_400, 13_268_000_000,
)  # fmt: skip
"""Instants, many of them where a time zone changes its offset."""


@dataclass(frozen=True, slots=True)
class RandomColumn:
    """A column: its Spark type name, its type in SQL and in Arrow, and what makes a value."""

    name: str
    kind: str
    sql: str
    arrow: pa.DataType
    make: Callable[[Random], Any]


@dataclass(frozen=True, slots=True)
class RandomTable:
    """A view's name and its columns; `mild` values seldom overflow or leave a domain."""

    name: str
    columns: tuple[RandomColumn, ...]
    mild: bool

    def names(self, kind: str) -> tuple[str, ...]:
        """The columns of a type."""
        return tuple(column.name for column in self.columns if column.kind == kind)


def mild_table() -> RandomTable:
    """Small numbers, short texts, dates of this century; the second of each is never 0."""
    columns = [*_integers(_small, _small_not_zero), *_texts()]
    columns += _floats(_quarters, partial(_among, (0.25, -0.5, 3.0, 8.0)))
    for precision, scale in DECIMALS[:-1]:
        columns.append(_decimal(precision, scale, partial(_small_decimal, scale=scale)))
    near = partial(_mixed, values=(0, 11_016, 19_782), low=10_000, high=20_000)
    columns += _instants(near, partial(_micros, low=0, high=1_900_000_000))
    columns += _intervals(_small, partial(_micros, low=-100_000, high=100_000))
    columns += _collections()
    return RandomTable("mild", tuple(columns), True)


def edge_table() -> RandomTable:
    """Limits of every type, NaN, -0.0, long decimals, and dates and instants far away."""
    columns = [*_texts()]
    for name, kind, sql, arrow, bits in INTEGERS:
        limits = (0, 1, -1, 7, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)))
        near = partial(_mixed, values=limits, low=-100, high=100)
        columns += [RandomColumn(f"{name}{n}", kind, sql, arrow, near) for n in "12"]
    columns += _floats(partial(_among, FLOATS), _any_float)
    for precision, scale in DECIMALS:
        columns.append(_decimal(precision, scale, partial(_edge_decimal, precision=precision)))
    columns += _instants(
        partial(_mixed, values=(0, -1, -141_428, -719_162, 2_932_896), low=-30_000, high=60_000),
        partial(_micros, low=-2_000_000_000, high=13_000_000_000),
    )
    ends = (0, -1, 2**31 - 1, -(2**31))
    columns += _intervals(
        partial(_mixed, values=ends, low=-100, high=100),
        partial(_among, (0, -1, 2**63 - 1, -(2**63), 86_400_000_000, 1_500_000)),
    )
    far_days = partial(_mixed, values=(10_000_000, -1_000_000, 2_932_896), low=-719_162, high=0)
    far = partial(_micros, low=-62_135_000_000, high=253_402_000_000)
    columns += [
        RandomColumn("x3", "date", "date", pa.date32(), far_days),
        RandomColumn("t3", "timestamp", "timestamp", pa.timestamp("us", "UTC"), far),
        RandomColumn("n3", "timestamp_ntz", "timestamp_ntz", pa.timestamp("us"), far),
        *_collections(),
    ]
    return RandomTable("edge", tuple(columns), False)


def schema(table: RandomTable) -> str:
    """The columns and their types in SQL: a file does not tell an interval from a number."""
    return ", ".join(["id bigint", *(f"{column.name} {column.sql}" for column in table.columns)])


def write(table: RandomTable, random: Random, folder: Path, rows: int, files: int) -> None:
    """Parquet files in the folder: small row groups, a column of row numbers, nulls everywhere."""
    folder.mkdir(parents=True)
    for number in range(files):
        arrays: list[pa.Array] = [pa.array(range(number * rows, (number + 1) * rows), pa.int64())]
        for column in table.columns:
            nulls = random.choice((0.0, 0.1, 0.1, 0.4))
            values = [None if random.random() < nulls else column.make(random) for _ in range(rows)]
            arrays.append(_array(values, column.arrow))
        names = ["id", *(column.name for column in table.columns)]
        written = pa.table(arrays, names=names)
        pq.write_table(written, folder / f"part-{number}.parquet", row_group_size=17)


def _array(values: Sequence[Any], arrow: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(arrow):
        return pa.array(values, pa.int64()).cast(arrow)
    if pa.types.is_date32(arrow):
        return pa.array(values, pa.int32()).cast(arrow)
    return pa.array(values, arrow)


INTEGERS = (
    ("b", "byte", "tinyint", pa.int8(), 8),
    ("s", "short", "smallint", pa.int16(), 16),
    ("i", "integer", "int", pa.int32(), 32),
    ("l", "long", "bigint", pa.int64(), 64),
)


def _integers(*makers: Callable[[Random], Any]) -> list[RandomColumn]:
    return [
        RandomColumn(f"{name}{number}", kind, sql, arrow, make)
        for name, kind, sql, arrow, _ in INTEGERS
        for number, make in enumerate(makers, 1)
    ]


def _floats(*makers: Callable[[Random], Any]) -> list[RandomColumn]:
    return [
        RandomColumn(f"{name}{number}", kind, kind, arrow, make)
        for name, kind, arrow in (("f", "float", pa.float32()), ("d", "double", pa.float64()))
        for number, make in enumerate(makers, 1)
    ]


def _texts() -> list[RandomColumn]:
    def binary(random: Random) -> bytes:
        return random.choice((b"", b"\x00", b"\xff\x00", b"abc", random.randbytes(3)))

    def boolean(random: Random) -> bool:
        return random.random() < 0.5

    text = partial(_among, TEXTS)
    found = [RandomColumn(f"st{n}", "string", "string", pa.string(), text) for n in "12"]
    found += [RandomColumn(f"bin{n}", "binary", "binary", pa.binary(), binary) for n in "12"]
    return found + [RandomColumn(f"p{n}", "boolean", "boolean", pa.bool_(), boolean) for n in "12"]


def _instants(days: Callable[[Random], Any], micros: Callable[[Random], Any]) -> list[RandomColumn]:
    zoned, plain = pa.timestamp("us", "UTC"), pa.timestamp("us")
    found = [RandomColumn(f"x{n}", "date", "date", pa.date32(), days) for n in "12"]
    for n in "12":
        found.append(RandomColumn(f"t{n}", "timestamp", "timestamp", zoned, micros))
        found.append(RandomColumn(f"n{n}", "timestamp_ntz", "timestamp_ntz", plain, micros))
    return found


def _intervals(
    months: Callable[[Random], Any], micros: Callable[[Random], Any]
) -> list[RandomColumn]:
    kinds = (
        ("ym", "year_month_interval", "interval year to month", pa.int32(), months),
        ("dt", "day_time_interval", "interval day to second", pa.int64(), micros),
    )
    return [
        RandomColumn(f"{name}{n}", kind, sql, arrow, make)
        for name, kind, sql, arrow, make in kinds
        for n in "12"
    ]


def _collections() -> list[RandomColumn]:
    def array(random: Random) -> list[int | None]:
        return [random.choice((None, 0, -7, 2**31 - 1)) for _ in range(random.choice((0, 1, 4)))]

    def map_(random: Random) -> list[tuple[str, int]]:
        return [
            (text, random.randint(-9, 9)) for text in random.sample(TEXTS, random.randint(0, 3))
        ]

    return [
        RandomColumn("a1", "array", "array<int>", pa.list_(pa.int32()), array),
        RandomColumn("e1", "map", "map<string,int>", pa.map_(pa.string(), pa.int32()), map_),
    ]


def _decimal(precision: int, scale: int, make: Callable[..., int]) -> RandomColumn:
    def value(random: Random) -> Decimal:
        return Decimal(f"{make(random)}E-{scale}")

    sql = f"decimal({precision},{scale})"
    arrow = pa.decimal128(precision, scale)
    return RandomColumn(f"m{precision}_{scale}", "decimal", sql, arrow, value)


def _among(values: Sequence[Any], random: Random) -> Any:
    return random.choice(values)


def _mixed(random: Random, values: Sequence[int], low: int, high: int) -> int:
    return random.choice(values) if random.random() < 0.5 else random.randint(low, high)


def _small(random: Random) -> int:
    return random.randint(-11, 11)


def _small_not_zero(random: Random) -> int:
    return random.choice((1, 2, 3, 5, -1, -2, -4))


def _quarters(random: Random) -> float:
    return random.randint(-40, 40) / 4


def _any_float(random: Random) -> float:
    bits = random.getrandbits(32)
    value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return value if random.random() < 0.5 else random.uniform(-1000, 1000)


def _small_decimal(random: Random, scale: int) -> int:
    return random.randint(-(10 ** min(scale + 1, 6)), 10 ** min(scale + 1, 6))


def _edge_decimal(random: Random, precision: int) -> int:
    limit = 10**precision - 1
    size = 10 ** random.randint(0, precision) - 1
    return random.choice((0, 1, -1, limit, -limit, random.randint(-size, size)))


def _micros(random: Random, low: int, high: int) -> int:
    seconds = random.choice(SECONDS) if random.random() < 0.4 else random.randint(low, high)
    return seconds * 1_000_000 + random.choice((0, 0, 1, 500_000, 999_999))
