"""Every query gives plain Spark's rows where two executors fetch each other's shuffle blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from broadhead.demo.data import make_data
from broadhead.demo.queries import NUMBERS
from spark.cluster_programs import Run, application
from tpch.conftest import SCALE

START = """
from broadhead.demo.compare import difference
from broadhead.demo.data import register_views
from broadhead.demo.queries import load_query
spark = start("local-cluster[2,1,2048]", **{"spark.sql.files.maxPartitionBytes": "1m"})
register_views(spark, Path(ROOT))

def answer(number, enabled):
    spark.conf.set("spark.broadhead.enabled", enabled)
    frame = spark.sql(load_query(number, SCALE).sql)
    return frame.columns, [tuple(row) for row in frame.collect()], frame
"""

COMPARE = """
columns, expected, _ = answer(NUMBER, "false")
found_columns, found, frame = answer(NUMBER, "true")
coverage = broadhead.explain(frame)
results["columns"] = found_columns == columns
results["difference"] = difference(load_query(NUMBER, SCALE), columns, expected, found)
results["left to Spark"] = coverage.total - coverage.accelerated
"""


@pytest.fixture(scope="module")
def run(tpch_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Runs programs on two executors that have the tables as views."""
    data = make_data(tpch_root, SCALE)
    with application(tmp_path_factory.mktemp("cluster")) as started:
        started(f"ROOT, SCALE = {str(data)!r}, {SCALE}\n{START}")
        yield started


# By day tests/spark has joins on two executors.
@pytest.mark.nightly
@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"Q{number}")
def test_rows_are_those_of_spark(run: Run, number: int) -> None:
    found = run(COMPARE.replace("NUMBER", str(number)))
    assert found == {"columns": True, "difference": None, "left to Spark": 0}
