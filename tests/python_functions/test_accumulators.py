"""The user's accumulators: each call counts once, as in Spark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from python_functions.contract import ROWS, Contract, settings
from sql_sessions import replayed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    return Contract(tmp_path_factory.mktemp("accumulators"))


def adding_to(rows: Any, *, fails: bool = False) -> Any:
    """A function that counts its rows in an accumulator."""
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def the_same(x: pd.Series) -> pd.Series:
        rows.add(len(x))
        if fails:
            raise ValueError("the user said so")
        return x

    return the_same


def counted(contract: Contract, query: Callable[[DataFrame, Any], DataFrame]) -> list[int]:
    """The rows that a function has counted in Spark, in Broadhead, and the replays there."""
    found = []
    for enabled in ("false", "true"):
        rows = contract.session.sparkContext.accumulator(0)
        with settings(contract.session, spark__broadhead__enabled=enabled):
            frame = query(contract.table, adding_to(rows))
            frame.collect()
        found.append(rows.value)
    return [*found, replayed(frame)]


def test_each_call_counts_once(contract: Contract) -> None:
    assert counted(contract, lambda t, f: t.select(f("x"))) == [ROWS, ROWS, 0]
    assert counted(contract, lambda t, f: t.where(f("x") > 9).groupBy("k").count()) == [
        ROWS,
        ROWS,
        0,
    ]


def test_calls_of_an_engine_that_failed_do_not_count(contract: Contract, tmp_path: Path) -> None:
    """The length of malformed text is left to Spark, which calls the function again."""
    path = str(tmp_path / "malformed")
    with settings(contract.session, spark__broadhead__enabled="false"):
        text = "if(id % 100 = 99, cast(X'C328' as string), 'text') text"
        contract.table.selectExpr("x", text).write.parquet(path)

    def query(_: DataFrame, f: Any) -> DataFrame:
        rows = contract.session.read.parquet(path)
        return rows.select("text", f("x").alias("y")).selectExpr("y", "length(text) n")

    spark, ours, replays = counted(contract, query)
    assert replays > 0
    assert (spark, ours) == (ROWS, ROWS)


def test_calls_of_a_failed_task_do_not_count(contract: Contract) -> None:
    from pyspark.errors import PythonException

    for enabled in ("false", "true"):
        rows = contract.session.sparkContext.accumulator(0)
        with (
            settings(contract.session, spark__broadhead__enabled=enabled),
            pytest.raises(PythonException),
        ):
            contract.table.select(adding_to(rows, fails=True)("x")).collect()
        assert rows.value == 0, enabled
