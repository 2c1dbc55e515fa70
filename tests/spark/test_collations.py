"""Strings that have a collation: what the `.sql` files of operators cannot say."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest

from spark.answers import Answers, plan_of
from spark.cluster_programs import RunInSession
from sql_sessions import configured

ROWS = 60_000


@pytest.fixture(scope="module", autouse=True)
def table(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """`t`, sorted by its text: many row groups, of which bytes would leave out most."""
    path = str(tmp_path_factory.mktemp("collations") / "t")
    session = answers.session
    blocks = {"spark.broadhead.enabled": "false", "spark.hadoop.parquet.block.size": "65536"}
    with configured(session, blocks):
        text = "concat(if(id % 2 = 0, 'n', 'N'), if(id % 3 = 0, 'É', 'e'), id div 6)"
        session.range(ROWS).selectExpr("id", f"if(id % 101 = 0, NULL, {text}) AS w").sort(
            "w"
        ).selectExpr("*", "w COLLATE UNICODE_CI AS ci", "w COLLATE UTF8_LCASE AS lc").repartition(
            1
        ).sortWithinPartitions("w").write.option("parquet.block.size", 65536).parquet(path)
    session.read.parquet(path).createOrReplaceTempView("t")


@pytest.mark.parametrize(
    "condition",
    [
        "lc = 'NE77'",
        "ci = 'né77'",
        "lc IN ('ne5', 'NÉ6')",
        "ci < 'NE1' OR ci IS NULL",
        pytest.param("lc >= 'né9'", marks=pytest.mark.nightly),
        "lc <=> NULL",
    ],
)
def test_row_groups_are_not_skipped_by_bytes(answers: Answers, condition: str) -> None:
    frame = answers.same_rows(lambda s: s.sql(f"SELECT id, w FROM t WHERE {condition}"))
    assert frame.count() > 0
    assert "BroadheadFileSourceScan" in plan_of(frame)


def test_many_different_strings(answers: Answers) -> None:
    for query in (
        "SELECT count(*), sum(n) FROM (SELECT count(*) AS n FROM t GROUP BY ci)",
        "SELECT count(*), sum(n) FROM (SELECT count(*) AS n FROM t GROUP BY lc, ci)",
        "SELECT id, ci FROM t ORDER BY ci DESC, id LIMIT 1000",
        "SELECT count(*) FROM t x JOIN t y ON x.lc = y.lc AND x.id < y.id",
        "SELECT ci, id FROM t ORDER BY ci, id",
        "SELECT id FROM t WHERE lc NOT IN (SELECT upper(w) COLLATE UTF8_LCASE FROM t "
        "WHERE id < 100 AND w IS NOT NULL)",
    ):
        answers.same_rows(lambda s, query=query: s.sql(query))


@pytest.mark.skipif(pyspark.__version__ < "4.1", reason="Spark 4.0 trims in no collation")
@pytest.mark.parametrize(
    "collation",
    [
        "UTF8_BINARY_RTRIM",
        pytest.param("UTF8_LCASE_RTRIM", marks=pytest.mark.nightly),
        "UNICODE_CI_RTRIM",
    ],
)
def test_spaces_at_the_end(answers: Answers, collation: str) -> None:
    text = f"concat(w, repeat(' ', CAST(id % 4 AS INT))) COLLATE {collation} AS c"
    for query in (
        "SELECT count(*), min(id) FROM s GROUP BY c",
        "SELECT c, id FROM s ORDER BY c, id LIMIT 500",
        "SELECT x.id, y.id FROM s x JOIN s y ON x.c = y.c AND x.id < y.id",
        "SELECT id, c = 'ne3', c IN ('ne1', 'NE2  ') FROM s",
    ):
        trimmed = f"WITH s AS (SELECT id, {text} FROM t WHERE id < 4000) {query}"
        answers.same_rows(lambda s, query=trimmed: s.sql(query))


def test_cached_tables_hold_them(answers: Answers) -> None:
    session = answers.session
    session.sql("CACHE TABLE kept AS SELECT * FROM t WHERE id < 5000")
    try:
        for query in (
            "SELECT id FROM kept WHERE lc = 'NE77' OR ci > 'né9'",
            "SELECT count(*), min(id) FROM kept GROUP BY ci",
            "SELECT * FROM kept",
        ):
            frame = answers.same_rows(lambda s, query=query: s.sql(query))
            assert "InMemoryRelation" in plan_of(frame), plan_of(frame)
    finally:
        session.sql("UNCACHE TABLE kept")


def test_results_in_python(answers: Answers) -> None:
    session = answers.session
    query = "SELECT ci, lc, array(ci) AS a, named_struct('l', lc) AS s FROM t WHERE id < 900"
    found = []
    for enabled in ("false", "true"):
        with configured(session, {"spark.broadhead.enabled": enabled}):
            frame = session.sql(query).orderBy("ci", "lc")
            found.append((frame.toPandas().to_dict("list"), frame.toArrow(), frame.schema))
    assert found[0] == found[1]


def test_written_files_keep_the_collation(answers: Answers, tmp_path: Path) -> None:
    session = answers.session
    path = str(tmp_path / "written")
    session.sql("SELECT ci, count(*) AS n FROM t GROUP BY ci").write.parquet(path)
    read = session.read.parquet(path)
    assert read.schema["ci"].dataType.simpleString() == "string collate UNICODE_CI"
    session.read.parquet(path).createOrReplaceTempView("written")
    answers.same_rows(lambda s: s.sql("SELECT n, count(*) FROM written GROUP BY n"))
    answers.same_rows(lambda s: s.sql("SELECT n FROM written WHERE ci = 'NÉ700'"))


CLUSTER = """
spark.conf.set("spark.sql.adaptive.enabled", "false")
before = set(Path(own).glob("broadhead-*"))
frame = spark.range(0, 1000, 1, 4).selectExpr("if(id % 2 = 0, 'a', 'A') || id div 4 AS w")
frame.write.parquet(str(folder / "t"))
spark.read.parquet(str(folder / "t")).createOrReplaceTempView("t")
counted = "SELECT count(*) AS n FROM t GROUP BY w COLLATE UTF8_LCASE"
grouped = lambda: spark.sql(f"SELECT n, count(*) FROM ({counted}) GROUP BY n")
frame = grouped()
results["groups"] = rows(frame)
results["shuffles"] = len(exchanges(frame))
results["rows"] = rows(frame) == by_spark(grouped)
results["left"] = list(map(str, set(Path(own).glob("broadhead-*")) - before))
"""


@pytest.mark.xdist_group("two executors")
def test_executors_give_keys(tmp_path: Path, two_executors: RunInSession) -> None:
    assert two_executors(tmp_path, CLUSTER) == {
        "groups": [[4, 250]],
        "shuffles": 2,
        "rows": True,
        "left": [],
    }
