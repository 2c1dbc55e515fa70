"""Plans of every operator: each node gives its reasons, and can be serialized."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import broadhead
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark.answers import Answers

QUERIES = [
    "SELECT 1 AS one FROM t",
    "SELECT count(*) FROM t",
    "SELECT * FROM t WHERE v > 3 LIMIT 5 OFFSET 2",
    "SELECT s, sum(v), stddev(d) FROM t GROUP BY s HAVING count(DISTINCT v) > 1",
    "SELECT collect_list(v), percentile(v, 0.5) FROM t GROUP BY s",
    "SELECT s, sum(v) FROM t GROUP BY CUBE (s, k)",
    "SELECT v FROM t ORDER BY d, v",
    "SELECT v FROM t ORDER BY d, v LIMIT 3",
    "SELECT * FROM (SELECT v, rank() OVER (PARTITION BY s ORDER BY d) AS r FROM t) WHERE r < 3",
    "SELECT v, sum(d) OVER (PARTITION BY s ORDER BY v) FROM t",
    "SELECT /*+ MERGE(b) */ a.v FROM t a JOIN t b ON a.v = b.k",
    "SELECT /*+ SHUFFLE_HASH(b) */ a.v FROM t a LEFT JOIN t b ON a.v = b.k",
    "SELECT /*+ BROADCAST(b) */ a.v FROM t a JOIN t b ON a.v = b.k",
    "SELECT /*+ BROADCAST(b) */ a.v FROM t a FULL JOIN t b ON a.v < b.k",
    "SELECT /*+ BROADCAST(b) */ a.v FROM t b LEFT JOIN t a ON a.v < b.k",
    "SELECT /*+ SHUFFLE_REPLICATE_NL(b) */ a.v FROM t a CROSS JOIN t b",
    "SELECT v FROM t WHERE v IN (SELECT k FROM t) AND k < (SELECT max(v) FROM t)",
    "SELECT v, x FROM t LATERAL VIEW explode(array(v, k)) AS x",
    "SELECT stack(2, v, k) FROM t",
    "SELECT v FROM t UNION ALL SELECT k FROM t",
    "SELECT v FROM t TABLESAMPLE (50 PERCENT) REPEATABLE (3)",
    "SELECT /*+ REPARTITION(3) */ v FROM t",
    "SELECT /*+ COALESCE(1) */ v FROM t",
    "SELECT /*+ REPARTITION_BY_RANGE(2, v) */ v FROM t",
    "SELECT * FROM VALUES (1, 'a'), (2, 'b') AS l(x, y) WHERE x > 1",
    "SELECT x.v FROM cached x JOIN t USING (k)",
    "SELECT transform(array(v, k), e -> e + 1), reflect('java.lang.Math', 'abs', v) FROM t",
    "SELECT input_file_name(), v FROM t",
    "SELECT now() FROM t WHERE false",
    "SHOW TABLES",
    "EXPLAIN SELECT v FROM t",
]


@pytest.fixture(scope="module", autouse=True)
def tables(answers: Answers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """`t` of 60 rows in Parquet, and `cached`, the same in Spark's cache."""
    session = answers.session
    path = str(tmp_path_factory.mktemp("tables") / "t")
    columns = ("id AS v", "id % 5 AS k", "concat('s', id % 3) AS s", "id / 7 AS d")
    session.range(0, 60, 1, 2).selectExpr(*columns).write.parquet(path)
    session.read.parquet(path).createOrReplaceTempView("t")
    session.sql("SELECT * FROM t WHERE v < 40").cache().createOrReplaceTempView("cached")
    yield
    session.catalog.clearCache()
    for name in ("t", "cached"):
        session.catalog.dropTempView(name)


@pytest.fixture(params=["true", "false"], ids=["adaptive", "static"])
def session(request: pytest.FixtureRequest, answers: Answers) -> Iterator[SparkSession]:
    """The session with adaptive execution and without, where the cost model decides, too."""
    keys = {
        "spark.sql.adaptive.enabled": request.param,
        "spark.broadhead.costModel.enabled": "true",
    }
    with configured(answers.session, keys):
        yield answers.session


ADAPTIVE_BY_DAY, STATIC_BY_DAY = (
    pytest.mark.parametrize(
        "session",
        [by_day, pytest.param(by_night, marks=pytest.mark.nightly)],
        indirect=True,
        ids=["adaptive" if value == "true" else "static" for value in (by_day, by_night)],
    )
    for by_day, by_night in (("true", "false"), ("false", "true"))
)


@ADAPTIVE_BY_DAY
def test_each_operator_of_spark_has_a_reason(session: SparkSession) -> None:
    silent = []
    for sql in QUERIES:
        frame = session.sql(sql)
        for when in ("planned", "run"):
            nodes = broadhead.explain(frame).nodes
            silent += [(sql, when, n.name) for n in nodes if not (n.accelerated or n.reasons)]
            frame.collect()
    assert not silent


def test_switched_off_in_the_session(session: SparkSession) -> None:
    with configured(session, {"spark.broadhead.enabled": "false"}):
        found = broadhead.explain(session.sql("SELECT s, sum(v) FROM t GROUP BY s"))
    assert found.accelerated == 0
    assert all("spark.broadhead.enabled" in " ".join(node.reasons) for node in found.nodes)


def nodes_below(plan: Any) -> Iterator[Any]:
    """The operators of a plan that ran, those in stages and subqueries too."""
    kind = plan.getClass().getSimpleName()
    if kind == "AdaptiveSparkPlanExec":
        yield from nodes_below(plan.executedPlan())
    elif kind.endswith("QueryStageExec"):
        yield from nodes_below(plan.plan())
    else:
        yield plan
        for below in (plan.children(), plan.subqueries()):
            for index in range(below.size()):
                yield from nodes_below(below.apply(index))


@STATIC_BY_DAY
def test_every_node_is_serializable(answers: Answers, session: SparkSession) -> None:
    """Operators of Spark that stand above ours take their plan along in the closures of tasks."""
    jvm = session._jvm
    conf = session.sparkContext._jsc.sc().conf()
    serializer = jvm.org.apache.spark.serializer.JavaSerializer(conf).newInstance()
    any_class = jvm.scala.reflect.ClassTag.Any()
    seen = set()
    with configured(session, {"spark.broadhead.costModel.enabled": "false"}):
        for sql in QUERIES:
            frame = session.sql(sql)
            frame.collect()
            for node in nodes_below(frame._jdf.queryExecution().executedPlan()):
                name = node.getClass().getSimpleName()
                if name.startswith("Broadhead"):
                    seen.add(name)
                    serializer.serialize(node, any_class)
    assert len(seen) > 22, sorted(seen)
