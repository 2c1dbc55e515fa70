"""Workers that die in the user's functions: Spark's error, and nothing is called again."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from python_functions.contract import Calls, Contract

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    return Contract(tmp_path_factory.mktemp("worker_deaths"))


@pytest.mark.parametrize("death", ["exit", "kill"])
def test_a_death_is_the_tasks_result(contract: Contract, tmp_path: Path, death: str) -> None:
    from pyspark.sql.functions import pandas_udf

    calls = Calls(tmp_path / "calls")

    @pandas_udf("double")
    def the_end(x: pd.Series) -> pd.Series:
        calls.add()
        if death == "exit":
            os._exit(3)
        os.kill(os.getpid(), signal.SIGKILL)
        return x

    def query(t: DataFrame) -> DataFrame:
        return t.coalesce(1).select(the_end("x"))

    contract.session.conf.set("spark.broadhead.strict", "false")
    failure = contract.failure(query, enabled=False)
    assert len(calls.taken()) == 1
    assert contract.failure(query, enabled=True) == failure
    assert len(calls.taken()) == 1
