"""JSON lines: options, modes, types, splits and bad input."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from night import at_night
from spark.answers import Answers, plan_of
from spark.test_csv_files import LINE_ENDS, examples, parsed_lines, sizes_of_splits, written
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "i INT, s STRING, d DECIMAL(9,2), f DOUBLE, t TIMESTAMP, y DATE, b BOOLEAN"
CORRUPT = f"{SCHEMA}, _corrupt_record STRING"
ALL = ["i", "s", "d", "f", "t", "y", "b", "hex(_corrupt_record)"]
TABLE = (
    b'{"i":1,"s":"abc","d":1.50,"f":0.1,"t":"2020-01-01 10:00:00","y":"2020-01-01","b":true}\n'
    b'{"s":"x \\"y\\" \\u00e9","i":-2,"d":"-3","z":{"i":[1,{"a":null}]}}\n'
    b'{ "i" : null , "f":-1e5,"t":"2020-02-29T23:59:59.123456Z","b":false}\n'
    b"{}\n"
)


def read(spark: SparkSession, path: Path | str, schema: str = SCHEMA, **options: Any) -> DataFrame:
    return spark.read.schema(schema).options(**options).json(str(path))


def test_plain_objects_need_no_other_parser(answers: Answers, folder: Path) -> None:
    path = written(folder, TABLE * 50, "t.json")
    frame = answers.same_rows(lambda spark: read(spark, path))
    assert "BroadheadFileSourceScan" in plan_of(frame)
    assert parsed_lines(frame) == 0
    for columns in (["count(*)"], ["max(s)", "sum(d)"]):
        frame = answers.same_rows(lambda spark, c=columns: read(spark, path).selectExpr(*c))
        assert parsed_lines(frame) == 0


ODD = [
    "", "  ", "x", "{", '{"i":1', '{"i":1}}', '{"i":1} {"i":2}', '{"i":1}x}', ' {"i":1} ',
    '[{"i":1},{"i":2,"s":"x"}]', "[]", "[1]", "[" + '{"i":7},' * 200 + '{"i":8}]', "1", "null",
    '"a"', '{"i":"1"}', '{"i":1.0}', '{"i":1e0}', '{"i":2147483648}', '{"i":-0}', '{"i":01}',
    '{"i":+1}', '{"i":true}', '{"i":[1]}', '{"i":{}}', '{"i":1,"i":2}', '{"i":1,"i":null}',
    '{"i":1,"i":"x"}', '{"z":1,"z":2,"i":3}', '{"I":1,"S":"x"}', '{"\\u0069":5}', '{"i":1,}',
    "{'i':1,'s':'x'}", '{i:1}', '{"i":1/*c*/}', '{"i":1}//c', '{"i":1,"z":NaN}', '{"i":1,"z":Inf}',
    '{"i":NaN}', '{"s":1}', '{"s":1.50}', '{"s":true}', '{"s":{"a": 1}}', '{"s":[1, 2]}',
    '{"s":"\\ud800"}',
    '{"s":"\\ud83d\\ude00\\/\\b\\u0000"}', '{"s":"\\x"}', '{"s":"a\tb"}', '{"s":"NaN"}',
    '{"s":"\x7f\x80\u2028"}', '{"s":""}', '{"s":null}',
    '{"d":1.005}', '{"d":1.004}', '{"d":12345678}',
    '{"d":1234567}', '{"d":9999999.99}', '{"d":9999999.995}', '{"d":"1.5"}', '{"d":" 1"}',
    '{"d":""}', '{"d":"1,5"}', '{"d":1e2}', '{"d":1E-2}', '{"d":"."}', '{"d":"+.5"}', '{"d":-0.0}',
    '{"d":1e999}', '{"d":0e-1000}', '{"d":"x"}', '{"f":-0}', '{"f":-0.0}', '{"f":NaN}',
    '{"f":"NaN"}', '{"f":"Infinity"}', '{"f":Infinity}', '{"f":-INF}', '{"f":Inf}', '{"f":1e400}',
    '{"f":1e-400}', '{"f":"1"}', '{"f":""}',
    '{"f":1.7976931348623159e308}', '{"f":123456789012345678901}',
    '{"t":"2020-1-1"}', '{"t":1577836800}', '{"t":""}', '{"t":"x"}', '{"t":1.5}', '{"y":"2020"}',
    '{"y":18262}', '{"y":"18262"}', '{"y":"2020-13-01"}', '{"y":""}', '{"b":"true"}', '{"b":1}',
    '{"b":truf}', '{"z":truf,"i":1}', '{"i":1,"z":1.}',
    '{"i":1,"z":"\x01"}', '{"i":1,"z":[}', '{"i":1 "s":2}',
    '{"i":1,"z":' + "[" * 1100 + "]" * 1100 + "}", '{"i":1,"f":0.' + "1" * 1100 + "}",
    '{"i":1,"z":' + "1" * 1100 + "}", '{"i":1,"' + "k" * 50_100 + '":1}',
    '{"_corrupt_record":"a","i":1}',
]  # fmt: skip
BYTES = [b'{"s":"\xff"}', b'{"i":1,"z":"\xc3"}', b"\0{\0}", b'\xef\xbb\xbf{"i":1}', b'{"i":1}\0']


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Odd lines among plain ones."""
    lines = [line.encode() for line in ODD] + BYTES
    return written(
        tmp_path_factory.mktemp("odd"), b"\n".join([TABLE + line for line in lines]), "t.json"
    )


OPTIONS: list[dict[str, Any]] = [
    {},
    {"allowComments": True, "allowUnquotedFieldNames": True, "lineSep": "\n"},
    {"allowSingleQuotes": False, "allowNonNumericNumbers": False, "mode": "DROPMALFORMED"},
    {"allowNumericLeadingZeros": True, "allowUnquotedControlChars": True, "encoding": "UTF-8"},
    {"allowBackslashEscapingAnyCharacter": True, "timeZone": "America/New_York"},
    {"dateFormat": "yyyy-MM-dd", "timestampFormat": "yyyy-MM-dd HH:mm:ss"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options(answers: Answers, odd: Path, options: dict[str, Any]) -> None:
    answers.same_rows(lambda spark: read(spark, odd, CORRUPT, **options).selectExpr(*ALL))
    answers.same_rows(
        lambda spark: (
            read(spark, odd, **options).groupBy("b").agg({"*": "count", "i": "sum", "f": "max"})
        )
    )


def test_filters_end_the_reading_of_a_line(
    answers: Answers, configuration: Callable[..., None], folder: Path
) -> None:
    lines = ['{"i":1,"s":', '{"i":null,"s":', '{"i":1,"s":5x}', '{"s":"x"', '{"i":1,"d":"x"}']
    path = written(folder, "\n".join(lines).encode() + b"\n" + TABLE, "t.json")
    for pushed in ("true", "false"):
        configuration(spark__sql__json__filterPushdown__enabled=pushed)
        for condition in ("i IS NULL", "i = 1", "d IS NULL"):
            for schema in (SCHEMA, CORRUPT) if pushed == "true" else (CORRUPT,):
                answers.same_rows(
                    lambda spark, schema=schema, condition=condition: read(
                        spark, path, schema
                    ).where(condition)
                )


def test_malformed_lines_fail(answers: Answers, odd: Path, folder: Path) -> None:
    for condition in ("true", "i = 1"):
        outcome = answers.same_outcome(
            lambda spark, condition=condition: read(spark, odd, mode="FAILFAST").where(condition)
        )
        assert outcome == "error"
    plain = written(folder, TABLE, "t.json")
    assert answers.same_outcome(lambda spark: read(spark, plain, mode="FAILFAST")) == "rows"


VALUES = {
    "TINYINT": ["1", "-128", "127", "128", "200", "256"],
    "SMALLINT": ["32767", "32768", "-0"],
    "BIGINT": ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "1.0"],
    "FLOAT": ["16777217", "16777216.0", "1.00000017881393432617187499", "3.4028236e38", "1e39",
              "1e-45", "7.006492321624085e-46", "0.1", "-0", "1.1754943508222875e-38", "1e-50"],
    "DOUBLE": ["9007199254740993", "0.1", "1e308", "4.9e-324", "2.5e-324", "1E+2", "100"],
    "DECIMAL(38,18)": ["12345678901234567890.123456789012345678", "170141183460469231731",
                       "99999999999999999999", "100000000000000000000", "1e-18", "1e-19"],
    "DECIMAL(5,2)": ["999.99", "1000", "12345", "-999.99", "1.10", "1.100"],
    "DATE": ['"2020-02-30"', '"0001-01-01"', '"2020-01-01T00"', '"+2020-1-1"', '"9999-12-31"'],
    "TIMESTAMP": ['"2020-03-29 02:30:00"', '"2020-01-01"', '"2020-01-01 24:00:00"', '"12:30"',
                  '"2020-01-01T00:00:00.1234567Z"', '"2020-01-01 00:00:00-08:00"', "5", "-1"],
    "TIMESTAMP_NTZ": ['"2020-03-29 02:30:00"', '"2020-01-01 00:00:00Z"', '"2020-01-01"', "5"],
    "STRING": ['"a"', '"\\n"', "1.10", "1e5", "true", '"ä"'],
}  # fmt: skip


def test_types(answers: Answers, configuration: Callable[..., None], folder: Path) -> None:
    configuration(spark__sql__session__timeZone="Europe/Berlin")
    names = ", ".join(f"c{number} {name}" for number, name in enumerate(VALUES))
    lines = [
        f'{{"n":{row},"c{number}":{value}}}'
        for number, values in enumerate(VALUES.values())
        for row, value in enumerate([*values, "null"])
    ]
    path = written(folder, "\n".join(lines).encode(), "t.json")
    answers.same_rows(lambda spark: read(spark, path, f"n INT, {names}, _corrupt_record STRING"))


@pytest.mark.parametrize(
    ("schema", "options", "reason"),
    [
        ("i INT", {"encoding": "ISO-8859-1", "lineSep": "\n"}, "encoding = ISO-8859-1"),
        ("i INT", {"lineSep": "|"}, "lineSep"),
        ("d DATE", {"dateFormat": "dd.MM.yyyy"}, "dateFormat = dd.MM.yyyy"),
        ("t TIMESTAMP", {"timestampFormat": "MM/dd/yyyy"}, "timestampFormat = MM/dd/yyyy"),
        ("d DECIMAL(5,2)", {"locale": "de-DE"}, "locale = de-DE"),
        ("m MAP<STRING, INT>", {}, "column m is of type MAP<STRING, INT>"),
        ("a ARRAY<MAP<STRING, INT>>", {}, "column a is of type ARRAY<MAP<STRING, INT>>"),
        ("s STRUCT<>", {}, "column s is of type STRUCT<>"),
        ("s STRUCT<d: DATE>", {"dateFormat": "dd.MM.yyyy"}, "dateFormat = dd.MM.yyyy"),
        ("b BINARY", {}, "column b is of type BINARY"),
        ("v VARIANT", {}, "column v is of type VARIANT"),
    ],
    ids=str,
)
def test_refused_scans(answers: Answers, schema: str, options: dict[str, Any], reason: str) -> None:
    import broadhead

    frame = read(answers.session, Path(__file__).parent, schema, **options)
    assert reason in str(broadhead.explain(frame))


NESTED = (
    "n INT, a ARRAY<INT>, s STRUCT<x: STRING, y: ARRAY<STRUCT<d: DECIMAL(9,2), t: TIMESTAMP>>, "
    "f: FLOAT>, l ARRAY<ARRAY<DATE>>, b STRUCT<c: STRUCT<v: BOOLEAN, w: BIGINT>>, "
    "_corrupt_record STRING"
)
NESTED_VALUES = {
    "a": ["[1,2,null]", "[]", "null", "[null]", "[ 1 , 2 ]", '["1"]', "[1.0]", "{}", "[[1]]", "1",
          "[2147483648]", "[1,]", "[-0]"],
    "s": ['{"x":"ä","y":[{"d":1.5,"t":"2020-01-01 10:00:00"},{"d":null},{},null],"f":0.5}', "{}",
          "null", '{"x":null,"y":null,"f":null}', '{"z":{"x":[1]},"x":"q"}', '{"x":1}',
          '{"x":{"a":[1, 2]}}', '{"y":[]}', '{"y":{}}', '{"y":[[]]}', '{"y":[{"d":1.005}]}',
          '{"y":[{"d":12345678}]}', '{"y":[{"t":"x"}]}', '{"y":[{"t":""}]}', '{"f":-0}',
          '{"f":1.00000017881393432617187499}', '{"f":"NaN"}', '{"f":1e400}', '{"x":"a","x":"b"}',
          '{"X":"a"}', '[]', '[{"x":"a"}]', '"{}"', '{"x":"\\ud800"}', '{"y":[{"d":1},2]}',
          '{"x":"NaN","y":[{"d":-3,"t":"2020-02-29T23:59:59.123456Z"}]}'],
    "l": ['[["2020-01-01"],[],null]', '[["2020-02-30"]]', '[[""]]', '[[1]]', '["2020-01-01"]',
          '[[null,"2020-1-1"]]', "[[]]"],
    "b": ['{"c":{"v":true,"w":9223372036854775807}}', '{"c":{}}', '{"c":null}', '{"c":1}',
          '{"c":{"v":"true"}}', '{"c":{"w":9223372036854775808}}', '{"c":{"v":null,"v":false}}'],
}  # fmt: skip
"""Values of one nested field; the first of each is plain."""


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each nested value among plain ones."""
    usual = {key: values[0] for key, values in NESTED_VALUES.items()}
    rows = [{**usual, key: value} for key, values in NESTED_VALUES.items() for value in values]
    text = "".join(
        f'{{"n":{n},' + ",".join(f'"{key}":{value}' for key, value in row.items()) + "}\n"
        for n, row in enumerate([*rows, {}, {"a": "[1]"}, {"s": '{"f":2}'}])
        for row in ([usual] * 5 + [row] if row else [{"a": "null"}])
    )
    return written(tmp_path_factory.mktemp("nested"), text.encode(), "t.json")


@pytest.mark.parametrize("options", [{}, *at_night({"mode": "DROPMALFORMED"})], ids=str)
def test_structs_and_arrays(answers: Answers, nested: Path, options: dict[str, Any]) -> None:
    frame = answers.same_rows(lambda spark: read(spark, nested, NESTED, **options))
    assert "BroadheadFileSourceScan" in plan_of(frame)
    assert parsed_lines(frame) < 3 * sum(map(len, NESTED_VALUES.values()))
    schema = NESTED.rpartition(",")[0]
    for columns in (
        ["n", "s.y.d", "b.c.w", "l"],
        ["sum(size(a))", "max(s.x)", "count(b.c.v)", "sum(s.f)"],
        ["n", "inline(s.y)"],
    ):
        answers.same_rows(
            lambda spark, c=columns: read(spark, nested, schema, **options).selectExpr(*c)
        )


def test_plain_structs_and_arrays_need_no_other_parser(answers: Answers, folder: Path) -> None:
    line = ",".join(f'"{key}":{values[0]}' for key, values in NESTED_VALUES.items())
    path = written(folder, f'{{"n":1}}\n{{{line}}}\n{{"s":null}}\n'.encode() * 500, "t.json")
    frame = answers.same_rows(lambda spark: read(spark, path, NESTED))
    assert parsed_lines(frame) == 0
    assert answers.same_outcome(lambda spark: read(spark, path, NESTED, mode="FAILFAST")) == "rows"


def test_an_inferred_schema(answers: Answers, folder: Path) -> None:
    rows = [{"n": n, "s": f"text {n}", "f": n / 4, "b": n % 2 == 0} for n in range(100)]
    path = written(folder, "\n".join(map(json.dumps, rows)).encode(), "t.json")
    answers.same_rows(lambda spark: spark.read.json(str(path)))
    answers.same_rows(lambda spark: spark.read.option("primitivesAsString", True).json(str(path)))


UNIFORM = {
    "i": ["1", "-0", "0", "2147483647", "2147483648", "-2147483648", "01", "1.0", "null",
          "1e2", "+1", "",
          "12345678901234567", "1 ", "nul", "-", "true", '"1"', "[1]", "1}", "NaN",
          "Infinity", "1,2"],
    "d": ["1", "1.5", "-0.05", "1.005", "12345.67", "1234567.89", "12345678", "null", "1.",
          ".5", "1e1",
          "0.00", "-0", "00.1", "9999999.99", "9999999.999", "1.2.3", "1-2", '"7"', "NaN",
          "99999999"],
    "f": ["0.1", "-0", "-0.0", "123456789.125", "9007199254740993", "900719925474099.5",
          "1e5", "null",
          "0.123456789", "12345678.12345678", "0.1234567", "5e-324", "NaN", "-Infinity", "1"],
    "b": ["true", "false", "null", "1", "TRUE", "truex", '"true"'],
    "s": ['"a"', '""', '"\\u00e9"', '"\\""', '"é€😀"', '"a\tb"', "null", "5", '"x", "s": "y"',
          '"{\\"i\\":1}"', '"' + "long " * 300 + '"', '"}"', '"NaN"'],
    "y": ['"2020-02-29"', '"2019-02-29"', '"0999-01-01"', '"2020-1-1"', '"9999-12-31"',
          "null", '""',
          '"2020-01-01 "', '"2020-13-01"', '"2020-01-01T00:00:00"'],
    "t": ['"2020-01-01 00:00:00"', '"2020-01-01T01:02:03.5Z"', '"x"', "null", "5", '""'],
    "z": ["1", "null", "01", "1.", "truf", '"x"', "{}", "[]", "1e5", "-", "--1", "NaN", "1 2"],
}  # fmt: skip
"""Values of one field among plain values of the others."""


@pytest.mark.parametrize("space", ["", " "])
def test_lines_of_one_form(
    answers: Answers, configuration: Callable[..., None], folder: Path, space: str
) -> None:
    usual = {key: values[0] for key, values in UNIFORM.items()}
    rows = [{**usual, key: value} for key, values in UNIFORM.items() for value in values]
    rows += [dict(reversed(usual.items())), {"i": "1"}, {**usual, "I": "5"}, usual]
    lines = [
        "{" + f",{space}".join(f'"{key}":{space}{value}' for key, value in row.items()) + "}"
        for row in rows
    ]
    lines += [lines[0].replace('"i"', '"j"'), lines[0] + "}", lines[0][:-1], lines[0] + lines[0]]
    lines += [lines[0].replace(":", " :"), lines[0].replace(",", ",\t"), "\t" + lines[0]]
    text = "".join(f"{lines[0]}\n{line}\n" for line in lines)
    path = written(folder, text.encode(), "t.json")
    for mode in ("PERMISSIVE", "DROPMALFORMED"):
        frame = answers.same_rows(
            lambda spark, mode=mode: read(spark, path, CORRUPT, mode=mode).selectExpr(*ALL)
        )
        assert 0 < parsed_lines(frame) < len(lines)
        answers.same_rows(lambda spark, mode=mode: read(spark, path, "q INT, d DECIMAL(20,3)"))
    configuration(spark__sql__ansi__enabled="false")
    schema = "i TINYINT, d FLOAT, f DECIMAL(18,17), b STRING, s DATE, y TIMESTAMP, t STRING"
    answers.same_rows(lambda spark: read(spark, path, f"{schema}, _corrupt_record STRING"))


def test_many_odd_lines(answers: Answers, folder: Path) -> None:
    """The engine gives up on a block that has one odd line after the other."""
    lines = [f'{{"i":{n},"s":"x"}}' if n % 9 else f'{{"i":"{n}"}}' for n in range(3000)]
    path = written(folder, "\n".join(lines).encode(), "t.json")
    frame = answers.same_rows(lambda spark: read(spark, path))
    assert parsed_lines(frame) > 300


def test_partitions_and_tables(answers: Answers, folder: Path) -> None:
    for day in ("2020-01-01", "2020-01-02"):
        (folder / f"day={day}").mkdir()
        written(folder / f"day={day}", TABLE, "t.json")
    written(folder / "day=2020-01-01", gzip.compress(TABLE), "u.json.gz")
    written(folder / "day=2020-01-01", b"", "v.json")
    spark = answers.session
    spark.sql(
        "CREATE TABLE json_table (i INT, s STRING, d DECIMAL(9,2), day DATE) USING json "
        f"PARTITIONED BY (day) LOCATION '{folder}'"
    )
    try:
        spark.sql("MSCK REPAIR TABLE json_table")
        answers.same_rows(
            lambda spark: spark.sql("SELECT day, sum(d), max(s) FROM json_table GROUP BY day")
        )
        answers.same_rows(
            lambda spark: spark.sql("SELECT s FROM json_table WHERE i > 0 AND day > '2020'")
        )
        answers.same_rows(lambda spark: spark.sql("SELECT count(*) FROM json_table"))
    finally:
        spark.sql("DROP TABLE json_table")


def test_remote_files(answers: Answers, odd: Path) -> None:
    answers.same_rows(lambda spark: read(spark, f"store://{odd}", CORRUPT).selectExpr(*ALL))


KEYS = st.sampled_from(["i", "s", "d", "f", "z", "I", "_corrupt_record"])
TEXTS = st.text(st.sampled_from('ab1,"\\{}:é') | st.characters(codec="utf-8"), max_size=5)
SCALARS = (
    st.integers(-50, 2**33).map(str)
    | st.floats(allow_nan=True, allow_infinity=True).map(json.dumps)
    | st.decimals(-1000, 1000, places=2).map(str)
    | TEXTS.map(json.dumps)
    | TEXTS.map(lambda text: json.dumps(text, ensure_ascii=False))
    | st.sampled_from(["null", "true", "false", "1e2", "-0", "01", "1.", "'x'", "", "[1]", "{}"])
)
OBJECTS = st.builds(
    lambda pairs, space: "{" + f",{space}".join(f'"{k}":{space}{v}' for k, v in pairs) + "}",
    st.lists(st.tuples(KEYS, SCALARS), max_size=4),
    st.sampled_from(["", " "]),
)
LINES = st.lists(
    st.tuples(OBJECTS | OBJECTS.map(lambda text: text[1:]) | TEXTS, LINE_ENDS), max_size=20
)


def same_random(
    answers: Answers,
    folder: Path,
    lines: list[tuple[str, str]],
    split_bytes: int,
    options: dict[str, Any],
) -> None:
    content = "".join(line + end for line, end in lines).encode()
    path = written(folder, content, "t.json")
    with configured(answers.session, sizes_of_splits(content, split_bytes, options["mode"])):
        for schema in ("i INT, s STRING, f DOUBLE, _corrupt_record STRING", "d DECIMAL(9,2)"):
            answers.same_outcome(lambda spark, schema=schema: read(spark, path, schema, **options))


RANDOM: dict[str, Any] = {
    "lines": LINES,
    "split_bytes": st.integers(1, 60),
    "options": st.fixed_dictionaries(
        {"mode": st.sampled_from(["PERMISSIVE", "DROPMALFORMED", "FAILFAST"])},
        optional={
            "allowNumericLeadingZeros": st.booleans(),
            "allowNonNumericNumbers": st.booleans(),
            "allowSingleQuotes": st.booleans(),
            "lineSep": st.just("\n"),
        },
    ),
}


@examples(5)
@given(**RANDOM)
def test_random_lines(answers: Answers, tmp_path: Path, **table: Any) -> None:
    same_random(answers, tmp_path, **table)


@pytest.mark.nightly
@examples(150)
@given(**RANDOM)
def test_many_random_lines(answers: Answers, tmp_path: Path, **table: Any) -> None:
    same_random(answers, tmp_path, **table)
