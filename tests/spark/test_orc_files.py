"""ORC as Spark and others write it: types, codecs, stripes, time zones, folders, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import orc

from broadhead.explanation import explain
from night import at_night
from spark.answers import Answers, plan_of
from spark.test_parquet_files import COLUMNS
from sql_sessions import configured, metric_total

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RECENT = {
    **COLUMNS,
    "day": "date_add(DATE'1582-10-15', CAST(id * 100 AS INT))",
    "ts": "timestamp_micros(id * 123456789012 - 62135596800000)",
    "seconds": "make_dt_interval(0, 0, 0, id)",
    "days": "map(DATE'2020-01-01', array(DATE'1999-12-31', NULL))",
}
"""Columns without dates of the Julian calendar."""


def all_columns(spark: SparkSession, rows: int = 4000) -> DataFrame:
    return spark.range(0, rows, 1, 2).selectExpr(
        *(f"CASE WHEN (id + {n}) % 5 > 0 THEN {sql} END AS {name}"
          for n, (name, sql) in enumerate(RECENT.items())),
        "id",
    )  # fmt: skip


def write(answers: Answers, frame: DataFrame, path: Path, *partitions: str, **options: str) -> str:
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        frame.write.partitionBy(*partitions).options(**options).orc(str(path))
    return str(path)


def same_rows(
    answers: Answers, make: Callable[[SparkSession], DataFrame], *, replays: int | None = 0
) -> DataFrame:
    frame = answers.same_rows(make, replays=replays)
    assert "BroadheadFileSourceScan" in plan_of(frame), plan_of(frame)
    return frame


@pytest.fixture(scope="module")
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> str:
    """All types in two files."""
    return write(answers, all_columns(answers.session), tmp_path_factory.mktemp("orc") / "all")


@pytest.fixture(scope="module")
def few_types(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> str:
    frame = answers.session.range(5).selectExpr(
        "id", "CAST(id AS INT) AS n", "CAST(id AS DECIMAL(9,2)) AS d", "concat('name ', id) AS s",
        "named_struct('a', 1, 'b', 'x') AS st",
    )  # fmt: skip
    return write(answers, frame, tmp_path_factory.mktemp("orc") / "few")


@pytest.fixture(autouse=True)
def utc(answers: Answers) -> Iterator[None]:
    with zone(answers, "UTC"):
        yield


@contextmanager
def zone(answers: Answers, name: str) -> Iterator[None]:
    """The JVM's own time zone, until the block ends."""
    zones = answers.session._jvm.java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone(name))
    try:
        yield
    finally:
        zones.setDefault(before)


@pytest.mark.parametrize("session_zone", ["America/New_York", *at_night("UTC")])
def test_all_types(
    answers: Answers, configuration: Callable[..., None], table: str, session_zone: str
) -> None:
    configuration(spark__sql__session__timeZone=session_zone)
    same_rows(answers, lambda spark: spark.read.orc(table))
    same_rows(answers, lambda spark: spark.read.orc(table).where("id % 3 = 1").select("st", "ts"))
    same_rows(answers, lambda spark: spark.read.orc(table).selectExpr("count(*)"))
    same_rows(answers, lambda spark: spark.read.orc(table).selectExpr("sum(id)", "max(st.b)"))


@pytest.mark.parametrize(
    "codec",
    [
        "zlib",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("none", "snappy", "lz4")),
    ],
)
def test_codecs(answers: Answers, folder: Path, codec: str) -> None:
    path = write(answers, all_columns(answers.session), folder / "t", compression=codec)
    same_rows(answers, lambda spark: spark.read.orc(path))


@pytest.mark.parametrize("codec", ["lz4", pytest.param("none", marks=pytest.mark.nightly)])
def test_stripes_belong_to_the_split_in_which_they_begin(
    answers: Answers, configuration: Callable[..., None], folder: Path, codec: str
) -> None:
    frame = answers.session.range(0, 150_000, 1, 1).selectExpr("id", "uuid() AS u")
    options = {"orc.stripe.size": "500000", "compression": codec}
    path = write(answers, frame, folder / "t", **options)
    configuration(spark__sql__files__maxPartitionBytes="700001")
    found = same_rows(answers, lambda spark: spark.read.orc(path))
    assert metric_total(found, "stripes") > 5
    assert found.rdd.getNumPartitions() > 5
    same_rows(answers, lambda spark: spark.read.orc(path).where("id < 1000").selectExpr("max(u)"))


def test_many_small_files(answers: Answers, folder: Path) -> None:
    frame = answers.session.range(0, 3000, 1, 30).selectExpr("id", "id % 7 AS k")
    path = write(answers, frame, folder / "t")
    same_rows(answers, lambda spark: spark.read.orc(path).groupBy("k").count())


def test_partitions_with_odd_names(answers: Answers, folder: Path) -> None:
    frame = answers.session.sql(
        "SELECT * FROM VALUES (1, 'a b', DATE'2020-01-01'), (2, 'ü/=%', NULL), (3, NULL, NULL), "
        "(4, 'x:y?#[1]', DATE'0001-01-01'), (5, '%20', NULL) AS t(`i.j`, name, day)"
    )
    path = write(answers, frame, folder / "t", "name", "day")
    same_rows(answers, lambda spark: spark.read.orc(path))
    same_rows(answers, lambda spark: spark.read.orc(path).where("name > 'a'"))


def test_files_with_other_columns(answers: Answers, folder: Path) -> None:
    spark = answers.session
    write(answers, spark.range(5).selectExpr("id", "id AS Wide", "'x' AS gone"), folder / "t/p=1")
    write(answers, spark.range(5).selectExpr("'y' AS added", "id"), folder / "t/p=2")
    write(answers, spark.range(5).selectExpr("1 AS other"), folder / "t/p=3")
    path = str(folder / "t")
    same_rows(answers, lambda spark: spark.read.option("mergeSchema", "true").orc(path))
    schema = "ID BIGINT, wide BIGINT, added STRING, missing DATE, p INT"
    same_rows(answers, lambda spark: spark.read.schema(schema).orc(path))
    with configured(spark, {"spark.sql.caseSensitive": "true"}):
        same_rows(answers, lambda spark: spark.read.schema(schema).orc(path))


@pytest.mark.parametrize(
    "schema",
    ["id BIGINT, n BIGINT", "n DOUBLE", "d DECIMAL(12,4)", "st STRUCT<b: STRING>",
     *at_night("id STRING", "s VARCHAR(2)", "st STRUCT<B: STRING>",
               "st STRUCT<c: STRING, a: INT>")],
)  # fmt: skip
def test_columns_of_other_types(answers: Answers, few_types: str, schema: str) -> None:
    answers.same_outcome(lambda spark: spark.read.schema(schema).orc(few_types))


def test_columns_without_names(answers: Answers, folder: Path) -> None:
    spark = answers.session
    frame = spark.range(0, 5, 1, 1).selectExpr("id AS _col0", "concat('x', id) AS _col1")
    path = write(answers, frame, folder / "t")
    for schema in ("a BIGINT, b STRING, c INT", "a BIGINT", "b STRING, a BIGINT"):
        reader = spark.read.schema(schema)
        answers.same_outcome(lambda _, reader=reader: reader.orc(path))
        answers.same_outcome(lambda _, reader=reader: reader.orc(path).select("a"))
    same_rows(answers, lambda spark: spark.read.schema("a BIGINT, b STRING").orc(path).select("b"))


@pytest.mark.parametrize(
    "first", ["DATE'1582-10-04'", *at_night("DATE'1582-10-15'", "DATE'0001-01-01'")]
)
def test_dates_of_the_julian_calendar_are_read_by_spark(
    answers: Answers, folder: Path, first: str
) -> None:
    frame = answers.session.range(0, 3, 1, 1).selectExpr(
        f"date_add({first}, CAST(id AS INT)) AS day", f"array(named_struct('d', {first})) AS days"
    )
    path = write(answers, frame, folder / "t")
    replays = 0 if "10-15" in first else 1
    same_rows(answers, lambda spark: spark.read.orc(path).select("day"), replays=replays)
    same_rows(answers, lambda spark: spark.read.orc(path).select("days"), replays=replays)


def test_timestamps_around_the_epochs(answers: Answers, folder: Path) -> None:
    """ORC has the seconds since 2015, and a sign that is lost in the second before 1970."""
    micros = [-1, -999_999, -1_000_000, -1_000_001, -500_000, 0, 1, 1420070399500000,
              1420070400000001, -9_000_000_000_000_000, 9_000_000_000_000_000]  # fmt: skip
    values = ", ".join(f"({value})" for value in micros)
    frame = answers.session.sql(f"SELECT timestamp_micros(m) AS ts FROM VALUES {values} AS t(m)")
    path = write(answers, frame.coalesce(1), folder / "t")
    same_rows(answers, lambda spark: spark.read.orc(path).selectExpr("unix_micros(ts)"))


def test_timestamps_beyond_those_of_nanoseconds_are_read_by_spark(
    answers: Answers, folder: Path
) -> None:
    frame = answers.session.range(0, 1, 1, 1).selectExpr("TIMESTAMP'0900-01-01 00:00:00' AS ts")
    path = write(answers, frame, folder / "t")
    same_rows(answers, lambda spark: spark.read.orc(path), replays=1)


@pytest.mark.parametrize("other", ["America/New_York", *at_night("Asia/Tokyo")])
def test_time_zones_of_the_jvm(answers: Answers, folder: Path, table: str, other: str) -> None:
    with zone(answers, other):
        path = write(answers, all_columns(answers.session, 400).select("ts", "ntz"), folder / "t")
    same_rows(answers, lambda spark: spark.read.orc(path).select("ntz"))
    same_rows(answers, lambda spark: spark.read.orc(path), replays=2)
    with zone(answers, other):
        frame = answers.session.read.orc(table).select("ts")
        assert "another time zone than UTC" in str(explain(frame))
        same_rows(answers, lambda spark: spark.read.orc(table).select("ntz", "id"))


@pytest.mark.parametrize(
    "schema", ["t TIMESTAMP_NTZ", *at_night("t TIMESTAMP", "n BIGINT, t TIMESTAMP")]
)
def test_timestamps_of_another_kind(answers: Answers, folder: Path, schema: str) -> None:
    for name, sql in {"zoned": "TIMESTAMP", "plain": "TIMESTAMP_NTZ"}.items():
        frame = answers.session.sql(f"SELECT CAST('2020-01-01' AS {sql}) AS t, 1L AS n")
        path = write(answers, frame, folder / name)
        answers.same_outcome(lambda spark, path=path: spark.read.schema(schema).orc(path))


def test_nested_timestamps_stay_with_spark(answers: Answers, folder: Path) -> None:
    frame = answers.session.sql("SELECT array(TIMESTAMP'2020-01-01 00:00:00') AS a, 1 AS n")
    path = write(answers, frame, folder / "t")
    assert "timestamps in nested columns" in str(explain(answers.session.read.orc(path)))
    # the schema does not say it, and the file does
    same_rows(answers, lambda spark: spark.read.schema("m INT, n INT").orc(path), replays=1)


@pytest.mark.parametrize(
    "name", ["orc.force.positional.evolution", *at_night("orc.skip.corrupt.data")]
)
def test_settings_of_the_reader(answers: Answers, table: str, name: str) -> None:
    frame = answers.session.read.option(name, "true").orc(table)
    assert f"{name} = true is not supported" in str(explain(frame))


def test_tables(answers: Answers, folder: Path) -> None:
    """Of `char` and `varchar`, too, in buckets."""
    spark = answers.session
    try:
        spark.sql(
            "CREATE TABLE orc_table (a INT, c CHAR(5), v VARCHAR(6), k INT) USING orc PARTITIONED "
            f"BY (k) CLUSTERED BY (a) INTO 2 BUCKETS LOCATION '{(folder / 't').as_uri()}'"
        )
        spark.sql(
            "INSERT INTO orc_table "
            "SELECT id, concat('c', id), concat('v', id), id % 2 FROM range(9)"
        )
        same_rows(answers, lambda spark: spark.table("orc_table"))
        same_rows(answers, lambda spark: spark.table("orc_table").where("c = 'c3' AND k = 1"))
        spark.sql("ALTER TABLE orc_table ADD COLUMN d DOUBLE")
        same_rows(answers, lambda spark: spark.table("orc_table"))
    finally:
        spark.sql("DROP TABLE IF EXISTS orc_table")


@pytest.mark.parametrize(
    "codec",
    [
        "zstd",
        *(
            pytest.param(name, marks=pytest.mark.nightly)
            for name in ("uncompressed", "snappy", "zlib", "lz4")
        ),
    ],
)
def test_files_of_arrow(answers: Answers, folder: Path, codec: str) -> None:
    ids = list(range(20000))
    data = pa.table(
        {
            "n": pa.array(ids, pa.int16()),
            "s": [f"name {i % 40}" for i in ids],
            "ts": pa.array([i * 10**9 for i in ids], pa.timestamp("us")),
            "list": [[i] * (i % 3) for i in ids],
        }
    )
    orc.write_table(data, folder / "a.orc", compression=codec, stripe_size=65536)
    path = str(folder / "a.orc")
    same_rows(answers, lambda spark: spark.read.orc(path))


def test_types_that_spark_does_not_know(answers: Answers, folder: Path) -> None:
    data = pa.table({"n": [1], "zoned": pa.array([1], pa.timestamp("us", "UTC"))})
    orc.write_table(data, folder / "a.orc")
    path = str(folder / "a.orc")
    answers.same_outcome(lambda spark: spark.read.schema("n BIGINT").orc(path))


def test_intervals_of_months(answers: Answers, folder: Path) -> None:
    frame = answers.session.range(9).selectExpr("make_ym_interval(1, CAST(id AS INT)) AS months")
    path = write(answers, frame, folder / "t")
    same_rows(answers, lambda spark: spark.read.orc(path))


@pytest.mark.parametrize("damage", ["cut", "zeros", *at_night("empty", "gone")])
def test_damaged_files(answers: Answers, folder: Path, damage: str) -> None:
    def make(spark: SparkSession) -> DataFrame:
        path = folder / "changed.orc"
        orc.write_table(pa.table({"n": list(range(50000))}), path)
        frame = spark.read.orc(str(path)).selectExpr("sum(n)")
        frame._jdf.queryExecution().executedPlan()
        content = path.read_bytes()
        path.write_bytes(
            {"cut": content[: len(content) // 2], "zeros": bytes(len(content))}.get(damage, b"")
        )
        if damage == "gone":
            path.unlink()
        return frame

    answers.same_outcome(make)


def test_remote_files(answers: Answers, table: str) -> None:
    remote = f"store://{table}"
    found = same_rows(answers, lambda spark: spark.read.orc(remote))
    assert metric_total(found, "requests") > 0
    same_rows(answers, lambda spark: spark.read.orc(remote).where("id > 100").select("str", "ts"))
    fault = {"fs.store.fault": "throttled"}
    answers.same_outcome(lambda spark: spark.read.options(**fault).orc(remote))
