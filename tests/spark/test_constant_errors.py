"""Errors of constant patterns, formats and time zones: Spark raises some without a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark.answers import Answers

WITHOUT_ROWS = {
    "s RLIKE '('": "PatternSyntaxException",
    "NOT s RLIKE '*'": "PatternSyntaxException",
    "collate(s, 'UTF8_LCASE') RLIKE '['": "PatternSyntaxException",
    r"s LIKE 'a\\b'": "ESC_IN_THE_MIDDLE",
    "s LIKE 'ab/' ESCAPE '/'": "ESC_AT_THE_END",
    r"s ILIKE 'a\\b'": "ESC_IN_THE_MIDDLE",
    r"s LIKE ALL ('a\\b', 'c')": "ESC_IN_THE_MIDDLE",
    "date_format(t, 'QQQQQQ')": "INVALID_DATETIME_PATTERN",
    "to_timestamp(s, 'QQQQQQ')": "INVALID_DATETIME_PATTERN",
    "from_unixtime(i, 'QQQQQQ')": "INVALID_DATETIME_PATTERN",
    "from_utc_timestamp(t, 'Bad/Zone')": "INVALID_TIMEZONE",
    "to_utc_timestamp(t, 'Bad/Zone')": "INVALID_TIMEZONE",
}
"""Calls that fail whatever their rows are, and what their error says."""

WITH_ROWS = {
    "regexp_replace(s, '(', 'x')": "INVALID_PARAMETER_VALUE.PATTERN",
    "regexp_extract(s, '(', 0)": "INVALID_PARAMETER_VALUE.PATTERN",
    "regexp_extract_all(s, '(', 0)": "INVALID_PARAMETER_VALUE.PATTERN",
    "regexp_count(s, '(')": "INVALID_PARAMETER_VALUE.PATTERN",
    "regexp_instr(s, '(')": "INVALID_PARAMETER_VALUE.PATTERN",
    "split(s, '(')": "PatternSyntaxException",
    "encode(s, 'none')": "INVALID_PARAMETER_VALUE.CHARSET",
}
"""Calls that fail at their first row."""


@pytest.fixture(scope="module")
def rows(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("rows") / "t")
    values = "VALUES ('a', 1), ('(b', 2), (NULL, 3) AS t(s, i)"
    made = answers.session.sql(f"SELECT s, i, timestamp_seconds(i) AS t FROM {values}")
    made.coalesce(1).write.parquet(path)
    return answers.session.read.parquet(path)


@pytest.mark.parametrize("call", WITHOUT_ROWS)
def test_raised_without_a_row(answers: Answers, rows: DataFrame, call: str) -> None:
    made = [
        rows.where("i > 9").selectExpr(call),
        rows.where("s IS NULL").selectExpr(call),
        rows.selectExpr(call),
        rows.selectExpr(f"CASE WHEN i > 9 THEN {call} END"),
        rows.where(f"i > 9 AND isnotnull({call})"),
    ]
    for frame in made:
        answers.same_error(lambda _, frame=frame: frame, WITHOUT_ROWS[call])


@pytest.mark.parametrize("call", WITH_ROWS)
def test_raised_at_the_first_row(answers: Answers, rows: DataFrame, call: str) -> None:
    answers.same_rows(lambda _: rows.where("i > 9").selectExpr(call))
    answers.same_rows(lambda _: rows.where("s IS NULL").selectExpr(call))
    answers.same_rows(lambda _: rows.selectExpr(f"CASE WHEN i > 9 THEN {call} END"))
    answers.same_error(lambda _: rows.selectExpr(call), WITH_ROWS[call])
