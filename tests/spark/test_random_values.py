"""rand, randn, randstr, uniform and uuid: the numbers of Spark's own generators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from broadhead.explanation import explain
from night import at_night
from spark.answers import Answers, plan_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pathlib import Path

RANGE = "range(0, 30000, 1, 2)"


@pytest.fixture(scope="module", autouse=True)
def files(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Three files of 1000 rows."""
    path: Path = tmp_path_factory.mktemp("random") / "t"
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        rows = answers.session.range(0, 3_000, 1, 3)
        rows.selectExpr("id", "nullif(id % 7, 3) AS k").write.parquet(str(path))
    answers.session.read.parquet(str(path)).createOrReplaceTempView("drawn")


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT id, rand(1), rand(1), rand(-9223372036854775807), randn(1), randstr(5, 1), "
        f"uniform(1, 100, 3) AS u FROM {RANGE}",
        "SELECT id, rand(1) * 10 + randn(2), round(rand(3) * 100, 2) AS r, CAST(rand(4) AS STRING),"
        " 1 - rand(5), rand(6) / 2, rand(7) % 0.25D, rand(8) + k, rand(9) < 0.5, rand(10) <=> k,"
        " concat(randstr(3, 11), '-', randstr(2, 12)), named_struct('a', rand(13)) AS s,"
        " sin(rand(15)), monotonically_increasing_id() + 1 AS i FROM drawn",
        "SELECT id, x, rand(2) FROM (SELECT *, rand(1) AS x FROM drawn WHERE k > 0) WHERE x < 0.5",
        *at_night(
            f"SELECT id, randn(7), randstr(0, 2), randstr(30, 3), rand(NULL) FROM {RANGE}",
            f"SELECT id, uniform(1.5F, 2.5D, 4), uniform(0, 5.5, 5) FROM {RANGE}",
            "SELECT id, rand(1) FROM drawn WHERE k > 2",
            "SELECT id, k FROM drawn WHERE rand(1) < 0.25",
            "SELECT max(r), min(r), k FROM (SELECT rand(3) AS r, k FROM drawn) GROUP BY k",
            "SELECT id FROM drawn ORDER BY rand(5) LIMIT 50",
        ),
    ],
)
def test_values_are_those_of_spark(answers: Answers, sql: str) -> None:
    frame = answers.same_rows(lambda spark: spark.sql(sql))
    assert "BroadheadRowIds" in plan_of(frame), plan_of(frame)


@pytest.mark.nightly
def test_values_without_spark_s_code_generation(answers: Answers) -> None:
    settings = {"spark.sql.codegen.wholeStage": "false"}
    with configured(answers.session, settings):
        answers.same_rows(lambda spark: spark.sql("SELECT id, randn(1), randstr(4, 2) FROM drawn"))
        answers.same_outcome(lambda spark: spark.sql("SELECT id FROM drawn WHERE rand(1) < 0.25"))


def test_uuids_of_a_seed(answers: Answers) -> None:
    if answers.session.version < "4.1":
        pytest.skip("uuid has no seed in this Spark")
    answers.same_rows(lambda spark: spark.sql("SELECT id, uuid(-5), uuid(0) FROM drawn"))


def test_seeds_are_drawn_once(answers: Answers) -> None:
    """The seed of `uuid()` and `rand()` belongs to the analysed query."""
    frame = answers.session.sql("SELECT id, uuid() AS u, rand() AS r, randstr(9) AS t FROM drawn")
    assert "BroadheadRowIds" in plan_of(frame), plan_of(frame)
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        expected = frame.select("*").collect()
    assert frame.select("*").collect() == expected


@pytest.mark.parametrize(
    "value",
    [
        "if(k = 1, rand(1), 0)",
        "coalesce(k, rand(1))",
        "k + rand(1)",
        "rand(1) / k",
        "rand(1) < 0.5 AND rand(2) < 0.5",
        "randstr(101, 1)",
    ],
)
def test_values_of_some_rows_stay_with_spark(answers: Answers, value: str) -> None:
    frame = answers.session.sql(f"SELECT id, {value} AS v FROM drawn")
    assert "only where Spark evaluates it for every row" in str(explain(frame))
    assert "BroadheadRowIds" not in plan_of(frame)


def test_values_after_a_replay(answers: Answers) -> None:
    sql = "SELECT id, rand(1), randstr(4, 2), CAST(if(id = 777, '１', '1') AS INT) AS n FROM drawn"
    with configured(answers.session, {"spark.sql.ansi.enabled": "false"}):
        frame = answers.same_rows(lambda spark: spark.sql(sql), replays=None)
        assert "BroadheadRowIds" in plan_of(frame), plan_of(frame)
