"""ORC files that fragments write: rows, types and footers of Spark's own files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import orc
from pyspark.sql.functions import expr

from broadhead.files.input_file import LocalFile
from broadhead.files.orc_footer import OrcFooter, read_orc_footer
from spark.answers import Answers, plan_of
from spark.test_orc_files import all_columns, zone
from spark.test_table_files import metric, written
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WHOLE_SECONDS = "IF(ts < TIMESTAMP'1970-01-01', date_trunc('second', ts), ts)"
BOTH = ("spark", "broadhead")


@pytest.fixture(scope="module", autouse=True)
def rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A view of all types in two files."""
    path = str(tmp_path_factory.mktemp("orc-writes") / "rows")
    spark = answers.session
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        all_columns(spark).withColumn("ts", expr(WHOLE_SECONDS)).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("orc_rows")
    yield
    spark.catalog.dropTempView("orc_rows")


@pytest.fixture(autouse=True)
def utc(answers: Answers) -> Iterator[None]:
    with zone(answers, "UTC"):
        yield


def by_spark(spark: SparkSession, path: Path, where: str = "true") -> tuple[Any, list[str]]:
    """Types and rows of a folder as plain Spark reads them."""
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        frame = spark.read.orc(str(path)).where(where)
        schema = frame.schema
        if "months" in frame.columns:  # PySpark cannot collect them
            frame = frame.withColumn("months", expr("CAST(months AS STRING)"))
        return schema, sorted(map(repr, frame.collect()))


def same_tables(answers: Answers, folder: Path) -> None:
    expected, found = (by_spark(answers.session, folder / name) for name in BOTH)
    assert found[0] == expected[0]
    differing = [pair for pair in zip(found[1], expected[1], strict=True) if pair[0] != pair[1]]
    assert differing[:3] == []
    assert expected[1]


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.orc"))


def footer(path: Path) -> OrcFooter:
    return read_orc_footer(LocalFile(str(path)))


def types(path: Path) -> list[tuple[Any, ...]]:
    """The types of a file and of their parts, in order."""
    return [
        (part.kind, part.names, part.precision, part.scale, part.catalyst)
        for part in footer(path).root.parts()
    ]


def test_all_types(answers: Answers, folder: Path) -> None:
    """Rows and types; footers with Spark's names of types and its version."""
    written(
        answers,
        folder,
        lambda spark, path: spark.table("orc_rows").write.orc(path),
    )
    same_tables(answers, folder)
    expected, found = (files(folder / name)[0] for name in BOTH)
    assert types(found) == types(expected)
    assert footer(found).compression == footer(expected).compression
    opened = [orc.ORCFile(file) for file in (expected, found)]
    assert opened[1].schema.metadata == opened[0].schema.metadata
    assert opened[1].schema == opened[0].schema
    opened[1].read().validate(full=True)
    again = answers.same_rows(lambda spark: spark.read.orc(str(folder / "broadhead")))
    assert "BroadheadFileSourceScan" in plan_of(again)


NESTED = (
    "SELECT array(ts, NULL) AS a, named_struct('t', ts, 'n', map(id, ntz)) AS s, "
    "map('k', struct(day)) AS m, array(array(id)) AS l, CAST(NULL AS ARRAY<INT>) AS nothing, "
    "struct(seconds) AS i, make_ym_interval(1, CAST(id % 9 AS INT)) AS months, "
    "IF(id % 2 = 0, array(), array(uniq)) AS e, id AS `a b.c``ü` FROM orc_rows"
)


def test_nested_columns(answers: Answers, folder: Path) -> None:
    written(answers, folder, lambda spark, path: spark.sql(NESTED).write.orc(path))
    same_tables(answers, folder)
    expected, found = (files(folder / name)[0] for name in BOTH)
    assert types(found) == types(expected)


FILTERS = [
    "ts > TIMESTAMP'1970-01-01 00:00:00'", "ts < TIMESTAMP'1969-12-31 23:59:59.5'",
    "nan > 100", "nan < 1", "uniq = 'prefix of many 77'", "day < DATE'1600-01-01'",
    "dec38 > 1000000000000", "ntz >= TIMESTAMP_NTZ'1970-01-01 00:30:00'", "str IS NULL", "bool",
]  # fmt: skip


@pytest.mark.nightly
def test_statistics_of_pushed_filters(answers: Answers, folder: Path) -> None:
    """Spark skips rows by the files' minima and maxima, so these must hold."""
    frame = "SELECT *, IF(id % 2000 = 0, DOUBLE('NaN'), id % 300) AS nan FROM orc_rows ORDER BY id"
    written(
        answers,
        folder,
        lambda spark, path: spark.sql(frame).coalesce(1).write.orc(path),
    )
    for condition in FILTERS:
        expected, found = (by_spark(answers.session, folder / n, condition) for n in BOTH)
        assert found == expected, condition
        assert expected[1], condition


@pytest.mark.parametrize(
    "codec",
    ["zlib", "none", *(pytest.param(c, marks=pytest.mark.nightly) for c in ("snappy", "lz4"))],
)
def test_codecs(answers: Answers, folder: Path, codec: str) -> None:
    written(
        answers,
        folder,
        lambda spark, path: (
            spark.table("orc_rows")
            .select("id", "str", "uniq", "ts")
            .where("id % 2 = 0")
            .write.option("compression", codec)
            .orc(path)
        ),
    )
    same_tables(answers, folder)
    expected, found = (files(folder / name)[0] for name in BOTH)
    assert found.name.split("-c000")[1] == expected.name.split("-c000")[1]
    assert footer(found).compression == footer(expected).compression


def test_partitions_of_a_number_of_rows(answers: Answers, folder: Path) -> None:
    def write(spark: SparkSession, path: str) -> None:
        frame = spark.sql("SELECT id, ts, id % 3 AS k FROM orc_rows WHERE id >= 100")
        frame.write.option("maxRecordsPerFile", 250).partitionBy("k").orc(path)

    written(answers, folder, write)
    same_tables(answers, folder)
    names = [
        sorted(f"{f.parent.name}/{f.name[:10]}{f.name[f.name.index('.c') :]}" for f in found)
        for found in (files(folder / name) for name in BOTH)
    ]
    assert names[1] == names[0]


def test_no_rows(answers: Answers, folder: Path) -> None:
    written(
        answers,
        folder,
        lambda spark, path: spark.table("orc_rows").where("id < 0").write.orc(path),
    )
    expected, found = (by_spark(answers.session, folder / name) for name in BOTH)
    assert found == expected
    assert len(files(folder / "broadhead")) == 1


def test_tables(answers: Answers, folder: Path) -> None:
    """CREATE TABLE AS, INSERT and INSERT OVERWRITE of dynamic partitions."""

    def write(spark: SparkSession, path: str) -> None:
        spark.sql("DROP TABLE IF EXISTS orc_table")
        spark.sql(
            f"CREATE TABLE orc_table USING orc PARTITIONED BY (k) LOCATION '{path}' "
            "AS SELECT id, ts, str, id % 3 AS k FROM orc_rows"
        )
        spark.sql("INSERT INTO orc_table SELECT id, ts, str, 1 FROM orc_rows WHERE id < 10")
        spark.sql("INSERT OVERWRITE orc_table SELECT id, ts, str, 2 FROM orc_rows WHERE id < 7")

    with configured(answers.session, {"spark.sql.sources.partitionOverwriteMode": "dynamic"}):
        written(answers, folder, write)
    answers.session.sql("DROP TABLE orc_table")
    same_tables(answers, folder)


@pytest.mark.parametrize(
    "column",
    [
        "DATE'1500-01-01'",
        "array(TIMESTAMP'1500-01-01 12:00:00')",
        "TIMESTAMP'1969-12-31 12:00:00.1'",
    ],
)
def test_dates_and_fractions_that_spark_writes(answers: Answers, folder: Path, column: str) -> None:
    spark = answers.session
    for name, enabled in zip(BOTH, ("false", "true"), strict=True):
        with configured(spark, {"spark.broadhead.enabled": enabled}):
            frame = spark.sql(f"SELECT id, IF(id = 3000, {column}, NULL) AS old FROM orc_rows")
            frame.write.orc(str(folder / name))
    assert metric(spark, "BroadheadWriteFiles", "number of tasks replayed by Spark") == 1
    same_tables(answers, folder)


@pytest.mark.parametrize(
    ("columns", "options", "reason"),
    [
        ("id", {"compression": "lzo"}, "the compression LZO"),
        ("id", {"orc.stripe.size": "1000000"}, "the option orc.stripe.size"),
        ("id, s COLLATE UTF8_LCASE AS s", {}, "collation"),
    ],
)
def test_what_spark_writes_itself(
    answers: Answers, folder: Path, columns: str, options: dict[str, str], reason: str
) -> None:
    assert_refused(answers, folder, columns, options, reason)


def test_timestamps_of_another_time_zone(answers: Answers, folder: Path) -> None:
    """The digits of the files are those of the JVM's time zone."""
    with zone(answers, "America/New_York"):
        assert_refused(answers, folder, "array(ts) AS a", {}, "another time zone than UTC")


def assert_refused(
    answers: Answers, folder: Path, columns: str, options: dict[str, str], reason: str
) -> None:
    spark = answers.session
    frame = f"SELECT {columns} FROM (SELECT *, str AS s FROM orc_rows)"
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    clause = f"OPTIONS ({listed})" if options else ""
    place = (folder / "t").as_uri()
    spark.sql(f"CREATE TABLE refused USING orc {clause} LOCATION '{place}' AS {frame} LIMIT 0")
    try:
        text = spark.sql(f"EXPLAIN EXTENDED INSERT INTO refused {frame}").collect()[0][0]
    finally:
        spark.sql("DROP TABLE refused")
    assert reason in text
    assert "BroadheadWriteFiles" not in text
