"""What `explain` and `profile` say of Python functions, and the switch of tracing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest
from pyspark.sql.functions import pandas_udf, udf
from pyspark.sql.types import DoubleType, LongType

import broadhead

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    from python_functions.comparison import Comparison

pytestmark = pytest.mark.xdist_group("python functions")

DOUBLED = "doubled is computed as an expression"
CENTRED = "centred is called: it uses .mean of a Series of floats"


def made(comparison: Comparison, folder: str) -> DataFrame:
    # functions of functions, so that workers get them with their code
    def doubled(x: pd.Series) -> pd.Series:
        return x * 2 + 1

    def centred(x: pd.Series) -> pd.Series:
        return x - x.mean()

    rows = comparison.session.range(0, 1000, 1, 2).selectExpr("id", "CAST(id AS DOUBLE) AS x")
    rows.write.mode("overwrite").parquet(folder)
    table = comparison.session.read.parquet(folder)
    first = pandas_udf(doubled, DoubleType())("x")
    return table.select("id", first.alias("a"), pandas_udf(centred, DoubleType())("x").alias("b"))


@pytest.fixture
def frame(
    comparison: Comparison, configuration: Callable[[dict[str, str]], None], tmp_path: object
) -> DataFrame:
    configuration({"spark.broadhead.enabled": "true"})
    return made(comparison, f"{tmp_path}/rows")


def functions_of(frame: DataFrame) -> list[str]:
    return [text for node in broadhead.explain(frame).nodes for text in node.functions]


def test_explain_says_how_each_function_is_computed(frame: DataFrame) -> None:
    explained = broadhead.explain(frame)
    found = functions_of(frame)
    assert found == [DOUBLED, CENTRED]
    assert "  {" + "; ".join(found) + "}" in str(explained)
    utilities = frame.sparkSession._jvm.PythonSQLUtils
    text = utilities.explainString(frame._jdf.queryExecution(), "extended")
    assert " {" + "; ".join(found) + "}" in text


def test_tracing_can_be_switched_off(
    frame: DataFrame, configuration: Callable[[dict[str, str]], None]
) -> None:
    traced = sorted(frame.collect())
    configuration({"spark.broadhead.python.trace": "false"})
    again = frame.select("*")
    assert functions_of(again) == [
        f"{name} is called: spark.broadhead.python.trace is false"
        for name in ("doubled", "centred")
    ]
    assert sorted(again.collect()) == traced
    assert calls_traced(again) == 0


def test_profile_counts_rows_and_traced_calls(frame: DataFrame) -> None:
    profile = broadhead.profile(frame)
    (evaluated,) = [each for each in profile.operators if each.calls]
    assert evaluated.calls == ("doubled", "centred")
    assert evaluated.metrics["numOutputRows"] == 1000
    assert evaluated.metrics["tracedCalls"] == 2, "one of its functions in each of two tasks"
    lines = str(profile).splitlines()
    assert lines[0].split()[0] == "Operator"
    assert any("BroadheadArrowEvalPython" in line and DOUBLED in line for line in lines)
    assert "<table>" in profile._repr_html_()


def calls_traced(frame: DataFrame) -> int:
    operators = broadhead.profile(frame).operators
    return sum(each.metrics.get("tracedCalls", 0) for each in operators)


def test_plain_functions_become_expressions(
    comparison: Comparison, configuration: Callable[[dict[str, str]], None]
) -> None:
    configuration({"spark.broadhead.enabled": "true"})

    def next_number(n: int) -> int:
        return n + 1 if n % 2 else n

    applied = udf(next_number, LongType(), useArrow=False)("id")
    frame = comparison.session.range(100).select(applied.alias("n"))
    assert calls_traced(frame) > 0
    assert [row.n for row in frame.collect()] == [n + n % 2 for n in range(100)]


def test_default_settings_allow_functions_on_a_gpu(
    comparison: Comparison, configuration: Callable[[dict[str, str]], None], tmp_path: object
) -> None:
    """Where a host with a GPU would call a function; none is needed to say it."""

    def scaled(x: pd.Series) -> pd.Series:
        return x.abs() ** 0.5

    configuration({"spark.broadhead.enabled": "true", "spark.broadhead.python.trace": "false"})
    session = comparison.session
    session.range(100).selectExpr("CAST(id AS DOUBLE) AS x").write.parquet(f"{tmp_path}/doubles")
    table = session.read.parquet(f"{tmp_path}/doubles")
    plan = table.select(pandas_udf(scaled, DoubleType())("x"))._jdf.queryExecution().executedPlan()
    while not plan.nodeName().endswith("ArrowEvalPython"):
        plan = plan.children().head()
    answers = session._jvm.org.apache.spark.sql.broadhead.pythonfunctions.FunctionAnswers
    known = session.version < "4.2"
    assert answers.targetOf(plan).name() == ("device rows" if known else "host")
