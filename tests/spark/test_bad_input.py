"""Broken files and values: Spark's own exceptions, conditions and messages."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers
from sql_runs import is_nightly

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 6000
SCHEMA = "k BIGINT, v BIGINT, s STRING"


def write_table(path: Path, **options: object) -> Path:
    table = pa.table(
        {
            "k": pa.array([i % 7 for i in range(ROWS)], pa.int64()),
            "v": pa.array(range(ROWS), pa.int64()),
            "s": pa.array([f"text {i % 100}" for i in range(ROWS)]),
        }
    )
    pq.write_table(table, path, row_group_size=1000, **options)
    return path


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def text(path: Path) -> None:
    path.write_text("k,v,s\n1,2,three\n" * 10)


def footer_flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    length = int.from_bytes(data[-8:-4], "little")
    for position in range(len(data) - 8 - length, len(data) - 8, 3):
        data[position] ^= 0xFF
    path.write_bytes(data)


def footer_length(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-8:-4] = (2**31 - 1).to_bytes(4, "little")
    path.write_bytes(data)


def magic_flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-4:] = b"RAP1"
    path.write_bytes(data)


def last_pages_flipped(path: Path) -> None:
    group = pq.ParquetFile(path).metadata.row_group(5)
    data = bytearray(path.read_bytes())
    for number in range(3):
        start = group.column(number).dictionary_page_offset or group.column(number).data_page_offset
        for position in range(start, start + 40):
            data[position] ^= 0xFF
    path.write_bytes(data)


def vanished(path: Path) -> None:
    path.unlink()


DAMAGE: dict[Callable[[Path], None], str] = {
    truncated: "FAILED_READ_FILE",
    empty: "FAILED_READ_FILE",
    text: "FAILED_READ_FILE",
    footer_flipped: "FAILED_READ_FILE",
    footer_length: "FAILED_READ_FILE",
    magic_flipped: "FAILED_READ_FILE",
    last_pages_flipped: "",
    vanished: "FAILED_READ_FILE.FILE_NOT_EXIST",
}
QUERIES = {
    "rows": "SELECT k + v AS r, s FROM t WHERE v >= 0",
    "aggregate": "SELECT s, sum(k), max(v) FROM t GROUP BY s",
}


@pytest.mark.parametrize(
    ("damage", "query"),
    [
        pytest.param(
            *(damage, query),
            id=f"{damage.__name__}-{query}",
            marks=[] if (number + turn) % 3 == 0 else pytest.mark.nightly,
        )
        for number, damage in enumerate(DAMAGE)
        for turn, query in enumerate(QUERIES)
    ],
)
def test_damaged_file(
    answers: Answers, folder: Path, damage: Callable[[Path], None], query: str
) -> None:
    write_table(folder / "good.parquet")
    bad = write_table(folder / "with a bad end.parquet")
    if damage is not empty and damage is not vanished:
        damage(bad)
    frame = answers.session.read.schema(SCHEMA).parquet(str(folder))
    if damage is empty or damage is vanished:
        # Files that are empty when they are listed are left out.
        damage(bad)
    frame.createOrReplaceTempView("t")
    answers.same_error(lambda spark: spark.sql(QUERIES[query]), DAMAGE[damage])


@pytest.mark.parametrize(
    "compression",
    ["none", "zstd", *(pytest.param(c, marks=pytest.mark.nightly) for c in ("snappy", "gzip"))],
)
def test_flipped_bytes(answers: Answers, folder: Path, compression: str) -> None:
    """Bytes flipped anywhere: rows or an error, as from Spark."""
    sound = write_table(folder / "t.parquet", compression=compression).read_bytes()
    chance = random.Random(compression)
    outcomes = set()
    for number in range(6) if is_nightly() else (1, 4):
        data = bytearray(sound)
        for _ in range(1 + number * 10):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        (folder / "t.parquet").unlink()
        (folder / "t.parquet").write_bytes(data)
        frame = answers.session.read.schema(SCHEMA).parquet(str(folder))
        outcomes.add(answers.same_outcome(lambda _, frame=frame: frame.groupBy("k").count()))
        outcomes.add(answers.same_outcome(lambda _, frame=frame: _sums(frame)))
    assert "error" in outcomes


def _sums(frame: DataFrame) -> DataFrame:
    """A sum for each string, without the string: it may be no text any more."""
    return frame.groupBy("s").sum("v").drop("s")


OTHER_TYPES = {
    "string-for-long": ("v BIGINT", pa.array(["1"] * 9)),
    "long-for-integer": ("v INT", pa.array(range(9), pa.int64())),
    "integer-for-long": ("v BIGINT", pa.array(range(9), pa.int32())),
    "double-for-float": ("v FLOAT", pa.array([0.5] * 9, pa.float64())),
    "long-for-string": ("v STRING", pa.array(range(9), pa.int64())),
    "scale-for-scale": ("v DECIMAL(10,2)", pa.array([1] * 9, pa.decimal128(10, 4))),
    "wider-decimal": ("v DECIMAL(5,2)", pa.array([1] * 9, pa.decimal128(20, 2))),
    "list-for-long": ("v BIGINT", pa.array([[1]] * 9)),
    "long-for-list": ("v ARRAY<BIGINT>", pa.array(range(9), pa.int64())),
    "long-for-struct": ("v STRUCT<a: BIGINT>", pa.array(range(9), pa.int64())),
    "date-for-timestamp": ("v TIMESTAMP", pa.array(range(9), pa.date32())),
    "nanoseconds": ("v TIMESTAMP", pa.array(range(9), pa.timestamp("ns", "UTC"))),
    "local-for-instant": ("v TIMESTAMP", pa.array(range(9), pa.timestamp("us"))),
    "integer-for-duration": ("v INTERVAL DAY", pa.array(range(9), pa.int32())),
    "long-for-months": ("v INTERVAL MONTH", pa.array(range(9), pa.int64())),
    "instant-for-duration": ("v INTERVAL SECOND", pa.array(range(9), pa.timestamp("us", "UTC"))),
    "unsigned": ("v INT", pa.array([2**32 - 1] * 9, pa.uint32())),
    "boolean-for-integer": ("v INT", pa.array([True] * 9)),
    "fixed-for-string": ("v STRING", pa.array([b"ab"] * 9, pa.binary(2))),
}


ALIKE = {
    "integer-for-long",
    "scale-for-scale",
    "long-for-struct",
    "local-for-instant",
    "long-for-months",
    "boolean-for-integer",
}
"""Cases of which another one by day differs in the type alone."""


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=pytest.mark.nightly if case in ALIKE else [])
        for case in OTHER_TYPES
    ],
)
def test_other_type_in_one_file(answers: Answers, folder: Path, case: str) -> None:
    schema, values = OTHER_TYPES[case]
    pq.write_table(pa.table({"v": values}), folder / "other.parquet")
    frame = answers.session.read.schema(schema).parquet(str(folder))
    answers.same_outcome(lambda _: frame.where("v IS NOT NULL"))


def test_a_type_that_differs_in_the_last_file(answers: Answers, folder: Path) -> None:
    for number in range(5):
        write_table(folder / f"{number}.parquet")
    pq.write_table(pa.table({"k": [1], "v": ["x"], "s": ["y"]}), folder / "9.parquet")
    frame = answers.session.read.schema(SCHEMA).parquet(str(folder))
    answers.same_error(lambda _: frame.groupBy("k").sum("v"), "FAILED_READ_FILE")


@pytest.fixture(scope="module")
def late(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A view `late`: 50000 good rows in row groups of 5000, then one on which nothing works."""
    count = 50_000
    folder = tmp_path_factory.mktemp("late")
    table = pa.table(
        {
            "k": pa.array([i % 1000 for i in range(count)] + [0], pa.int32()),
            "zero": pa.array([1] * count + [0], pa.int32()),
            "large": pa.array([1] * count + [2**31 - 1], pa.int32()),
            "huge": pa.array([1] * count + [2**63 - 1], pa.int64()),
            "wide": pa.array([1] * count + [10**38 - 1], pa.decimal128(38, 0)),
            "s": pa.array(["12"] * count + ["twelve"]),
            "d": pa.array(["2024-02-29"] * count + ["2023-02-29"]),
            "x": pa.array([1.5] * count + [1e300]),
        }
    )
    pq.write_table(table, folder / "t.parquet", row_group_size=5000)
    answers.session.read.parquet(str(folder)).createOrReplaceTempView("late")


RAISING = {
    "k / zero": "DIVIDE_BY_ZERO",
    "k div zero": "DIVIDE_BY_ZERO",
    "k % zero": "_BY_ZERO",
    "large + 1": "ARITHMETIC_OVERFLOW",
    "-large - 2": "ARITHMETIC_OVERFLOW",
    "huge * 2": "ARITHMETIC_OVERFLOW",
    "abs(-huge - 1)": "ARITHMETIC_OVERFLOW",
    "wide + wide": "NUMERIC_VALUE_OUT_OF_RANGE",
    "CAST(s AS INT)": "CAST_INVALID_INPUT",
    "CAST(d AS DATE)": "CAST_INVALID_INPUT",
    "CAST(huge AS INT)": "CAST_OVERFLOW",
    "CAST(x AS INT)": "CAST_OVERFLOW",
    "CAST(wide AS DECIMAL(10,0))": "NUMERIC_VALUE_OUT_OF_RANGE",
}
PLACES = {
    "projected": "SELECT k, {} AS e FROM late",
    "filtered": "SELECT k FROM late WHERE ({}) IS NOT NULL",
    "aggregated": "SELECT k % 10, count({}) FROM late GROUP BY k % 10",
    "grouped": "SELECT {} AS e, count(*) FROM late GROUP BY {}",
}


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize(
    ("expression", "ansi"),
    [
        *(pytest.param(expression, True, id=f"{expression}-ansi") for expression in RAISING),
        # By day every third one: what .sql files have of these gives nulls too.
        *(
            pytest.param(
                *(expression, False),
                id=f"{expression}-legacy",
                marks=pytest.mark.nightly if number % 3 else [],
            )
            for number, expression in enumerate(RAISING)
        ),
    ],
)
def test_value_that_raises(
    answers: Answers, configuration: Callable[..., None], expression: str, ansi: bool
) -> None:
    configuration(spark__sql__ansi__enabled=str(ansi).lower(), spark__broadhead__batchRows="2000")
    # By day each expression has one place, by turns.
    turn = [*RAISING].index(expression)
    for place in PLACES if is_nightly() else [[*PLACES][turn % len(PLACES)]]:
        sql = PLACES[place].format(expression, expression)
        if ansi:
            answers.same_error(lambda spark, sql=sql: spark.sql(sql), RAISING[expression])
        else:
            answers.same_rows(lambda spark, sql=sql: spark.sql(sql), replays=None)


@pytest.mark.usefixtures("late")
@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("SELECT sum(large) + 9223372036854775000 FROM late", "ARITHMETIC_OVERFLOW"),
        ("SELECT sum(huge) FROM late", "ARITHMETIC_OVERFLOW"),
        ("SELECT k, sum(wide * 2) FROM late GROUP BY k", "NUMERIC_VALUE_OUT_OF_RANGE"),
        ("SELECT avg(c) FROM (SELECT k, sum(1 / zero) AS c FROM late GROUP BY k)", "DIVIDE_BY"),
        ("SELECT count(DISTINCT k div zero), sum(k) FROM late", "DIVIDE_BY_ZERO"),
    ],
)
def test_aggregate_that_raises(answers: Answers, sql: str, condition: str) -> None:
    answers.same_error(lambda spark: spark.sql(sql), condition)


@pytest.mark.usefixtures("late")
def test_branches_that_no_row_reaches_do_not_raise(answers: Answers) -> None:
    sql = (
        "SELECT k, CASE WHEN zero <> 0 THEN k div zero ELSE -1 END AS a, "
        "coalesce(nullif(k, -1), k div zero) AS b, try_divide(k, zero) AS c, "
        "zero = 0 OR k div zero > 0 AS d FROM late"
    )
    answers.same_rows(lambda spark: spark.sql(sql))
    answers.same_rows(lambda spark: spark.sql("SELECT k div zero FROM late WHERE zero > 0"))


def test_bad_setting_names_key_value_and_remedy(answers: Answers) -> None:
    session = answers.session
    for key, value, allowed in [
        ("spark.broadhead.device", "tpu", "auto, gpu, cpu"),
        ("spark.broadhead.batchRows", "0", "at least 1"),
        ("spark.broadhead.enabled", "maybe", "true or false"),
        ("spark.broadhead.costModel.enabled", "x", "true or false"),
    ]:
        for refused in (
            lambda key=key, value=value: session.conf.set(key, value),
            lambda key=key, value=value: session.sql(f"SET {key}={value}"),
        ):
            with pytest.raises(Exception, match=allowed) as caught:
                refused()
            assert key in str(caught.value)
            assert value in str(caught.value)
    assert session.range(3).where("id > 0").count() == 2


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.broadhead.no.such.key", "1"),
        ("spark.broadhead.function.substring.enabled", "perhaps"),
        ("spark.broadhead.operator.Filter.enabled", "2"),
    ],
)
def test_a_setting_that_spark_lets_pass_can_be_taken_back(
    answers: Answers, key: str, value: str
) -> None:
    """Spark's SET takes any key it does not know: the next query says no, SET and RESET do not."""
    session = answers.session
    session.conf.set(key, value)
    try:
        with pytest.raises(Exception, match=key):
            session.range(3).where("id > 0").collect()
        assert session.sql(f"SET {key}").collect()[0].value == value
        session.sql("SET spark.sql.shuffle.partitions=2").collect()
        session.sql(f"RESET {key}")
    finally:
        session.conf.unset(key)
    assert session.range(3).where("id > 0").count() == 2
