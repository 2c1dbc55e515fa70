"""The Spark application that the tests of one process share."""

from __future__ import annotations

import atexit
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from functools import cache
from typing import TYPE_CHECKING

import broadhead
from store_jar import store_jar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession


def local_session(
    jars: Sequence[Path] = (), configuration: Mapping[str, str] | None = None
) -> SparkSession:
    """A new session with Broadhead; the first call starts the application.

    That application has `jars` on its class path, and the keys of `configuration`. Raises
    RuntimeError where the process has an application without them.

    BROADHEAD_TEST_DEVICE (`auto`, `gpu`, `cpu`) says where fragments run: `cpu` where it is not
    set. With `process` the application takes the host for one with a GPU: its process computes, on
    pyarrow. BROADHEAD_TEST_CORES (2) says on how many cores Spark runs, each with 1 GiB.
    """
    from pyspark.sql import SparkSession

    _add_to_arrow()
    _check_application(jars)
    cores = int(os.environ.get("BROADHEAD_TEST_CORES", "2"))
    builder = (
        SparkSession.builder.master(f"local[{cores}]")
        .config("spark.driver.memory", f"{cores}g")
        .config("spark.ui.enabled", "false")
        # Spark describes every plan for its UI: the short form takes less time.
        .config("spark.sql.ui.explainMode", "simple")
        .config("spark.local.dir", _local_directory())
        # Java uses the archive of Spark's classes where nothing stands before them.
        .config("spark.jars", str(store_jar()))
        .config("spark.hadoop.fs.store.impl", "io.broadhead.store.StoreFileSystem")
        # each table reads its store with its own settings
        .config("spark.hadoop.fs.store.impl.disable.cache", "true")
    )
    if jars:
        builder = builder.config("spark.driver.extraClassPath", ":".join(map(str, jars)))
    for key, value in (configuration or {}).items():
        builder = builder.config(key, value)
    application = broadhead.configure(builder).getOrCreate()
    await_workers(application)
    session = application.newSession()
    device = os.environ.get("BROADHEAD_TEST_DEVICE", "cpu")
    if device == "process":
        report_gpu(application)
        device = "gpu"
    session.conf.set("spark.broadhead.device", device)
    return session


@cache
def _add_to_arrow() -> None:
    """`DataFrame.toArrow` where PySpark has only the part of `toPandas` that it is made of: 3.5."""
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.pandas.types import to_arrow_schema

    def to_arrow(frame: DataFrame) -> pa.Table:
        batches = frame._collect_as_arrow()
        return pa.Table.from_batches(batches, None if batches else to_arrow_schema(frame.schema))

    if not hasattr(DataFrame, "toArrow"):
        DataFrame.toArrow = to_arrow


def report_gpu(spark: SparkSession) -> None:
    """Has the driver plan for a GPU of the host, which may have none."""
    jvm = spark._jvm
    loader = jvm.Thread.currentThread().getContextClassLoader()
    state = loader.loadClass("org.apache.spark.sql.broadhead.application.BroadheadState$")
    report = {
        "interpreter": sys.executable,
        "python": platform.python_version(),
        "gpus": [{"name": "a GPU"}],
    }
    state.getField("MODULE$").get(None).executorReported(
        json.dumps({"executor": "driver", "report": report})
    )


def await_workers(spark: SparkSession) -> None:
    """Waits until the engine runs small tasks, too."""
    workers = spark._jvm.org.apache.spark.sql.broadhead.execution.ForkServer
    while workers.isAwaited():
        time.sleep(0.05)


def _check_application(jars: Sequence[Path]) -> None:
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    path = context.getConf().get("spark.driver.extraClassPath", "") if context else ""
    if context is not None and not {str(jar) for jar in jars} <= set(str(path).split(":")):
        raise RuntimeError(
            "this process has started Spark without the jars of tests/storage: run these tests "
            "in a process of their own, as make test-storage does"
        )


@cache
def _local_directory() -> str:
    """A directory for the files of this process's application alone."""
    path = tempfile.mkdtemp(prefix="broadhead-tests-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path
