"""CSV and text files: options, modes, splits and bad input."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from night import at_night, half_by_day
from spark.answers import Answers, plan_of
from sql_runs import is_nightly
from sql_sessions import configured, metric_total

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "i INT, s STRING, d DECIMAL(9,2), t TIMESTAMP"
TABLE = b"i,s,d,t\n1,abc,1.50,2020-01-01 10:00:00\n2,,-3,\n,x y,+.5,2020-02-29T23:59:59.123456Z\n"


def check(
    answers: Answers, path: Path, schema: str = SCHEMA, *, replays: int | None = 0, **options: Any
) -> None:
    """All rows, some columns, and the number of rows."""

    def read(spark: SparkSession) -> DataFrame:
        return spark.read.schema(schema).options(**options).csv(str(path))

    first, *_ = schema.split()
    answers.same_rows(read, replays=replays)
    answers.same_rows(lambda spark: read(spark).select(first), replays=replays)
    answers.same_rows(lambda spark: read(spark).selectExpr("count(*)"), replays=replays)


def written(folder: Path, content: bytes, name: str = "t.csv") -> Path:
    (folder / name).write_bytes(content)
    return folder / name


def parsed_lines(frame: DataFrame) -> int:
    """How many lines Spark's own parser read for a query that has run."""
    return metric_total(frame, "linesParsed")


def test_a_plain_table_needs_no_other_parser(answers: Answers, folder: Path) -> None:
    path = written(folder, TABLE)
    check(answers, path, header=True)
    frame = answers.same_rows(lambda spark: spark.read.schema(SCHEMA).csv(str(path), header=True))
    assert "BroadheadFileSourceScan" in plan_of(frame)
    assert parsed_lines(frame) == 0


ODD = (
    b'1,"a,b",1.5,2020-01-01\n'
    b'2,"a""b",2,\n'
    b'3,"a\\"b",2,\n'
    b'4,a"b"c,2,\n'
    b'5,"abc"x,2,\n'
    b'6,"never closed,2,\n'
    b"7,short\n"
    b"8,too,1,2020-01-01,long\n"
    b"\n"
    b"   \n"
    b"9x,bad,1,2020-01-01\n"
    b"10,\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80,1e2,2020\n"
    b"11,\xff\xfe bad,1,2020-13-01\n"
    b"12,nul\0,1,2020-01-01\n"
    b' 13 , x ," 1 ", 2020-01-01 \n'
    b'14,"",,""\n'
    b"#15,comment,1,2020-01-01\n"
    b"16,'q,q',\"1,000.5\",2020-01-01 01:02:03+01:00\n"
    b"+17,\xef\xbb\xbfmark,12345678.999,2020-01-01 1:2:3\n"
    b'99999999999,\\,1,"2020-01-01 00:00:00"\n'
    b"18,NA,NA,NA\n"
    b"19,last line,3,1969-12-31 23:59:59"
)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ignoreTrailingWhiteSpace": True, "comment": "#"},
        {"comment": "#", "nullValue": "NA", "header": True},
        {"emptyValue": "EMPTY", "quote": "'"},
        {"escape": '"', "nullValue": "abc"},
        {"quote": "", "mode": "PERMISSIVE"},
        {"mode": "DROPMALFORMED", "comment": "#", "nullValue": "NA"},
        {"lineSep": "\n", "timestampFormat": "yyyy-MM-dd HH:mm:ss"},
        {"sep": "\t", "ignoreLeadingWhiteSpace": True, "ignoreTrailingWhiteSpace": True},
        *at_night(
            {"ignoreLeadingWhiteSpace": True, "ignoreTrailingWhiteSpace": True},
            {"ignoreLeadingWhiteSpace": True},
            {"emptyValue": "EMPTY", "nullValue": "2"},
            {"mode": "DROPMALFORMED"},
            {"unescapedQuoteHandling": "BACK_TO_DELIMITER", "maxCharsPerColumn": 20},
            {"sep": ";"},
            {"timeZone": "America/New_York", "charToEscapeQuoteEscaping": "#"},
        ),
    ],
    ids=str,
)
def test_options(answers: Answers, folder: Path, options: dict[str, Any]) -> None:
    separator = options.get("sep", ",").encode()
    path = written(folder, ODD.replace(b",", separator))
    many = "maxCharsPerColumn" in options
    if many:
        outcome = answers.same_outcome(
            lambda spark: spark.read.schema(SCHEMA).options(**options).csv(str(path))
        )
        assert outcome in {"rows", "error"}
        return
    schema = f"{SCHEMA}, _corrupt_record STRING"
    answers.same_rows(lambda spark: spark.read.schema(schema).options(**options).csv(str(path)))
    # without malformed lines, and with fewer columns than Spark reads
    answers.same_rows(
        lambda spark: (
            spark.read.schema(SCHEMA).options(**options).csv(str(path)).groupBy("s").count()
        )
    )


@pytest.mark.parametrize("mode", ["FAILFAST", "PERMISSIVE"])
def test_malformed_lines(answers: Answers, folder: Path, mode: str) -> None:
    path = written(folder, ODD)

    def read(spark: SparkSession) -> DataFrame:
        reader = spark.read.schema(f"{SCHEMA}, bad STRING").option("mode", mode)
        return reader.option("columnNameOfCorruptRecord", "bad").csv(str(path))

    assert answers.same_outcome(read) == ("error" if mode == "FAILFAST" else "rows")
    assert answers.same_outcome(lambda spark: read(spark).where("s > 'a'").select("i", "bad"))
    answers.same_outcome(lambda spark: read(spark).where("bad IS NOT NULL").select("i"))


TYPES = {
    "TINYINT": ["1", "-128", "128", "+5", "", " 1", "1 ", "0x1", "1.0", "٣"],
    "BIGINT": ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "-", "007"],
    "FLOAT": ["1.5", "NaN", "Inf", "-Inf", "1e40", "3.4028236e38", "1d", " 2", "nan", "Infinity"],
    "DOUBLE": ["1e308", "1e309", "-0.0", ".5", "5.", "0x1p3", "NaN", "-Inf", "4.9e-325", "1_0"],
    "BOOLEAN": ["true", "FALSE", "True", "t", "1", "yes", "tRuE", "falsE", "truee"],
    "DECIMAL(38,18)": ["1", "1.0000000000000000005", "12345678901234567890123", "1e-2", "1,0"],
    "DECIMAL(5,2)": ["999.994", "999.995", "-999.99", "1.005", "-.5", "+1.", "..", "0.0049"],
    "DATE": ["2020-01-01", "2020-1-1", "2020", "2020-02-30", "0001-01-01", "20200101", "+2020-1-1",
             "2020-01-01T00", "12020-1-01", "1582-10-10", "-2020-01-1"],
    "TIMESTAMP": ["2020-03-29 02:30:00", "2020-01-01", "2020-01-01T00:00:00.1234567Z", "12:30:00",
                  "2020-01-01 24:00:00", "2020-01-01 00:00:00 UTC", "1883-11-18 12:00:00",
                  "2020-01-01 00:00", "2020-01-01 00:00:00-08:00"],
    "TIMESTAMP_NTZ": ["2020-03-29 02:30:00", "2020-01-01", "2020-01-01 00:00:00-08:00",
                      "2020-01-01T00:00:00.5", "2020-01-01 00:00:00Z", "2020-01-01 00:00:00+1"],
    "STRING": ["a", " a ", "ä", "NULL", "null", "\\", "\\n", "a\tb"],
}  # fmt: skip


def test_types(answers: Answers, configuration: Callable[..., None], folder: Path) -> None:
    configuration(spark__sql__session__timeZone="Europe/Berlin")
    for number, (name, values) in enumerate(TYPES.items()):
        plain = [value for value in values if "," not in value]
        lines = "\n".join(f'{number},{value},"{value}"' for number, value in enumerate(plain))
        path = written(folder, lines.encode(), f"{number}.csv")
        schema = f"n INT, v {name}, q {name}"

        def read(spark: SparkSession, schema: str = schema, path: Path = path) -> DataFrame:
            return spark.read.schema(f"{schema}, _corrupt_record STRING").csv(str(path))

        answers.same_rows(read)


def test_formats(answers: Answers, folder: Path) -> None:
    values = [*TYPES["DATE"], *TYPES["TIMESTAMP"], "2020-02-02T10:00:00", "9999-12-31 23:59:59"]
    lines = "\n".join(f"{value},{value},{value}" for value in values)
    path = written(folder, lines.encode())
    schema = "d DATE, t TIMESTAMP, n TIMESTAMP_NTZ, _corrupt_record STRING"
    for between in (" ", "'T'"):
        pattern = f"yyyy-MM-dd{between}HH:mm:ss"
        formats = {
            "dateFormat": "yyyy-MM-dd", "timestampFormat": pattern, "timestampNTZFormat": pattern,
        }  # fmt: skip
        answers.same_rows(
            lambda spark, formats=formats: (
                spark.read.schema(schema).options(**formats).csv(str(path))
            )
        )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"encoding": "ISO-8859-1"}, "encoding = ISO-8859-1"),
        ({"lineSep": "|"}, "lineSep"),
        ({"sep": "||"}, "sep is supported only"),
        ({"sep": "§"}, "sep is supported only"),
        ({"dateFormat": "dd.MM.yyyy"}, "dateFormat = dd.MM.yyyy"),
        ({"timestampFormat": "MM/dd/yyyy"}, "timestampFormat = MM/dd/yyyy"),
        ({"header": True, "enforceSchema": False}, "enforceSchema = false"),
        ({"locale": "de-DE"}, "locale = de-DE"),
        ({"nanValue": "0"}, "nanValue"),
        ({"io.compression.codecs": "none"}, "io.compression.codecs"),
    ],
    ids=str,
)
def test_refused_options(answers: Answers, options: dict[str, Any], reason: str) -> None:
    import broadhead

    reader = answers.session.read.schema("d DATE, t TIMESTAMP, f FLOAT").options(**options)
    frame = reader.csv(str(Path(__file__).parent)).groupBy("d", "t", "f").count()
    assert reason in str(broadhead.explain(frame))


LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
TEXTS = st.text(st.sampled_from('ab1,"\\ \t#é;-.') | st.characters(codec="utf-8"), max_size=6)
FIELDS = st.integers(-50, 50).map(str) | TEXTS | TEXTS.map(lambda text: f'"{text}"') | st.just("")
ROWS = st.lists(st.tuples(st.lists(FIELDS, min_size=1, max_size=4), LINE_ENDS), max_size=20)


RANDOM: dict[str, Any] = {
    "rows": ROWS,
    "split_bytes": st.integers(1, 40),
    "header": st.booleans(),
    "mode": st.sampled_from(["PERMISSIVE", "DROPMALFORMED", "FAILFAST"]),
    "options": st.fixed_dictionaries(
        {},
        optional={
            "ignoreLeadingWhiteSpace": st.booleans(),
            "ignoreTrailingWhiteSpace": st.booleans(),
            "nullValue": st.sampled_from(["1", "ab", "-"]),
            "emptyValue": st.just("e"),
            "escape": st.sampled_from(['"', "#"]),
            "comment": st.just("#"),
            "lineSep": st.just("\n"),
        },
    ),
}


def examples(count: int) -> settings:
    return settings(
        max_examples=count, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate],
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )  # fmt: skip


def sizes_of_splits(content: bytes, split_bytes: int, mode: str) -> dict[str, str]:
    """Settings for at most six splits, with FAILFAST for one.

    With several splits, any of them may be the one whose error is reported.
    """
    one_split = mode == "FAILFAST"
    size = 1 << 20 if one_split else max(split_bytes, len(content) // 6)
    return {
        "spark.sql.files.maxPartitionBytes": str(size),
        "spark.sql.files.openCostInBytes": str(size if one_split else 0),
    }


def same_random(
    answers: Answers,
    folder: Path,
    rows: list[tuple[list[str], str]],
    split_bytes: int,
    header: bool,
    mode: str,
    options: dict[str, Any],
) -> None:
    content = "".join(",".join(fields) + end for fields, end in rows).encode()
    path = written(folder, content)

    def read(spark: SparkSession, schema: str) -> DataFrame:
        reader = spark.read.schema(schema).options(mode=mode, header=header, **options)
        return reader.csv(str(path))

    with configured(answers.session, sizes_of_splits(content, split_bytes, mode)):
        answers.same_outcome(lambda spark: read(spark, "i INT, s STRING, _corrupt_record STRING"))
        answers.same_outcome(lambda spark: read(spark, "s STRING, f DOUBLE, b BOOLEAN").select("f"))


@examples(2)
@given(**RANDOM)
def test_random_tables(answers: Answers, tmp_path: Path, **table: Any) -> None:
    same_random(answers, tmp_path, **table)


@pytest.mark.nightly
@examples(150)
@given(**RANDOM)
def test_many_random_tables(answers: Answers, tmp_path: Path, **table: Any) -> None:
    same_random(answers, tmp_path, **table)


def test_lines_across_splits(
    answers: Answers, configuration: Callable[..., None], folder: Path
) -> None:
    rows = [f"{n},{'x' * (n % 23)}" for n in range(60)]
    text = "".join(row + ["\n", "\r\n", "\r"][n % 3] for n, row in enumerate(rows))
    path = written(folder, text.encode())
    for size in (37, 400):
        configuration(
            spark__sql__files__maxPartitionBytes=str(size),
            spark__sql__files__openCostInBytes="0",
        )
        answers.same_rows(
            lambda spark: spark.read.schema("i INT, s STRING").csv(str(path)).repartition(1)
        )
        answers.same_rows(lambda spark: spark.read.text(str(path)).groupBy("value").count())


UNUSUAL = [
    b"", b"\n", b"i,s,d,t\n", b"\xef\xbb\xbfi,s,d,t\n1,a,1,\n", b"\n\n1,a,1,\n", b"\r\r\n\n",
    b"1,a,1,", b"\xef\xbb\xbf1,a,1,2020-01-01\n", b'"', b'1,"a\n', b"\0",
    b'"i","s"\n1,"a,b"\n2,"c"',
    b"i,s,d,t\n1," + b"x" * 300_000 + b",1,\n2,b,1,\n",
]  # fmt: skip


@pytest.mark.parametrize("header", [True, *at_night(False)])
def test_unusual_files(answers: Answers, folder: Path, header: bool) -> None:
    for number, content in enumerate(UNUSUAL):
        written(folder, content, f"{number:02}.csv")
    for columns in (["*"], ["s"], ["count(*)"]):
        answers.same_rows(
            lambda spark, columns=columns: (
                spark.read.schema(SCHEMA).csv(str(folder), header=header).selectExpr(*columns)
            )
        )


@pytest.mark.parametrize(
    "content",
    [b"\xef\xbb\xbf", b"," * 21_000 + b"\n1,a,1,\n", b"1," + b"x" * 300_000 + b",1,\n2,b,1,\n"],
    ids=range(3),
)
def test_files_that_spark_may_not_read(answers: Answers, folder: Path, content: bytes) -> None:
    path = written(folder, content)
    answers.same_outcome(lambda spark: spark.read.schema(SCHEMA).csv(str(path), header=True))
    answers.same_outcome(lambda spark: spark.read.schema(SCHEMA).csv(str(path)).select("s"))
    answers.same_outcome(lambda spark: spark.read.text(str(path)))


@pytest.mark.parametrize(
    ("suffix", "damage"),
    half_by_day([".gz", ".bz2"], ["cut", "whole", "changed", "garbage", "two members"]),
)
def test_compressed_files(answers: Answers, folder: Path, suffix: str, damage: str) -> None:
    content = {".gz": gzip, ".bz2": bz2}[suffix].compress(TABLE * 50)
    match damage:
        case "cut":
            content = content[: len(content) // 2]
        case "changed":
            content = content[:-6] + bytes(2) + content[-4:]
        case "two members":
            content += content
        case "garbage":
            content += b"garbage"
    path = written(folder, content, f"t.csv{suffix}")
    if suffix == ".gz":
        answers.same_outcome(lambda spark: spark.read.schema(SCHEMA).csv(str(path), header=True))
    else:
        answers.same_outcome(lambda spark: spark.read.text(str(path)))


def test_a_codec_of_hadoop_alone(answers: Answers, folder: Path) -> None:
    path = written(folder, TABLE, "t.csv.zst")
    answers.same_outcome(lambda spark: spark.read.schema(SCHEMA).csv(str(path)))


@pytest.mark.parametrize("codec", ["snappy", *at_night("lz4", "deflate", "bzip2", "gzip")])
def test_codecs_of_hadoop(answers: Answers, folder: Path, codec: str) -> None:
    """Files of Spark, sound and damaged."""
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        rows = answers.session.range(15_000).selectExpr("id AS i", "md5(string(id)) AS s", "id % 7")
        rows.coalesce(1).write.csv(str(folder / "t"), compression=codec)
    schema = "i INT, s STRING, d INT"
    answers.same_rows(lambda spark: spark.read.schema(schema).csv(str(folder / "t")))
    (path,) = (folder / "t").glob("part-*")
    content = path.read_bytes()
    damages = [
        content[:-3], content + content,
        content + b"garbage", content[:5000] + bytes(3) + content[5003:], b"", content[:2],
    ]  # fmt: skip
    for number, damaged in enumerate(damages if is_nightly() else damages[:2]):
        bad = written(folder, damaged, f"{number}{path.name}")
        answers.same_outcome(lambda spark, bad=bad: spark.read.schema(schema).csv(str(bad)))


def test_partitions_tables_and_filters(
    answers: Answers, folder: Path, configuration: Callable[..., None]
) -> None:
    for day in ("2020-01-01", "2020-01-02"):
        (folder / f"day={day}").mkdir()
        written(folder / f"day={day}", TABLE)
    answers.session.sql(
        f"CREATE TABLE csv_table (i INT, s STRING, d DECIMAL(9,2), t TIMESTAMP, day DATE) "
        f"USING csv OPTIONS (header 'true') PARTITIONED BY (day) LOCATION '{folder}'"
    )
    try:
        answers.session.sql("MSCK REPAIR TABLE csv_table")
        answers.same_rows(
            lambda spark: spark.sql("SELECT day, sum(d), max(s) FROM csv_table GROUP BY day")
        )
        for pushed in ("true", "false"):
            configuration(spark__sql__csv__filterPushdown__enabled=pushed)
            answers.same_rows(
                lambda spark: spark.sql("SELECT t FROM csv_table WHERE i > 0 AND day > '2020'")
            )
        answers.same_rows(lambda spark: spark.sql("SELECT count(*) FROM csv_table"))
    finally:
        answers.session.sql("DROP TABLE csv_table")


def test_without_column_pruning(
    answers: Answers, configuration: Callable[..., None], folder: Path
) -> None:
    configuration(spark__sql__csv__parser__columnPruning__enabled="false")
    path = written(folder, ODD)
    for mode in ("PERMISSIVE", "DROPMALFORMED"):
        check(answers, path, mode=mode)


def test_remote_files(answers: Answers, folder: Path) -> None:
    path = written(folder, TABLE + ODD + TABLE * 200)
    written(folder, gzip.compress(TABLE), "u.csv.gz")
    for name in (path, folder / "u.csv.gz"):
        answers.same_rows(lambda spark, name=name: spark.read.schema(SCHEMA).csv(f"store://{name}"))
        answers.same_rows(
            lambda spark, name=name: spark.read.text(f"store://{name}").selectExpr("hex(value)")
        )


def test_text(answers: Answers, configuration: Callable[..., None], folder: Path) -> None:
    path = written(folder, ODD + b"\r\rx\r\n\ny")
    for options in ({}, {"lineSep": "\n"}):
        answers.same_rows(
            lambda spark, options=options: (
                spark.read.options(**options).text(str(path)).selectExpr("hex(value)")
            )
        )
        answers.same_rows(
            lambda spark, options=options: (
                spark.read.options(**options).text(str(path)).selectExpr("count(*)")
            )
        )
