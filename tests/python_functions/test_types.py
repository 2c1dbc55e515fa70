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

TURNS = [
    {("nulls", "atomic"), ("empty", "all")},
    {("filled", "nested")},
    {("nulls", "nested")},
    {("filled", "atomic")},
]
"""By day each kind has one table, by turns, so that kinds alike have atomic and nested types, nulls
and many batches among them; and every fourth kind has no rows too."""


def each_kind() -> list[object]:
    """Every kind over every table, all but one for the night."""
    return [
        pytest.param(
            *(kind, rows),
            id=f"{kind}-{'-'.join(rows)}",
            marks=() if rows in TURNS[number % len(TURNS)] else pytest.mark.nightly,
        )
        for number, kind in enumerate(ALL_KINDS)
        for rows in ROWS
    ]


@pytest.mark.parametrize(("kind", "rows"), each_kind())
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


READERS = ["pandas_struct", "map_in_arrow", "arrow_optimized_udf"]


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        pytest.param(
            *(settings, kind),
            # By day each setting has two of the kinds.
            marks=pytest.mark.nightly if number % len(READERS) == turn else (),
        )
        for number, settings in enumerate(SETTINGS)
        for turn, kind in enumerate(READERS)
    ],
)
def test_a_setting(
    comparison: Comparison,
    configuration: Callable[[dict[str, str]], None],
    kind: str,
    settings: str,
) -> None:
    configuration(SETTINGS[settings])
    comparison.same(lambda spark: ALL_KINDS[kind](spark.table("filled"), ATOMIC))
