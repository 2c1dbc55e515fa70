"""Selection of the kernels by name."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from broadhead.kernels.interface import Kernels

MODULES = (
    "columns",
    "logic",
    "compare",
    "arithmetic",
    "elementary",
    "bits",
    "cast",
    "parse",
    "decimal",
    "strings",
    "characters",
    "encodings",
    "patterns",
    "datetime",
    "group",
    "sort",
    "join",
    "window",
    "nested",
    "keys",
    "hash",
    "parquet",
    "fields",
    "device",
)


@cache
def load_kernels(name: Literal["arrow", "cudf"]) -> Kernels:
    """The package `broadhead.kernels.<name>` with all of its modules imported."""
    package = importlib.import_module(f"broadhead.kernels.{name}")
    for module in MODULES:
        setattr(package, module, importlib.import_module(f"broadhead.kernels.{name}.{module}"))
    return cast("Kernels", package)
