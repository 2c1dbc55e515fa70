"""Parquet as others write it: encodings, codecs, types, folders, tables."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from night import at_night
from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = {
    "bool": "id % 3 = 0",
    "tiny": "CAST(id % 100 AS TINYINT)",
    "small": "CAST(id AS SMALLINT)",
    "int": "CAST(id AS INT)",
    "big": "id * 1000000007",
    "flt": "CAST(id AS FLOAT) / 3",
    "dbl": "CAST(id AS DOUBLE) / 7",
    "dec9": "CAST(id AS DECIMAL(9,2))",
    "dec18": "CAST(-id AS DECIMAL(18,4))",
    "dec38": "CAST(id AS DECIMAL(38,10)) * 1000000000000",
    "str": "concat('value ', id % 50)",
    "uniq": "concat('prefix of many ', id)",
    "bin": "CAST(CAST(id AS STRING) AS BINARY)",
    "day": "date_add(DATE'1600-01-01', CAST(id * 100 AS INT))",
    "ts": "timestamp_micros(id * 123456789012 - 62135596800000000)",
    "ntz": "CAST(timestamp_micros(id * 1000001) AS TIMESTAMP_NTZ)",
    "arr": "array(id, NULL)",
    "st": "named_struct('a', CAST(id AS STRING), 'b', array(named_struct('c', id)))",
    "mp": "map('k', id, 'l', NULL)",
}
"""SQL of a column over `id`, all of which Spark can write."""


def all_columns(spark: SparkSession) -> DataFrame:
    return spark.range(0, 4000, 1, 2).selectExpr(
        *(f"CASE WHEN (id + {n}) % 5 > 0 THEN {sql} END AS {name}"
          for n, (name, sql) in enumerate(COLUMNS.items())),
        "id",
    )  # fmt: skip


def check(answers: Answers, path: Path | str, *, replays: int | None = 0) -> None:
    """Rows and aggregates of all columns."""
    read = answers.session.read.parquet(str(path))
    answers.same_rows(lambda _: read.where("id % 3 = 1"), replays=replays)
    flat = [name for name in read.columns if name not in {"arr", "st", "mp", "bin"}]
    answers.same_rows(
        lambda _: read.groupBy("str").agg(*[_max(name) for name in flat if name != "str"]),
        replays=replays,
    )


def _max(name: str) -> object:
    from pyspark.sql import functions as f

    return f.max(name).alias(name)


@pytest.mark.parametrize(
    "codec",
    # Snappy is what the other tests' files have.
    ["zstd", "lz4"]
    + [
        pytest.param(codec, marks=pytest.mark.nightly)
        for codec in ("none", "snappy", "gzip", "lz4_raw")
    ],
)
def test_codecs(answers: Answers, folder: Path, codec: str) -> None:
    frame = all_columns(answers.session)
    frame.write.option("compression", codec).parquet(str(folder / "t"))
    check(answers, folder / "t")


@pytest.mark.parametrize(
    "options",
    [
        {"parquet.writer.version": "v2", "parquet.enable.dictionary": "false"},
        {"parquet.writer.version": "v2", "parquet.enable.dictionary": "true"},
        {"parquet.enable.dictionary": "false", "parquet.page.row.count.limit": "100"},
        pytest.param({"parquet.block.size": "20000"}, marks=pytest.mark.nightly),
    ],
    ids=["v2-delta", "v2-dictionary", "v1-plain-small-pages", "small-row-groups"],
)
def test_encodings(answers: Answers, folder: Path, options: dict[str, str]) -> None:
    all_columns(answers.session).write.options(**options).parquet(str(folder / "t"))
    check(answers, folder / "t")


@pytest.mark.parametrize("kind", ["INT96", "TIMESTAMP_MICROS", *at_night("TIMESTAMP_MILLIS")])
def test_timestamps(
    answers: Answers, configuration: Callable[..., None], folder: Path, kind: str
) -> None:
    configuration(
        spark__sql__parquet__outputTimestampType=kind,
        spark__sql__session__timeZone="Europe/Berlin",
        spark__sql__parquet__int96RebaseModeInWrite="CORRECTED",
    )
    all_columns(answers.session).write.parquet(str(folder / "t"))
    check(answers, folder / "t")


def test_legacy_calendar_is_read_by_spark(
    answers: Answers, configuration: Callable[..., None], folder: Path
) -> None:
    configuration(
        spark__sql__parquet__datetimeRebaseModeInWrite="LEGACY",
        spark__sql__parquet__int96RebaseModeInWrite="LEGACY",
    )
    all_columns(answers.session).write.parquet(str(folder / "t"))
    check(answers, folder / "t", replays=None)


def test_legacy_format(answers: Answers, configuration: Callable[..., None], folder: Path) -> None:
    configuration(spark__sql__parquet__writeLegacyFormat="true")
    all_columns(answers.session).write.parquet(str(folder / "t"))
    check(answers, folder / "t")


def arrow_table() -> pa.Table:
    ids = range(2000)
    names = [f"name {i % 40}" for i in ids]
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "str": pa.array(names, pa.string_view()),
            "large": pa.array(names, pa.large_string()),
            "dict": pa.array(names).dictionary_encode(),
            "dict_int": pa.array([i % 4 for i in ids]).dictionary_encode(),
            "large_bin": pa.array([b"x" * (i % 9) for i in ids], pa.large_binary()),
            "day": pa.array([dt.date(2000, 1, 1 + i % 28) for i in ids]),
            "milli": pa.array(ids, pa.timestamp("ms", "Europe/Paris")),
            "local": pa.array(ids, pa.timestamp("us")),
            "dec": pa.array([decimal.Decimal(i) / 100 for i in ids], pa.decimal128(12, 2)),
            "half": pa.array([None if i % 2 else i for i in ids], pa.int16()),
            "lists": pa.array([[i, None] for i in ids], pa.large_list(pa.int32())),
            "maps": pa.array([[("a", i)] for i in ids], pa.map_(pa.string(), pa.int64())),
        }
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"version": "1.0", "data_page_version": "1.0"}, marks=pytest.mark.nightly),
        {"data_page_version": "2.0", "use_dictionary": False, "compression": "zstd"},
        {"store_schema": False, "store_decimal_as_integer": True},
        {"column_encoding": {"id": "DELTA_BINARY_PACKED", "str": "DELTA_BYTE_ARRAY",
                             "large": "DELTA_LENGTH_BYTE_ARRAY"}, "use_dictionary": False},
        {"write_page_index": True, "compression": "lz4", "row_group_size": 300},
    ],
    ids=["defaults", "v1", "v2", "no-arrow-schema", "delta", "lz4"],
)  # fmt: skip
def test_written_by_arrow(answers: Answers, folder: Path, options: dict[str, object]) -> None:
    path = folder / "t.parquet"
    pq.write_table(arrow_table(), path, **options)
    read = answers.session.read.parquet(str(path))
    answers.same_rows(
        lambda _: read.where("id % 3 = 1"), replays=None if "use_byte" in str(options) else 0
    )
    answers.same_rows(
        lambda _: read.groupBy("dict", "str").agg({"id": "sum", "large": "max", "dec": "sum"})
    )


@pytest.mark.parametrize("adaptive", ["true", pytest.param("false", marks=pytest.mark.nightly)])
def test_partitioned_table(
    answers: Answers, configuration: Callable[..., None], folder: Path, adaptive: str
) -> None:
    configuration(spark__sql__adaptive__enabled=adaptive)
    frame = answers.session.range(0, 600, 1, 2).selectExpr(
        "id",
        "CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN 'a/b=c %' WHEN 2 THEN 'größe 日本' "
        "WHEN 3 THEN ' x:y\"z\"' ELSE '#?[]*' END AS p",
        "CASE WHEN id % 2 = 0 THEN DATE'2024-02-29' END AS d",
        "CAST(id % 3 AS INT) AS n",
    )
    frame.write.partitionBy("p", "d", "n").parquet(str(folder / "t"))
    read = answers.session.read.parquet(str(folder / "t"))
    answers.same_rows(lambda _: read.where("id > 3"))
    answers.same_rows(lambda _: read.groupBy("p", "d").agg({"n": "sum", "id": "max"}))
    answers.same_rows(lambda _: read.where("p IS NULL OR n = 2").groupBy("n").count())
    answers.same_rows(lambda _: read.where("d = DATE'2024-02-29'").select("p", "d"))
    answers.same_rows(lambda _: read.select("n").distinct())


def test_typed_partition_values(answers: Answers, folder: Path) -> None:
    frame = answers.session.range(0, 200, 1, 1).selectExpr(
        "id",
        "CAST(id % 3 * 0.25 AS DECIMAL(10,2)) AS dec",
        "timestamp_seconds(id % 2 * 1000003) AS ts",
        "id % 2 = 0 AS flag",
        "CAST(id % 4 AS DOUBLE) / 3 AS dbl",
    )
    frame.write.partitionBy("dec", "ts", "flag", "dbl").parquet(str(folder / "t"))
    schema = "id BIGINT, dec DECIMAL(10,2), ts TIMESTAMP, flag BOOLEAN, dbl DOUBLE"
    read = answers.session.read.schema(schema).parquet(str(folder / "t"))
    answers.same_rows(lambda _: read.where("id >= 0"))
    answers.same_rows(lambda _: read.groupBy("dec", "ts", "flag").agg({"dbl": "max"}))


@pytest.mark.parametrize("adaptive", [pytest.param("true", marks=pytest.mark.nightly), "false"])
def test_bucketed_table(
    answers: Answers, configuration: Callable[..., None], folder: Path, adaptive: str
) -> None:
    configuration(
        spark__sql__adaptive__enabled=adaptive, spark__sql__autoBroadcastJoinThreshold="-1"
    )
    spark = answers.session
    name = f"bucketed_{adaptive}"
    frame = spark.range(0, 1000, 1, 2).selectExpr("id % 50 AS k", "id AS v")
    with configured(spark, {"spark.broadhead.enabled": "false"}):
        frame.write.bucketBy(4, "k").sortBy("k").option("path", str(folder / "b")).saveAsTable(name)
    try:
        answers.same_rows(lambda s: s.table(name).groupBy("k").sum("v"))
        answers.same_rows(lambda s: s.table(name).where("k = 7"))
        joined = f"SELECT a.k, sum(a.v + b.v) FROM {name} a JOIN {name} b ON a.k = b.k GROUP BY a.k"
        answers.same_rows(lambda s: s.sql(joined))
    finally:
        spark.sql(f"DROP TABLE {name}")


def test_columns_that_a_file_lacks(answers: Answers, folder: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "a": ["x", None]}), folder / "1.parquet")
    pq.write_table(pa.table({"id": [3, 4], "b": [0.5, 1.5]}), folder / "2.parquet")
    pq.write_table(pa.table({"c": [9]}), folder / "3.parquet")
    merged = answers.session.read.option("mergeSchema", "true").parquet(str(folder))
    assert set(merged.columns) == {"id", "a", "b", "c"}
    answers.same_rows(lambda _: merged.where("id IS NULL OR id > 1"))
    answers.same_rows(lambda _: merged.where("a IS NULL").groupBy("b").agg({"c": "sum"}))
    named = answers.session.read.schema("nowhere STRING, id BIGINT").parquet(str(folder))
    answers.same_rows(lambda _: named.where("nowhere IS NULL"))
    answers.same_rows(lambda _: named.select("nowhere").distinct())


def test_wider_types_than_the_files(answers: Answers, folder: Path) -> None:
    table = pa.table(
        {"i": pa.array(range(99), pa.int32()), "f": pa.array([0.1] * 99, pa.float32())}
    )
    pq.write_table(table, folder / "t.parquet")
    for schema in ("i BIGINT, f DOUBLE", "i DOUBLE, f FLOAT", "i DECIMAL(20,2), f FLOAT"):
        read = answers.session.read.schema(schema).parquet(str(folder))
        outcome = answers.same_outcome(lambda _, read=read: read.where("f > 0"))
        assert outcome == ("rows" if answers.session.version >= "4" else "error")


def test_old_dates_of_an_unknown_calendar(
    answers: Answers, configuration: Callable[..., None], folder: Path
) -> None:
    configuration(spark__sql__parquet__datetimeRebaseModeInRead="EXCEPTION")
    days = pa.array([-200_000, 5, None], pa.date32())
    for name, column in (("old", days), ("new", days[1:])):
        pq.write_table(pa.table({"day": column}), folder / f"{name}.parquet")
    old, new = (
        lambda spark, path=folder / name: spark.read.parquet(str(path)).where("day IS NOT NULL")
        for name in ("old.parquet", "new.parquet")
    )
    answers.same_rows(new)
    assert answers.same_outcome(old) == "error"


UNSIGNED = {8: pa.uint8(), 16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}


@pytest.mark.parametrize("dictionary", [True, False])
def test_unsigned_integers(answers: Answers, folder: Path, dictionary: bool) -> None:
    columns = {
        f"u{bits}": pa.array([0, 1, None, 2 ** (bits - 1), 2**bits - 1] * 9, UNSIGNED[bits])
        for bits in UNSIGNED
    }
    pq.write_table(pa.table(columns), folder / "t.parquet", use_dictionary=dictionary)
    read = answers.session.read.parquet(str(folder))
    assert [t for _, t in read.dtypes] == ["smallint", "int", "bigint", "decimal(20,0)"]
    answers.same_rows(lambda _: read.where("u8 >= 0 OR u8 IS NULL"))
    for name in columns:
        answers.same_rows(lambda _, name=name: read.where(f"{name} > 1"))
        answers.same_rows(lambda _, name=name: read.groupBy("u8").sum(name))
    narrow = answers.session.read.schema("u32 INT, u64 BIGINT").parquet(str(folder))
    # Spark itself cannot read these as BIGINT out of a dictionary.
    if not dictionary:
        answers.same_rows(lambda _: narrow.where("u64 IS NOT NULL"), replays=1)


@pytest.mark.parametrize("sensitive", ["false", pytest.param("true", marks=pytest.mark.nightly)])
def test_case_of_column_names(
    answers: Answers, configuration: Callable[..., None], folder: Path, sensitive: str
) -> None:
    configuration(spark__sql__caseSensitive=sensitive)
    pq.write_table(pa.table({"Id": [1, 2], "NAME": ["x", "y"]}), folder / "1.parquet")
    read = answers.session.read.schema("id BIGINT, name STRING").parquet(str(folder))
    answers.same_rows(lambda _: read.where("name = 'y' OR name IS NULL"))
    answers.same_rows(lambda _: read.where("id = 2").groupBy("name").count())


@pytest.mark.parametrize("sensitive", ["false", "true"])
def test_names_that_differ_only_in_case(
    answers: Answers, configuration: Callable[..., None], folder: Path, sensitive: str
) -> None:
    configuration(spark__sql__caseSensitive=sensitive)
    pq.write_table(pa.table({"id": [1, 2], "ID": [3, 4]}), folder / "1.parquet")
    read = answers.session.read.schema("id BIGINT").parquet(str(folder))
    outcome = answers.same_outcome(lambda _: read.where("id > 0"))
    assert outcome == ("rows" if sensitive == "true" else "error")


def test_odd_column_names(answers: Answers, folder: Path) -> None:
    names = ["a.b", "größe", "with space", "`tick`", "list", "c.d"]
    data = {name: pa.array(range(9), pa.int64()) for name in names}
    data["c"] = pa.array([{"d": n} for n in range(10, 19)])
    pq.write_table(pa.table(data), folder / "1.parquet")
    read = answers.session.read.parquet(str(folder))
    answers.same_rows(lambda _: read.where("`a.b` > 2"))
    answers.same_rows(lambda _: read.select("`c.d`", "c", "`a.b`").where("`c.d` > 2"))
    answers.same_rows(lambda _: read.groupBy("`größe`").agg({"`with space`": "sum"}))


def test_parts_of_nested_columns(answers: Answers, folder: Path) -> None:
    all_columns(answers.session).write.parquet(str(folder / "t"))
    read = answers.session.read.parquet(str(folder / "t"))
    answers.same_rows(lambda _: read.select("st.a", "id").where("id > 7"), replays=None)
    answers.same_rows(lambda _: read.select("st.b.c", "mp", "id").where("id > 7"), replays=None)


@pytest.mark.parametrize("sensitive", ["false", "true"])
def test_case_of_nested_names(
    answers: Answers, configuration: Callable[..., None], folder: Path, sensitive: str
) -> None:
    configuration(spark__sql__caseSensitive=sensitive)
    rows = [{"A": 1, "b": {"C": "x", "d": [{"E": n, "f": -n}]}} for n in range(9)]
    structs = pa.array([*rows, None])
    maps = pa.array([[("k", row)] for row in rows] + [None], pa.map_(pa.string(), structs.type))
    table = pa.table({"s": structs, "m": maps})
    pq.write_table(table, folder / "1.parquet")
    inner = "STRUCT<b: STRUCT<d: ARRAY<STRUCT<e: BIGINT>>, c: STRING>, a: BIGINT>"
    read = answers.session.read.schema(f"s {inner}, m MAP<STRING, {inner}>").parquet(str(folder))
    replays = 0 if sensitive == "false" else None
    answers.same_rows(lambda _: read.where("s IS NOT NULL"), replays=replays)
    answers.same_rows(lambda _: read.where("s.a > 0").select("s.b.c", "s.b.d"), replays=replays)


@pytest.mark.parametrize("names", ["aa", "aab", "aba", "abb"])
@pytest.mark.parametrize("sensitive", ["true", "false"])
def test_structs_with_fields_of_one_name(
    answers: Answers, configuration: Callable[..., None], folder: Path, sensitive: str, names: str
) -> None:
    configuration(spark__sql__caseSensitive=sensitive)
    fields = [pa.array([2 * n, 2 * n + 1]) for n in range(len(names))]
    struct = pa.StructArray.from_arrays(fields, names=list(names))
    one_each = pa.array([0, 1, 2], pa.int32())
    table = {
        "s": struct,
        "l": pa.ListArray.from_arrays(one_each, struct),
        "t": pa.StructArray.from_arrays([struct], names=["s"]),
        "m": pa.MapArray.from_arrays(one_each, pa.array(["x", "y"]), struct),
    }
    pq.write_table(pa.table(table), folder / "1.parquet")
    inner = "STRUCT<" + ", ".join(f"{name}: BIGINT" for name in sorted(set(names))) + ">"
    nested = f"l ARRAY<{inner}>, t STRUCT<s: {inner}>, m MAP<STRING, {inner}>"
    read = answers.session.read.schema(f"s {inner}, {nested}").parquet(str(folder))
    frames = [read, read.select("s.a"), read.where("s.a > 0"), read.select("t.s.a", "l.a")]
    outcomes = [answers.same_outcome(lambda _, frame=frame: frame) for frame in frames]
    assert outcomes[0] == ("rows" if sensitive == "true" else "error")


def test_structs_with_fields_of_one_name_and_two_types(
    answers: Answers, configuration: Callable[..., None], folder: Path
) -> None:
    configuration(spark__sql__caseSensitive="true")
    fields = [pa.array([1, 2]), pa.array(["x", "y"])]
    struct = pa.StructArray.from_arrays(fields, names=["a", "a"])
    pq.write_table(pa.table({"s": struct}), folder / "1.parquet")
    for data_type in ["BIGINT", "STRING"]:
        read = answers.session.read.schema(f"s STRUCT<a: {data_type}>").parquet(str(folder))
        assert answers.same_outcome(lambda _, read=read: read) == "error"


def test_arrows_own_layouts_in_nested_columns(answers: Answers, folder: Path) -> None:
    pair = pa.struct({"A": pa.int64(), "b": pa.dictionary(pa.int32(), pa.string())})
    pairs = [{"A": n, "b": "xyz"[n % 3]} for n in range(6)]
    columns = {
        "fixed": pa.array([pairs[:2], pairs[2:4], None], pa.list_(pair, 2)),
        "large": pa.array([pairs[:1], [], None], pa.large_list(pair)),
        "s": pa.array(
            [{"l": [1.5]}, None, {"l": None}], pa.struct({"l": pa.large_list(pa.float64())})
        ),
    }
    pq.write_table(pa.table(columns), folder / "1.parquet")
    read = answers.session.read.schema(
        "fixed ARRAY<STRUCT<b: STRING, a: BIGINT>>, large ARRAY<STRUCT<a: BIGINT, b: STRING>>, "
        "s STRUCT<L: ARRAY<DOUBLE>>"
    ).parquet(str(folder))
    answers.same_rows(lambda _: read.where("s IS NOT NULL"))
    answers.same_rows(
        lambda _: read.selectExpr("explode(fixed)", "large").selectExpr("col.a", "large")
    )


@pytest.mark.parametrize(
    "schema", ["s STRUCT<x: INT>", "a ARRAY<INT>", "m MAP<STRING, INT>", "s STRUCT<none: INT>"]
)
def test_nested_types_of_other_files(answers: Answers, folder: Path, schema: str) -> None:
    """What Spark refuses, or gives nulls for, is not read as what would fit."""
    table = pa.table({"s": [{"x": 1}, None], "a": [[1], []], "m": [{"k": 1}, None]})
    table = table.set_column(2, "m", pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())))
    pq.write_table(table, folder / "1.parquet")
    read = answers.session.read.schema(schema).parquet(str(folder))
    answers.same_outcome(lambda _: read.where(f"{read.columns[0]} IS NOT NULL"))


def test_no_files_and_no_rows(answers: Answers, folder: Path) -> None:
    read = answers.session.read.schema("id BIGINT, s STRING").parquet(str(folder))
    answers.same_rows(lambda _: read.where("id > 0").groupBy("s").count())
    pq.write_table(pa.table({"id": pa.array([], pa.int64())}), folder / "0.parquet")
    for _ in range(2):
        again = answers.session.read.schema("id BIGINT, s STRING").parquet(str(folder))
        answers.same_rows(lambda _, again=again: again.where("id > 0").groupBy("s").count())
        answers.same_rows(lambda _, again=again: again.agg({"id": "sum", "*": "count"}))


def test_a_file_that_is_written_again_is_read_again(answers: Answers, folder: Path) -> None:
    path = folder / "t.parquet"
    for base in (0, 100):
        pq.write_table(pa.table({"id": [base, base + 1]}), path)
        read = answers.session.read.parquet(str(path))
        assert "Broadhead" in plan_of(read.where("id >= 0"))
        assert sorted(row.id for row in read.where("id >= 0").collect()) == [base, base + 1]


def test_splits_of_one_file(
    answers: Answers, configuration: Callable[..., None], folder: Path
) -> None:
    configuration(spark__sql__files__maxPartitionBytes="20000")
    table = pa.table({"id": range(20_000), "str": [f"s{i % 100}" for i in range(20_000)]})
    pq.write_table(table, folder / "t.parquet", row_group_size=999)
    read = answers.session.read.parquet(str(folder))
    assert read.rdd.getNumPartitions() > 3
    frame = answers.same_rows(lambda _: read.where("id % 3 = 0"))
    assert frame.count() == 6667
    answers.same_rows(lambda _: read.groupBy("str").agg({"id": "sum"}))
