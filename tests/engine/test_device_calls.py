"""PySpark's wrapped functions called as on a GPU, with pandas in the place of cuDF."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql.types import DoubleType, LongType
from pyspark.sql.types import StructField as SparkField
from pyspark.sql.types import StructType as SparkStruct

from broadhead.arrow_layout import arrow_type
from broadhead.columns import Batch, Column
from broadhead.errors import HostNeeded, UserError
from broadhead.kernels.load import load_kernels
from broadhead.operators.python import grouped_inputs
from broadhead.operators.user_functions import DeviceGroup, DeviceRows
from broadhead.plan.expressions import BoundReference
from broadhead.plan.nodes import Attribute, Node
from broadhead.plan.python_nodes import (
    DeviceCalls,
    EvalPython,
    PythonArgument,
    PythonCall,
    PythonCalls,
)
from broadhead.types import DOUBLE, LONG, DataType, StructField, StructType
from broadhead.worker.user_functions import device_functions
from broadhead.worker.user_functions.pyspark_functions import PySparkFunctions

PAIR = StructType("struct", (StructField("k", LONG, True), StructField("v", DOUBLE, True)))
SPARK_PAIR = SparkStruct([SparkField("k", LongType()), SparkField("v", DoubleType())])
WHOLE = DeviceCalls(whole_batches=True)


def _series(rows: DeviceRows) -> list[pd.Series]:
    named = zip(rows.rows.columns, rows.names, strict=True)
    return [column.data.to_pandas().rename(name) for column, name in named]


def _batch(found: Sequence[tuple[Any, Any]], types: Sequence[DataType]) -> Batch | None:
    objects = [item[0] for item in found]
    if isinstance(objects[0], pd.DataFrame):
        objects = [objects[0][name] for name in objects[0].columns]
    if any(each.attrs.get("fell back") for each in objects):
        return None
    columns = tuple(
        Column(pa.array(each, arrow_type(t), from_pandas=True), t)
        for each, t in zip(objects, types, strict=True)
    )
    return Batch(columns, len(objects[0]))


@pytest.fixture(autouse=True)
def _pandas_for_cudf(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = SimpleNamespace(
        fits=lambda rows: True,
        series_of=_series,
        frame_of=lambda rows: pd.concat(_series(rows), axis=1),
        batch_of=_batch,
        on_host=lambda found: found,
    )
    name = "broadhead.worker.user_functions.device_objects"
    monkeypatch.setitem(sys.modules, name, stand_in)  # type: ignore[arg-type]
    monkeypatch.setattr(
        sys.modules["broadhead.worker.user_functions"], "device_objects", stand_in, raising=False
    )
    monkeypatch.setattr(device_functions, "load_kernels", lambda name: load_kernels("arrow"))
    monkeypatch.setattr(grouped_inputs, "DEVICE_GROUP_ROWS", 3)
    monkeypatch.setattr(device_functions, "COMPARED", set())


def node_of(
    function: Callable[..., Any], kind: int, calls: DeviceCalls, *, offsets: Sequence[int] = (0,)
) -> EvalPython:
    """A node that calls a function with the columns `k` and `v`, or with `v` alone."""
    in_struct = kind in (201, 205, 206)
    command = CloudPickleSerializer().dumps((function, SPARK_PAIR if in_struct else DoubleType()))
    call = PythonCall(
        name="f",
        commands=(command,),
        arguments=tuple(PythonArgument(None, offset) for offset in offsets),
        type=PAIR if in_struct else DOUBLE,
        deterministic=True,
        result_id=1,
    )
    functions = PythonCalls(
        eval_type=kind, calls=(call,), input_schema="{}", profiler=None, conf={}
    )
    child = Node(id=1, output=(Attribute("v", DOUBLE, True),), children=())
    return EvalPython(
        id=0,
        output=(),
        children=(child,),
        functions=functions,
        inputs=(BoundReference(0, DOUBLE, True),),
        device=calls,
    )


def rows_of(**columns: Sequence[Any]) -> DeviceRows:
    batch = pa.record_batch(
        [
            pa.array(values, pa.int64() if name == "k" else pa.float64())
            for name, values in columns.items()
        ],
        list(columns),
    )
    types = [LONG if name == "k" else DOUBLE for name in columns]
    data = tuple(Column(a, t) for a, t in zip(batch.columns, types, strict=True))
    return DeviceRows(Batch(data, batch.num_rows), list(columns), lambda: batch)


def results(
    node: EvalPython, *groups: DeviceGroup, found: PySparkFunctions | None = None
) -> list[list[Any]]:
    """The rows of each result."""
    functions = found or PySparkFunctions()
    in_struct = isinstance(node.functions.calls[0].type, StructType)
    output = [LONG, DOUBLE] if in_struct else [DOUBLE]
    if node.functions.eval_type == 202:
        output = []
    rows = []
    for result in functions.over_device_rows(node, groups, output):
        if isinstance(result, Batch):
            columns = [column.data for column in result.columns]
        elif in_struct:
            columns = result.column(0).flatten()
        else:
            columns = result.columns
        rows.append(list(zip(*(column.to_pylist() for column in columns), strict=True)))
    return rows


def test_functions_of_single_rows() -> None:
    node = node_of(lambda v: np.sqrt(v) * 2, 200, WHOLE)
    assert results(node, rows_of(v=[1.0, None]), rows_of(v=[4.0])) == [[(2.0,), (None,)], [(4.0,)]]


def test_results_of_pandas_are_converted_by_pyspark() -> None:
    def fell_back(v: pd.Series) -> pd.Series:
        found = v * 2
        found.attrs["fell back"] = True
        return found

    assert results(node_of(fell_back, 200, DeviceCalls()), rows_of(v=[1.0, None])) == [
        [(2.0,), (None,)]
    ]


def test_functions_over_iterators() -> None:
    def ranks(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for v in batches:
            yield v.rank()

    node = node_of(ranks, 204, DeviceCalls())
    assert results(node, rows_of(v=[3.0, 1.0]), rows_of(v=[5.0])) == [[(2.0,), (1.0,)], [(1.0,)]]


def test_functions_of_batches() -> None:
    def positive(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for rows in batches:
            yield rows[rows.v > 0]

    node = node_of(positive, 205, DeviceCalls())
    assert results(node, rows_of(k=[1, 2], v=[-1.0, 2.0])) == [[(2, 2.0)]]
    assert results(node) == []


def test_functions_of_groups() -> None:
    def total(key: tuple[int], rows: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"k": [int(key[0])], "v": [rows.v.sum()]})

    node = node_of(total, 201, DeviceCalls(), offsets=(4, 1, 0, 0, 1))
    large, small = rows_of(k=[1] * 4, v=[1.0] * 4), rows_of(k=[2], v=[5.0])
    found = PySparkFunctions()
    assert results(node, large, small, found=found) == [[(1, 4.0)], [(2, 5.0)]]
    # the small group went through the host
    assert found.counters["pythonCopiedBytes"] == small.on_host().nbytes


def test_functions_of_cogroups() -> None:
    def joined(key: tuple[int], left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"k": [int(key[0])], "v": [left.v.sum() - right.v.sum()]})

    # the offsets of each side: how many, how many keys, the keys, the values
    offsets = (4, 1, 0, 0, 1, 4, 1, 0, 0, 1)
    node = node_of(joined, 206, DeviceCalls(), offsets=offsets)
    none, three, one = (rows_of(k=[n] * n, v=[1.0] * n) for n in (0, 3, 1))
    found = PySparkFunctions()
    # two sides together are large
    assert results(node, (three, one), (none, three), found=found) == [[(3, 2.0)], [(3, -3.0)]]
    assert "pythonCopiedBytes" not in found.counters or not found.counters["pythonCopiedBytes"]
    assert results(node, (one, none), found=found) == [[(1, 1.0)]]
    assert found.counters["pythonCopiedBytes"] == one.on_host().nbytes


def test_aggregates() -> None:
    node = node_of(lambda v: float(v.median()), 202, DeviceCalls())
    assert results(node, rows_of(v=[1.0, 2.0, 9.0])) == [[(2.0,)]]


def test_exceptions_of_functions() -> None:
    def fails(v: pd.Series) -> pd.Series:
        raise ValueError("of the function")

    with pytest.raises(UserError) as caught:
        results(node_of(fails, 200, DeviceCalls()), rows_of(v=[1.0]))
    assert str(caught.value.original) == "of the function"
    # of single rows: the CPU tells whether it was the function
    with pytest.raises(HostNeeded, match="ValueError"):
        results(node_of(fails, 200, WHOLE), rows_of(v=[1.0]))


def test_functions_that_differ_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def other_infinities(rows: DeviceRows) -> list[pd.Series]:
        return [each.replace(np.inf, 0.0) for each in _series(rows)]

    device = sys.modules["broadhead.worker.user_functions.device_objects"]
    node = node_of(lambda v: v + 1, 200, WHOLE)
    assert results(node, rows_of(v=[1.0])) == [[(2.0,)]]
    monkeypatch.setattr(device_functions, "COMPARED", set())
    monkeypatch.setattr(device, "series_of", other_infinities)
    with pytest.raises(HostNeeded, match=r"the GPU's result differs for \(inf\)"):
        results(node, rows_of(v=[1.0]))
