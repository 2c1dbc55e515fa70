"""Models of `predict_batch_udf` on a GPU: they take arrays of CuPy, or tensors of PyTorch, there.

The annotation of the function that loads the model decides, such as
`-> Callable[[torch.Tensor], torch.Tensor]`. Inputs are views of the fragment's columns. Source of
the checks and of the cache of models: `pyspark.ml.functions`, which has NumPy's arrays.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

LIBRARIES = ("cupy", "torch")

_QUALIFIED_NAME = "predict_batch_udf.<locals>.predict"


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a user has given to `predict_batch_udf`; `key` is that of PySpark's cache of models."""

    load: Callable[[], Any]
    key: Any
    return_type: Any
    batch_size: int
    shapes: Mapping[int, list[int]] | Sequence[list[int] | None] | None


def prediction_of(function: Any) -> Prediction | None:
    """The arguments of `predict_batch_udf`, if it has made this function."""
    if getattr(function, "__module__", None) != "pyspark.ml.functions":
        return None
    if getattr(function, "__qualname__", None) != _QUALIFIED_NAME:
        return None
    names = function.__code__.co_freevars
    values = dict(zip(names, (cell.cell_contents for cell in function.__closure__), strict=True))
    return Prediction(
        values["make_predict_fn"],
        values["model_uuid"],
        values["return_type"],
        values["batch_size"],
        values["input_tensor_shapes"],
    )


def predicting(prediction: Prediction, library: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function over batches that calls the model with arrays of a library."""

    def predict(batches: Iterator[Any]) -> Iterator[Any]:
        model = _model(prediction)
        expected = len(inspect.signature(model).parameters)
        shapes = _shapes(prediction, expected)
        for batch in batches:
            columns = batch if isinstance(batch, tuple) else (batch,)
            if len(columns) != expected:
                message = f"Model expected {expected} inputs, but received {len(columns)} columns"
                raise ValueError(message)
            arrays = [_array(column, shape) for column, shape in zip(columns, shapes, strict=True)]
            rows = len(columns[0])
            for start in range(0, rows, prediction.batch_size):
                end = min(start + prediction.batch_size, rows)
                found = model(*(_input(array[start:end], library) for array in arrays))
                yield _result(found, prediction.return_type, end - start)

    return predict


def _model(prediction: Prediction) -> Any:
    """The model, loaded once in this process."""
    from pyspark.ml.model_cache import ModelCache

    model = ModelCache.get(prediction.key)
    if model is None:
        model = prediction.load()
        ModelCache.add(prediction.key, model)
    return model


def _shapes(prediction: Prediction, expected: int) -> list[list[int] | None]:
    """The shape of a row of each input; None for a number."""
    given = prediction.shapes
    if isinstance(given, Mapping):
        return [given.get(number) for number in range(expected)]
    shapes = list(given or [None] * expected)
    if len(shapes) != expected:
        raise ValueError(f"input_tensor_shapes has {len(shapes)} shapes for {expected} inputs")
    return shapes


def _array(column: Any, shape: list[int] | None) -> Any:
    """The column as an array of CuPy: a row for each row, of that shape."""
    series = column.as_gpu_object()
    if not _is_list(series):
        if shape not in (None, [], [1]):
            raise ValueError(f"Invalid input_tensor_shape for scalar column: {shape}")
        return series.values.reshape([-1, *(shape or [])])
    if not shape:
        raise ValueError("Tensor columns require input_tensor_shapes")
    lengths = series.list.len()
    if lengths.isna().any() or not (lengths == math.prod(shape)).all():
        raise ValueError(f"Input data does not match expected shape {shape}.")
    leaves = series.list.leaves
    if leaves.isna().any():
        leaves = leaves.astype("float64").fillna(float("nan"))
    return leaves.values.reshape([-1, *shape])


def _is_list(series: Any) -> bool:
    import cudf

    return isinstance(series.dtype, cudf.ListDtype)


def _input(array: Any, library: str) -> Any:
    if library == "cupy":
        return array
    # the model's own library
    return import_module("torch").as_tensor(array, device="cuda")


def _result(found: Any, return_type: Any, rows: int) -> Any:
    """Predictions as a Series, or as a DataFrame if the model returns a dictionary of arrays."""
    import cudf
    from cudf.pandas import as_proxy_object

    if isinstance(found, Mapping):
        columns = {
            field.name: _predicted(found[field.name], field.dataType, rows)
            for field in return_type.fields
        }
        return as_proxy_object(cudf.DataFrame(columns))
    return as_proxy_object(_predicted(found, return_type, rows))


def _predicted(found: Any, return_type: Any, rows: int) -> Any:
    """An array of predictions as a column of numbers, or of lists of numbers."""
    import cudf
    import cupy
    from pyspark.sql.types import ArrayType

    if hasattr(found, "detach"):
        found = found.detach()
    array = cupy.asarray(found)
    if len(array) != rows:
        raise ValueError(f"Prediction results must have {rows} rows as the input, not {len(array)}")
    if isinstance(return_type, ArrayType):
        if array.ndim != 2:
            raise ValueError("Prediction results for ArrayType must be two-dimensional.")
        return _lists(array.astype(_numpy_type(return_type.elementType), copy=False))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError("Invalid shape for scalar prediction result.")
    return cudf.Series(array.astype(_numpy_type(return_type), copy=False))


_NUMPY_TYPES = {
    "boolean": "bool",
    "tinyint": "int8",
    "smallint": "int16",
    "int": "int32",
    "bigint": "int64",
    "float": "float32",
    "double": "float64",
}


def _numpy_type(data_type: Any) -> str:
    return _NUMPY_TYPES[data_type.simpleString()]


def _lists(array: Any) -> Any:
    """A column with a list for each row of a two-dimensional array."""
    import cudf
    import cupy
    import pylibcudf as plc

    rows, width = array.shape
    leaves = plc.Column.from_cuda_array_interface(cupy.ascontiguousarray(array).reshape(-1))
    ends = plc.Column.from_cuda_array_interface(
        cupy.arange(0, (rows + 1) * width, width, dtype="int32")
    )
    kind = plc.DataType(plc.TypeId.LIST)
    lists = plc.Column(kind, rows, None, None, 0, 0, [ends, leaves])
    return cudf.Series.from_pylibcudf(lists)
