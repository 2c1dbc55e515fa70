"""Strategies of random queries: joins, aggregates, windows, limits, unions and subqueries.

The data alone determine every answer: limits and row numbers follow an order over all columns, and
sums of floats are of quarters, so that no rounding depends on the order of rows. Hypothesis shrinks
towards the first of several choices, which is therefore the simplest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hypothesis import strategies as st

from random_plan_tables import INTERVALS, NARROW, WIDE, PlanColumn, table_columns

MAX_ROWS = 20_000
"""Rows that a query may be estimated to give at any point."""

NUMBERS = {"tinyint", "smallint", "int", "bigint", "float", "double", "decimal"}
OFFSETS = {
    "tinyint": "3", "int": "2", "bigint": "40", "decimal": "0.50", "date": "INTERVAL '2' DAY",
    "timestamp": "INTERVAL '1' MINUTE", "interval": "INTERVAL '40' SECOND",
}  # fmt: skip
"""How far frames of values reach, for the kinds that have them."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A query that gives rows.

    Attributes
    ----------
    rows
        About how many rows it gives, rather too many than too few.
    ordered
        Whether the order of its rows is settled.
    """

    sql: str
    columns: tuple[PlanColumn, ...] = field(repr=False)
    rows: int = field(repr=False)
    ordered: bool = False


@st.composite
def queries(draw: st.DrawFn, tables: Mapping[str, int]) -> Relation:
    """Queries over tables, given by name and number of rows: up to four operators above each."""
    writer = PlanWriter(draw, tables, count(1))
    relation = writer.relation(draw(st.integers(1, 4)))
    return writer.sorted(relation) if writer.chance(0.3) else relation


@st.composite
def _relations(
    draw: st.DrawFn, tables: Mapping[str, int], names: Iterator[int], depth: int
) -> Relation:
    """A part of a query, drawn as one, so that Hypothesis can put it in the place of the whole."""
    return PlanWriter(draw, tables, names).write(depth)


class PlanWriter:
    """Writes queries as `draw` chooses; `names` numbers the columns."""

    def __init__(self, draw: st.DrawFn, tables: Mapping[str, int], names: Iterator[int]) -> None:
        self._draw = draw
        self._tables = tables
        self._names = names

    def relation(self, depth: int) -> Relation:
        """A query of at most so many operators above each table."""
        return self._draw(_relations(self._tables, self._names, depth))

    def write(self, depth: int) -> Relation:
        """The choices of `relation`."""
        if depth == 0:
            return self._scan()
        make = self._choice(
            (
                self._filtered, self._limited, self._distinct, self._aggregate, self._aggregate,
                self._ranked, self._window, self._union, self._subquery, self._join, self._join,
                self._join,
            )
        )  # fmt: skip
        return make(depth - 1)

    def _scan(self) -> Relation:
        table = self._choice(list(self._tables))
        rows = self._tables[table]
        source, *others = table_columns()
        chosen = [source, *self._some(others, 5, least=2)]
        named = [PlanColumn(self._name(), c.kind, c.values) for c in chosen]
        texts = [f"{c.name} AS {n.name}" for c, n in zip(chosen, named, strict=True)]
        sql = f"SELECT {', '.join(texts)} FROM {table}"
        return Relation(sql, tuple(named), rows)

    def _filtered(self, depth: int) -> Relation:
        child = self.relation(depth)
        sql = f"SELECT * FROM ({child.sql}) WHERE {self._condition(child.columns)}"
        return Relation(sql, child.columns, child.rows)

    def _limited(self, depth: int) -> Relation:
        child = self.relation(depth)
        limit = self._choice((0, 1, 5, 40, 1000))
        offset = f" OFFSET {self._choice((1, 30))}" if self.chance(0.3) else ""
        sql = f"{self.sorted(child).sql} LIMIT {limit}{offset}"
        return Relation(sql, child.columns, min(limit, child.rows))

    def sorted(self, child: Relation) -> Relation:
        """The rows of a query in an order of all its columns."""
        order = self._total_order(child.columns)
        sql = f"SELECT * FROM ({child.sql}) ORDER BY {order}"
        return Relation(sql, child.columns, child.rows, ordered=True)

    def _distinct(self, depth: int) -> Relation:
        child = self.relation(depth)
        some = self._some(child.columns, 3)
        names = ", ".join(c.name for c in some)
        sql = f"SELECT DISTINCT {names} FROM ({child.sql})"
        return Relation(sql, tuple(some), min(child.rows, _product(some)))

    def _union(self, depth: int) -> Relation:
        left, right = self.relation(depth), self.relation(depth)
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
        operator, rows = self._choice(
            (
                ("UNION ALL", left.rows + right.rows), ("UNION ALL", left.rows + right.rows),
                ("UNION", left.rows + right.rows), ("EXCEPT", left.rows),
                ("INTERSECT", left.rows), ("INTERSECT ALL", left.rows),
            )
        )  # fmt: skip
        sql = f"SELECT {texts[0]} FROM ({left.sql}) {operator} SELECT {texts[1]} FROM ({right.sql})"
        return Relation(sql, columns, rows)

    def _join(self, depth: int) -> Relation:
        left, right = self.relation(depth), self.relation(self._number(0, depth))
        pairs = self._pairs(left, right, self._choice((0, 1, 1, 1, 1, 2, 3)))
        rows = left.rows * right.rows // max(1, _product([min(p, key=_values) for p in pairs]))
        if rows > MAX_ROWS:
            left, right = self._shortened(left), self._shortened(right)
            rows = min(rows, left.rows * right.rows)
        kind = self._choice(
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
        return Relation(sql, shown, rows + left.rows + right.rows)

    def _hint(self) -> str:
        names = ("BROADCAST", "MERGE", "SHUFFLE_HASH", "SHUFFLE_REPLICATE_NL")
        if not self.chance(0.6):
            return ""
        return f"/*+ {self._choice(names)}({self._choice('lr')}) */ "

    def _join_condition(
        self, left: Relation, right: Relation, pairs: Sequence[tuple[PlanColumn, PlanColumn]]
    ) -> str:
        parts = [f"{a.name} {self._choice(('=', '=', '=', '<=>'))} {b.name}" for a, b in pairs]
        if not parts or self.chance(0.35):
            both = self._pairs(left, right, 1)
            mixed = [f"{a.name} {self._comparison()} {b.name}" for a, b in both]
            parts.append(
                mixed[0]
                if mixed and self.chance(0.7)
                else self._condition((*left.columns, *right.columns))
            )
        return " AND ".join(parts)

    def _subquery(self, depth: int) -> Relation:
        """EXISTS, IN and their negations, alone or within a disjunction."""
        left, right = self.relation(depth), self.relation(self._number(0, depth))
        pairs = self._pairs(left, right, 2)
        if not pairs:
            return left
        (a, b), *more = pairs
        negated = self._choice(("", "", "NOT "))
        correlated = f" WHERE {more[0][0].name} = {more[0][1].name}" if more else ""
        if self.chance(0.5):
            where = f"{correlated or ' WHERE true'} AND {a.name} = {b.name}"
            test = f"{negated}EXISTS (SELECT 1 FROM ({right.sql}){where})"
        else:
            inner = correlated if self.chance(0.4) else ""
            test = f"{a.name} {negated}IN (SELECT {b.name} FROM ({right.sql}){inner})"
        if self.chance(0.35):
            test = f"({test} OR {self._condition(left.columns)})"
        sql = f"SELECT * FROM ({left.sql}) l WHERE {test}"
        return Relation(sql, left.columns, left.rows)

    def _aggregate(self, depth: int) -> Relation:
        child = self.relation(depth)
        keys = self._some(child.columns, 3) if self.chance(0.85) else []
        calls = [self._call(child.columns) for _ in range(self._number(1, 4))]
        names = [self._name() for _ in calls]
        results = [PlanColumn(n, kind, WIDE) for n, (_, kind) in zip(names, calls, strict=True)]
        texts = [f"{text} AS {n}" for (text, _), n in zip(calls, names, strict=True)]
        grouped, times = self._grouping(keys)
        having = f" HAVING {self._choice(('count(*) > 1', 'count(*) < 9'))}"
        sql = (
            f"SELECT {', '.join([*(key.name for key in keys), *texts])} FROM ({child.sql})"
            f"{grouped}{having if self.chance(0.2) else ''}"
        )
        rows = min(child.rows, _product(keys)) * times + 1
        return Relation(sql, (*keys, *results), rows)

    def _grouping(self, keys: Sequence[PlanColumn]) -> tuple[str, int]:
        if not keys:
            return "", 1
        names = ", ".join(key.name for key in keys)
        form, times = self._choice(
            ((" GROUP BY {}", 1),) * 4 + ((" GROUP BY ROLLUP ({})", 4), (" GROUP BY CUBE ({})", 8))
        )
        return form.format(names), times

    def _call(self, columns: Sequence[PlanColumn]) -> tuple[str, str]:
        """An aggregate and the kind of its result."""
        column = self._choice(columns)
        sums = _sum_kind(column)
        forms = [*_aggregates(column), ("count(DISTINCT {})", "bigint")]
        forms += [("sum(DISTINCT {})", sums)] if sums else []
        form, kind = self._choice(forms)
        text = form.format(column.name)
        if self.chance(0.15):
            text += f" FILTER (WHERE {self._condition(columns)})"
        return text, kind

    def _window(self, depth: int) -> Relation:
        child = self.relation(depth)
        columns = list(child.columns)
        texts = []
        for _ in range(self._number(1, 3)):
            text, kind = self._window_call(child.columns)
            columns.append(PlanColumn(self._name(), kind, WIDE))
            texts.append(f"{text} AS {columns[-1].name}")
        sql = f"SELECT *, {', '.join(texts)} FROM ({child.sql})"
        return Relation(sql, tuple(columns), child.rows)

    def _window_call(self, columns: Sequence[PlanColumn]) -> tuple[str, str]:
        partition = self._partition(columns)
        total = f"OVER ({partition}ORDER BY {self._total_order(columns)}"
        some = f"OVER ({partition}ORDER BY {self._order(self._some(columns, 2))}"
        column = self._choice(columns)
        form = self._number(0, 4)
        if form == 0:
            name = self._choice(("rank()", "dense_rank()"))
            return f"{name} {some})", "int"
        if form == 1:
            name = self._choice(("row_number()", "ntile(3)"))
            return f"{name} {total})", "int"
        if form == 2:
            name = self._choice(("percent_rank()", "cume_dist()"))
            return f"{name} {some})", "other"
        if form == 3:
            name = self._choice(("lag({}, 2)", "lead({})", "last_value({})", "nth_value({}, 2)"))
            return f"{name.format(column.name)} {total})", column.kind
        text, kind = self._choice(_aggregates(column))
        text = text.format(column.name)
        if self.chance(0.5):
            return f"{text} {total} {self._rows_frame()})", kind
        measured = [c for c in columns if c.kind in OFFSETS]
        if measured and self.chance(0.5):
            key = self._choice(measured)
            return f"{text} OVER ({partition}ORDER BY {self._range_frame(key)})", kind
        whole = f"OVER ({partition.strip()})"
        return f"{text} {self._choice((f'{some})', whole))}", kind

    def _rows_frame(self) -> str:
        lower = self._choice(("UNBOUNDED PRECEDING", "3 PRECEDING", "1 PRECEDING"))
        upper = self._choice(("CURRENT ROW", "2 FOLLOWING", "UNBOUNDED FOLLOWING"))
        return f"ROWS BETWEEN {lower} AND {upper}"

    def _range_frame(self, key: PlanColumn) -> str:
        """An order, and a frame of values."""
        offset = OFFSETS[key.kind]
        lower = self._choice(("UNBOUNDED PRECEDING", f"{offset} PRECEDING", "CURRENT ROW"))
        upper = self._choice((f"{offset} FOLLOWING", "CURRENT ROW", "UNBOUNDED FOLLOWING"))
        return f"{self._order([key])} RANGE BETWEEN {lower} AND {upper}"

    def _ranked(self, depth: int) -> Relation:
        """The first rows of each partition."""
        child = self.relation(depth)
        name, limit = self._name(), self._choice((1, 2, 5))
        partition = self._partition(child.columns)
        function = self._choice(("row_number", "rank", "dense_rank"))
        order = self._order(self._some(child.columns, 2))
        if function == "row_number":
            order = self._total_order(child.columns)
        sql = (
            f"SELECT * FROM (SELECT *, {function}() OVER ({partition}ORDER BY {order}) AS {name} "
            f"FROM ({child.sql})) WHERE {name} <= {limit}"
        )
        columns = (*child.columns, PlanColumn(name, "int", limit))
        return Relation(sql, columns, child.rows)

    def _partition(self, columns: Sequence[PlanColumn]) -> str:
        if not self.chance(0.8):
            return ""
        return f"PARTITION BY {', '.join(c.name for c in self._some(columns, 2))} "

    def _shortened(self, child: Relation, rows: int = 120) -> Relation:
        if child.rows <= rows:
            return child
        sql = f"{self.sorted(child).sql} LIMIT {rows}"
        return Relation(sql, child.columns, rows)

    def _condition(self, columns: Sequence[PlanColumn]) -> str:
        column = self._choice(columns)
        if column.kind == "boolean":
            return self._choice((column.name, f"NOT {column.name}"))
        if column.kind in NUMBERS and self.chance(0.7):
            return f"{column.name} {self._comparison()} {self._choice((0, 1, 2, 50))}"
        alike = [c for c in columns if c.kind == column.kind and c != column]
        if alike:
            return f"{column.name} {self._comparison()} {self._choice(alike).name}"
        return f"{column.name} IS {self._choice(('', 'NOT '))}NULL"

    def _comparison(self) -> str:
        return self._choice(("=", "<>", "<", "<=", ">", ">=", "<=>"))

    def _pairs(
        self, left: Relation, right: Relation, most: int
    ) -> list[tuple[PlanColumn, PlanColumn]]:
        """Pairs of columns of both sides that have one type, each column in one pair at most."""
        left_columns, right_columns = list(left.columns), list(right.columns)
        found: list[tuple[PlanColumn, PlanColumn]] = []
        while len(found) < most:
            pairs = [
                (a, b)
                for a in left_columns
                for b in right_columns
                if a.kind == b.kind and a.kind != "other"
            ]
            if not pairs:
                break
            a, b = self._choice(pairs)
            left_columns.remove(a)
            right_columns.remove(b)
            found.append((a, b))
        return found

    def _total_order(self, columns: Sequence[PlanColumn]) -> str:
        return self._order(self._draw(st.permutations(columns)))

    def _order(self, columns: Sequence[PlanColumn]) -> str:
        ways = ("", "", " DESC", " ASC NULLS LAST", " DESC NULLS FIRST")
        return ", ".join(c.name + self._choice(ways) for c in columns)

    def _some(
        self, columns: Sequence[PlanColumn], most: int, *, least: int = 1
    ) -> list[PlanColumn]:
        most = min(most, len(columns))
        some = st.lists(st.sampled_from(columns), min_size=least, max_size=most, unique=True)
        return self._draw(some)

    def _choice(self, choices: Sequence[Any]) -> Any:
        return self._draw(st.sampled_from(choices))

    def _number(self, least: int, most: int) -> int:
        return self._draw(st.integers(least, most))

    def chance(self, probability: float) -> bool:
        """True with the probability; False is simpler."""
        return self._number(0, 99) >= round(100 * (1 - probability))

    def _name(self) -> str:
        return f"c{next(self._names)}"


def _aggregates(column: PlanColumn) -> list[tuple[str, str]]:
    """Aggregates of all values of a column, each with the kind of its result."""
    forms = [("count(*)", "bigint"), ("count({})", "bigint")]
    if column.kind not in {"float", "double"} or column.values <= NARROW:
        forms += [("min({})", column.kind), ("max({})", column.kind)]
    sums = _sum_kind(column)
    return forms + ([("sum({})", sums), ("avg({})", "other")] if sums else [])


def _sum_kind(column: PlanColumn) -> str | None:
    """The kind of a column's sum, None where there is none."""
    if column.kind in {"float", "double"}:
        return "double"
    return "other" if column.kind in NUMBERS or column.kind in INTERVALS else None


def _values(column: PlanColumn) -> int:
    return column.values


def _product(columns: Sequence[PlanColumn]) -> int:
    product = 1
    for column in columns:
        product *= column.values
    return product
