"""Tables for random queries, written as Parquet: columns of many and of few values of each type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from pathlib import Path

NARROW = 11
"""Different values of a narrow column, about."""

WIDE = 700
"""Different values of a wide column, about."""

FLOATS = (0.0, -0.0, float("nan"), float("inf"), float("-inf"), 0.25, -0.25, 1.5, -7.0, 2.0, 64.0)
INTERVALS = {"interval": "interval day to second"}
"""Types that a file does not tell from numbers, in SQL; not those of months, which Python lacks."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of the tables: its name here, its Arrow type, and the value of a small number."""

    name: str
    arrow: pa.DataType
    value: Callable[[int], Any]


def _float(number: int) -> float:
    return FLOATS[number] if 0 <= number < len(FLOATS) else number / 4


KINDS = (
    Kind("tinyint", pa.int8(), lambda n: n % 100 - 5),
    Kind("smallint", pa.int16(), lambda n: n - 5),
    Kind("int", pa.int32(), lambda n: n - 5),
    Kind("bigint", pa.int64(), lambda n: n - 5),
    Kind("float", pa.float32(), _float),
    Kind("double", pa.float64(), _float),
    Kind("decimal", pa.decimal128(9, 2), lambda n: Decimal(n - 5) / 4),
    Kind("long_decimal", pa.decimal128(30, 5), lambda n: Decimal(n - 5) * 10**18),
    Kind("string", pa.string(), lambda n: ("", "a", "Ä", "日", "a😀", "z ")[n % 6] + str(n // 6)),
    Kind("binary", pa.binary(), lambda n: bytes([n % 256, 255, 0][: n % 4])),
    Kind("boolean", pa.bool_(), lambda n: n % 2 == 0),
    Kind("date", pa.date32(), lambda n: date(1969, 12, 28) + timedelta(days=n)),
    Kind(
        "timestamp",
        pa.timestamp("us", "UTC"),
        lambda n: datetime(1969, 12, 31, 23, 59, tzinfo=UTC) + timedelta(seconds=n * 17),
    ),
    Kind("interval", pa.int64(), lambda n: (n - 5) * 17_000_001),
)


@dataclass(frozen=True, slots=True)
class PlanColumn:
    """A column of a query: its name, the name of its kind, and about how many values it has."""

    name: str
    kind: str
    values: int


def table_columns() -> tuple[PlanColumn, ...]:
    """The columns of every table: `id`, and a narrow and a wide column of each kind."""
    found = [PlanColumn("id", "bigint", 10**9)]
    for kind in KINDS:
        values = 2 if kind.name == "boolean" else NARROW
        found.append(PlanColumn(f"{kind.name}_narrow", kind.name, values))
        if kind.name in {"int", "bigint", "double", "decimal", "string", "date", "interval"}:
            found.append(PlanColumn(f"{kind.name}_wide", kind.name, WIDE))
    return tuple(found)


def interval_columns() -> dict[str, str]:
    """The types in SQL of the columns that a file says to be numbers."""
    return {c.name: INTERVALS[c.kind] for c in table_columns() if c.kind in INTERVALS}


def write_plan_table(random: Random, folder: Path, rows: int, files: int) -> None:
    """Parquet files with the columns of `table_columns`, nulls among them."""
    folder.mkdir(parents=True)
    kinds = {kind.name: kind for kind in KINDS}
    limits = [0, *sorted(random.randint(0, rows) for _ in range(files - 1)), rows]
    columns: dict[str, pa.Array] = {"id": pa.array(range(rows), pa.int64())}
    for column in table_columns()[1:]:
        kind, nulls = kinds[column.kind], random.choice((0.0, 0.05, 0.3, 0.3, 1.0))
        values = [
            None if random.random() < nulls else kind.value(random.randrange(column.values))
            for _ in range(rows)
        ]
        columns[column.name] = pa.array(values, kind.arrow)
    table = pa.table(columns)
    for number, (start, end) in enumerate(pairwise(limits)):
        part = table.slice(start, end - start)
        pq.write_table(part, folder / f"part-{number}.parquet", row_group_size=500)
