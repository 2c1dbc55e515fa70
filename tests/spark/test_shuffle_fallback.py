"""Applications whose shuffle takes no files of the engine: Spark shuffles, and says why."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyspark
import pytest

from spark.cluster_programs import run_program

SETTINGS: dict[str, dict[str, str]] = {
    "spark.io.encryption.enabled = true is not supported": {"spark.io.encryption.enabled": "true"},
    "spark.shuffle.useOldFetchProtocol = true is not supported": {
        "spark.shuffle.useOldFetchProtocol": "true"
    },
}

GROUPED = """
spark.range(0, 1000).selectExpr("id", "id % 7 AS k").write.parquet(str(folder / "t"))
make = lambda: spark.read.parquet(str(folder / "t")).groupBy("k").sum("id")
frame = make()
results["right"] = rows(frame) == by_spark(make)
results["accelerated"] = broadhead.explain(frame).accelerated > 0
results["reasons"] = list(broadhead.explain(frame).reasons)
"""
"""An aggregation in a session: whether it is right, and what the plugin says of it."""


@pytest.mark.nightly
def test_settings_that_leave_shuffles_to_spark(tmp_path: Path) -> None:
    """Everything else of the query still runs in the engine."""
    found = run_program(
        f"""
for reason, keys in {SETTINGS!r}.items():
    spark = start("local[1]", **keys)
    spark.range(0, 1000).selectExpr("id", "id % 7 AS k").write.mode("overwrite").parquet(
        str(folder / "t"))
    make = lambda: spark.read.parquet(str(folder / "t")).groupBy("k").sum("id")
    frame = make()
    results[reason] = [
        rows(frame) == by_spark(make),
        any(reason in found for found in broadhead.explain(frame).reasons),
        broadhead.explain(frame).accelerated > 0,
    ]
    if reason != list({SETTINGS!r})[-1]:
        spark.stop()
""",
        tmp_path,
    )
    assert found == {reason: [True, True, True] for reason in SETTINGS}


@pytest.mark.nightly  # another setting that leaves shuffles to Spark, and rare
def test_push_based_shuffle(tmp_path: Path) -> None:
    """Outside of tests Spark pushes blocks on YARN alone; this one says that it is a test."""
    found = run_program(
        """
spark = start("local[1]", **{
    "spark.shuffle.push.enabled": "true",
    "spark.testing": "true",
    "spark.shuffle.service.enabled": "true",
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
})
conf = spark.sparkContext._jsc.sc().conf()
results["pushes"] = spark._jvm.org.apache.spark.util.Utils.isPushBasedShuffleEnabled(
    conf, True, True)
"""
        + GROUPED,
        tmp_path,
    )
    assert found == {
        "pushes": True,
        "right": True,
        "accelerated": True,
        "reasons": ["push-based shuffle is not supported, set spark.shuffle.push.enabled = false"],
    }


@pytest.mark.nightly
def test_another_shuffle_manager(tmp_path: Path) -> None:
    """A manager of the user's own keeps its shuffles, whatever it does with them."""
    jars = Path(pyspark.__file__).parent / "jars"
    source, jar = tmp_path / "OtherManager.scala", tmp_path / "other.jar"
    source.write_text(
        "package org.apache.spark.shuffle.sort\n"
        "class OtherManager(conf: org.apache.spark.SparkConf) extends SortShuffleManager(conf)\n"
    )
    compiler = ["java", "-Xss8m", "-cp", f"{jars}/*", "scala.tools.nsc.Main", "-usejavacp"]
    subprocess.run([*compiler, "-d", str(jar), str(source)], check=True)
    found = run_program(
        f"""
spark = start("local[1]", **{{
    "spark.driver.extraClassPath": {str(jar)!r},
    "spark.shuffle.manager": "org.apache.spark.shuffle.sort.OtherManager",
}})
"""
        + GROUPED,
        tmp_path,
    )
    assert found == {
        "right": True,
        "accelerated": True,
        "reasons": ["shuffle manager org.apache.spark.shuffle.sort.OtherManager is not supported"],
    }
