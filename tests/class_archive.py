"""Spark's classes in an archive that JVMs map instead of loading them one by one.

    python tests/class_archive.py    makes it for the Spark and the Java of this interpreter

The suite starts Spark some hundred times, and with the archive each start takes half as long. A JVM
that cannot use it, of another Java or another Spark, goes on without.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"

SILENT = "-Xlog:cds=off -Xlog:cds+dynamic=off -Xlog:class+path=off"
"""The JVM has a warning for each class that it cannot archive, and for an archive it cannot use."""

PROGRAM = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
path = sys.argv[1] + "/rows"
spark.range(1000).selectExpr("id", "id % 7 AS k", "string(id) AS s").write.parquet(path)
spark.read.parquet(path).createOrReplaceTempView("t")
spark.sql("SELECT k, count(*), sum(id) FROM t GROUP BY k ORDER BY k").collect()
spark.sql("SELECT a.s, row_number() OVER (PARTITION BY a.k ORDER BY a.id) FROM t a "
          "JOIN t b ON a.id = b.id WHERE a.s LIKE '%1' ORDER BY 1 LIMIT 5").toPandas()
spark.stop()
"""


def options() -> str:
    """What JVMs are started with to use the archive; nothing where there is none."""
    return f'"-XX:SharedArchiveFile={ARCHIVE}" {SILENT}' if ARCHIVE.exists() else ""


def make() -> bool:
    """Write the archive as a JVM that runs some queries ends; False where Java cannot do it."""
    ARCHIVE.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=ARCHIVE.parent) as folder:
        written = Path(folder) / ARCHIVE.name
        java = f'"-XX:ArchiveClassesAtExit={written}" {SILENT} -XX:TieredStopAtLevel=1'
        environment = os.environ | {"SPARK_SUBMIT_OPTS": java, "PYSPARK_PYTHON": sys.executable}
        arguments = [sys.executable, "-c", PROGRAM, folder]
        ended = subprocess.run(arguments, env=environment, cwd=folder, capture_output=True)
        made = ended.returncode == 0 and written.exists()
        if made:
            written.replace(ARCHIVE)
    return made


if __name__ == "__main__":
    print(ARCHIVE if make() else "This Java makes no class archive: tests start Spark without one")
