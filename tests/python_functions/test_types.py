"""Every kind of Python function over every type: with nulls, without, without rows, in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from python_functions.arrow_kinds import ARROW_KINDS
from python_functions.comparison import MANY_BATCHES, Comparison
from python_functions.kinds import KINDS
from python_functions.typed_rows import ATOMIC, NESTED

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.xdist_group("python functions")

ALL_KINDS = {**KINDS, **ARROW_KINDS}
COLUMNS = {"atomic": ATOMIC, "nested": NESTED, "all": (*ATOMIC, *NESTED)}
ROWS = {
    ("nulls", "atomic"): {},
    ("nulls", "nested"): {},
    ("filled", "atomic"): MANY_BATCHES,
    ("filled", "nested"): MANY_BATCHES,
    ("empty", "all"): {},
}
"""Tables and their columns, and the settings with which functions read them."""

BY_DAY = {("nulls", "atomic"), ("filled", "nested"), ("empty", "all")}


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(rows, marks=() if rows in BY_DAY else pytest.mark.nightly, id="-".join(rows))
        for rows in ROWS
    ],
)
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_kind(
    comparison: Comparison,
    configuration: Callable[[dict[str, str]], None],
    kind: str,
    rows: tuple[str, str],
) -> None:
    configuration(ROWS[rows])
    table, columns = rows
    comparison.same(lambda spark: ALL_KINDS[kind](spark.table(table), COLUMNS[columns]))


SETTINGS = {
    "large_types": {"spark.sql.execution.arrow.useLargeVarTypes": "true"},
    "bytearrays": {"spark.sql.execution.pyspark.binaryAsBytes": "false"},
    "two_threads": {"spark.sql.execution.pythonUDF.arrow.concurrency.level": "2"},
    "all_rows_in_a_batch": {"spark.sql.execution.arrow.maxRecordsPerBatch": "-1"},
    "safely": {"spark.sql.execution.pandas.convertToArrowArraySafely": "true"},
    "in_new_york": {"spark.sql.session.timeZone": "America/New_York"},
    "legacy_conversion": {
        "spark.sql.legacy.execution.pythonUDF.pandas.conversion.enabled": "true",
    },
}
"""Spark's settings that functions or their callers see."""


@pytest.mark.parametrize("kind", ["pandas_struct", "map_in_arrow", "arrow_optimized_udf"])
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_setting(
    comparison: Comparison,
    configuration: Callable[[dict[str, str]], None],
    kind: str,
    settings: str,
) -> None:
    configuration(SETTINGS[settings])
    comparison.same(lambda spark: ALL_KINDS[kind](spark.table("filled"), ATOMIC))
