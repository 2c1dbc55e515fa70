"""Which functions a query uses, and its answers with each of them left to Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from broadhead.aggregates.registry import aggregates
from broadhead.functions.registry import functions
from broadhead.window_functions.registry import window_functions
from sql_sessions import configured

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def functions_of(frame: DataFrame) -> list[str]:
    """The names of the functions in a frame's plan that the engine has, each once."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        plan = frame._jdf.queryExecution().executedPlan()
    except (Py4JJavaError, PySparkException):
        return []  # The optimizer raises the query's error.
    calls = frame.sparkSession._jvm.org.apache.spark.sql.broadhead.encoding.FunctionCalls
    found = {calls.nameOf(expression) for expression in _expressions(plan)}
    return sorted({_names()[name] for name in found & _names().keys()})


@contextmanager
def without(session: SparkSession, function: str) -> Iterator[None]:
    """Until the block ends, the function is not accelerated."""
    with configured(session, {f"spark.broadhead.function.{function}.enabled": "false"}):
        yield


@cache
def _names() -> dict[str, str]:
    """The name of each function in SQL by Spark's class."""
    entries = {**functions(), **aggregates(), **window_functions()}
    return {spark: entry.name for spark, entry in entries.items()}


def _expressions(plan: Any) -> Iterator[Any]:
    """All expressions of a plan and of the plans below it."""
    kind = plan.getClass().getSimpleName()
    if kind == "AdaptiveSparkPlanExec":
        yield from _expressions(plan.executedPlan())
    elif kind.endswith("QueryStageExec"):
        yield from _expressions(plan.plan())
    for expression in _elements(plan.expressions()):
        yield from _with_children(expression)
    for below in (*_elements(plan.subqueries()), *_elements(plan.children())):
        yield from _expressions(below)


def _with_children(expression: Any) -> Iterator[Any]:
    yield expression
    for child in _elements(expression.children()):
        yield from _with_children(child)


def _elements(sequence: Any) -> list[Any]:
    return [sequence.apply(place) for place in range(sequence.size())]
