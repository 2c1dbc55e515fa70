"""Chains whose last functions are expressions: what the functions before them may return."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import DataFrame

from python_functions.contract import Contract
from sql_sessions import configured


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    from pyspark.cloudpickle import register_pickle_by_value

    # workers do not have the tests
    register_pickle_by_value(sys.modules[__name__])
    return Contract(tmp_path_factory.mktemp("chained_functions"))


def chain(head: Callable[[pd.Series], Any]) -> Callable[[DataFrame], DataFrame]:
    """A function of doubles, called, then one that is an expression."""
    from pyspark.sql.functions import pandas_udf

    first = pandas_udf(head, "double")

    @pandas_udf("double")
    def bounded(value: pd.Series) -> pd.Series:
        return (value // 2).clip(1, 90)

    return lambda t: t.select("id", bounded(first("x")).alias("x"))


def doubles(value: pd.Series) -> pd.Series:
    return np.log1p(value).where(value > 10)


def test_doubles(contract: Contract) -> None:
    contract.same_rows(chain(doubles))


def integers(value: pd.Series) -> pd.Series:
    return np.log1p(value).astype("int64")


def singles(value: pd.Series) -> pd.Series:
    return np.log1p(value).astype("float32")


@pytest.mark.parametrize("head", [integers, singles])
def test_other_things(contract: Contract, head: Callable[[pd.Series], Any]) -> None:
    """The second function sees them as they are; Spark repeats the first task of a worker."""
    make = chain(head)
    expected = contract.rows(make, enabled=False)
    with configured(contract.session, {"spark.broadhead.enabled": "true"}):
        for _ in range(2):
            assert sorted(map(repr, make(contract.table).collect())) == expected


def an_array(value: pd.Series) -> Any:
    return np.log1p(value.to_numpy())


def too_few(value: pd.Series) -> pd.Series:
    return np.log1p(value)[1:]


@pytest.mark.parametrize("head", [an_array, too_few])
def test_errors(contract: Contract, head: Callable[[pd.Series], Any]) -> None:
    contract.same_failure(chain(head))
