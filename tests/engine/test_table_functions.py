"""Joins of rows with what table functions return, by PySpark's own worker code without Spark."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle

from broadhead.errors import EngineLimit, UserError, WouldRaise
from broadhead.operators.context import Run
from broadhead.plan import nodes, python_nodes
from broadhead.plan.prune import prune
from broadhead.types import INTEGER, LONG, STRING, StructField, StructType
from broadhead.worker.user_functions.pyspark_functions import PySparkFunctions
from engine.fragments import MemorySources, attributes, column, run_rows

RESULT = StructType("struct", (StructField("a", INTEGER, True), StructField("b", STRING, True)))
RESULT_JSON = (
    '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":{}},'
    '{"name":"b","type":"string","nullable":true,"metadata":{}}]}'
)
INPUT_JSON = (
    '{"type":"struct","fields":[{"name":"_0","type":"long","nullable":true,"metadata":{}}]}'
)


class Repeated:
    """As many rows as the number says, and two at the end."""

    def eval(self, number: int) -> Iterator[tuple[int, str]]:
        for count in range(number):
            yield count, str(number)

    def terminate(self) -> Iterator[tuple[int, str]]:
        yield -1, "end"
        yield -2, "end"


class Failing:
    """Fails at the number 2."""

    def eval(self, number: int) -> Iterator[tuple[int, str]]:
        yield 1 // (number - 2), ""


def node_of(function: type, *, required: bool = True, by_arrow: bool = False) -> nodes.Node:
    """A table function over the column `n`, joined with the columns `t` and `n`."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    source = nodes.RowSource(id=2, output=attributes(t=STRING, n=LONG), children=(), source=0)
    call = python_nodes.PythonCall(
        name="f",
        commands=(cloudpickle.dumps(function),),
        arguments=(python_nodes.PythonArgument(None, 0),),
        type=RESULT,
        deterministic=True,
        result_id=1,
    )
    functions = python_nodes.PythonCalls(
        eval_type=301 if by_arrow else 300,
        calls=(call,),
        input_schema=INPUT_JSON,
        profiler=None,
        conf={"spark.sql.execution.arrow.maxRecordsPerBatch": "3"},
    )
    left = attributes(t=STRING, n=LONG) if required else ()
    return python_nodes.EvalPythonTable(
        id=1,
        output=(*left, *attributes(a=INTEGER, b=STRING)),
        children=(source,),
        functions=functions,
        inputs=(column(1, LONG),),
        required=(0, 1) if required else (),
        table=python_nodes.TableFunction(
            return_type=RESULT_JSON, partition_columns=(), tables=(False,), analyze_result=None
        ),
    )


def rows_of(node: nodes.Node, *batches: list[int], **settings: Any) -> list[tuple[Any, ...]]:
    tables = [
        pa.record_batch({"t": [f"t{n}" for n in numbers], "n": pa.array(numbers, pa.int64())})
        for numbers in batches
    ]
    context = Run(user_functions=PySparkFunctions())
    return run_rows(node, MemorySources({0: tables}), nodes.Settings(**settings), context)


@pytest.mark.parametrize("by_arrow", [False, True])
def test_rows_are_repeated_and_the_last_one_gets_the_rest(by_arrow: bool) -> None:
    node = node_of(Repeated, by_arrow=by_arrow)
    batches = ([1, 0], [2], [0, 0, 0, 1, 0])
    expected = [
        ("t1", 1, 0, "1"),
        ("t2", 2, 0, "2"),
        ("t2", 2, 1, "2"),
        ("t1", 1, 0, "1"),
        ("t0", 0, -1, "end"),
        ("t0", 0, -2, "end"),
    ]
    assert rows_of(node, *batches) == expected
    assert rows_of(node, *batches, batch_rows=2) == expected
    without = node_of(Repeated, required=False, by_arrow=by_arrow)
    assert rows_of(without, *batches) == [row[2:] for row in expected]


def test_required_columns_are_pruned() -> None:
    node = node_of(Repeated)
    names = nodes.Project(
        id=3,
        output=(node.output[3], node.output[1]),
        children=(node,),
        expressions=(column(3, STRING), column(1, LONG)),
    )
    root = prune(nodes.Fragment(names, nodes.Settings(), {})).root
    assert root.child.required == (1,)
    assert rows_of(root, [1]) == [("1", 1), ("end", 1), ("end", 1)]


def test_rows_at_the_end_of_no_rows_are_sparks_error() -> None:
    with pytest.raises(WouldRaise):
        rows_of(node_of(Repeated))


def test_errors_are_the_functions_own() -> None:
    with pytest.raises(UserError) as raised:
        rows_of(node_of(Failing), [1, 2])
    assert isinstance(raised.value.original, ZeroDivisionError)


def test_rows_that_wait_have_a_limit() -> None:
    many = [[0] * 1000] * 3
    assert rows_of(node_of(Repeated), *many)[-1][2:] == (-2, "end")
    with pytest.raises(EngineLimit):
        rows_of(node_of(Repeated), *many, operator_memory=100)
