"""The sizes by which adaptive execution judges shuffles and broadcasts: those of Spark's rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark.answers import Answers, plan_of
from spark.test_broadcast import metric, nodes_of
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TEXT = "nullif(repeat('x', CAST(id % 20 AS INT)), 'xxx')"
WIDE = "CAST(if(id % 3 = 0, NULL, power(10, id % 18) * if(id % 2 = 0, 1, -1)) AS DECIMAL(20,2))"
MANY = "sequence(0, id % 70)"
COLUMNS = {
    "flat": {
        "long": "nullif(id, 7)",
        "boolean": "id % 3 = 0",
        "narrow": "CAST(id AS DECIMAL(18,2))",
        "wide": WIDE,
        "text": TEXT,
        "binary": f"CAST({TEXT} AS BINARY)",
        "instant": "timestamp_micros(id)",
        "date": "if(id % 3 = 0, NULL, DATE'2020-02-02')",
        "month": "if(id % 3 = 0, NULL, INTERVAL '1' MONTH)",
        "second": "if(id % 3 = 0, NULL, INTERVAL '1' SECOND)",
    },
    "arrays": {
        "empty": "CAST(array() AS ARRAY<STRING>)",
        "longs": "if(id % 5 = 0, NULL, array(id, nullif(id, 7)))",
        "booleans": f"transform({MANY}, n -> nullif(n % 5, 0) = 1)",
        "bytes": f"transform({MANY}, n -> CAST(n AS TINYINT))",
        "shorts": f"transform({MANY}, n -> CAST(n AS SMALLINT))",
        "months": f"transform({MANY}, n -> make_ym_interval(0, CAST(n AS INT)))",
        "durations": f"transform({MANY}, n -> make_dt_interval(CAST(n AS INT)))",
        "dates": f"transform({MANY}, n -> if(n = id, NULL, DATE'2020-02-02'))",
        "instants": f"transform({MANY}, n -> timestamp_micros(n))",
        "floats": f"transform({MANY}, n -> CAST(n AS FLOAT))",
        "texts": f"array({TEXT}, NULL, string(id))",
        "binaries": f"array(CAST({TEXT} AS BINARY))",
        "narrow": "array(CAST(id AS DECIMAL(9,2)), NULL)",
        "wide": f"array({WIDE}, NULL, {WIDE} / 100)",
        "arrays": f"array(slice({MANY}, 1, 3), NULL, array(), array(id, NULL))",
        "structs": f"array(named_struct('a', {TEXT}, 'w', {WIDE}), NULL)",
        "maps": "array(map('k', id), NULL, map())",
    },
    "structs and maps": {
        "pair": f"named_struct('a', nullif(id, 3), 'b', {TEXT})",
        "null_pair": f"if(id % 3 = 0, NULL, named_struct('a', id, 'b', {TEXT}))",
        "wide": f"named_struct('a', {WIDE}, 'b', true)",
        "null_wide": f"if(id % 4 = 0, NULL, named_struct('a', {WIDE}))",
        "deep": f"named_struct('s', if(id % 3 = 0, NULL, named_struct('a', array({TEXT}))))",
        "text_to_long": "map('a', id, string(id), NULL)",
        "null_map": f"if(id % 3 = 0, NULL, map(coalesce({TEXT}, 'y'), {WIDE}))",
        "map_of_arrays": f"map(id, {MANY}, -1L, NULL, -2L, array())",
        "map_of_structs": f"map(CAST(id % 9 AS TINYINT), named_struct('a', {TEXT}))",
    },
}


@pytest.fixture(params=COLUMNS)
def table(
    request: pytest.FixtureRequest,
    answers: Answers,
    configuration: Callable[..., None],
    tmp_path: Path,
) -> DataFrame:
    """Nulls at each level, in two files."""
    configuration(spark__sql__adaptive__enabled="false")
    columns = [f"{sql} AS {name}" for name, sql in COLUMNS[request.param].items()]
    with configured(answers.session, {"spark.broadhead.enabled": "false"}):
        rows = answers.session.range(0, 90, 1, 2).selectExpr("id", *columns)
        rows.write.parquet(str(tmp_path / "t"))
    return answers.session.read.parquet(str(tmp_path / "t"))


def sizes(answers: Answers, frame: DataFrame, exchange: str, *, ours: bool) -> tuple[int, ...]:
    """Rows and bytes as the metric and the statistics of the one exchange have them."""
    with configured(answers.session, {"spark.broadhead.enabled": str(ours).lower()}):
        # Spark plans a frame once. In Java, since Python has no intervals of months.
        frame = frame.select("*")
        frame._jdf.collectAsList()
    (node,) = nodes_of(frame, exchange)
    statistics = node.runtimeStatistics()
    assert statistics.rowCount().isDefined(), plan_of(frame)
    rows = int(str(statistics.rowCount().get()))
    return rows, metric(node, "dataSize"), int(str(statistics.sizeInBytes()))


def test_shuffles(answers: Answers, table: DataFrame) -> None:
    shuffled = table.repartition(2, "id").sortWithinPartitions("id")
    expected = sizes(answers, shuffled, "ShuffleExchangeExec", ours=False)
    assert expected[0] == 90
    assert sizes(answers, shuffled, "BroadheadShuffleExchange", ours=True) == expected
    with answers.without_workers():
        assert sizes(answers, shuffled, "BroadheadShuffleExchange", ours=True) == expected


def test_broadcasts(answers: Answers, table: DataFrame) -> None:
    """Of rows without a key; those with one Spark counts as its hash table has them."""
    joined = table.limit(1).select("id").join(table.hint("broadcast"), how="cross")
    expected = sizes(answers, joined, "BroadcastExchangeExec", ours=False)
    assert expected[0] == 90
    assert sizes(answers, joined, "BroadheadBroadcastExchange", ours=True) == expected
