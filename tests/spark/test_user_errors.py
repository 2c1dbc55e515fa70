"""Exceptions of the user's own code in a worker: Spark's exception, and no replay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spark.cluster_programs import Run, application

FAULT = """
import broadhead.errors
import broadhead.operators.context
from pathlib import Path

measure = broadhead.operators.context.Run.measure

def the_users_function(path):
    with path.with_name("calls").open("a") as calls:
        calls.write("called ")
    raise eval(path.read_text())

def failing(run, node_id, batches):
    path = Path(PATH)
    for number, batch in enumerate(measure(run, node_id, batches)):
        if path.exists() and number == 1:
            try:
                the_users_function(path)
            except BaseException as error:
                if path.with_name("ours").exists():
                    raise
                raise broadhead.errors.UserError(error) from error
        yield batch

broadhead.operators.context.Run.measure = failing
"""
"""As `sitecustomize`: while the file PATH exists, a function that it describes fails in operators.

There are no user functions in fragments; this is what one does there. It fails at the second batch.
"""

START = """
spark = start("local[2]", **{
    "spark.broadhead.strict": "false", "spark.broadhead.batchRows": "1000",
    "spark.sql.adaptive.enabled": "false"})
spark.range(0, 20_000, 1, 2).selectExpr("id", "id % 37 AS k").write.parquet(str(folder / "t"))
spark.read.parquet(str(folder / "t")).createOrReplaceTempView("t")
fault = folder / "fault"
calls = folder / "calls"

def the_users_function(batches):
    raise eval(fault.read_text())
    yield

def error_of(give):
    try:
        give()
    except Exception as error:
        chain, cause = [], getattr(error, "_origin", None) or getattr(error, "java_exception", None)
        while cause is not None:
            chain.append(cause.getClass().getName())
            cause = cause.getCause()
        condition = error.getCondition() if hasattr(error, "getCondition") else None
        return {"class": f"{type(error).__module__}.{type(error).__name__}",
                "condition": condition, "chain": chain, "text": str(error)}
    return None

def outcomes(give):
    # What Broadhead gives, what a function in Spark gives, and whether Broadhead works afterwards.
    fault.write_text(ERROR)
    calls.unlink(missing_ok=True)
    try:
        found = error_of(give)
        count = len(calls.read_text().split())
        spark.conf.set("spark.broadhead.enabled", "false")
        rows = spark.range(1).mapInArrow(the_users_function, "id LONG")
        joined = spark.range(1).join(rows.hint("broadcast"), "id")
        expected = error_of(joined.collect if BROADCAST else rows.collect)
    finally:
        spark.conf.set("spark.broadhead.enabled", "true")
        fault.unlink()
    return {"found": found, "expected": expected, "calls": count,
            "after": spark.sql("SELECT sum(id) FROM t").collect()[0][0]}
"""

QUERIES = {
    "rows": 'spark.sql("SELECT id + 1 AS n FROM t").collect',
    "first rows": 'spark.sql("SELECT id + 1 AS n FROM t").rdd.count',
    "aggregate": 'spark.sql("SELECT k, count(*) FROM t GROUP BY k").collect',
    "shuffle": 'spark.sql("SELECT id, k FROM t").repartition(3, "k").collect',
    "arrow": 'spark.sql("SELECT id + 1 AS n FROM t").toArrow',
    "broadcast": 'spark.sql("SELECT /*+ BROADCAST(b) */ a.id FROM t a JOIN t b USING (k)").collect',
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("user_errors")
    modules = tmp_path_factory.mktemp("modules")
    fault = FAULT.replace("PATH", repr(str(folder / "fault")))
    (modules / "sitecustomize.py").write_text(fault)
    with application(folder, [modules]) as ask:
        ask(START)
        yield ask


def outcome(run: Run, query: str, error: str) -> dict[str, Any]:
    broadcast = "BROADCAST" in query
    return run(f"ERROR, BROADCAST = {error!r}, {broadcast}\nresults.update(outcomes({query}))")


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(
            query, id=name, marks=pytest.mark.nightly if name in {"first rows", "arrow"} else []
        )
        for name, query in QUERIES.items()
    ],
)
def test_every_task_gives_sparks_exception(run: Run, query: str) -> None:
    found = outcome(run, query, "ValueError('the user said so')")
    assert found["found"] is not None, "the query succeeded: Spark's operators replaced the user's"
    text = found["found"].pop("text")
    assert "in the_users_function" in text
    assert "ValueError: the user said so" in text
    found["expected"].pop("text")
    assert found["found"] == found["expected"]
    if "BROADCAST" not in query:
        assert found["found"]["class"].endswith(".PythonException")
    assert 1 <= found["calls"] <= 2  # two tasks, each at most once
    assert found["after"] == sum(range(20_000))


@pytest.mark.parametrize(
    "error",
    [
        "MemoryError('mine')",
        pytest.param("FileNotFoundError('mine')", marks=pytest.mark.nightly),
        pytest.param("SystemExit('mine')", marks=pytest.mark.nightly),
    ],
)
def test_no_error_of_the_user_is_taken_for_the_engines(run: Run, error: str) -> None:
    found = outcome(run, QUERIES["aggregate"], error)
    assert found["found"] is not None
    assert found["found"]["class"] == found["expected"]["class"]
    assert f"{error.partition('(')[0]}: mine" in found["found"]["text"]
    assert found["after"] == sum(range(20_000))


@pytest.mark.parametrize("error", ["MemoryError('ours')", "ValueError('ours')"])
def test_the_same_error_of_the_engine_is_replayed(run: Run, error: str) -> None:
    """It is not the fault that fails a query, but that the fault is the user's."""
    mark = "(folder / 'ours')"
    found = run(
        f"""
{mark}.touch()
fault.write_text({error!r})
try:
    results["raised"] = error_of({QUERIES["aggregate"]})
finally:
    {mark}.unlink()
    fault.unlink()
"""
    )
    assert found["raised"] is None
