"""Data and session for the TPC-H tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from broadhead.demo.data import make_data, register_views
from broadhead.demo.queries import load_query
from local_session import local_session
from sql_sessions import configured

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

REPOSITORY = Path(__file__).resolve().parents[2]
ROOT_OF_DATA = Path(os.environ.get("BROADHEAD_TPCH_DATA", REPOSITORY / ".data" / "tpch"))
SCALE = float(os.environ.get("BROADHEAD_TPCH_SCALE", "0.05"))

Result = tuple[list[str], list[tuple[object, ...]], "DataFrame"]


@pytest.fixture(scope="session")
def tpch_root() -> Path:
    """Folder in which TPC-H data is kept between runs."""
    return ROOT_OF_DATA


@pytest.fixture(scope="session")
def tpch_session(tpch_root: Path) -> SparkSession:
    """Session with Broadhead and views of the TPC-H tables."""
    session = local_session()
    session.conf.set("spark.sql.shuffle.partitions", "4")
    register_views(session, make_data(tpch_root, SCALE))
    return session


@pytest.fixture(scope="session")
def run_query(tpch_session: SparkSession) -> Callable[..., Result]:
    """Function that runs a query by number and gives its columns, rows and DataFrame."""

    def run(number: int, /, *, accelerated: bool, **keys: str) -> Result:
        configuration = {**keys, "spark.broadhead.enabled": str(accelerated).lower()}
        with configured(tpch_session, configuration):
            frame = tpch_session.sql(load_query(number, SCALE).sql)
            return frame.columns, [tuple(row) for row in frame.collect()], frame

    return run
