"""CSV, JSON and text files that fragments write: the bytes of Spark's own files; and buckets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spark.answers import Answers
from spark.test_table_files import files, name_of, same_tables, written
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ALPHABET = "ab,\"\\'#\n\r \té😀\0001;|"
"""Characters that a writer of lines may treat in a way of their own."""

TYPES = [
    "a", "b", "n", "d", "CAST(d AS FLOAT) AS f", "CAST(n / 100 AS DECIMAL(12, 2)) AS dec",
    "CAST(d / 1e7 AS DECIMAL(20, 15)) AS tiny", "n % 2 = 0 AS flag", "CAST(n AS INT) % 100 AS few",
    "date_add(DATE'2000-01-01', CAST(n % 1000000 AS INT)) AS day",
    "timestamp_micros(n * 60000000007) AS ts",
    "CAST(timestamp_micros(n * 7000000) AS TIMESTAMP_NTZ) AS ntz",
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A view of short strings of special characters, and of the types of values."""
    seed = 7
    chance = random.Random(seed)

    def text() -> str | None:
        size = chance.choice([0, 1, 1, 2, 2, 3, 4, 6])
        return None if chance.random() < 0.1 else "".join(chance.choices(ALPHABET, k=size))

    def number() -> float | None:
        usual = (chance.random() - 0.5) * 10 ** chance.randint(-8, 12)
        return chance.choice([None, usual, usual, usual, float("nan"), float("-inf"), -0.0])

    values = [(text(), text(), chance.choice([None, n - 1000, n * 997]), number())
              for n in range(3000)]  # fmt: skip
    path = str(tmp_path_factory.mktemp("line-files") / "rows")
    spark = answers.session
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        frame = spark.createDataFrame(values, "a STRING, b STRING, n BIGINT, d DOUBLE")
        frame.selectExpr(*TYPES).repartition(2).write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("values_of_lines")
    yield
    spark.catalog.dropTempView("values_of_lines")


def content(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("part-*"))]


def check(
    answers: Answers,
    folder: Path,
    kind: str,
    columns: list[str],
    **options: Any,
) -> None:
    """The files of both have the same names and bytes."""

    def write(spark: SparkSession, path: str) -> None:
        frame = spark.table("values_of_lines").selectExpr(*columns)
        frame.write.format(kind).options(**options).mode("overwrite").save(path)

    written(answers, folder, write)
    expected, found = (content(folder / name) for name in ("spark", "broadhead"))
    assert found == expected
    assert any(expected)
    names = [
        [name_of(path, folder / name) for path in sorted((folder / name).glob("part-*"))]
        for name in ("spark", "broadhead")
    ]
    assert names[1] == names[0]


CSV: list[dict[str, Any]] = [
    {},
    {"header": True, "quoteAll": True},
    {"escapeQuotes": False},
    {"nullValue": "null", "emptyValue": "E"},
    {"nullValue": "a,b", "emptyValue": ""},
    {"ignoreLeadingWhiteSpace": False, "ignoreTrailingWhiteSpace": False},
    {"charToEscapeQuoteEscaping": "|", "timeZone": "America/New_York"},
    {"escape": '"', "comment": "a"},
    {"sep": "\t", "quote": "'", "timestampFormat": "yyyy-MM-dd HH:mm:ss"},
    {"timestampFormat": "EEE"},
]

RARE_CSV: list[dict[str, Any]] = [
    {"nullValue": " n "},
    {"nullValue": '""', "emptyValue": ""},
    {"nullValue": "#", "quoteAll": True},
    {"ignoreTrailingWhiteSpace": False},
    {"quote": ""},
    {"escape": ""},
    {"sep": "1"},
    {"sep": " "},
    {"quote": "a"},
    {"emptyValue": '"'},
    {"emptyValue": "#", "timeZone": "Asia/Kathmandu"},
]


@pytest.mark.parametrize(
    "options",
    [*CSV, *(pytest.param(options, marks=pytest.mark.nightly) for options in RARE_CSV)],
    ids=str,
)
def test_csv(answers: Answers, folder: Path, options: dict[str, Any]) -> None:
    check(answers, folder, "csv", ["*"], **options)


@pytest.mark.parametrize("column", ["a", "n"])
def test_csv_of_one_column(answers: Answers, folder: Path, column: str) -> None:
    """Spark leaves out empty lines."""
    check(answers, folder, "csv", [column])


@pytest.mark.parametrize(
    "options",
    [{}, {"ignoreNullFields": False, "lineSep": "|\r\n"}, {"timeZone": "America/New_York"}],
    ids=str,
)
def test_json(answers: Answers, folder: Path, options: dict[str, Any]) -> None:
    check(answers, folder, "json", ["*", 'n AS `a"\n\\é`'], **options)


def test_text(answers: Answers, folder: Path) -> None:
    check(answers, folder, "text", ["a"])
    check(answers, folder, "text", ["b"], lineSep="--")


@pytest.mark.parametrize(
    "codec",
    ["gzip", *(pytest.param(c, marks=pytest.mark.nightly) for c in ("bzip2", "deflate", "lz4"))],
)
def test_codecs(answers: Answers, folder: Path, codec: str) -> None:
    check(answers, folder, "csv", ["*"], compression=codec)


def test_partitions_of_lines(answers: Answers, folder: Path) -> None:
    written(
        answers,
        folder,
        lambda spark, path: (
            spark.table("values_of_lines")
            .selectExpr("a", "n % 3 AS k")
            .repartition(1)
            .write.partitionBy("k")
            .json(path)
        ),
    )
    found = [
        {str(path.parent.relative_to(folder / name)): sorted(path.read_bytes().splitlines())
         for path in (folder / name).rglob("*.json")}
        for name in ("spark", "broadhead")
    ]  # fmt: skip
    assert found[1] == found[0]
    assert len(found[0]) == 6


def test_text_that_is_not_utf8_is_written_by_spark(answers: Answers, folder: Path) -> None:
    spark = answers.session
    frame = "SELECT CAST(unhex('FF41') AS STRING) AS s, n FROM values_of_lines"
    for enabled in ("false", "true"):
        with configured(spark, {"spark.broadhead.enabled": enabled}):
            spark.sql(frame).write.csv(str(folder / enabled))
    assert content(folder / "true") == content(folder / "false")


BUCKETS = {
    "buckets": "CLUSTERED BY (n, a) INTO 3 BUCKETS",
    "sorted": "PARTITIONED BY (flag) CLUSTERED BY (n) SORTED BY (n, d) INTO 4 BUCKETS",
}


@pytest.mark.parametrize("layout", BUCKETS.values(), ids=BUCKETS)
def test_buckets(answers: Answers, folder: Path, layout: str) -> None:
    def write(spark: SparkSession, path: str) -> None:
        spark.sql("DROP TABLE IF EXISTS bucketed")
        spark.sql(
            "CREATE TABLE bucketed (a STRING, n BIGINT, d DOUBLE, flag BOOLEAN) USING parquet "
            f"{layout} LOCATION '{path}'"
        )
        spark.sql("INSERT INTO bucketed SELECT a, n, d, flag FROM values_of_lines")

    try:
        written(answers, folder, write)
    finally:
        answers.session.sql("DROP TABLE IF EXISTS bucketed")
    same_tables(answers, folder)
    found = [
        sorted(name_of(f, folder / n) for f in files(folder / n)) for n in ("spark", "broadhead")
    ]
    assert found[1] == found[0]


@pytest.mark.parametrize(
    ("kind", "options", "columns", "reason"),
    [
        ("csv", {"encoding": "ISO-8859-1"}, "n", "encoding"),
        ("csv", {"lineSep": ";"}, "n", "lineSep"),
        ("csv", {"sep": "||"}, "n", "sep"),
        ("csv", {"dateFormat": "EEE"}, "day", "dateFormat"),
        ("csv", {"timestampFormat": "G yyyy"}, "ts", "must be one of"),
        ("json", {"pretty": "true"}, "n", "pretty"),
        ("json", {}, "array(n) AS x", "not written as text"),
    ],
)
def test_what_spark_writes_itself(
    answers: Answers, folder: Path, kind: str, options: dict[str, str], columns: str, reason: str
) -> None:
    spark = answers.session
    frame = f"SELECT {columns} FROM values_of_lines"
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    clause = f"OPTIONS ({listed})" if options else ""
    spark.sql(
        f"CREATE TABLE refused USING {kind} {clause} LOCATION '{(folder / 't').as_uri()}' "
        f"AS {frame} LIMIT 0"
    )
    try:
        text = spark.sql(f"EXPLAIN EXTENDED INSERT INTO refused {frame}").collect()[0][0]
    finally:
        spark.sql("DROP TABLE refused")
    assert reason in text
    assert "BroadheadWriteFiles" not in text


def test_the_legacy_policy_of_patterns(answers: Answers, folder: Path) -> None:
    """Java's old formatter writes other texts for far dates."""
    spark = answers.session
    frame = "SELECT day, ts, date_format(ts, 'yyyy') AS y FROM values_of_lines"
    with configured(spark, {"spark.sql.legacy.timeParserPolicy": "LEGACY"}):
        text = spark.sql(f"EXPLAIN EXTENDED {frame}").collect()[0][0]
        for enabled in ("false", "true"):
            with configured(spark, {"spark.broadhead.enabled": enabled}):
                spark.sql(frame).write.csv(str(folder / enabled))
    assert "date_format with legacy = true is not supported" in text
    assert content(folder / "true") == content(folder / "false")
