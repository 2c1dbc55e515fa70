"""Which parts of a plan stay with Spark because they would not pay."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import broadhead
from broadhead.explanation import Explanation
from spark.answers import Answers
from sql_sessions import compare_runs

GOES_BACK = "estimated slower than Spark: rows would return without being reduced to Spark's Sort"
NO_SCAN = "estimated slower than Spark: its rows come from Spark, not from files"
BY_SPARK = "/*+ BROADCAST(few) */"
DIGEST = "md5(CAST(CAST(id AS STRING) AS BINARY))"


@pytest.fixture(scope="module")
def views(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Views of Parquet files: `files` of 1000 rows, id and k, and `few` of them."""
    path = str(tmp_path_factory.mktemp("cost") / "files")
    spark = answers.session
    spark.range(1000).selectExpr("id", "id % 7 AS k").write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("files")
    spark.read.parquet(path).where("id < 9").createOrReplaceTempView("few")
    rows = spark.createDataFrame([(n, n % 3) for n in range(50)], "id LONG, k LONG")
    rows.localCheckpoint().createOrReplaceTempView("rows")


@pytest.fixture
def planned(
    answers: Answers, views: None, configuration: Callable[..., None]
) -> Callable[..., Explanation]:
    """Explains a query with the cost model, after its rows were compared with Spark's."""

    def plan(sql: str, *, sorted_by_spark: bool = False) -> Explanation:
        configuration(
            spark__broadhead__costModel__enabled="true",
            spark__broadhead__operator__Sort__enabled="false",
        )
        frame = answers.session.sql(sql)
        if sorted_by_spark:
            frame = frame.sortWithinPartitions(*frame.columns)
        compare_runs(answers.session, lambda: frame.select("*"))
        return broadhead.explain(frame)

    return plan


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id + 1 AS n FROM files WHERE k > 2",
        "SELECT id FROM files UNION ALL SELECT k FROM few",
        "SELECT id, explode(array(id, k)) AS e FROM files",
        "SELECT id FROM files TABLESAMPLE (50 PERCENT) REPEATABLE (1)",
        f"SELECT {BY_SPARK} files.id, few.k FROM files CROSS JOIN few",
        f"SELECT {BY_SPARK} files.id + few.k AS s FROM files, few WHERE files.k > 5",
    ],
)
def test_what_makes_no_less_of_its_rows_stays_under_an_operator_of_spark(
    planned: Callable[..., Explanation], sql: str
) -> None:
    found = planned(sql, sorted_by_spark=True)
    assert found.accelerated == 0, found
    assert GOES_BACK in found.reasons, found


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, count(*) AS n FROM files GROUP BY k",
        "SELECT files.id, few.k FROM files JOIN few USING (id)",
        f"SELECT {BY_SPARK} files.id, few.k FROM files JOIN few ON files.id < few.id",
        f"SELECT {BY_SPARK} files.id FROM files LEFT ANTI JOIN few ON files.id < few.id",
        f"SELECT {BY_SPARK} few.k, count(*) AS n FROM files CROSS JOIN few GROUP BY few.k",
    ],
)
def test_what_has_work_to_do_is_accelerated_under_an_operator_of_spark(
    planned: Callable[..., Explanation], sql: str
) -> None:
    found = planned(sql, sorted_by_spark=True)
    left = [node.name for node in found.nodes if not node.accelerated]
    assert found.accelerated > 0, found
    assert set(left) <= {"Sort", "AdaptiveSparkPlan"}, found


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id + 1 AS n FROM files WHERE k > 2",
        f"SELECT {BY_SPARK} files.id, few.k FROM files CROSS JOIN few",
        "SELECT id FROM files LIMIT 5",
    ],
)
def test_what_gives_its_rows_to_the_user_is_accelerated(
    planned: Callable[..., Explanation], sql: str
) -> None:
    found = planned(sql)
    assert found.accelerated == found.total, found


@pytest.mark.parametrize(
    ("sql", "accelerated"),
    [
        ("SELECT k, count(*) AS n FROM rows GROUP BY k", False),
        ("SELECT id % 5 AS k, count(*) AS n FROM range(1000) GROUP BY 1", False),
        ("SELECT id % 5 AS k, count(*) AS n FROM range(2000000) GROUP BY 1", True),
        ("SELECT sum(id) AS s FROM range(2000000)", False),
        (
            "SELECT /*+ BROADCAST(rows) */ files.k, count(*) AS n FROM rows JOIN files USING (id) "
            "GROUP BY files.k",
            True,
        ),
    ],
)
def test_rows_of_spark_are_sent_to_the_engine_beside_a_scan(
    planned: Callable[..., Explanation], sql: str, accelerated: bool
) -> None:
    found = planned(sql)
    assert (found.accelerated > 0) == accelerated, found
    assert accelerated or NO_SCAN in found.reasons, found


def test_what_spark_projects_for_a_broadcast_stays_with_spark(
    planned: Callable[..., Explanation],
) -> None:
    found = planned(
        "SELECT /*+ BROADCAST(some) */ files.k, count(*) AS n FROM "
        "(SELECT id + 1 AS id FROM rows WHERE k > 0) some JOIN files USING (id) GROUP BY files.k"
    )
    kept = [node for node in found.nodes if NO_SCAN in node.reasons]
    assert {node.name for node in kept} == {"Filter", "Project"}, found
    assert "BroadheadBroadcastExchange" in [node.name for node in found.nodes], found


def test_slow_functions_stay_where_nothing_else_gains(planned: Callable[..., Explanation]) -> None:
    found = planned(
        f"SELECT max({DIGEST}) AS m, max(crc32(CAST(CAST(id AS STRING) AS BINARY))) AS c FROM files"
    )
    assert found.accelerated == 0, found
    slow = "estimated slower than Spark: md5"
    assert any(reason.startswith(slow) for reason in found.reasons), found.reasons


def test_values_of_rows_stay_where_no_column_is_read(planned: Callable[..., Explanation]) -> None:
    found = planned("SELECT max(r) FROM (SELECT rand(1) AS r FROM files)")
    assert found.accelerated == 0, found
    assert any("slower than Spark: rand takes" in reason for reason in found.reasons), found.reasons
    found = planned("SELECT max(length(f)) FROM (SELECT input_file_name() AS f FROM files)")
    assert any("slower than Spark: input_file_name" in reason for reason in found.reasons), found
    assert planned("SELECT count(*), max(id) FROM files WHERE k < 3").accelerated > 0


def test_slow_functions_run_where_others_gain(planned: Callable[..., Explanation]) -> None:
    found = planned(f"SELECT files.k, max({DIGEST}) AS s FROM files JOIN few USING (id) GROUP BY 1")
    assert found.accelerated > 0, found
