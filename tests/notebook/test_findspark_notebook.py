"""`%%broadhead` in a notebook that finds Spark with findspark and starts it with the plugin."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from broadhead.jar import jar_path
from notebook_runs import execute, notebook_of, shown

BEFORE = "%%broadhead\n1 + 1"
START = """%%broadhead
import findspark
findspark.init()
from pyspark.sql import SparkSession
builder = SparkSession.builder.config("spark.plugins", "io.broadhead.BroadheadPlugin")
spark = builder.config("spark.jars", {jar!r}).getOrCreate()
spark.range(0, 1000, 1, 2).write.parquet("rows")
rows = spark.read.parquet("rows")
rows.agg({{"id": "sum"}}).collect()
"""
STOP = "%%broadhead\nspark.stop()"


@pytest.mark.nightly
def test_findspark(tmp_path: Path) -> None:
    spark = importlib.util.find_spec("pyspark")
    assert spark
    assert spark.origin
    start = START.format(jar=str(jar_path()))
    notebook = notebook_of("%load_ext broadhead", BEFORE, start, STOP)
    home = str(Path(spark.origin).parent)
    execute(notebook, folder=tmp_path, home=tmp_path / "ipython", SPARK_HOME=home)
    texts = {cell.source: shown(cell)[-1]["text/plain"] for cell in notebook.cells[1:]}
    assert texts[BEFORE] == "Broadhead: there is no Spark session"
    assert "BroadheadFileSourceScan" in texts[start], "the cell itself started Spark"
    assert texts[STOP].startswith("Broadhead: the cell has stopped the session")
