"""The registry of window functions other than aggregates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional, Unpack

from broadhead.registry import Entry, EntryProperties, Registry

if TYPE_CHECKING:
    from broadhead.columns import Column
    from broadhead.plan.windows import WindowCall
    from broadhead.registry import Signature
    from broadhead.window_functions.reach import Reach
    from broadhead.window_functions.rows import SortedRows

Evaluate = Callable[["SortedRows", "WindowCall", Sequence["Column"]], "Column"]
"""The function's values for all rows; the columns are those of `WindowCall.children`."""
ReachOf = Callable[["WindowCall"], Optional["Reach"]]


def _whole_partition(call: WindowCall) -> Reach | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowFunction(Entry):
    """A registered window function.

    `reach`: which rows a call reads for a row, which decides if a partition may be split; None if
    it needs the whole partition in memory. What it needs of all rows before or after a row is
    combined from blocks, and does not count.
    """

    evaluate: Evaluate
    reach: ReachOf = _whole_partition


class WindowProperties(EntryProperties, total=False):
    """The fields of `WindowFunction` that have defaults."""

    reach: ReachOf


_registry = Registry[WindowFunction]("broadhead.window_functions")


def window_function(
    name: str,
    *,
    spark: str,
    signatures: Sequence[Signature],
    **properties: Unpack[WindowProperties],
) -> Callable[[Evaluate], Evaluate]:
    """Register the implementation of the Spark class `spark`, called `name` in SQL."""

    def register(evaluate: Evaluate) -> Evaluate:
        _registry.add(
            WindowFunction(
                name=name,
                spark=spark,
                signatures=tuple(signatures),
                evaluate=evaluate,
                **properties,
            )
        )
        return evaluate

    return register


def window_functions() -> Mapping[str, WindowFunction]:
    """All window functions by Spark class."""
    return _registry.entries()
