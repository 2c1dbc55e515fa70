"""Chains whose last functions are expressions: the results are those of the whole chain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark import cloudpickle
from pyspark.sql.types import BooleanType, DataType, DoubleType, LongType

from broadhead.errors import UserError, WouldRaise
from broadhead.operators.context import Run
from broadhead.plan import nodes, python_nodes
from broadhead.plan.prune import prune
from broadhead.types import BOOLEAN, DOUBLE, LONG
from broadhead.types import DataType as EngineType
from broadhead.worker.user_functions import chain_tails
from broadhead.worker.user_functions.chain_tails import with_chain_tails
from broadhead.worker.user_functions.function_digests import FunctionDigests
from broadhead.worker.user_functions.pyspark_functions import PySparkFunctions
from engine.fragments import MemorySources, attributes, column, run_rows

VALUES = [1.0, -1.0, 0.0, -0.0, 1e300, float("inf"), float("nan"), None, 50.0, 2.5]


@pytest.fixture(autouse=True)
def _nothing_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_tails, "CALLED_WHOLE", FunctionDigests())


def scaled(value: pd.Series) -> pd.Series:
    """Is called: nothing knows its logarithm to the last digit."""
    with np.errstate(all="ignore"):
        return np.log1p(value) * 10


def plain(value: pd.Series) -> pd.Series:
    return value + 1


def bounded(value: pd.Series) -> pd.Series:
    return value.clip(-10, 90)


def halved(value: pd.Series) -> pd.Series:
    return value / 2


def large(value: pd.Series) -> pd.Series:
    return value > 5


Link = tuple[Callable[[pd.Series], Any], DataType]


def call_of(*chain: Link, returns: EngineType = DOUBLE) -> python_nodes.PythonCall:
    return python_nodes.PythonCall(
        name="f",
        commands=tuple(cloudpickle.dumps(link) for link in chain),
        arguments=(python_nodes.PythonArgument(None, 0),),
        type=returns,
        deterministic=True,
        result_id=1,
    )


def fragment_of(
    *calls: python_nodes.PythonCall, eval_type: int = 200, profiler: str | None = None
) -> nodes.Fragment:
    """The calls with the column `x` of doubles."""
    source = nodes.RowSource(id=2, output=attributes(k=LONG, x=DOUBLE), children=(), source=0)
    functions = python_nodes.PythonCalls(
        eval_type=eval_type,
        calls=calls,
        input_schema="",
        profiler=profiler,
        conf={"spark.sql.execution.arrow.maxRecordsPerBatch": "3"},
    )
    results = tuple(nodes.Attribute(f"r{n}", call.type, True) for n, call in enumerate(calls))
    node = python_nodes.EvalPython(
        id=1,
        output=(*source.output, *results),
        children=(source,),
        functions=functions,
        inputs=(column(1, DOUBLE),),
    )
    return nodes.Fragment(node, nodes.Settings(), {})


def rows_of(root: nodes.Node, values: Any = VALUES) -> str:
    batch = pa.record_batch(
        {"k": pa.array(range(len(values))), "x": pa.array(values, pa.float64())}
    )
    context = Run(user_functions=PySparkFunctions())
    return repr(run_rows(root, MemorySources({0: [batch]}), nodes.Settings(), context))


D = DoubleType()
CHAINS: dict[str, tuple[tuple[Link, ...], EngineType, int]] = {
    "one at the end": (((scaled, D), (bounded, D)), DOUBLE, 1),
    "two at the end": (((scaled, D), (halved, D), (bounded, D)), DOUBLE, 1),
    "one before": (((plain, D), (scaled, D), (bounded, D)), DOUBLE, 2),
    "in the middle": (((scaled, D), (bounded, D), (scaled, D), (halved, D)), DOUBLE, 3),
    "another type": (((scaled, D), (large, BooleanType())), BOOLEAN, 1),
}


@pytest.mark.parametrize("name", CHAINS)
def test_the_last_functions_are_not_called(name: str) -> None:
    chain, returns, called = CHAINS[name]
    fragment = fragment_of(call_of(*chain, returns=returns))
    root = with_chain_tails(fragment).root
    assert isinstance(root, nodes.Project)
    (child,) = root.children
    assert isinstance(child, python_nodes.EvalPython)
    # and the one that looks at what they return
    assert len(child.functions.calls[0].commands) == called + 1
    assert root.output == fragment.root.output
    assert rows_of(root) == rows_of(fragment.root)
    assert rows_of(prune(replace(fragment, root=root)).root) == rows_of(fragment.root)


def test_other_calls_of_the_node_stay() -> None:
    calls = [call_of((scaled, D)), call_of((scaled, D), (bounded, D)), call_of((scaled, D))]
    fragment = fragment_of(*calls)
    root = with_chain_tails(fragment).root
    assert isinstance(root, nodes.Project)
    assert rows_of(root) == rows_of(fragment.root)
    # its metrics are still those of the node that the plugin knows
    assert root.children[0].id == fragment.root.id != root.id


WHOLE: dict[str, nodes.Fragment] = {
    "no chain": fragment_of(call_of((scaled, D))),
    "the last one is called": fragment_of(call_of((bounded, D), (scaled, D))),
    "other types between": fragment_of(call_of((scaled, LongType()), (bounded, D))),
    "functions of iterators": fragment_of(call_of((scaled, D), (bounded, D)), eval_type=204),
    "profiled": fragment_of(call_of((scaled, D), (bounded, D)), profiler="perf"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_chains(name: str) -> None:
    assert with_chain_tails(WHOLE[name]) == WHOLE[name]


def test_without_tracing() -> None:
    fragment = fragment_of(call_of((scaled, D), (bounded, D)))
    fragment = replace(fragment, settings=nodes.Settings(python_trace=False))
    assert with_chain_tails(fragment) is fragment


def integers(value: pd.Series) -> pd.Series:
    return np.log1p(value).fillna(0).astype("int64")


def singles(value: pd.Series) -> pd.Series:
    return np.log1p(value).astype("float32")


def nullable(value: pd.Series) -> pd.Series:
    return np.log1p(value).convert_dtypes()


def arrays(value: pd.Series) -> Any:
    return np.log1p(value.to_numpy())


@pytest.mark.parametrize("head", [integers, singles, nullable, arrays])
def test_other_things_than_doubles_are_sparks(head: Callable[[pd.Series], Any]) -> None:
    """The task is repeated, and the next ones call the whole chain."""
    fragment = fragment_of(call_of((head, D), (bounded, D)))
    with pytest.raises(WouldRaise):
        rows_of(with_chain_tails(fragment).root, [1.0, 2.0])
    assert with_chain_tails(fragment) == fragment


def shorter(value: pd.Series) -> pd.Series:
    return np.log1p(value)[1:]


def failing(value: pd.Series) -> pd.Series:
    raise ValueError("this one")


@pytest.mark.parametrize("head", [shorter, failing])
def test_errors_are_those_of_the_chain(head: Callable[[pd.Series], Any]) -> None:
    fragment = fragment_of(call_of((head, D), (bounded, D)))
    found = []
    for root in (fragment.root, with_chain_tails(fragment).root):
        with pytest.raises(UserError) as raised:
            rows_of(root)
        found.append((type(raised.value.__cause__), str(raised.value.__cause__)))
    assert found[0] == found[1]
