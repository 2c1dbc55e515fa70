"""Random queries over random tables: Broadhead must answer as Spark does.

BROADHEAD_RANDOM_SEED chooses the data and the queries, BROADHEAD_RANDOM_ROUNDS how many there are.
"""

from __future__ import annotations

import os
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from broadhead.explanation import explain
from random_plans import PlanGenerator, Relation, interval_columns, write_plan_table
from sql_sessions import Mismatch, compare, configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark.answers import Answers

SEED = int(os.environ.get("BROADHEAD_RANDOM_SEED", "20260"))
ROUNDS = int(os.environ.get("BROADHEAD_RANDOM_ROUNDS", "8"))
TABLES = {"none": 0, "one": 1, "few": 40, "some": 400, "many": 3000}


def random_plan_configuration(random: Random) -> dict[str, str]:
    """Keys of one round."""
    return {
        "spark.sql.adaptive.enabled": random.choice(("true", "true", "false")),
        "spark.sql.adaptive.coalescePartitions.enabled": random.choice(("true", "false")),
        "spark.sql.shuffle.partitions": random.choice(("1", "3", "7")),
        "spark.sql.autoBroadcastJoinThreshold": random.choice(("-1", "10000", "10485760")),
        "spark.sql.files.maxPartitionBytes": random.choice(("20000", "134217728")),
        "spark.sql.ansi.enabled": random.choice(("true", "false")),
        "spark.broadhead.batchRows": random.choice(("40", "1000", "131072")),
        "spark.broadhead.operatorMemory": random.choice(("20k", "512m", "512m")),
    }


@pytest.fixture(scope="module")
def plan_tables(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """A session with a view of each table."""
    folder = tmp_path_factory.mktemp("plans")
    for name, rows in TABLES.items():
        write_plan_table(Random(f"{SEED} {name}"), folder / name, rows, files=2)
        reader, path = answers.session.read, str(folder / name)
        frame = reader.schema(_with_intervals(reader.parquet(path))).parquet(path)
        frame.createOrReplaceTempView(name)
    return answers.session


def _with_intervals(frame: DataFrame) -> str:
    intervals = interval_columns()
    return ", ".join(f"{name} {intervals.get(name, kind)}" for name, kind in frame.dtypes)


def test_random_plans(plan_tables: SparkSession) -> None:
    tally: Counter[str] = Counter()
    problems = []
    for number in range(ROUNDS):
        random = Random(f"{SEED} plan {number}")
        configuration = random_plan_configuration(random)
        relation = PlanGenerator(random, TABLES).query(random.randint(1, 4))
        with configured(plan_tables, configuration):
            if _problem(plan_tables, relation, tally) is not None:
                sql, problem = _smallest_problem(plan_tables, relation)
                problems.append(
                    f"BROADHEAD_RANDOM_SEED={SEED}, round {number}, {configuration}\n"
                    f"  {sql}\n  {problem}"
                )
    print(dict(tally))
    if problems:
        pytest.fail("\n\n".join(problems), pytrace=False)
    assert tally["accelerated"] > 0.8 * tally["operators"], tally


def _smallest_problem(session: SparkSession, relation: Relation) -> tuple[str, str]:
    """The first query inside this one that goes wrong, and how."""
    for part in relation.smallest_first():
        problem = _problem(session, part, Counter())
        if problem is not None:
            return part.sql, problem
    return relation.sql, "went wrong once, and was right when asked again"


def _problem(session: SparkSession, relation: Relation, tally: Counter[str]) -> str | None:
    """How Broadhead's answer differs from Spark's."""
    expected, _ = _ask(session, relation.sql, enabled=False)
    actual, frame = _ask(session, relation.sql, enabled=True)
    if isinstance(expected, str) or isinstance(actual, str):
        tally["errors"] += 1
        return None if expected == actual else f"Spark: {expected}\n  Broadhead: {actual}"
    try:
        _compare(expected, actual, ordered=relation.ordered)
    except Mismatch as mismatch:
        return str(mismatch)
    explanation = explain(frame)
    tally["queries"] += 1
    tally["rows"] += expected.num_rows
    tally["operators"] += explanation.total
    tally["accelerated"] += explanation.accelerated
    tally["replays"] += replayed(frame)
    return None


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
