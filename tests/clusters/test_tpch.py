"""Every query of TPC-H gives plain Spark's rows on a standalone cluster."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from broadhead.demo.compare import difference
from broadhead.demo.data import make_data
from broadhead.demo.queries import NUMBERS, TABLES, load_query
from clusters.applications import Application
from tpch.conftest import ROOT_OF_DATA, SCALE

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.xdist_group("standalone cluster"),
    pytest.mark.timeout(900),
]

VIEWS = """
spark.conf.set("spark.sql.files.maxPartitionBytes", "1m")
for name in TABLES:
    spark.read.parquet(f"{ROOT}/{name}").createOrReplaceTempView(name)
"""

ANSWERS = """
def answer():
    frame = spark.sql(SQL)
    return frame.columns, [tuple(row) for row in frame.collect()], frame

columns, expected, _ = by_spark(answer)
found_columns, found, frame = answer()
Path(FILE).write_bytes(pickle.dumps((columns, expected, found)))
results["columns"] = found_columns == columns
results["replays"] = replays()
results["summary"] = summary(frame)
"""


@pytest.fixture(scope="module")
def on_tables(shared: Application) -> Application:
    """The application that most tests share, with the tables as views."""
    data = make_data(ROOT_OF_DATA, SCALE)
    shared.run(f"TABLES, ROOT = {list(TABLES)}, {str(data)!r}\n{VIEWS}")
    return shared


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"Q{number}")
def test_rows_are_those_of_spark(on_tables: Application, number: int, tmp_path: Path) -> None:
    query = load_query(number, SCALE)
    file = tmp_path / "answers"
    found = on_tables.run(f"SQL, FILE = {query.sql!r}, {str(file)!r}\n{ANSWERS}")
    accelerated, total = found.pop("summary").split()[1::2][:2]
    assert accelerated == total
    assert found == {"columns": True, "replays": 0}
    assert difference(query, *pickle.loads(file.read_bytes())) is None
