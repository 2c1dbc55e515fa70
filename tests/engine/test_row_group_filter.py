"""Row groups that a filter refutes have no row that matches, whatever their values are."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from broadhead.files.input_file import LocalFile
from broadhead.files.parquet_footer import open_footer
from broadhead.operators.scan.parquet.row_group_filter import RowGroupFilter
from broadhead.plan import known_functions as names
from broadhead.plan.expressions import BoundReference, Call, Expression, Literal
from broadhead.types import BOOLEAN, DOUBLE, LONG, STRING, DataType, decimal
from engine.fragments import attributes

GROUP = 3
NAN, INF = math.nan, math.inf
LONGS = [None, 5, -3, 7, 7, 7, None, None, None, -(2**63), 2**63 - 1, 0]
DOUBLES = [None, 0.0, -0.0, NAN, 1.5, NAN, None, None, None, -INF, INF, 2.5, NAN, NAN, NAN]
TEXTS = [None, "b", "a\0", "", "", "é", None, None, None, "a", "b", "c"]


def spark_order(value: Any) -> Any:
    """As Spark compares: NaN is the greatest value, and -0.0 equals 0.0."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return value.encode() if isinstance(value, str) else value


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    names.EQUAL_TO: operator.eq,
    names.LESS_THAN: operator.lt,
    names.LESS_THAN_OR_EQUAL: operator.le,
    names.GREATER_THAN: operator.gt,
    names.GREATER_THAN_OR_EQUAL: operator.ge,
}


def possible(path: Path, array: pa.Array, data_type: DataType, condition: Expression) -> list[bool]:
    pq.write_table(
        pa.table({"c": array}), path, row_group_size=GROUP, store_decimal_as_integer=True
    )
    footer = open_footer(LocalFile(str(path)))
    columns: Any = SimpleNamespace(resolve=lambda wanted: [a.name for a in wanted])
    found = RowGroupFilter([condition], attributes(c=data_type), footer, columns).possible()
    return [bool(value) for value in found]


def call(name: str, *children: Expression) -> Call:
    return Call(name, BOOLEAN, nullable=True, children=children)


def reference(data_type: DataType) -> BoundReference:
    return BoundReference(0, data_type, nullable=True)


@pytest.mark.parametrize(
    ("values", "arrow_type", "data_type", "literals"),
    [
        (LONGS, pa.int64(), LONG, [-4, 0, 5, 7, 8, -(2**63), 2**63 - 1, None]),
        (DOUBLES, pa.float64(), DOUBLE, [0.0, -0.0, 1.5, 9.0, NAN, INF, -INF, None]),
        (TEXTS, pa.string(), STRING, ["", "a", "a\0", "a\1", "z", "é", None]),
    ],
    ids=["long", "double", "string"],
)
@pytest.mark.parametrize("name", list(COMPARISONS))
def test_no_row_that_matches_is_refuted(
    values: Sequence[Any],
    arrow_type: pa.DataType,
    data_type: DataType,
    literals: Sequence[Any],
    name: str,
    tmp_path: Path,
) -> None:
    refuted = 0
    for number, literal in enumerate(literals):
        condition = call(name, reference(data_type), Literal(literal, data_type))
        path = tmp_path / f"{number}.parquet"
        kept = possible(path, pa.array(values, arrow_type), data_type, condition)
        for group, is_kept in enumerate(kept):
            rows = values[group * GROUP : (group + 1) * GROUP]
            matches = literal is not None and any(
                COMPARISONS[name](spark_order(row), spark_order(literal))
                for row in rows
                if row is not None
            )
            assert is_kept or not matches, (name, literal, rows)
        refuted += kept.count(False)
    assert refuted > 0


def test_literals_of_more_digits_than_the_column(tmp_path: Path) -> None:
    array = pa.array([Decimal(1), Decimal(2), None], pa.decimal128(15, 0))
    wide = decimal(30, 0)
    for name, kept in ((names.LESS_THAN, True), (names.GREATER_THAN, False)):
        condition = call(name, reference(decimal(15, 0)), Literal(10**29, wide))
        path = tmp_path / f"{name}.parquet"
        assert possible(path, array, decimal(15, 0), condition) == [kept]


def test_conditions_together(tmp_path: Path) -> None:
    column = reference(LONG)
    small = call(names.LESS_THAN, column, Literal(-5, LONG))
    there = call(names.IS_NOT_NULL, column)
    either = call(names.OR, small, call(names.IN, column, Literal(7, LONG)))
    array = pa.array(LONGS, pa.int64())
    assert possible(tmp_path / "1", array, LONG, there) == [True, True, False, True]
    assert possible(tmp_path / "2", array, LONG, small) == [False, False, True, True]
    both = call(names.AND, either, there)
    assert possible(tmp_path / "3", array, LONG, both) == [False, True, False, True]
    assert possible(tmp_path / "4", array.slice(0, 0), LONG, both) in ([], [True], [False])
