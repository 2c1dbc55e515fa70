"""Starts of the kernels of `field_source`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import cupy

from broadhead.kernels.cudf.field_source import SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable

_THREADS = 256


@cache
def _kernel(name: str) -> Callable[..., None]:
    kernel: Callable[..., None] = _module().get_function(name)
    return kernel


@cache
def _module() -> Any:
    return cupy.RawModule(code=SOURCE, options=("--std=c++17",))


def launch(name: str, count: int, *arguments: Any) -> None:
    """Start a kernel with a thread for each of `count` items, on the current stream."""
    if count:
        _kernel(name)((-(-count // _THREADS),), (_THREADS,), arguments)
