"""Suite iceberg: the queries of suite tpch over tables of Iceberg."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from turns import Turns

from broadhead.demo.data import make_data
from broadhead.demo.queries import TABLES
from engine import EngineError, EngineProcess, load_engine
from suites.tpch import measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from measurements import Options, Results

_JARS = Path(__file__).resolve().parents[2] / ".stamps" / "storage-jars"
"""Where `make .stamps/storage` puts the jars of the tests."""


def run(options: Options, results: Results) -> None:
    """Make the tables where they are missing, then compare and time each query."""
    data = make_data(options.data / "tpch", options.scale).resolve()
    warehouse = (options.data / "iceberg" / f"sf{options.scale:g}").resolve()
    conf = {**options.session_conf(), "spark.driver.extraClassPath": str(_jar())}
    if not (warehouse / "tpch").is_dir():
        _make_tables(options, data, warehouse, conf)
    tables = {table: str(warehouse / "tpch" / table) for table in TABLES}
    measure(options, Turns(options, results, tables, "iceberg"), results, conf)


def _jar() -> Path:
    found = sorted(_JARS.glob("iceberg-spark-runtime-*.jar"))
    if not found:
        raise EngineError(f"no jar of Iceberg in {_JARS}: get it with make .stamps/storage")
    return found[-1]


def _make_tables(options: Options, data: Path, warehouse: Path, conf: Mapping[str, str]) -> None:
    """Plain Spark writes the tables, in a catalog that is a folder."""
    catalog = {
        "spark.sql.catalog.made": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.made.type": "hadoop",
        "spark.sql.catalog.made.warehouse": str(warehouse),
    }
    process = EngineProcess(
        load_engine("spark"), {**conf, **catalog}, options.logs / "iceberg-tables.log"
    )
    try:
        process.start()
        tables = {f"made.tpch.{table}": str(data / table) for table in TABLES}
        process.request({"do": "write_tables", "tables": tables}, options.timeout)
    finally:
        process.stop()
