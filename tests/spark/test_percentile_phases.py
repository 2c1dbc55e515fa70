"""percentile_approx over several tasks: the same summaries in the same order as Spark's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from night import at_night
from spark.answers import Answers

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 160_000
SHARES = "array(0.0D, 0.9D, 0.1D, 0.5D, 0.5D, 0.25D, 0.999D, 1.0D)"


@pytest.fixture(scope="module", autouse=True)
def rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Rows of three files, one for each task: few large groups, and many groups beside some."""
    folder = tmp_path_factory.mktemp("rows")
    for number, ids in enumerate((range(100_000), range(100_000, 130_000), range(130_000, ROWS))):
        table = pa.table(
            {
                "few": pa.array([i % 7 * (i % 2) for i in ids], pa.int32()),
                "many": pa.array([i // 9 % 1500 * (i % 3) for i in ids], pa.int32()),
                "i": pa.array(
                    [None if i % 11 == 0 else i * 7919 % 100_003 for i in ids], pa.int32()
                ),
                "d": pa.array([(i * 104_729 % 99_991) ** 0.5 + 1 for i in ids]),
            }
        )
        pq.write_table(table, folder / f"{number}.parquet")
    answers.session.read.parquet(str(folder)).createOrReplaceTempView("large_groups")


@pytest.fixture(autouse=True)
def a_task_for_each_file(configuration: Callable[..., None]) -> None:
    """And in Spark an aggregation that does not move rows, as it does after so many keys."""
    configuration(
        spark__sql__objectHashAggregate__sortBased__fallbackThreshold="1000000",
        spark__sql__files__openCostInBytes="1g",
        spark__sql__files__maxPartitionBytes="1g",
    )


@pytest.mark.parametrize("accuracy", [100, *at_night(1, 10, 777, 10_000, 200_000)])
@pytest.mark.parametrize("grouping", ["", "GROUP BY few", "GROUP BY many"])
def test_values_are_those_of_spark(answers: Answers, accuracy: int, grouping: str) -> None:
    query = (
        f"SELECT percentile_approx(i, {SHARES}, {accuracy}), count(d), "
        f"percentile_approx(d, {SHARES}, {accuracy}) FROM large_groups {grouping}"
    )
    answers.same_rows(lambda spark: spark.sql(query))


def test_ranks_are_within_the_error_after_many_keys(
    answers: Answers, configuration: Callable[..., None]
) -> None:
    """Spark summarizes parts of groups then, so its values may be others."""
    configuration(spark__sql__objectHashAggregate__sortBased__fallbackThreshold="1")
    rows = answers.session.sql(
        "SELECT count(i) AS n, count_if(i < p) AS least, count_if(i <= p) AS most FROM"
        " (SELECT few + many AS k, percentile_approx(i, 0.4D, 50) AS p FROM large_groups"
        " GROUP BY few + many) JOIN large_groups ON k = few + many GROUP BY k"
    ).collect()
    assert len(rows) > 500
    for row in rows:
        wanted, error = 0.4 * row.n, row.n / 50 + 1
        assert row.least <= wanted + error
        assert row.most >= wanted - error


def test_types_and_groups_without_values(answers: Answers) -> None:
    columns = (
        "CAST(i AS DECIMAL(9,2))",
        "date_add(DATE'2020-01-01', i % 1000)",
        "timestamp_micros(i)",
        "make_dt_interval(i % 1000)",
        "IF(few > 3, NULL, d)",
    )
    calls = ", ".join(
        f"percentile_approx({column}, array(0.1D, 0.7D), 30), percentile_approx({column}, 0.4D)"
        for column in columns
    )
    answers.same_rows(
        lambda spark: spark.sql(f"SELECT few, {calls} FROM large_groups GROUP BY few")
    )
    answers.same_rows(lambda spark: spark.sql(f"SELECT {calls} FROM large_groups WHERE i < 0"))
    answers.same_rows(
        lambda spark: spark.sql(f"SELECT few, {calls} FROM large_groups WHERE i < 0 GROUP BY few")
    )


def test_replayed_tasks_and_others(answers: Answers, configuration: Callable[..., None]) -> None:
    """The bytes of summaries that Spark writes are read here, and the reverse."""
    query = (
        "SELECT few, percentile_approx(IF(few > 0, 7 div IF(i = 129999, 0, 1), i), 0.4D, 100) "
        "FROM large_groups GROUP BY few"
    )
    configuration(spark__sql__ansi__enabled="false")
    answers.same_rows(lambda spark: spark.sql(query), replays=None)
    of_nan = "SELECT percentile_approx(IF(i = 129999, double('NaN'), d), 0.3D, 9) FROM large_groups"
    answers.same_rows(lambda spark: spark.sql(of_nan), replays=None)
