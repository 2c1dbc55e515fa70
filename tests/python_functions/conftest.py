"""One session, and its tables, for the tests of Python functions."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest
from pyspark.sql import functions

from local_session import local_session
from python_functions.comparison import Comparison
from python_functions.contract import READER_BATCHES
from python_functions.typed_rows import COLUMNS, typed_rows
from sql_sessions import configured

WITH_ARROW_UDF = ("arrow_kinds", "guide_cases", "plan_cases", "batch_cases", "pinned_cases")
"""Modules with functions that Spark has since 4.1."""

HAS_ARROW_UDF = hasattr(functions, "arrow_udf")

SENT_BY_VALUE = (
    "shown",
    "case_tables",
    "kinds",
    "group_cases",
    "window_cases",
    "return_cases",
    *(WITH_ARROW_UDF if HAS_ARROW_UDF else ()),
)
"""Modules whose functions the workers get with their code, as those of a program's main module."""

collect_ignore = [] if HAS_ARROW_UDF else ["test_types.py", "test_queries.py", "test_pinned.py"]


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
    session.conf.set(READER_BATCHES, "false")
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
