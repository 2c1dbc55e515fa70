"""A client of Spark Connect without Broadhead has everything but the Python API."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.cluster_programs import Run

pytestmark = [pytest.mark.xdist_group("spark connect"), pytest.mark.timeout(900)]

QUERIES = """
results["installed"] = find_spec("broadhead") is not None
results["differences"] = differences({
    "sql": lambda: spark.sql("SELECT k, count(*), sum(v) FROM t WHERE s <> 's3' GROUP BY k"),
    "frame": lambda: spark.table("t").join(spark.table("t").groupBy("k").agg(F.max("v")), "k"),
    "window": lambda: spark.sql("SELECT v, sum(v) OVER (PARTITION BY k ORDER BY v) FROM t"),
})
results["arrow"] = spark.table("t").where("k = 2").toArrow().num_rows
results["pandas"] = len(spark.table("t").where("k = 2").toPandas())
"""

FUNCTIONS = """
@udf("long")
def tripled(v):
    return sum([v, v, v])

@pandas_udf("double")
def centred(v: pd.Series) -> pd.Series:
    return v - 1.5 * v.abs()

@pandas_udf("double")
def middle(v: pd.Series) -> float:
    return float(v.median())

def spread(group):
    return pd.DataFrame({"k": [group.k.iloc[0]], "d": [group.v.max() - group.v.min()]})

def halves(batches):
    for batch in batches:
        yield batch[batch.v % 2 == 0]

t = spark.table("t")
results["differences"] = differences({
    "udf": lambda: t.select("v", tripled("v")),
    "pandas_udf": lambda: t.select("v", centred("v")),
    "aggregate": lambda: t.groupBy("k").agg(middle("v")),
    "applyInPandas": lambda: t.groupBy("k").applyInPandas(spread, "k long, d long"),
    "mapInPandas": lambda: t.mapInPandas(halves, "k long, v long, s string"),
})
"""

WITHOUT_COLUMNS = """
from pyspark.sql.functions import udtf
from pyspark.sql.types import StructType

@udtf(returnType=StructType())
class Tuples:
    def eval(self):
        yield ()
        yield ()

t = spark.table("t").where("v < 9")
frames = {
    "udtf": lambda: Tuples(),
    "mapInPandas": lambda: t.mapInPandas(
        lambda batches: (pd.DataFrame(index=range(len(b))) for b in batches), StructType()),
    "select": lambda: t.select(),
    "union": lambda: t.select().union(t.select()),
}
actions = {
    "collect": lambda frame: frame.collect(),
    "toPandas": lambda frame: frame.toPandas().shape,
    "toArrow": lambda frame: frame.toArrow().num_rows,
    "toLocalIterator": lambda frame: list(frame.toLocalIterator()),
    "count": lambda frame: frame.count(),
}

def answers():
    return {name: {asked: repr(act(make())) for asked, act in actions.items()}
            for name, make in frames.items()}

results["accelerated"] = [name for name, make in frames.items() if "Broadhead" in explained(make())]
results["found"] = answers()
results["expected"] = by_spark(answers)
"""

CACHED = """
kept = spark.sql("SELECT k, v * 2 AS w FROM t").cache()
kept.count()
sums = kept.groupBy("k").sum("w")
results["plan"] = [line.strip(" +-") for line in explained(sums).splitlines()[1:]]
found = rows(sums)
kept.unpersist()
results["rows"] = found == by_spark(lambda: rows(kept.groupBy("k").sum("w")))
"""

ERRORS = """
@udf("long")
def failing(v):
    return 1 // (v - v)

failures = {
    "division": lambda: spark.sql("SELECT v / (k - k) FROM t").collect(),
    "cast": lambda: spark.sql("SELECT CAST(s AS INT) FROM t").collect(),
    "column": lambda: spark.sql("SELECT x FROM t").collect(),
    "function": lambda: spark.table("t").select(failing("v")).collect(),
    "file": lambda: spark.read.parquet("/nowhere").collect(),
}

def failure(call):
    try:
        call()
    except Exception as error:
        lines = str(error).split("JVM stacktrace")[0].splitlines()
        # The user's own frame of the traceback, not those of PySpark around it.
        return [type(error).__name__, error.getCondition(), error.getSqlState(), lines[0],
                [line for line in lines if "<string>" in line or "ZeroDivisionError" in line]]

results["differences"] = {
    name: found
    for name, call in failures.items()
    if (found := (failure(call), by_spark(lambda: failure(call))))[0] != found[1]
    or found[0] is None
}
"""

STREAM = """
source, target = Path(FOLDER) / "source", Path(FOLDER) / "target"
spark.table("t").write.parquet(str(source))

def write(batch, number):
    sums = batch.groupBy("k").sum("v")
    sums.write.mode("append").parquet(str(target / "sums"))
    (target / f"plan-{number}").write_text(sums._explain_string(extended=True))

query = (spark.readStream.schema("k long, v long, s string").parquet(str(source))
         .writeStream.foreachBatch(write).option("checkpointLocation", FOLDER + "/checkpoint")
         .trigger(availableNow=True).start())
query.awaitTermination(120)
results["exception"] = str(query.exception())
results["rows"] = rows(spark.read.parquet(str(target / "sums"))) == by_spark(
    lambda: rows(spark.sql("SELECT k, sum(v) FROM t GROUP BY k")))
results["accelerated"] = "BroadheadHashAggregate" in (target / "plan-0").read_text()
"""


def test_queries(client: Run) -> None:
    found = client(QUERIES)
    assert found == {"installed": False, "differences": {}, "arrow": 714, "pandas": 714}


def test_functions_of_the_client(client: Run) -> None:
    assert client(FUNCTIONS) == {"differences": {}}


def test_rows_without_columns(client: Run) -> None:
    found = client(WITHOUT_COLUMNS)
    assert found["accelerated"] == ["udtf", "mapInPandas", "select", "union"]
    assert found["found"] == found["expected"]


def test_cached_tables(client: Run) -> None:
    found = client(CACHED)
    assert found["rows"]
    assert "InMemoryTableScan {it reads cached Arrow batches}" in found["plan"]
    assert found["plan"][-1] == "Broadhead: 6 of 6 operators accelerated"


def test_errors_are_those_of_spark(client: Run) -> None:
    assert client(ERRORS) == {"differences": {}}


@pytest.mark.nightly
def test_functions_for_batches_of_a_stream(client: Run, tmp_path: Path) -> None:
    found = client(f"FOLDER = {str(tmp_path)!r}\n{STREAM}")
    assert found == {"exception": "None", "rows": True, "accelerated": True}
