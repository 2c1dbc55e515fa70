"""Suite delta: MERGE and the other commands of Delta Lake over TPC-H's orders."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from turns import Measured, Turns

from broadhead.demo.data import make_data
from engine import EngineError, EngineProcess, load_engine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurements import Options, Results

PIPELINES = ("merge", "update", "delete", "insert", "optimize")
"""The functions of `delta_pipelines`, which runs in the process of each engine."""

_JARS = Path(__file__).resolve().parents[2] / ".stamps" / "storage-jars"
"""Where `make .stamps/storage` puts the jars of the tests."""


def run(options: Options, results: Results) -> None:
    """Make the table where it is missing, then time each command on all engines in turn."""
    data = make_data(options.data / "tpch", options.scale).resolve()
    tables = (options.data / "delta" / f"sf{options.scale:g}").resolve()
    conf = {**options.session_conf(), **_delta()}
    request = {"data": str(data), "folder": str(tables), "module": "delta_pipelines"}
    if not (tables / "changes" / "_SUCCESS").exists():
        _make_tables(options, conf, request)
    with ExitStack() as stack:
        turns = Turns(options, results, {})
        for engine in options.engines:
            process = EngineProcess(engine, conf, options.logs / f"delta-{engine.name}.log")
            stack.callback(process.stop)
            turns.start(process)
        for name in options.pipelines or PIPELINES:
            if options.late:
                results.add_error(name, "all", "not run: the suite's time is used up")
                continue
            turns.measure(Measured(name, {"do": "file_pipeline", "name": name, **request}))
            results.save()


def _delta() -> dict[str, str]:
    """The settings of a session with Delta Lake."""
    found = sorted(str(path) for path in _JARS.glob("delta-*.jar"))
    if not found:
        raise EngineError(f"no jar of Delta Lake in {_JARS}: get it with make .stamps/storage")
    return {
        "spark.driver.extraClassPath": ":".join(found),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # Delta's own queries for the files of a table have 50 tasks each
        "spark.databricks.delta.snapshotPartitions": str(2),
    }


def _make_tables(options: Options, conf: Mapping[str, str], request: Mapping[str, str]) -> None:
    """Plain Spark writes the table."""
    process = EngineProcess(load_engine("spark"), conf, options.logs / "delta-tables.log")
    try:
        process.start()
        process.request({"do": "make_tables", **request}, options.timeout)
    finally:
        process.stop()
