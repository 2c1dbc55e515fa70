"""Types without a form in the engine: Spark computes what has them, with its own answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark.answers import plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

    from spark.answers import Answers

MAPS = [
    "CAST(NULL AS MAP<VOID, VOID>)",
    "CAST(NULL AS MAP<VOID, INT>)",
    "if(id > 1, map(), NULL)",
    "map_from_arrays(NULL, NULL)",
    "array(map())",
    "struct(id, map())",
    "transform(array(id), x -> map())",
    "size(if(id > 1, map(), NULL))",
]
TEXTS = [
    "CAST({} AS STRING)",
    "try_cast({} AS STRING)",
    "concat({}, 'x')",
    "to_json(struct({} AS c))",
    "to_csv(struct({} AS c))",
    "CAST(array({}) AS STRING)",
    "format_number({}, 2)",
    "printf('%s', {})",
    "CAST(CAST({} AS DOUBLE) AS STRING)",
]
DECIMALS = {
    "long": "CAST(id - 2 AS DECIMAL(10)) * 7E10BD",
    "wide": "CAST(id - 2 AS DECIMAL(20)) * 487641234567890123E20BD",
    "few": "CAST(id * 120 AS DECIMAL(5)) * 1E2BD",
    "tiny": "CAST(id AS DECIMAL(9)) * 0.0000000001BD",
    "wide_tiny": "CAST(id - 2 AS DECIMAL(20)) * 0.00000000000000012BD",
}


@pytest.fixture(scope="module")
def ids(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("ids") / "t")
    answers.session.range(0, 5, 1, 1).write.parquet(path)
    return answers.session.read.parquet(path)


def _same_collected(answers: Answers, frame: DataFrame) -> None:
    """Compares rows of the JVM: Spark has no Arrow form of such maps either."""
    collected = []
    for enabled in ["true", "false"]:
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            made = frame.select("*")
            collected.append(made.collect())
            assert ("Broadhead" in plan_of(made)) == (enabled == "true")
    assert collected[0] == collected[1]


@pytest.mark.parametrize("made", MAPS)
def test_maps_without_keys(answers: Answers, ids: DataFrame, made: str) -> None:
    _same_collected(answers, ids.selectExpr(made))


def test_constant_maps_without_keys(answers: Answers, ids: DataFrame) -> None:
    maps = ids.selectExpr("id", "map() AS m", "array(map()) AS a", "struct(map()) AS s")
    _same_collected(answers, maps.union(maps))
    _same_collected(answers, maps.orderBy("id"))
    _same_collected(answers, maps.groupBy("id").agg({"m": "first", "a": "count"}).orderBy("id"))


def test_a_map_of_more_values_than_keys(answers: Answers, ids: DataFrame) -> None:
    answers.same_error(
        lambda _: ids.selectExpr("map_from_arrays(array(), array(id))"),
        "must have the same length",
    )


@pytest.fixture(scope="module", params=["true", "false"], ids=["ansi", "legacy"])
def decimals(
    request: pytest.FixtureRequest, answers: Answers, ids: DataFrame
) -> Iterator[DataFrame]:
    conf = {
        "spark.sql.ansi.enabled": request.param,
        "spark.sql.legacy.allowNegativeScaleOfDecimal": "true",
    }
    with configured(answers.session, conf):
        yield ids.selectExpr(*(f"{sql} AS {name}" for name, sql in DECIMALS.items()))


@pytest.mark.parametrize("text", TEXTS)
def test_texts_of_decimals(answers: Answers, decimals: DataFrame, text: str) -> None:
    assert "decimal(12,-10)" in str(decimals.dtypes)
    texts = [f"{text.format(name)} AS {name}" for name in decimals.columns]
    answers.same_rows(lambda _: decimals.selectExpr(*texts))


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_lines_of_decimals(
    answers: Answers, decimals: DataFrame, kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    written = []
    for enabled in ["true", "false"]:
        path = str(tmp_path_factory.mktemp("lines") / "t")
        with configured(answers.session, {"spark.broadhead.enabled": enabled}):
            getattr(decimals.write, kind)(path)
        written.append([row.value for row in answers.session.read.text(path).collect()])
    assert written[0] == written[1]


def test_sums_of_decimals(answers: Answers, decimals: DataFrame) -> None:
    answers.same_rows(lambda _: decimals.groupBy("few").sum("long", "wide", "tiny"))
