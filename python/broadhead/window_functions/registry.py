"""The registry of window functions other than aggregates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.registry import Entry, Registry

if TYPE_CHECKING:
    from broadhead.columns import Column
    from broadhead.functions.registry import Allowed, Signature
    from broadhead.plan.windows import WindowCall
    from broadhead.window_functions.rows import SortedRows

Evaluate = Callable[["SortedRows", "WindowCall", Sequence["Column"]], "Column"]
"""The function's values for all rows; the columns are those of `WindowCall.children`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowFunction(Entry):
    """A registered window function."""

    evaluate: Evaluate


_registry = Registry[WindowFunction]("broadhead.window_functions")


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
        _registry.add(
            WindowFunction(
                name=name,
                spark=spark,
                signatures=tuple(signatures),
                fields=dict(fields or {}),
                note=note,
                evaluate=evaluate,
            )
        )
        return evaluate

    return register


def window_functions() -> Mapping[str, WindowFunction]:
    """All window functions by Spark class."""
    return _registry.entries()
