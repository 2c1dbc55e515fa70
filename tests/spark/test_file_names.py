"""input_file_name and its like, which are columns of the scan below them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.answers import Answers, plan_of
from sql_sessions import compare_runs, configured

NAMES = "input_file_name() AS f, input_file_block_start() AS s, input_file_block_length() AS l"


@pytest.fixture(scope="module", autouse=True)
def files(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Three files of 30 rows."""
    path: Path = tmp_path_factory.mktemp("names") / "files"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        answers.session.range(0, 90, 1, 3).write.parquet(str(path))
    answers.session.read.parquet(str(path)).createOrReplaceTempView("three_files")


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (f"SELECT {NAMES}, count(*) AS n FROM three_files GROUP BY ALL", 3),
        ("SELECT id FROM three_files WHERE input_file_name() LIKE '%part-00001%'", 30),
        (
            f"SELECT /*+ BROADCAST(b) */ a.*, b.id FROM (SELECT {NAMES}, id FROM three_files) a "
            "JOIN three_files b USING (id)",
            90,
        ),
        (f"SELECT {NAMES}, e FROM three_files LATERAL VIEW explode(array(id, id + 1)) AS e", 180),
        (
            f"SELECT DISTINCT {NAMES} FROM three_files UNION ALL SELECT 'x', 0, 0 FROM three_files",
            93,
        ),
    ],
)
def test_names_and_blocks_are_those_of_spark(answers: Answers, sql: str, rows: int) -> None:
    frame = compare_runs(answers.session, lambda: answers.session.sql(sql))
    assert frame.count() == rows


def test_names_above_a_scan_are_its_columns(answers: Answers, tmp_path: Path) -> None:
    """Odd characters of a path, empty files, other formats, and a filter by the name."""
    for format_ in ("parquet", "json"):
        path = tmp_path / f"größe 100% {format_}"
        with configured(answers.session, {"spark.broadhead.enabled": "false"}):
            rows = (
                answers.session.range(0, 40, 1, 4).where("id > 15").selectExpr("id", "id % 3 AS k")
            )
            rows.write.format(format_).save(str(path))
        frame = answers.session.read.schema("id BIGINT, k BIGINT").format(format_).load(str(path))
        frame.createOrReplaceTempView("odd_files")
        for sql in (
            f"SELECT {NAMES}, id FROM odd_files WHERE k = 1",
            f"SELECT {NAMES}, id, n FROM (SELECT id, input_file_name() AS n FROM odd_files)",
            "SELECT id FROM odd_files WHERE input_file_name() LIKE '%part-00002%' AND id > 20",
            f"SELECT {NAMES}, monotonically_increasing_id() AS i FROM odd_files",
        ):
            found = answers.same_rows(lambda spark, sql=sql: spark.sql(sql))
            assert "BroadheadFileSourceScan" in plan_of(found), plan_of(found)


@pytest.mark.parametrize("arrow", [False, True])
def test_a_python_function_takes_names(answers: Answers, arrow: bool) -> None:
    """Also of filtered rows, with another argument, and above a projection."""
    from pyspark.sql.functions import col, concat, input_file_name, lit, udf

    @udf("string", useArrow=arrow)
    def last(name: str, number: int) -> str:
        return f"{name.rsplit('/', 1)[-1]} {number % 3}"

    table = answers.session.table("three_files")
    for frame in (
        table.withColumn("last", last(input_file_name(), "id")),
        table.where("id > 40").select(last(concat(lit("/"), input_file_name()), "id").alias("f")),
        table.select((col("id") + 1).alias("n")).withColumn("f", last(input_file_name(), "n")),
    ):
        ran = answers.same_rows(lambda _, frame=frame: frame.where("1 = 1"))
        assert "EvalPython" in plan_of(ran) or "BroadheadProject" in plan_of(ran)
        assert "BroadheadFileSourceScan" in plan_of(ran), plan_of(ran)
