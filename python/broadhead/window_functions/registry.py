"""The registry of window functions that are no aggregate functions."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import broadhead.window_functions

if TYPE_CHECKING:
    from broadhead.columns import Column
    from broadhead.functions.registry import Allowed, Signature
    from broadhead.plan.windows import WindowCall
    from broadhead.window_functions.rows import SortedRows

Evaluate = Callable[["SortedRows", "WindowCall", Sequence["Column"]], "Column"]
"""The function's values for all rows; the columns are those of `WindowCall.children`."""


@dataclass(frozen=True, slots=True)
class WindowFunction:
    """A registered window function: `name` in SQL, `spark` the Catalyst class."""

    name: str
    spark: str
    signatures: tuple[Signature, ...]
    fields: Mapping[str, Allowed]
    note: str
    evaluate: Evaluate


_functions: dict[str, WindowFunction] = {}


def window_function(
    name: str,
    *,
    spark: str,
    signatures: Sequence[Signature],
    fields: Mapping[str, Allowed] | None = None,
    note: str = "",
) -> Callable[[Evaluate], Evaluate]:
    """Register the implementation of the Spark class `spark`, called `name` in SQL."""

    def register(evaluate: Evaluate) -> Evaluate:
        if spark in _functions:
            raise ValueError(f"Spark's {spark} is registered twice")
        _functions[spark] = WindowFunction(
            name=name,
            spark=spark,
            signatures=tuple(signatures),
            fields=dict(fields or {}),
            note=note,
            evaluate=evaluate,
        )
        return evaluate

    return register


@cache
def window_functions() -> Mapping[str, WindowFunction]:
    """All window functions by Spark class. Imports every module of this package once."""
    for module in pkgutil.iter_modules(broadhead.window_functions.__path__):
        importlib.import_module(f"broadhead.window_functions.{module.name}")
    return _functions
