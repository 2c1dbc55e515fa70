"""Every aggregate of the registry in every form of SQL: Spark's rows, and what stays with Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broadhead.aggregates.registry import Aggregate, aggregates
from broadhead.explanation import explain
from night import at_night
from sql_sessions import UNACCELERATED, compare_runs, configured, replayed

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from spark.answers import Answers

COLUMNS = {
    "byte": "CAST(id % 7 - 3 AS TINYINT)",
    "short": "CAST(id * 31 % 200 AS SMALLINT)",
    "integer": "CAST(id * 37 % 101 AS INT)",
    "long": "id * 1000003 % 5003",
    "float": "CAST((id % 13 + 1) / 4 AS FLOAT)",
    "double": "CAST(id * id * 7 % 11 + 1 AS DOUBLE) / 8",
    "decimal": "CAST(CAST(id * 11 % 97 AS DECIMAL(12,3)) / 8 AS DECIMAL(12,3))",
    "boolean": "id % 3 = 1",
    "string": "concat('text ', id * 5 % 17)",
    "binary": "encode(concat('b', id * 3 % 19), 'utf-8')",
    "date": "date_add(DATE'2020-02-27', CAST(id * 5 % 23 AS INT))",
    "timestamp": "timestamp_micros(id * 86400000123 % 777777777777)",
    "timestamp_ntz": "CAST(timestamp_micros(id * 3600000123 % 777777777777) AS TIMESTAMP_NTZ)",
    "day_time_interval": "make_dt_interval(CAST(id * 7 % 10 AS INT), 1)",
    "year_month_interval": "make_ym_interval(1, CAST(id * 7 % 10 AS INT))",
    "array": "array(id % 3, id % 2)",
    "struct": "named_struct('a', id % 3, 'b', id % 2)",
}
"""A column of each type that aggregates take, with some equal values."""
OTHERS = {
    "bitmap": "encode(repeat(substr('abcdefg', CAST(id % 7 + 1 AS INT), 1), 4096), 'utf-8')",
    "second": "CAST(id * 5 % 13 AS DOUBLE) / 4",
}
ROWS = 60

CALLS = {
    "ApproximatePercentile": "percentile_approx({distinct}{0}, 0.4D, 20){of}",
    "BitmapAndAgg": "bitmap_count(bitmap_and_agg({distinct}bitmap){of})",
    "BitmapConstructAgg": "bitmap_count(bitmap_construct_agg({distinct}{0}){of})",
    "BitmapOrAgg": "bitmap_count(bitmap_or_agg({distinct}bitmap){of})",
    "CollectSet": "array_size(collect_set({distinct}{0}){of})",
    "CountMinSketchAgg": "hex(count_min_sketch({distinct}{0}, 0.4D, 0.8D, 7){of})",
    "ListAgg": "listagg({distinct}{0}, '|'){of}",
    "MaxBy": "max_by({distinct}{0}, r){of}",
    "MinBy": "min_by({distinct}{0}, r){of}",
    "Mode": "mode({0}, true){of}",
    "Percentile": "percentile({distinct}{0}, 0.4D){of}",
    "PercentileDisc": "percentile_disc(0.4D) WITHIN GROUP (ORDER BY {0}){of}",
    "RegrReplacement": "regr_sxx({distinct}{0}, 1){of}",
}
"""How aggregates are written that are not their name and as many columns as they take."""
ORDERED = {"First", "Last", "CollectList", "ListAgg"}
"""Of distinct values, whose order Spark promises to nobody, these have several right answers."""
FORMS = {
    "rows": "SELECT {calls} FROM shapes",
    "groups": "SELECT g, {calls} FROM shapes GROUP BY g",
    "filter": "SELECT g, {calls} FROM shapes GROUP BY g",
    "distinct": "SELECT g, {calls} FROM shapes GROUP BY g",
    "nulls": "SELECT g, {calls} FROM nothing GROUP BY g",
    "empty": "SELECT {calls} FROM shapes WHERE r < 0",
    "no groups": "SELECT g, {calls} FROM shapes WHERE r < 0 GROUP BY g",
    "partition": "SELECT r, {calls} FROM shapes",
    "running": "SELECT r, {calls} FROM shapes",
    "sliding": "SELECT r, {calls} FROM shapes",
}
SUFFIXES = {
    "filter": " FILTER (WHERE r % 3 = 0)",
    "partition": " OVER (PARTITION BY g)",
    "running": " OVER (PARTITION BY g ORDER BY r)",
    "sliding": " OVER (PARTITION BY g ORDER BY r ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)",
}
NO_MOVING_FRAMES = {"PercentileDisc", "ListAgg"}
"""Spark itself refuses these over ordered windows."""
BY_DAY = {"Sum", "ApproximatePercentile", "CountMinSketchAgg"}


@pytest.fixture(scope="module", autouse=True)
def shapes(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Rows with some nulls in each column, and rows that have nothing else."""
    session = answers.session
    values = [
        f"IF(id % 6 = {number % 6}, NULL, {sql}) AS {name}"
        for number, (name, sql) in enumerate((COLUMNS | OTHERS).items())
    ]
    queries = {
        "shapes": f"SELECT id AS r, id % 4 AS g, {', '.join(values)} FROM range(0, {ROWS}, 1, 1)",
        "nothing": "SELECT r, g, "
        + ", ".join(f"IF(r < 0, {name}, NULL) AS {name}" for name in COLUMNS | OTHERS)
        + " FROM shapes WHERE r < 9",
    }
    for name, query in queries.items():
        folder = str(tmp_path_factory.mktemp(name))
        with configured(session, {"spark.broadhead.enabled": "false"}):
            session.sql(query).write.mode("overwrite").parquet(folder)
        session.read.parquet(folder).createOrReplaceTempView(name)


def calls(entry: Aggregate, form: str) -> list[str]:
    """The aggregate of a column of each type that it takes."""
    found = {}
    for signature in entry.signatures:
        for kind in sorted(signature.args[0] & COLUMNS.keys()):
            count = len(signature.args) - len(signature.literal)
            arguments = ", ".join(["{distinct}{0}", *["second"] * (count - 1)])
            written = CALLS.get(entry.spark, f"{entry.name}({arguments}){{of}}")
            distinct = "DISTINCT " if form == "distinct" else ""
            found[written.format(kind, distinct=distinct, of=SUFFIXES.get(form, ""))] = None
    return list(found)


def is_left(entry: Aggregate, form: str) -> bool:
    """Whether the form stays with Spark, as docs/functions.md says."""
    if form == "filter":
        return not entry.filter
    return (form == "distinct" and entry.whole_tasks) or (
        form in {"running", "sliding"} and not entry.frames
    )


def cases() -> list[object]:
    """Each aggregate in each form that Spark has of it."""
    found: list[object] = []
    for spark, entry in sorted(aggregates().items()):
        for form in [form for form in FORMS if has_form(spark, form)]:
            by_day = spark in BY_DAY and form in {"filter", "partition"}
            marks = [] if by_day else [pytest.mark.nightly]
            found.append(pytest.param(entry, form, id=f"{spark}-{form}", marks=marks))
    return found


def has_form(spark: str, form: str) -> bool:
    """Whether Spark has the form, with one right answer."""
    if form == "distinct":
        return spark not in ORDERED and "{distinct}" in CALLS.get(spark, "{distinct}")
    return form not in {"running", "sliding"} or spark not in NO_MOVING_FRAMES


@pytest.mark.parametrize("ansi", ["true", *at_night("false")])
@pytest.mark.parametrize(("entry", "form"), cases())
def test_rows_are_those_of_spark(
    answers: Answers, entry: Aggregate, form: str, ansi: str, configuration: Callable[..., None]
) -> None:
    configuration(spark__sql__ansi__enabled=ansi)
    for written in together(calls(entry, form)):
        query = FORMS[form].format(calls=", ".join(written))
        frame = compare_runs(answers.session, lambda query=query: answers.session.sql(query), 1e-9)
        check_plan(frame, entry, form)


def together(written: list[str]) -> list[list[str]]:
    """The calls in two queries, since Python has no intervals of months, but bytes."""
    months = [call for call in written if "year_month_interval" in call]
    others = [call for call in written if call not in months]
    return [some for some in (others, months) if some]


def check_plan(frame: DataFrame, entry: Aggregate, form: str) -> None:
    """The engine ran what docs/functions.md says, and no task was replayed."""
    left = [node for node in explain(frame).nodes if not node.accelerated]
    left = [node for node in left if node.name not in UNACCELERATED | {"Project"}]
    assert bool(left) == is_left(entry, form), explain(frame)
    assert replayed(frame) == 0
