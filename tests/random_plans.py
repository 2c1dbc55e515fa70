"""Random queries over random tables: joins, aggregates, windows, limits, unions and subqueries.

Every answer is settled by the data alone: limits and row numbers follow an order over all columns,
and sums of floats are of quarters, so that no rounding depends on the order of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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

MAX_ROWS = 20_000
"""Rows that a query may be estimated to give at any point."""

NARROW = 11
"""Different values of a narrow column, about."""

WIDE = 700
"""Different values of a wide column, about."""

FLOATS = (0.0, -0.0, float("nan"), float("inf"), float("-inf"), 0.25, -0.25, 1.5, -7.0, 2.0, 64.0)
NUMBERS = {"tinyint", "smallint", "int", "bigint", "float", "double", "decimal"}
INTERVALS = {"interval": "interval day to second"}
"""Types that a file does not tell from numbers, in SQL; not those of months, which Python lacks."""
OFFSETS = {
    "tinyint": "3", "int": "2", "bigint": "40", "decimal": "0.50", "date": "INTERVAL '2' DAY",
    "timestamp": "INTERVAL '1' MINUTE", "interval": "INTERVAL '40' SECOND",
}  # fmt: skip
"""How far frames of values reach, for the kinds that have them."""


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


@dataclass(frozen=True, slots=True)
class Relation:
    """A query that gives rows.

    Attributes
    ----------
    rows
        About how many rows it gives, rather too many than too few.
    parts
        The queries that it is made of.
    ordered
        Whether the order of its rows is settled.
    """

    sql: str
    columns: tuple[PlanColumn, ...]
    rows: int
    parts: tuple[Relation, ...] = ()
    ordered: bool = False

    def smallest_first(self) -> Iterator[Relation]:
        """All queries inside this one, then itself."""
        for part in self.parts:
            yield from part.smallest_first()
        yield self


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


class PlanGenerator:
    """Writes random queries over tables, which are given by name and number of rows."""

    def __init__(self, random: Random, tables: dict[str, int]) -> None:
        self._random = random
        self._tables = tables
        self._names = 0

    def query(self, depth: int) -> Relation:
        """A query of at most so many operators above each table, sorted or not."""
        relation = self._relation(depth)
        if self._chance(0.3):
            return self._sorted(relation)
        return relation

    def _relation(self, depth: int) -> Relation:
        if depth == 0:
            return self._scan()
        make = self._random.choice(
            (
                self._join, self._join, self._join, self._subquery, self._aggregate,
                self._aggregate, self._distinct, self._window, self._ranked, self._union,
                self._limited, self._filtered,
            )
        )  # fmt: skip
        return make(depth - 1)

    def _scan(self) -> Relation:
        table = self._random.choice(list(self._tables))
        rows = self._tables[table]
        source, *others = table_columns()
        chosen = [source, *self._random.sample(others, self._random.randint(2, 5))]
        named = [PlanColumn(self._name(), c.kind, c.values) for c in chosen]
        texts = [f"{c.name} AS {n.name}" for c, n in zip(chosen, named, strict=True)]
        sql = f"SELECT {', '.join(texts)} FROM {table}"
        return Relation(sql, tuple(named), rows)

    def _filtered(self, depth: int) -> Relation:
        child = self._relation(depth)
        sql = f"SELECT * FROM ({child.sql}) WHERE {self._condition(child.columns)}"
        return Relation(sql, child.columns, child.rows, (child,))

    def _limited(self, depth: int) -> Relation:
        child = self._relation(depth)
        limit = self._random.choice((0, 1, 5, 40, 1000))
        offset = f" OFFSET {self._random.choice((1, 30))}" if self._chance(0.3) else ""
        sql = f"{self._sorted(child).sql} LIMIT {limit}{offset}"
        return Relation(sql, child.columns, min(limit, child.rows), (child,))

    def _sorted(self, child: Relation) -> Relation:
        order = self._total_order(child.columns)
        sql = f"SELECT * FROM ({child.sql}) ORDER BY {order}"
        return Relation(sql, child.columns, child.rows, (child,), ordered=True)

    def _distinct(self, depth: int) -> Relation:
        child = self._relation(depth)
        some = self._some(child.columns, 3)
        names = ", ".join(c.name for c in some)
        sql = f"SELECT DISTINCT {names} FROM ({child.sql})"
        return Relation(sql, tuple(some), min(child.rows, _product(some)), (child,))

    def _union(self, depth: int) -> Relation:
        left, right = self._relation(depth), self._relation(depth)
        pairs = self._pairs(left, right, 4)
        if not pairs:
            return left
        columns = tuple(
            PlanColumn(self._name(), a.kind, min(10**9, a.values + b.values)) for a, b in pairs
        )
        texts = [
            ", ".join(f"{p[side].name} AS {c.name}" for p, c in zip(pairs, columns, strict=True))
            for side in (0, 1)
        ]
        operator, rows = self._random.choice(
            (
                ("UNION ALL", left.rows + right.rows), ("UNION ALL", left.rows + right.rows),
                ("UNION", left.rows + right.rows), ("EXCEPT", left.rows),
                ("INTERSECT", left.rows), ("INTERSECT ALL", left.rows),
            )
        )  # fmt: skip
        sql = f"SELECT {texts[0]} FROM ({left.sql}) {operator} SELECT {texts[1]} FROM ({right.sql})"
        return Relation(sql, columns, rows, (left, right))

    def _join(self, depth: int) -> Relation:
        left, right = self._relation(depth), self._relation(self._random.randint(0, depth))
        pairs = self._pairs(left, right, self._random.choice((0, 1, 1, 1, 1, 2, 3)))
        rows = left.rows * right.rows // max(1, _product([min(p, key=_values) for p in pairs]))
        if rows > MAX_ROWS:
            left, right = self._shortened(left), self._shortened(right)
            rows = min(rows, left.rows * right.rows)
        kind = self._random.choice(
            ("INNER", "INNER", "LEFT OUTER", "RIGHT OUTER", "FULL OUTER", "LEFT SEMI", "LEFT ANTI")
        )
        if not pairs:
            left, right = (self._shortened(side, 60) for side in (left, right))
        shown = (
            *left.columns,
            *(right.columns if "LEFT S" not in kind and "ANTI" not in kind else ()),
        )
        condition = self._join_condition(left, right, pairs)
        hint = self._hint()
        sql = (
            f"SELECT {hint}{', '.join(c.name for c in shown)} FROM ({left.sql}) l "
            f"{kind} JOIN ({right.sql}) r ON {condition}"
        )
        return Relation(sql, shown, rows + left.rows + right.rows, (left, right))

    def _hint(self) -> str:
        names = ("BROADCAST", "MERGE", "SHUFFLE_HASH", "SHUFFLE_REPLICATE_NL")
        if self._chance(0.4):
            return ""
        return f"/*+ {self._random.choice(names)}({self._random.choice('lr')}) */ "

    def _join_condition(
        self, left: Relation, right: Relation, pairs: Sequence[tuple[PlanColumn, PlanColumn]]
    ) -> str:
        parts = [
            f"{a.name} {self._random.choice(('=', '=', '=', '<=>'))} {b.name}" for a, b in pairs
        ]
        if not parts or self._chance(0.35):
            both = self._pairs(left, right, 1)
            mixed = [f"{a.name} {self._comparison()} {b.name}" for a, b in both]
            parts.append(
                mixed[0]
                if mixed and self._chance(0.7)
                else self._condition((*left.columns, *right.columns))
            )
        return " AND ".join(parts)

    def _subquery(self, depth: int) -> Relation:
        """EXISTS, IN and their negations, alone or within a disjunction."""
        left, right = self._relation(depth), self._relation(self._random.randint(0, depth))
        pairs = self._pairs(left, right, 2)
        if not pairs:
            return left
        (a, b), *more = pairs
        negated = self._random.choice(("", "", "NOT "))
        correlated = f" WHERE {more[0][0].name} = {more[0][1].name}" if more else ""
        if self._chance(0.5):
            where = f"{correlated or ' WHERE true'} AND {a.name} = {b.name}"
            test = f"{negated}EXISTS (SELECT 1 FROM ({right.sql}){where})"
        else:
            inner = correlated if self._chance(0.4) else ""
            test = f"{a.name} {negated}IN (SELECT {b.name} FROM ({right.sql}){inner})"
        if self._chance(0.35):
            test = f"({test} OR {self._condition(left.columns)})"
        sql = f"SELECT * FROM ({left.sql}) l WHERE {test}"
        return Relation(sql, left.columns, left.rows, (left, right))

    def _aggregate(self, depth: int) -> Relation:
        child = self._relation(depth)
        keys = self._some(child.columns, 3) if self._chance(0.85) else []
        calls = [self._call(child.columns) for _ in range(self._random.randint(1, 4))]
        names = [self._name() for _ in calls]
        results = [PlanColumn(n, kind, WIDE) for n, (_, kind) in zip(names, calls, strict=True)]
        texts = [f"{text} AS {n}" for (text, _), n in zip(calls, names, strict=True)]
        grouped, times = self._grouping(keys)
        having = f" HAVING {self._random.choice(('count(*) > 1', 'count(*) < 9'))}"
        sql = (
            f"SELECT {', '.join([*(key.name for key in keys), *texts])} FROM ({child.sql})"
            f"{grouped}{having if self._chance(0.2) else ''}"
        )
        rows = min(child.rows, _product(keys)) * times + 1
        return Relation(sql, (*keys, *results), rows, (child,))

    def _grouping(self, keys: Sequence[PlanColumn]) -> tuple[str, int]:
        if not keys:
            return "", 1
        names = ", ".join(key.name for key in keys)
        form, times = self._random.choice(
            ((" GROUP BY {}", 1),) * 4 + ((" GROUP BY ROLLUP ({})", 4), (" GROUP BY CUBE ({})", 8))
        )
        return form.format(names), times

    def _call(self, columns: Sequence[PlanColumn]) -> tuple[str, str]:
        """An aggregate and the kind of its result."""
        column = self._random.choice(columns)
        forms = [("count(*)", "bigint"), ("count({})", "bigint"), ("count(DISTINCT {})", "bigint")]
        if column.kind not in {"float", "double"} or column.values <= NARROW:
            forms += [("min({})", column.kind), ("max({})", column.kind)]
        if column.kind in NUMBERS:
            sums = "double" if column.kind in {"float", "double"} else "other"
            forms += [("sum({})", sums), ("avg({})", "other"), ("sum(DISTINCT {})", sums)]
        if column.kind in INTERVALS:
            forms += [("sum({})", "other"), ("avg({})", "other"), ("sum(DISTINCT {})", "other")]
        form, kind = self._random.choice(forms)
        text = form.format(column.name)
        if self._chance(0.15):
            text += f" FILTER (WHERE {self._condition(columns)})"
        return text, kind

    def _window(self, depth: int) -> Relation:
        child = self._relation(depth)
        columns = list(child.columns)
        texts = []
        for _ in range(self._random.randint(1, 3)):
            text, kind = self._window_call(child.columns)
            columns.append(PlanColumn(self._name(), kind, WIDE))
            texts.append(f"{text} AS {columns[-1].name}")
        sql = f"SELECT *, {', '.join(texts)} FROM ({child.sql})"
        return Relation(sql, tuple(columns), child.rows, (child,))

    def _window_call(self, columns: Sequence[PlanColumn]) -> tuple[str, str]:
        partition = self._partition(columns)
        total = f"OVER ({partition}ORDER BY {self._total_order(columns)}"
        some = f"OVER ({partition}ORDER BY {self._order(self._some(columns, 2))}"
        column = self._random.choice(columns)
        form = self._random.randrange(5)
        if form == 0:
            name = self._random.choice(("rank()", "dense_rank()"))
            return f"{name} {some})", "int"
        if form == 1:
            name = self._random.choice(("row_number()", "ntile(3)"))
            return f"{name} {total})", "int"
        if form == 2:
            name = self._random.choice(("percent_rank()", "cume_dist()"))
            return f"{name} {some})", "other"
        if form == 3:
            name = self._random.choice(
                ("lag({}, 2)", "lead({})", "last_value({})", "nth_value({}, 2)")
            )
            return f"{name.format(column.name)} {total})", column.kind
        text, kind = self._window_aggregate(columns)
        if self._chance(0.5):
            return f"{text} {total} {self._rows_frame()})", kind
        measured = [c for c in columns if c.kind in OFFSETS]
        if measured and self._chance(0.5):
            key = self._random.choice(measured)
            return f"{text} OVER ({partition}ORDER BY {self._range_frame(key)})", kind
        whole = f"OVER ({partition.strip()})"
        return f"{text} {self._random.choice((f'{some})', whole))}", kind

    def _window_aggregate(self, columns: Sequence[PlanColumn]) -> tuple[str, str]:
        while True:
            text, kind = self._call(columns)
            if "DISTINCT" not in text and "FILTER" not in text:
                return text, kind

    def _rows_frame(self) -> str:
        lower = self._random.choice(("UNBOUNDED PRECEDING", "3 PRECEDING", "1 PRECEDING"))
        upper = self._random.choice(("CURRENT ROW", "2 FOLLOWING", "UNBOUNDED FOLLOWING"))
        return f"ROWS BETWEEN {lower} AND {upper}"

    def _range_frame(self, key: PlanColumn) -> str:
        """An order, and a frame of values."""
        offset = OFFSETS[key.kind]
        lower = self._random.choice(("UNBOUNDED PRECEDING", f"{offset} PRECEDING", "CURRENT ROW"))
        upper = self._random.choice((f"{offset} FOLLOWING", "CURRENT ROW", "UNBOUNDED FOLLOWING"))
        return f"{self._order([key])} RANGE BETWEEN {lower} AND {upper}"

    def _ranked(self, depth: int) -> Relation:
        """The first rows of each partition."""
        child = self._relation(depth)
        name, limit = self._name(), self._random.choice((1, 2, 5))
        partition = self._partition(child.columns)
        function = self._random.choice(("row_number", "rank", "dense_rank"))
        order = self._order(self._some(child.columns, 2))
        if function == "row_number":
            order = self._total_order(child.columns)
        sql = (
            f"SELECT * FROM (SELECT *, {function}() OVER ({partition}ORDER BY {order}) AS {name} "
            f"FROM ({child.sql})) WHERE {name} <= {limit}"
        )
        columns = (*child.columns, PlanColumn(name, "int", limit))
        return Relation(sql, columns, child.rows, (child,))

    def _partition(self, columns: Sequence[PlanColumn]) -> str:
        if self._chance(0.2):
            return ""
        return f"PARTITION BY {', '.join(c.name for c in self._some(columns, 2))} "

    def _shortened(self, child: Relation, rows: int = 120) -> Relation:
        if child.rows <= rows:
            return child
        sql = f"{self._sorted(child).sql} LIMIT {rows}"
        return Relation(sql, child.columns, rows, (child,))

    def _condition(self, columns: Sequence[PlanColumn]) -> str:
        column = self._random.choice(columns)
        if column.kind == "boolean":
            return self._random.choice((column.name, f"NOT {column.name}"))
        if column.kind in NUMBERS and self._chance(0.7):
            return f"{column.name} {self._comparison()} {self._random.choice((0, 1, 2, 50))}"
        alike = [c for c in columns if c.kind == column.kind and c != column]
        if alike:
            return f"{column.name} {self._comparison()} {self._random.choice(alike).name}"
        return f"{column.name} IS {self._random.choice(('', 'NOT '))}NULL"

    def _comparison(self) -> str:
        return self._random.choice(("=", "<>", "<", "<=", ">", ">=", "<=>"))

    def _pairs(
        self, left: Relation, right: Relation, most: int
    ) -> list[tuple[PlanColumn, PlanColumn]]:
        """Pairs of columns of both sides that have one type."""
        pairs = [
            (a, b)
            for a in left.columns
            for b in right.columns
            if a.kind == b.kind and a.kind != "other"
        ]
        self._random.shuffle(pairs)
        found: dict[str, tuple[PlanColumn, PlanColumn]] = {}
        for a, b in pairs:
            if b.name not in {other.name for _, other in found.values()}:
                found.setdefault(a.name, (a, b))
        return list(found.values())[:most]

    def _total_order(self, columns: Sequence[PlanColumn]) -> str:
        return self._order(self._random.sample(columns, len(columns)))

    def _order(self, columns: Sequence[PlanColumn]) -> str:
        ways = ("", "", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST")
        return ", ".join(c.name + self._random.choice(ways) for c in columns)

    def _some(self, columns: Sequence[PlanColumn], most: int) -> list[PlanColumn]:
        return self._random.sample(columns, self._random.randint(1, min(most, len(columns))))

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _name(self) -> str:
        self._names += 1
        return f"c{self._names}"


def _values(column: PlanColumn) -> int:
    return column.values


def _product(columns: Sequence[PlanColumn]) -> int:
    product = 1
    for column in columns:
        product *= column.values
    return product
