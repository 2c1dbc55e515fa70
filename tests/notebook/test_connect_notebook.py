"""`%%broadhead` in a notebook with a session of Spark Connect."""

from __future__ import annotations

from typing import Any

import pytest

from notebook_runs import execute, notebook_of, shown

pytestmark = pytest.mark.nightly

SESSION = """%load_ext broadhead
import broadhead
from pyspark.sql import SparkSession
spark = broadhead.configure(SparkSession.builder.remote("local[2]")).getOrCreate()
spark.range(0, 1000, 1, 2).selectExpr("id", "id % 7 AS k").write.parquet("rows")
rows = spark.read.parquet("rows")
unused = spark.range(3)
"""
CELL = """%%broadhead
sums = rows.groupBy("k").count()
sums.collect()
rows.count()
wrong = rows.select("no_such_column")
"""
SLOW = """%%broadhead
import time
from pyspark.sql.functions import udf
@udf("long")
def slow(number):
    time.sleep(2)
    return number
spark.range(0, 2, 1, 2).select(slow("id")).collect()
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("connect")
    cells = [SESSION, CELL, "%broadhead explain SELECT id FROM range(5)", SLOW]
    notebook = notebook_of(*cells)
    execute(notebook, folder=folder, home=folder / "ipython")
    return {cell.source: shown(cell) for cell in notebook.cells}


def test_the_frames_of_a_cell_are_explained(outputs: dict[str, list[dict[str, Any]]]) -> None:
    report = outputs[CELL][-1]
    summary, *plans = report["text/plain"].split("\n\n")
    assert summary.startswith("Broadhead: 2 queries on the Spark Connect server, ")
    assert {plan.partition("\n")[0] for plan in plans} == {"sums", "wrong"}
    assert "* BroadheadHashAggregate" in plans[0]
    assert "no_such_column" in plans[1]
    assert "<code>BroadheadHashAggregate</code>" in report["text/html"]


def test_queries_in_sql_are_explained(outputs: dict[str, list[dict[str, Any]]]) -> None:
    (explained,) = outputs["%broadhead explain SELECT id FROM range(5)"]
    assert "operators accelerated" in explained["text/plain"]


def test_progress_is_removed(outputs: dict[str, list[dict[str, Any]]]) -> None:
    bar = next(output for output in outputs[SLOW] if "text/html" in output)
    assert bar == {"text/html": "", "text/plain": ""}
