"""One session, and its tables, for the tests of Python functions."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest

from local_session import local_session
from python_functions.comparison import Comparison
from python_functions.typed_rows import COLUMNS, typed_rows
from sql_sessions import configured

SENT_BY_VALUE = (
    "shown",
    "case_tables",
    "kinds",
    "arrow_kinds",
    "group_cases",
    "window_cases",
    "guide_cases",
    "plan_cases",
    "batch_cases",
    "return_cases",
    "pinned_cases",
)
"""Modules whose functions the workers get with their code, as those of a program's main module."""


@pytest.fixture(scope="session")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Comparison]:
    """Asks Spark and Broadhead the same, over the views `nulls`, `filled` and `empty`."""
    from pyspark import cloudpickle

    for name in SENT_BY_VALUE:
        module = importlib.import_module(f"python_functions.{name}")
        cloudpickle.register_pickle_by_value(module)
    session = local_session()
    session.conf.set("spark.broadhead.costModel.enabled", "false")
    session.conf.set("spark.sql.shuffle.partitions", "2")
    session.conf.set("spark.sql.session.timeZone", "UTC")
    folder = tmp_path_factory.mktemp("typed")
    with configured(session, {"spark.broadhead.enabled": "false"}):
        for name, nulls in (("nulls", True), ("filled", False)):
            rows = typed_rows(session, COLUMNS, nulls=nulls)
            rows.write.parquet(str(folder / name))
            session.read.parquet(str(folder / name)).createOrReplaceTempView(name)
        session.table("nulls").where("id < 0").write.parquet(str(folder / "empty"))
        session.read.parquet(str(folder / "empty")).createOrReplaceTempView("empty")
    yield Comparison(session)
    session.catalog.clearCache()


@pytest.fixture
def configuration(comparison: Comparison) -> Iterator:
    """Sets keys of the session until the test ends."""
    opened: list[AbstractContextManager[None]] = []

    def configure(keys: dict[str, str]) -> None:
        opened.append(configured(comparison.session, keys))
        opened[-1].__enter__()

    yield configure
    for context in reversed(opened):
        context.__exit__(None, None, None)
