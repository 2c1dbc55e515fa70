"""CSV and JSON files with `multiLine`: records over several lines, and whole files of JSON."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from night import at_night
from spark.answers import Answers, plan_of
from spark.test_csv_files import parsed_lines, written
from sql_sessions import configured, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "i INT, s STRING, d DECIMAL(9,2), t TIMESTAMP"
CORRUPT = f"{SCHEMA}, _corrupt_record STRING"
TEXTS = "a STRING, b INT, c STRING, _corrupt_record STRING"
PLAIN = (
    b'i,s,d,t\n1,"first\nsecond, and\n\nlast",1.50,2020-01-01 10:00:00\n2,,-3,\n\n'
    b',"x y",+.5,2020-02-29T23:59:59.123456Z\n"4","\n",,\n5,"a,b",1,"2020-01-01"'
)
WINDOWS = PLAIN.replace(b"\n", b"\r\n")
SHEET = b'i,s,d,t\r\n1,"two\nlines",1,\r\n2,"\n",,\r\n'
"""Spreadsheets have LF inside of cells, and CR and LF after rows."""


def csv(spark: SparkSession, path: Path | str, schema: str = SCHEMA, **options: Any) -> DataFrame:
    return spark.read.schema(schema).options(multiLine=True, **options).csv(str(path))


def of_csv(answers: Answers, path: Path, *, replays: int | None = 0, **options: Any) -> DataFrame:
    """All rows, the number of rows and one column; the frame of all rows."""
    answers.same_rows(
        lambda spark: csv(spark, path, **options).selectExpr("count(*)"), replays=replays
    )
    answers.same_rows(lambda spark: csv(spark, path, **options).select("d"), replays=replays)
    return answers.same_rows(lambda spark: csv(spark, path, **options), replays=replays)


@pytest.mark.parametrize("content", [PLAIN, WINDOWS], ids=["lf", "crlf"])
def test_records_of_several_lines(answers: Answers, folder: Path, content: bytes) -> None:
    path = written(folder, content)
    frame = of_csv(answers, path, header=True)
    assert "BroadheadFileSourceScan" in plan_of(frame)
    assert parsed_lines(frame) == 0
    assert frame.count() == 5
    assert max(len(row.s or "") for row in frame.collect()) > 20


ODD = {
    "short": b"7,short\n",
    "long": b'8,"too\nlong",1,2020-01-01,more\n',
    "values": b'9x,"bad\nvalue",1,2020-01-01\n+1,x,1e2,2020-1-1\n',
    "not utf8": b'1,"\xff\n\xc3",1,\n',
    "bom": b"\xef\xbb\xbf1,x,1,\n",
}
"""Records whose ends are beyond doubt: Spark's parser reads them alone."""

OTHERS = {
    "escaped": b'2,"a\\"b\n",2,\n',
    "doubled": b'2,"a""b\n",2,\n',
    "inside": b'4,a"b"c,2,\n',
    "after": b'5,"abc"x,2,\n',
    "spaces": b"1,a,,\n   \n2,b,,\n",
    "return": b"1,a\r,,\n",
    "returns": b"1,a,,\r2,b,,\r",
    "both ends": b"1,a,,\r\n2,b,,\n3,c,,\r\n",
    "last return": b"1,a,,\r\n2,b,,\r",
    "zero": b"1,a\0b,,\n",
    "open": b'6,"never closed,2,\n7,x,1,\n',
}
"""Files that Spark reads."""


@pytest.mark.parametrize("mode", ["PERMISSIVE", *at_night("DROPMALFORMED", "FAILFAST")])
@pytest.mark.parametrize("name", ["values", *at_night(*sorted({*ODD} - {"values"}))])
def test_odd_records(answers: Answers, folder: Path, name: str, mode: str) -> None:
    content = PLAIN + b"\n" + ODD[name] + b'3,"x\ny",,'
    for schema, end in ((SCHEMA, b"\n"), (CORRUPT, b"\n"), (CORRUPT, b"\r\n")):
        path = written(folder, content.replace(b"\n", end))

        def read(spark: SparkSession, path: Path = path, schema: str = schema) -> DataFrame:
            return csv(spark, path, schema, mode=mode, header=True)

        # Spark reads files whose malformed records may have other ends of lines than their rows
        if answers.same_outcome(read) == "rows" and end == b"\n" and name in ("values", "long"):
            assert parsed_lines(answers.same_rows(read)) > 0


@pytest.mark.parametrize("name", ["doubled", *at_night(*sorted({*OTHERS} - {"doubled"}))])
def test_files_that_spark_divides(answers: Answers, folder: Path, name: str) -> None:
    odd = OTHERS[name]
    for content in (odd, PLAIN + b"\n" + odd + PLAIN, WINDOWS + b"\r\n" + odd + WINDOWS):
        path = written(folder, content)
        of_csv(answers, path, schema=CORRUPT, replays=None)
        of_csv(answers, path, header=True, replays=None)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(6))
def test_random_records(answers: Answers, folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    fields = ["", "1", "x y", '"a\nb"', '"\n\n"', '""', '"a,b"', "-", "é", '"', '"\r\n"', " "]
    weights = [6, 6, 4, 4, 1, 2, 2, 1, 1, 0.05, 0.1, 0.5]
    for _ in range(12):
        end = chance.choice(["\n", "\n", "\r\n"])
        rows = [
            ",".join(chance.choices(fields, weights, k=chance.choice([3, 3, 3, 3, 2, 4])))
            for _ in range(chance.randint(0, 30))
        ]
        path = written(folder, end.join(rows).encode())
        options = {
            "header": chance.random() < 0.5,
            "mode": chance.choice(["PERMISSIVE", "FAILFAST"]),
        }
        answers.same_outcome(lambda spark, path=path, o=options: csv(spark, path, TEXTS, **o))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"comment": "#"}, "multiLine = true with comment"),
        ({"lineSep": "\n"}, "multiLine = true with lineSep"),
        ({"bufferSize": 100}, "multiLine = true with bufferSize"),
    ],
    ids=str,
)
def test_refused_options(answers: Answers, options: dict[str, Any], reason: str) -> None:
    import broadhead

    frame = csv(answers.session, Path(__file__).parent, **options)
    assert reason in str(broadhead.explain(frame))


def test_many_files_and_codecs(answers: Answers, folder: Path) -> None:
    for number in range(4):
        written(folder, PLAIN, f"{number}.csv")
        written(folder, gzip.compress(WINDOWS), f"{number}.csv.gz")
    with configured(answers.session, {"spark.sql.files.maxPartitionBytes": "100"}):
        of_csv(answers, folder, header=True)
    frame = answers.same_rows(lambda spark: csv(spark, f"store://{folder}", header=True))
    assert parsed_lines(frame) == 0
    frame = of_csv(answers, written(folder, SHEET), header=True)
    assert [row.s for row in frame.collect()] == ["two\nlines", "\n"]


JSON = "n INT, s STRING, a ARRAY<INT>, o STRUCT<x: DOUBLE, y: STRING>, _corrupt_record STRING"
ROWS: list[dict[str, Any]] = [
    {"n": 1, "s": 'a "b", {c} [d] \\', "a": [1, 2], "o": {"x": 0.5, "y": "}"}},
    {"s": "\n", "z": [{"n": 2}, [3], "],"]},
    {},
    {"n": None, "o": {}, "a": []},
]


def of_json(spark: SparkSession, path: Path | str, schema: str = JSON, **options: Any) -> DataFrame:
    return spark.read.schema(schema).options(multiLine=True, **options).json(str(path))


def with_bytes(frame: DataFrame) -> DataFrame:
    """The frame with the bytes of its texts, which may not be UTF-8."""
    kinds = {name: f"hex({name})" for name, kind in frame.dtypes if kind == "string"}
    return frame.selectExpr(*(kinds.get(name, name) for name in frame.columns))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROWS, indent=2),
        json.dumps(ROWS, separators=(",", ":")) + "\n\n",
        json.dumps(ROWS[0], indent="\t"),
    ],
    ids=["indented", "compact", "object"],
)
def test_files_of_objects(answers: Answers, folder: Path, text: str) -> None:
    for number in range(3):
        written(folder, text.encode(), f"{number}.json")
    frame = answers.same_rows(lambda spark: of_json(spark, folder))
    assert "BroadheadFileSourceScan" in plan_of(frame)
    schema = JSON.rpartition(",")[0]
    answers.same_rows(lambda spark: of_json(spark, folder, schema).selectExpr("count(*)"))
    answers.same_rows(lambda spark: of_json(spark, folder, schema).selectExpr("n", "o.y"))


def test_a_large_array(answers: Answers, folder: Path) -> None:
    """Of several blocks."""
    rows = [{"n": n, "s": "\\" * (n % 3) + f'"{n}', "a": [n] * (n % 4)} for n in range(60_000)]
    path = written(folder, json.dumps(rows, indent=1).encode(), "t.json")
    frame = answers.same_rows(
        lambda spark: of_json(spark, path).selectExpr("sum(n)", "max(s)", "sum(size(a))")
    )
    assert replayed(frame) == 0


FILES = [
    "", "  ", "[]", "{}", "[{}]", "x", "1", "null", '"a"', '[{"n":1},{"n":2}', '[{"n":1} {"n":2}]',
    '[{"n":1},,{"n":2}]', '[{"n":1},]', '[{"n":1},null,{"n":2}]', '[{"n":1},2]', '[{"n":1}] x',
    '[{"n":1}][{"n":2}]', '{"n":1}{"n":2}', '{"n":1}\n{"n":2}', '{"n":1} x', '[[{"n":1}]]',
    '[{"n":1},{"n":"x"},{"n":3}]', '[{"n":1},{"n":1.5}]', '[{"n":1},{"o":{"x":"y"}}]',
    '[{"n":1},{"z":1,"z":2}]', '[{"n":1,"n":2}]', '[{"n":1},{"s":1.50}]', '[{"o":{"x":-0}}]',
    '\ufeff[{"n":1}]', '[{"n":1}, /*c*/ {"n":2}]', "[{'n':1}]", '[{"n":1},{"s":"a\tb"}]',
    '[{"n":1},{"z":NaN}]', '[{"n":1},{"z":truf}]', '{"n":1', '{"s":"\\ud800"}',
]  # fmt: skip
BYTES = [b'[{"s":"\xff"}]', '[{"n":1}]'.encode("utf-16"), b'[{"n":1}]\0']


@pytest.mark.parametrize("mode", ["PERMISSIVE", *at_night("DROPMALFORMED")])
def test_odd_files(answers: Answers, folder: Path, mode: str) -> None:
    """One by one at night, by day all together."""
    contents = [text.encode() for text in FILES] + BYTES
    for number, content in enumerate(contents):
        written(folder, content, f"{number}.json")
    answers.same_outcome(lambda spark: with_bytes(of_json(spark, folder, mode=mode)))
    schema = JSON.rpartition(",")[0]
    answers.same_outcome(lambda spark: of_json(spark, folder, schema, mode=mode).select("n"))


@pytest.mark.nightly
@pytest.mark.parametrize("content", [*(t.encode() for t in FILES), *BYTES], ids=str)
def test_one_odd_file(
    answers: Answers, folder: Path, content: bytes, configuration: Callable[..., None]
) -> None:
    path = written(folder, content, "t.json")
    for mode in ("PERMISSIVE", "FAILFAST"):
        for schema in (JSON, "n INT", "o STRUCT<x: DOUBLE>"):
            answers.same_outcome(
                lambda spark, s=schema, m=mode: with_bytes(of_json(spark, path, s, mode=m))
            )
            answers.same_outcome(
                lambda spark, s=schema, m=mode: of_json(spark, path, s, mode=m).selectExpr(
                    "count(*)"
                )
            )
