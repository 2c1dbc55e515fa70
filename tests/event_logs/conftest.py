from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from broadhead.jar import jar_path
from launch.programs import ROOT

# Two applications in one JVM, with the plugin and without, and Spark's own codecs on their logs.
PROGRAM = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession

folder, jar, plugin = sys.argv[1:]

def run(name, **conf):
    builder = (SparkSession.builder.master("local[2]").appName(name)
        .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
        .config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", f"file://{folder}")
        .config("spark.eventLog.rolling.enabled", "false")
        .config("spark.eventLog.compress", "false").config("spark.jars", jar))
    for key, value in conf.items():
        builder = builder.config(key.replace("_", "."), value)
    spark = builder.getOrCreate()
    if not Path(folder, "table").exists():
        rows = spark.range(3000).selectExpr("id % 7 AS k", "id AS v", "cast(id AS string) AS s")
        rows.write.parquet(f"{folder}/table")
    for description, sql in (
        ("sum by key", "SELECT k, sum(v) FROM t WHERE v > 5 GROUP BY k ORDER BY k"),
        ("by code", "SELECT max(xpath_string(concat('<a>', s, '</a>'), 'a')) FROM t"),
        ("reflected", "SELECT reflect('java.lang.String', 'valueOf', s) AS r FROM t WHERE v < 99"),
    ):
        spark.read.parquet(f"{folder}/table").createOrReplaceTempView("t")
        spark.sparkContext.setJobDescription(description)
        spark.conf.set("spark.broadhead.costModel.enabled", str(description != "by code").lower())
        spark.sql(sql).collect()
    identifier = spark.sparkContext.applicationId
    if name == "plain":
        jvm = spark._jvm
        content = Path(folder, identifier + ".inprogress").read_bytes()
        for codec in ("zstd", "lz4", "snappy", "lzf"):
            conf = jvm.org.apache.spark.SparkConf()
            file = jvm.java.io.FileOutputStream(f"{folder}/{codec}.{codec}")
            codec = getattr(jvm.org.apache.spark.io, "CompressionCodec").createCodec(conf, codec)
            stream = codec.compressedOutputStream(file)
            for start in range(0, len(content), 50000):
                stream.write(content[start : start + 50000])
                stream.flush()
            stream.close()
        Path(folder, "content").write_bytes(content)
    spark.stop()
    Path(folder, identifier).rename(Path(folder, name))

run("accelerated", spark_plugins=plugin)
run("plain", spark_plugins="", spark_sql_extensions="")
"""


@dataclass(frozen=True)
class Logs:
    """The logs of two applications, and one of them in each codec."""

    folder: Path

    def path(self, name: str) -> str:
        return str(self.folder / name)


@pytest.fixture(scope="package")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Logs:
    folder = tmp_path_factory.mktemp("logs")
    program = folder / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    environment |= {"PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, program, folder, jar_path(), "io.broadhead.BroadheadPlugin"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-8000:]
    return Logs(folder)
