"""Which Python functions are called on a GPU, and how they are compared there. No GPU is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.ml.functions import predict_batch_udf
from pyspark.serializers import CloudPickleSerializer
from pyspark.sql.types import DataType as SparkType
from pyspark.sql.types import DoubleType, LongType, StringType

from broadhead.plan.expressions import BoundReference
from broadhead.plan.nodes import Attribute, Node
from broadhead.plan.python_nodes import (
    DeviceCalls,
    EvalPython,
    PythonArgument,
    PythonCall,
    PythonCalls,
)
from broadhead.types import DATE, DOUBLE, LONG, STRING, ArrayType, DataType
from broadhead.worker.user_functions import accelerators, device_check, placement
from broadhead.worker.user_functions.device_arguments import library_of
from broadhead.worker.user_functions.device_predictions import prediction_of
from broadhead.worker.user_functions.placement import USUAL, ExecutionTarget, device_calls, placed

ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
SPARK_TYPES = {DOUBLE: DoubleType(), LONG: LongType(), STRING: StringType()}


def calling(
    function: Callable[..., Any],
    types: tuple[DataType, ...],
    returns: DataType = DOUBLE,
    *,
    kind: int = 200,
    nullable: bool = True,
    **conf: str,
) -> EvalPython:
    """A node that calls a function with columns of these types."""
    spark_type: SparkType = SPARK_TYPES[returns]
    call = PythonCall(
        name="f",
        commands=(CloudPickleSerializer().dumps((function, spark_type)),),
        arguments=tuple(PythonArgument(None, number) for number in range(len(types))),
        type=returns,
        deterministic=True,
        result_id=1,
    )
    functions = PythonCalls(
        eval_type=kind, calls=(call,), input_schema="{}", profiler=None, conf=conf
    )
    columns = tuple(Attribute(f"c{n}", t, nullable) for n, t in enumerate(types))
    inputs = tuple(BoundReference(n, t, nullable) for n, t in enumerate(types))
    child = Node(id=1, output=columns, children=())
    output = (*columns, Attribute("f", returns, True))
    return EvalPython(id=0, output=output, children=(child,), functions=functions, inputs=inputs)


def logarithm(x: pd.Series) -> pd.Series:
    return np.log1p(x) * 2


def centred(x: pd.Series) -> pd.Series:
    return x - x.mean()


def test_functions_of_single_rows_get_whole_batches() -> None:
    assert device_calls(calling(logarithm, (DOUBLE,))) == DeviceCalls(whole_batches=True)
    with_nulls = device_calls(calling(logarithm, (LONG,)))
    assert with_nulls == DeviceCalls(whole_batches=True, dense=(0,))
    assert device_calls(calling(logarithm, (LONG,), nullable=False)) == DeviceCalls(
        whole_batches=True
    )


@pytest.mark.parametrize(("rows", "on_device"), [("10000", False), ("200000", True), ("0", True)])
@pytest.mark.parametrize("kind", [200, 204, 205])
def test_functions_that_see_batches_need_large_ones(kind: int, rows: str, on_device: bool) -> None:
    calls = device_calls(calling(centred, (DOUBLE,), kind=kind, **{ROWS: rows}))
    assert calls == (DeviceCalls() if on_device else None)


@pytest.mark.parametrize("kind", [201, 202, 206])
def test_functions_over_groups_see_whole_groups(kind: int) -> None:
    assert device_calls(calling(centred, (DOUBLE,), kind=kind)) == DeviceCalls()


@pytest.mark.parametrize("kind", [100, 101, 207, 250, 300])
def test_kinds_that_are_called_on_the_cpu(kind: int) -> None:
    assert device_calls(calling(centred, (DOUBLE,), kind=kind, **{ROWS: "0"})) is None


@pytest.mark.parametrize(("version", "on_device"), [("2.3.3", False), ("3.0.0", True)])
def test_pandas_2_is_called_on_the_cpu(
    monkeypatch: pytest.MonkeyPatch, version: str, on_device: bool
) -> None:
    monkeypatch.setattr(placement.metadata, "version", lambda _: version)
    placement._known_worker.cache_clear()
    try:
        calls = device_calls(calling(centred, (DOUBLE,), kind=201))
    finally:
        placement._known_worker.cache_clear()
    assert calls == (DeviceCalls() if on_device else None)


@pytest.mark.parametrize("key", USUAL)
def test_settings_of_conversions_that_stay_on_the_cpu(key: str) -> None:
    usual = USUAL[key]
    other = "true" if usual == "false" else "false"
    assert device_calls(calling(centred, (DOUBLE,), kind=201, **{key: usual})) == DeviceCalls()
    assert device_calls(calling(centred, (DOUBLE,), kind=201, **{key: other})) is None


def test_functions_without_columns_stay_on_the_cpu() -> None:
    assert device_calls(calling(centred, (), kind=205, **{ROWS: "0"})) is None


def test_types_that_pandas_has_as_objects_stay_on_the_cpu() -> None:
    assert device_calls(calling(centred, (DATE,), kind=201)) is None
    assert device_calls(calling(centred, (STRING,), STRING, kind=201)) == DeviceCalls()


def test_the_answer_to_the_driver() -> None:
    def target(
        function: Callable[..., Any], *, trace: bool = True, accelerate: str = "auto"
    ) -> ExecutionTarget:
        return placed(calling(function, (DOUBLE,)), {}, trace=trace, accelerate=accelerate).target

    assert target(lambda x: x * 2) is ExecutionTarget.EXPRESSION
    assert target(lambda x: x * 2, trace=False) is ExecutionTarget.DEVICE_ROWS
    assert target(logarithm) is ExecutionTarget.DEVICE_ROWS
    assert target(logarithm, accelerate="none") is ExecutionTarget.HOST
    assert target(logarithm, accelerate="scikit-learn") is ExecutionTarget.HOST
    assert target(logarithm, accelerate="networkx, pandas") is ExecutionTarget.DEVICE_ROWS
    assert target(centred) is ExecutionTarget.HOST


def test_the_libraries_that_annotations_name() -> None:
    def of_text(x: "cudf.Series") -> "cudf.Series":  # noqa: F821, UP037
        return x

    def inside(x: "Iterator[cupy.ndarray]") -> Any:  # noqa: F821, UP037
        return x

    def returned(x: pd.Series) -> "cudf.Series":  # noqa: F821, UP037
        return x

    assert [library_of(f) for f in (of_text, inside, returned, centred)] == [
        "cudf",
        "cupy",
        None,
        None,
    ]
    required = device_calls(calling(of_text, (DOUBLE,)))
    assert required == DeviceCalls(required=True)


@pytest.mark.parametrize(
    ("setting", "names"),
    [
        ("auto", ("pandas", "scikit-learn", "networkx")),
        ("none", ()),
        ("pandas, networkx", ("pandas", "networkx")),
    ],
)
def test_the_chosen_libraries(setting: str, names: tuple[str, ...]) -> None:
    assert accelerators.chosen(setting) == names


def doubled(rows: pa.RecordBatch) -> list[pa.Array]:
    return [pa.array([None if x is None else x * 2 for x in rows.column(0).to_pylist()])]


def test_results_that_differ_in_the_last_digits_are_the_same() -> None:
    rows = pa.record_batch([pa.array([1.0, None, 3.0])], ["_0"])

    def nearly(given: pa.RecordBatch) -> list[pa.Array]:
        return [pa.array([2.0 * (1 + 1e-15), None, 6.0])]

    def other(given: pa.RecordBatch) -> list[pa.Array]:
        return [pa.array([2.0, 0.0, 6.0])]

    def fails(given: pa.RecordBatch) -> list[pa.Array]:
        raise ValueError

    assert device_check.difference(rows, nearly, doubled) is None
    assert device_check.difference(rows, other, doubled) == "the GPU's result differs for (None)"
    assert device_check.difference(rows, fails, doubled) == "it raises ValueError for edge values"


def test_edge_rows_have_nulls_where_batches_may_have_them() -> None:
    node = calling(logarithm, (LONG,))
    calls = DeviceCalls(whole_batches=True, dense=(0,))
    dense = EvalPython(
        id=0,
        output=node.output,
        children=node.children,
        functions=node.functions,
        inputs=node.inputs,
        device=calls,
    )
    assert device_check.edge_rows(dense).column(0).null_count == 0
    doubles = calling(logarithm, (DOUBLE,))
    free = EvalPython(
        id=0,
        output=doubles.output,
        children=doubles.children,
        functions=doubles.functions,
        inputs=doubles.inputs,
        device=DeviceCalls(whole_batches=True),
    )
    assert device_check.edge_rows(free).column(0).null_count == 1


def model_of(annotation: Any, **options: Any) -> Callable[..., Any]:
    """What `predict_batch_udf` makes of a function whose annotation is given, as workers get it."""

    def load():  # type: ignore[no-untyped-def]
        return lambda inputs: inputs

    load.__annotations__ = {"return": annotation}
    made = predict_batch_udf(load, return_type=DoubleType(), batch_size=10, **options)
    serializer = CloudPickleSerializer()
    found: Callable[..., Any] = serializer.loads(serializer.dumps(made.func))
    return found


@pytest.mark.parametrize(
    ("annotation", "library"),
    [
        ("Callable[[cupy.ndarray], cupy.ndarray]", "cupy"),
        ("Callable[[torch.Tensor], torch.Tensor]", "torch"),
        (Callable[[np.ndarray], np.ndarray], None),
        (None, None),
    ],
)
def test_models_that_take_objects_of_a_gpu(annotation: Any, library: str | None) -> None:
    model = model_of(annotation)
    assert library_of(model) == library
    found = device_calls(calling(model, (DOUBLE,), kind=204))
    assert found == (DeviceCalls(required=True) if library else None)
    # no fragment with a nested column runs on a GPU
    tensors = calling(model, (ArrayType("array", DOUBLE, True),), kind=204)
    assert device_calls(tensors) is None


def test_what_a_model_was_made_with() -> None:
    found = prediction_of(model_of(None, input_tensor_shapes={0: [3, 2]}))
    assert found is not None
    assert (found.batch_size, found.shapes, found.return_type) == (10, {0: [3, 2]}, DoubleType())
    assert found.load()(5) == 5
    assert prediction_of(logarithm) is None
