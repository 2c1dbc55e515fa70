"""Functions whose annotations name types of cuDF, CuPy or PyTorch: they get these, not pandas'."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, get_args

from broadhead.worker.user_functions import device_predictions

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

LIBRARIES = ("cudf", "cupy")


def library_of(function: Any) -> str | None:
    """The library whose objects a function takes by its annotations; None for pandas and NumPy.

    For `predict_batch_udf` the function that loads the model says what the model takes.
    """
    prediction = device_predictions.prediction_of(function)
    if prediction is not None:
        returned = getattr(prediction.load, "__annotations__", {}).get("return")
        return _library(returned, device_predictions.LIBRARIES)
    annotations: Mapping[str, Any] = getattr(function, "__annotations__", {})
    for name, annotation in annotations.items():
        if name != "return" and (found := _library(annotation, LIBRARIES)) is not None:
            return found
    return None


def _library(annotation: Any, libraries: Sequence[str]) -> str | None:
    """The library of a type, of its text, or of a type in its brackets."""
    if isinstance(annotation, str):
        return next((name for name in libraries if f"{name}." in annotation), None)
    module = str(getattr(annotation, "__module__", "")).split(".")[0]
    if module in libraries:
        return module
    parts = annotation if isinstance(annotation, list) else get_args(annotation)
    return next(filter(None, (_library(part, libraries) for part in parts)), None)


@contextmanager
def converted_arguments() -> Generator[None]:
    """While it is entered, PySpark's worker reads such functions with a conversion around them."""
    from pyspark import worker

    read = worker.read_command

    def read_converted(serializer: Any, file: Any) -> Any:
        function, return_type = read(serializer, file)
        library = library_of(function)
        return (_converted(function, library) if library else function), return_type

    worker.read_command = read_converted
    try:
        yield
    finally:
        worker.read_command = read


def _converted(function: Callable[..., Any], library: str) -> Callable[..., Any]:
    prediction = device_predictions.prediction_of(function)
    if prediction is not None:
        return device_predictions.predicting(prediction, library)
    return _converting(function, library)


def _converting(function: Callable[..., Any], library: str) -> Callable[..., Any]:
    @wraps(function)
    def converting(*arguments: Any, **keywords: Any) -> Any:
        given = [_given(argument, library) for argument in arguments]
        named = {name: _given(argument, library) for name, argument in keywords.items()}
        return _returned(function(*given, **named))

    # PySpark counts the arguments of functions over groups.
    converting.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return converting


def _given(argument: Any, library: str) -> Any:
    """An object of the library; each item of an iterator, and keys as they are."""
    if isinstance(argument, Iterator):
        return (_given(item, library) for item in argument)
    if isinstance(argument, tuple):
        return tuple(_given(item, library) for item in argument)
    found = argument.as_gpu_object() if hasattr(argument, "as_gpu_object") else argument
    return found.values if library == "cupy" and hasattr(found, "to_pylibcudf") else found


def _returned(found: Any) -> Any:
    """What PySpark's worker checks like pandas' objects."""
    import cudf
    import cupy
    from cudf.pandas import as_proxy_object

    if isinstance(found, Iterator):
        return map(_returned, found)
    if isinstance(found, cupy.ndarray):
        found = cudf.Series(found) if found.ndim == 1 else found.item()
    return as_proxy_object(found) if isinstance(found, cudf.Series | cudf.DataFrame) else found
