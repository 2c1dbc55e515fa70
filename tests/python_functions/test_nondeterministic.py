"""Functions that say they are not deterministic: called once a row, where Spark calls them."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import broadhead
from python_functions.contract import ROWS, Calls, Contract, settings
from sql_runs import is_nightly

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    return Contract(tmp_path_factory.mktemp("nondeterministic"))


@pytest.fixture(params=["pandas_udf", pytest.param("udf", marks=pytest.mark.nightly)])
def halved(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, Calls]:
    """A function of `x`, and the rows of its calls."""
    from pyspark.sql.functions import pandas_udf, udf

    calls = Calls(tmp_path / "calls")

    def of_series(x: pd.Series) -> pd.Series:
        calls.add(len(x))
        return x / 2

    def of_row(x: float) -> float:
        calls.add()
        return x / 2

    if request.param == "udf":
        return udf(of_row, "double", useArrow=True).asNondeterministic(), calls
    return pandas_udf(of_series, "double").asNondeterministic(), calls


def queries(half: Any) -> dict[str, Callable[[DataFrame], DataFrame]]:
    """Plans in which Spark moves, repeats or drops a deterministic function."""
    from pyspark.sql import functions as f

    def with_half(t: DataFrame) -> DataFrame:
        return t.select("id", "k", half("x").alias("y"))

    return {
        "twice": lambda t: t.select(half("x").alias("y"), half("x")),
        "in one expression": lambda t: t.select((half("x") + half("x")).alias("y")),
        "of itself": lambda t: t.select(half(half("x")).alias("y")),
        "used twice": lambda t: with_half(t).selectExpr("y", "y + 1", "y * y"),
        "used only below": lambda t: with_half(t).where("y > 100").select("id"),
        "below a filter of it": lambda t: with_half(t).where("y > 100"),
        "below a filter of another column": lambda t: with_half(t).where("id % 3 = 0"),
        "below both": lambda t: with_half(t).where("id % 3 = 0 and y > 100 and y < 200"),
        "in a filter": lambda t: t.where(half("x") > 100).select("id"),
        "in a filter after another": lambda t: t.where((f.col("k") > 2) & (half("x") > 100)),
        "in a filter before another": lambda t: t.where(half("x") > 100).where("k > 2"),
        "in a condition": lambda t: t.select(f.when(f.col("k") > 2, half("x")).alias("y")),
        "below an aggregate": lambda t: with_half(t).groupBy("k").agg(f.sum("y"), f.max("y")),
        "as a key": lambda t: t.groupBy(half("x").alias("y")).count(),
        "below a join": lambda t: with_half(t).join(
            t.where("k = 1").selectExpr("id as i"), f.expr("i = id and y > 9")
        ),
        "below a union": lambda t: with_half(t).union(with_half(t)).where("y > 100"),
        "below a window": lambda t: with_half(t).selectExpr("y", "sum(y) over (partition by k)"),
        "below an exchange": lambda t: (
            with_half(t).repartition(2, "k").groupBy("k").agg(f.sum("y"))
        ),
    }


BY_DAY = (
    "of itself",
    "below both",
    "in a condition",
    "below an aggregate",
    "below an exchange",
)


def test_each_row_once(contract: Contract, halved: tuple[Any, Calls]) -> None:
    half, calls = halved
    different = {}
    found = queries(half)
    for name in found if is_nightly() else BY_DAY:
        query = found[name]
        expected, of_spark = contract.rows(query, enabled=False), sum(calls.taken())
        assert contract.rows(query) == expected, name
        ours = sum(calls.taken())
        if ours != of_spark:
            different[name] = (of_spark, ours)
    assert different == {}


def test_filters_stay_above_the_function(contract: Contract, halved: tuple[Any, Calls]) -> None:
    half, calls = halved
    for query in ("y > 100", "id % 3 = 0", "id % 3 = 0 and y > 100"):
        contract.rows(lambda t, query=query: t.select("id", half("x").alias("y")).where(query))
        assert sum(calls.taken()) == ROWS, query


def test_a_value_is_the_same_wherever_it_is_used(contract: Contract) -> None:
    """Each row's value is drawn once, so a filter and its result see the same."""
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("string")
    def drawn(i: pd.Series) -> pd.Series:
        return pd.Series([str(uuid.uuid4()) for _ in i])

    name = drawn.asNondeterministic()
    with settings(contract.session, spark__broadhead__enabled="true"):
        both = contract.table.select(name("id").alias("a")).selectExpr("a", "a as b", "upper(a) c")
        found = both.where("a >= '8' and b like '%-%'").collect()
        assert found
        assert all(row.a == row.b == row.c.lower() and row.a >= "8" for row in found)
        twice = contract.table.select(name("id").alias("a"), name("id").alias("b")).collect()
        assert all(row.a != row.b for row in twice)
        assert len({text for row in twice for text in row}) == 2 * ROWS


def test_it_is_called_not_read(contract: Contract) -> None:
    """An expression of the engine could be moved, so these functions do not become one."""
    from pyspark.sql.functions import pandas_udf

    @pandas_udf("double")
    def half(x: pd.Series) -> pd.Series:
        return x / 2

    explained = str(broadhead.explain(contract.table.select(half.asNondeterministic()("x"))))
    assert "half is called: it is not deterministic" in explained
    contract.same_rows(lambda t: t.select(half.asNondeterministic()("x")))
