"""The user's accumulators: each call counts once, as in Spark."""

from __future__ import annotations

from collections.abc import Callable
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


def counted(contract: Contract, query: Callable[[DataFrame, Any], DataFrame]) -> list[int]:
    """The rows that a function has counted in Spark, then in Broadhead."""
    from pyspark.sql.functions import pandas_udf

    found = []
    for enabled in ("false", "true"):
        rows = contract.session.sparkContext.accumulator(0)

        @pandas_udf("double")
        def the_same(x: pd.Series, rows: Any = rows) -> pd.Series:
            rows.add(len(x))
            return x

        with settings(contract.session, spark__broadhead__enabled=enabled):
            frame = query(contract.table, the_same)
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


def test_calls_of_an_engine_that_failed_do_not_count(contract: Contract) -> None:
    """The length of malformed text is left to Spark, which calls the function again."""
    text = "length(concat(cast(X'C3' as string), s, cast(y as string))) n"

    def query(t: DataFrame, f: Any) -> DataFrame:
        return t.select("s", f("x").alias("y")).selectExpr(text)

    spark, ours, replays = counted(contract, query)
    assert replays > 0
    assert (spark, ours) == (ROWS, ROWS)


def test_calls_of_a_failed_task_do_not_count(contract: Contract) -> None:
    from pyspark.errors import PythonException
    from pyspark.sql.functions import pandas_udf

    for enabled in ("false", "true"):
        rows = contract.session.sparkContext.accumulator(0)

        @pandas_udf("double")
        def the_last(x: pd.Series, rows: Any = rows) -> pd.Series:
            rows.add(len(x))
            raise ValueError("the user said so")

        with (
            settings(contract.session, spark__broadhead__enabled=enabled),
            pytest.raises(PythonException),
        ):
            contract.table.select(the_last("x")).collect()
        assert rows.value == 0, enabled
