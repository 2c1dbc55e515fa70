"""Writes of Parquet files by the mode EXCEPTION, the default of Spark 3.5."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark.answers import Answers
from spark.test_table_files import metric

MODES = [f"spark.sql.parquet.{kind}RebaseModeInWrite" for kind in ("datetime", "int96")]
ROWS = "SELECT DATE'{date}' AS d, TIMESTAMP'{time}' AS t, id FROM range(3)"


@pytest.mark.parametrize(
    ("date", "time"),
    [("1582-10-15", "1900-01-01 00:00:00Z"), ("1582-10-04", "2000-01-01 00:00:00Z"),
     ("2000-01-01", "1899-12-31 23:59:59Z")],
)  # fmt: skip
def test_written_dates(
    answers: Answers, configuration: Callable[..., None], tmp_path: Path, date: str, time: str
) -> None:
    spark = answers.session
    spark.sql(ROWS.format(date=date, time=time)).write.parquet(str(tmp_path / "rows"))
    rows = spark.read.parquet(str(tmp_path / "rows"))

    def written(session: SparkSession) -> DataFrame:
        path = str(tmp_path / "written")
        rows.write.mode("overwrite").parquet(path)
        return session.read.parquet(path)

    configuration(**{key.replace(".", "__"): "EXCEPTION" for key in MODES})
    if date >= "1582-10-15" and time >= "1900":
        answers.same_rows(written)
        rows.write.parquet(str(tmp_path / "again"))
        assert metric(spark, "BroadheadWriteFiles", "number of tasks replayed by Spark") == 0
    else:
        for enabled in (True, False):
            assert "WRITE_ANCIENT_DATETIME" in str(answers.error(written, enabled=enabled))
