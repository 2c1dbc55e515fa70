"""Random queries over random tables: Broadhead must answer as Spark does."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadhead.explanation import explain
from random_plan_tables import interval_columns, write_plan_table
from random_plans import Relation, queries
from random_rounds import run_rounds
from sql_sessions import Mismatch, compare, configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark.answers import Answers

TABLES = {"none": 0, "one": 1, "few": 40, "some": 400, "many": 3000}
CONFIGURATIONS = st.fixed_dictionaries(
    {
        key: st.sampled_from(values)
        for key, values in {
            "spark.sql.adaptive.enabled": ("true", "true", "false"),
            "spark.sql.adaptive.coalescePartitions.enabled": ("true", "false"),
            "spark.sql.shuffle.partitions": ("1", "3", "7"),
            "spark.sql.autoBroadcastJoinThreshold": ("10485760", "10000", "-1"),
            "spark.sql.files.maxPartitionBytes": ("134217728", "20000"),
            "spark.sql.ansi.enabled": ("true", "false"),
            "spark.broadhead.batchRows": ("131072", "1000", "40"),
            "spark.broadhead.operatorMemory": ("512m", "512m", "20k"),
        }.items()
    }
)


@pytest.fixture(scope="module")
def plan_tables(
    answers: Answers, random_seed: str, tmp_path_factory: pytest.TempPathFactory
) -> SparkSession:
    """A session with a view of each table."""
    folder = tmp_path_factory.mktemp("plans")
    for name, rows in TABLES.items():
        write_plan_table(Random(f"{random_seed} {name}"), folder / name, rows, files=2)
        reader, path = answers.session.read, str(folder / name)
        frame = reader.schema(_with_intervals(reader.parquet(path))).parquet(path)
        frame.createOrReplaceTempView(name)
    return answers.session


def _with_intervals(frame: DataFrame) -> str:
    intervals = interval_columns()
    return ", ".join(f"{name} {intervals.get(name, kind)}" for name, kind in frame.dtypes)


@pytest.mark.timeout(900)
def test_random_plans(
    plan_tables: SparkSession, random_seed: str, pytestconfig: pytest.Config
) -> None:
    tally: Counter[str] = Counter()

    @given(queries(TABLES), CONFIGURATIONS)
    def check_plan(query: Relation, configuration: dict[str, str]) -> None:
        with configured(plan_tables, configuration):
            tally.update(_check(plan_tables, query))

    rounds = 10 if pytestconfig.getoption("--nightly") else 1
    run_rounds(check_plan, rounds, random_seed)
    print(dict(tally))
    assert tally["accelerated"] > 0.8 * tally["operators"], tally


def _check(session: SparkSession, query: Relation) -> dict[str, int]:
    """Raises `Mismatch` where Broadhead's answer is not Spark's; counts what ran."""
    expected, _ = _ask(session, query.sql, enabled=False)
    actual, frame = _ask(session, query.sql, enabled=True)
    if isinstance(expected, str) or isinstance(actual, str):
        if expected != actual:
            raise Mismatch(f"Spark: {_shown(expected)}\n  Broadhead: {_shown(actual)}")
        return {"errors": 1}
    _compare(expected, actual, ordered=query.ordered)
    explanation = explain(frame)
    return {
        "queries": 1,
        "rows": expected.num_rows,
        "operators": explanation.total,
        "accelerated": explanation.accelerated,
        "replays": replayed(frame),
    }


def _shown(answer: pa.Table | str) -> str:
    return answer if isinstance(answer, str) else f"{answer.num_rows} rows"


def _ask(
    session: SparkSession, sql: str, *, enabled: bool
) -> tuple[pa.Table | str, DataFrame | None]:
    """The rows or the first line of the error, and the frame that ran."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    with configured(session, {"spark.broadhead.enabled": str(enabled).lower()}):
        try:
            frame = session.sql(sql)
            return frame.toArrow(), frame
        except PySparkException as error:
            return error.getCondition() or str(error).splitlines()[0], None
        except Py4JJavaError as error:
            return str(error.java_exception).splitlines()[0], None


def _compare(expected: pa.Table, actual: pa.Table, *, ordered: bool) -> None:
    """Raises `Mismatch` where the rows differ, or their order if that counts."""
    left, right = _one_zero(expected), _one_zero(actual)
    compare(left, right, 0.0)
    if ordered:
        numbers = pa.array(range(expected.num_rows), pa.int64())
        compare(left.append_column("row", numbers), right.append_column("row", numbers), 0.0)


def _one_zero(table: pa.Table) -> pa.Table:
    """0.0 in the place of -0.0: which of the two a tie gives depends on the order of rows."""
    for ordinal, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            zero = pa.scalar(0.0, field.type)
            table = table.set_column(ordinal, field, pc.add(table.column(ordinal), zero))
    return table
