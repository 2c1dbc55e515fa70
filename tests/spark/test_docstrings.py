"""Every example in a function's docstring, on Broadhead and on Spark alone."""

from __future__ import annotations

import inspect
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from broadhead.functions.registry import functions
from spark.answers import Answers, plan_of
from sql_sessions import NO_FOLDING, compare_with_kept, configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_EXAMPLE = re.compile(r"^>>> (.+)\n(.*)$", re.MULTILINE)


def examples() -> list[tuple[str, str, str]]:
    """Spark's class, the query and its answer."""
    return [
        (name, match[1], match[2])
        for name, function in sorted(functions().items())
        for match in _EXAMPLE.finditer(inspect.getdoc(function.evaluate) or "")
    ]


@pytest.fixture(scope="module")
def one_row(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A view of one row, which the engine reads."""
    path: Path = tmp_path_factory.mktemp("docstrings") / "one"
    answers.session.range(1).write.parquet(str(path))
    answers.session.read.parquet(str(path)).createOrReplaceTempView("one_row")
    return "one_row"


def test_every_function_has_an_example() -> None:
    missing = functions().keys() - {name for name, _, _ in examples()}
    assert not missing, f"no `>>> SELECT ...` in the docstrings of {missing}: docs/add-function.md"


def _some_by_day() -> Iterator[Any]:
    """The examples, four of five of them for the night."""
    for name, query, answer in examples():
        by_day = zlib.crc32(name.encode()) % 5 == 0
        marks = () if by_day else (pytest.mark.nightly,)
        yield pytest.param(query, answer, id=f"{name}-{query}", marks=marks)


@pytest.mark.parametrize(("query", "answer"), list(_some_by_day()))
def test_an_example_gives_what_it_says(
    answers: Answers, one_row: str, query: str, answer: str
) -> None:
    session = answers.session
    text = query if " FROM " in query else f"{query} FROM {one_row}"

    def make(_: SparkSession | None = None) -> DataFrame:
        return session.sql(text)

    with configured(session, {"spark.sql.optimizer.excludedRules": NO_FOLDING}):
        frame = compare_with_kept(session, make)
        assert "Broadhead" in plan_of(frame)
        shown = make().toDF("value").selectExpr("CAST(value AS STRING)").collect()[0][0]
    assert ("NULL" if shown is None else shown) == answer.strip("'")
