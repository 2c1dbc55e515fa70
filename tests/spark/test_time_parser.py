"""Texts of times under the policy EXCEPTION, the default of Spark 3.5: its old parser has a say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.answers import Answers

PATTERN = "yyyy-MM-dd"


@pytest.mark.parametrize("function", ["to_timestamp", "unix_timestamp"])
def test_texts_that_do_not_fit(
    answers: Answers, configuration: Callable[..., None], tmp_path: Path, function: str
) -> None:
    configuration(
        spark__sql__legacy__timeParserPolicy="EXCEPTION", spark__sql__ansi__enabled="false"
    )
    texts = {"fit": "2020-01-31", "none": "abc", "old": "2020-1-31"}
    for name, text in texts.items():
        pq.write_table(pa.table({"s": ["2019-12-01", None, text]}), tmp_path / f"{name}.parquet")

    def parsed(name: str) -> Callable:
        path = str(tmp_path / f"{name}.parquet")
        return lambda spark: spark.read.parquet(path).selectExpr(f"{function}(s, '{PATTERN}')")

    answers.same_rows(parsed("fit"))
    answers.same_rows(parsed("none"), replays=1)
    assert answers.same_outcome(parsed("old")) == "error"
