"""Aggregates that Spark computes for a fragment: users' own, several tasks, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from broadhead.explanation import explain
from night import at_night
from spark.answers import Answers, plan_of
from sql_sessions import configured, metric_total, replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = 20_000
SETTINGS = {
    "spark.sql.shuffle.partitions": "3",
    # the number of keys after which Spark's aggregation moves rows
    "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "1000000",
}


@pytest.fixture(scope="module", autouse=True)
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`texts` of four files, and the users' aggregates `longest` and `lengths`."""
    session = answers.session
    path = str(tmp_path_factory.mktemp("spark_aggregates") / "texts")
    columns = (
        "id",
        "id % 7 AS few",
        "id * 31 % 1009 AS many",
        "IF(id % 11 = 0, NULL, repeat(chr(97 + id % 23), 1 + id % 9)) AS text",
        "IF(id % 13 = 0, NULL, sin(id) * 100) AS d",
    )
    with configured(session, {"spark.broadhead.enabled": "false"}):
        session.range(0, ROWS, 1, 4).selectExpr(*columns).write.parquet(path)
    session.read.parquet(path).createOrReplaceTempView("texts")
    longest = session._jvm.io.broadhead.store.LongestTexts
    session._jsparkSession.udf().register("longest", longest.function())
    session.udf.registerJavaUDAF("lengths", "io.broadhead.store.LengthOfTexts")
    with configured(session, SETTINGS):
        yield


def in_fragments(answers: Answers, sql: str, *, replays: int | None = 0) -> DataFrame:
    """The frame, whose rows are Spark's, all of whose operators ran in fragments."""
    frame = answers.same_rows(lambda spark: spark.sql(sql), replays=replays)
    explained = explain(frame)
    assert explained.accelerated == explained.total, str(explained)
    assert "Spark evaluates an expression" in str(explained)
    return frame


@pytest.mark.parametrize("key", ["few", *at_night("many", "many, few", "text")])
def test_users_aggregates(answers: Answers, key: str) -> None:
    frame = in_fragments(
        answers,
        f"SELECT {key}, longest(text), lengths(text), lengths(concat(text, id)), sum(id),"
        f" longest(text) FILTER (WHERE id % 3 = 1) FROM texts GROUP BY {key}",
    )
    assert metric_total(frame, "sparkRows") > ROWS
    assert metric_total(frame, "sparkTime") > 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT lengths(text), sum(id), max(text), min(d), count(DISTINCT few) FROM texts",
        "SELECT few, lengths(text), sum(id) FROM texts GROUP BY few",
        "SELECT many, longest(text), count(DISTINCT id) FROM texts GROUP BY many",
        "SELECT id, longest(text) OVER (PARTITION BY few), lengths(text) OVER (PARTITION BY few)"
        " FROM texts WHERE id < 900",
        "SELECT few, longest(text), sum(id) FROM texts WHERE id < 0 GROUP BY few",
        "SELECT count(*), max(h.x[0].y) FROM (SELECT many, histogram_numeric(d, 3) AS x, sum(id)"
        " FROM texts GROUP BY many) AS h",
        "SELECT few, size(h), l FROM (SELECT few, histogram_numeric(d, 9) AS h, longest(text) AS l,"
        " sum(id) AS s FROM texts GROUP BY few) WHERE s > 5 ORDER BY few DESC",
    ],
)
def test_places(answers: Answers, sql: str) -> None:
    in_fragments(answers, sql)


def test_after_many_keys(answers: Answers, configuration: Callable[..., None]) -> None:
    """Spark reads the rows of a group in another order then."""
    configuration(spark__sql__objectHashAggregate__sortBased__fallbackThreshold="5")
    in_fragments(
        answers,
        "SELECT few, aggregate(histogram_numeric(d, 4), 0D, (n, bin) -> n + bin.y),"
        " sort_array(collect_list(id)), percentile_approx(d, 0.5), lengths(text),"
        " count(DISTINCT many) FROM texts GROUP BY few",
    )


@pytest.mark.parametrize("hashed", ["true", "false"])
def test_spark_that_sorts_all_rows(
    answers: Answers, hashed: str, configuration: Callable[..., None]
) -> None:
    configuration(spark__sql__execution__useObjectHashAggregateExec=hashed)
    in_fragments(answers, "SELECT many, histogram_numeric(d, 4), sum(id) FROM texts GROUP BY many")


def test_small_batches_and_spilled_rows(
    answers: Answers, configuration: Callable[..., None]
) -> None:
    configuration(spark__broadhead__batchRows="70", spark__broadhead__operatorMemory="20k")
    in_fragments(
        answers,
        "SELECT many, histogram_numeric(d, 4), longest(text), sum(id) FROM texts GROUP BY many",
    )


def test_replayed_tasks_give_buffers_to_the_others(answers: Answers) -> None:
    """One map task fails in the engine, so that Spark runs it: its buffers are the same."""
    with configured(answers.session, {"spark.sql.ansi.enabled": "false"}):
        frame = in_fragments(
            answers,
            "SELECT few, histogram_numeric(d, 4), longest(text),"
            " percentile_approx(IF(id = 7, double('NaN'), d), 0.5, 9) FROM texts GROUP BY few",
            replays=None,
        )
    assert replayed(frame) >= 1


def test_errors(answers: Answers) -> None:
    """They are Spark's own, and come only for rows that the filter keeps."""
    one_task = "FROM (SELECT /*+ COALESCE(1) */ * FROM texts)"
    error = "concat(IF(id = 19000, '!', ''), text)"
    answers.same_error(
        lambda spark: spark.sql(f"SELECT longest({error}), sum(id) {one_task}"), "the text !"
    )
    in_fragments(
        answers,
        f"SELECT few, longest({error}) FILTER (WHERE id < 19000), sum(id) {one_task} GROUP BY few",
    )


def test_switches(answers: Answers) -> None:
    """An aggregate that is switched off is Spark's; so are operators without this way."""
    sql = "SELECT few, percentile_approx(d, 0.5), sum(id) FROM texts GROUP BY few"
    with configured(
        answers.session, {"spark.broadhead.function.percentile_approx.enabled": "false"}
    ):
        in_fragments(answers, sql)
        with configured(answers.session, {"spark.broadhead.sparkExpressions.enabled": "false"}):
            frame = answers.session.sql(sql)
            assert "switched off by spark.broadhead.function.percentile" in str(explain(frame))
            assert "BroadheadHashAggregate" not in plan_of(frame)


def test_one_row_costs_more_than_it_saves(answers: Answers) -> None:
    """The rows of a scan that end in one go to the JVM for nothing."""
    frame = answers.session.sql("SELECT histogram_numeric(d, 4) FROM texts")
    with configured(answers.session, {"spark.broadhead.costModel.enabled": "true"}):
        assert "histogram_numeric takes longer in the engine" in str(explain(frame))


def test_nothing_is_left(answers: Answers) -> None:
    """No memory of the JVM, also where a limit or an error ends the query early."""
    allocator = answers.session._jvm.org.apache.spark.sql.util.ArrowUtils.rootAllocator()
    before = allocator.getAllocatedMemory()
    grouped = "SELECT many, longest(text), sum(id) FROM texts GROUP BY many"
    answers.session.sql(grouped).collect()
    answers.session.sql(f"{grouped} LIMIT 3").collect()
    with pytest.raises(Exception, match="the text !"):
        answers.session.sql("SELECT longest(concat('!', text)), sum(id) FROM texts").collect()
    assert allocator.getAllocatedMemory() == before
