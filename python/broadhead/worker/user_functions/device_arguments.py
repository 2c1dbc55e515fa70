"""Functions whose annotations name types of cuDF or CuPy: they get these in place of pandas'."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

LIBRARIES = ("cudf", "cupy")


def library_of(function: Any) -> str | None:
    """`cudf` or `cupy` if an argument is annotated with a type of it, else None."""
    annotations: Mapping[str, Any] = getattr(function, "__annotations__", {})
    for name, annotation in annotations.items():
        if name != "return" and (found := _library(annotation)) is not None:
            return found
    return None


def _library(annotation: Any) -> str | None:
    """The library of a type, of its text, or of a type in its brackets."""
    if isinstance(annotation, str):
        return next((name for name in LIBRARIES if f"{name}." in annotation), None)
    module = str(getattr(annotation, "__module__", "")).split(".")[0]
    if module in LIBRARIES:
        return module
    return next(filter(None, map(_library, get_args(annotation))), None)


@contextmanager
def converted_arguments() -> Generator[None]:
    """While it is entered, PySpark's worker reads such functions with a conversion around them."""
    from pyspark import worker

    read = worker.read_command

    def read_converted(serializer: Any, file: Any) -> Any:
        function, return_type = read(serializer, file)
        library = library_of(function)
        return (_converting(function, library) if library else function), return_type

    worker.read_command = read_converted
    try:
        yield
    finally:
        worker.read_command = read


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
